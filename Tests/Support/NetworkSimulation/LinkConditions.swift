package import Timing

/// What a network does to datagrams of one direction.
package struct LinkConditions: Sendable, Hashable {
    /// The chance of a datagram to get lost, 0…1.
    package var loss: Double = 0
    /// The chance of a datagram to arrive twice.
    package var duplication: Double = 0
    /// The way takes this long, and up to `jitter` more, evenly spread: where it exceeds the distance of two datagrams,
    /// they change places.
    package var delay: Interval = .milliseconds(20)
    package var jitter: Interval = .zero
    /// Bytes a second; nil for no limit. What waits for its turn stands in a queue.
    package var rate: Int?
    /// Bytes that may wait; what comes on top is lost.
    package var queueLimit: Int = 64 * 1024

    package init() {}

    package static let perfect = LinkConditions()

    /// Loss, duplicates and reordering at once.
    package static func lossy(_ loss: Double) -> LinkConditions {
        var conditions = LinkConditions()
        conditions.loss = loss
        conditions.duplication = 0.05
        conditions.jitter = .milliseconds(30)
        return conditions
    }
}
