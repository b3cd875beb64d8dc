internal import RoomPorts
internal import Synchronization

/// The facts of all workers on their way to the room core.
final class FactStream: Sendable {
    /// Far more than a room core that is alive ever leaves lying.
    static let capacity = 65_536

    let stream: AsyncStream<MediaFact>
    fileprivate let continuation: AsyncStream<MediaFact>.Continuation
    /// Workers that may still publish.
    private let publishers: Atomic<Int>

    init(publishers: Int = 1) {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
        self.publishers = Atomic(publishers)
    }

    /// One of the workers has told its last fact: the stream ends with the last of them.
    fileprivate func finish() {
        if publishers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.finish() }
    }
}

/// One worker's way of telling facts. If the room core does not keep up, measurements are left out first, since the next ones replace
/// them; who came and who went is told as long as there is any room.
final class FactPublisher {
    /// Measurements stop when only this much room is left.
    static let reserve = FactStream.capacity / 2

    private let facts: FactStream
    private var room = FactStream.capacity
    private var leftOut = 0

    init(_ facts: FactStream) { self.facts = facts }

    func publish(_ fact: MediaFact) {
        if fact.isMeasurement, room < Self.reserve {
            leftOut &+= 1
            // One in 64 goes through, to find out whether the consumer has caught up.
            guard leftOut % 64 == 0 else { return }
        }
        switch facts.continuation.yield(fact) {
        case .enqueued(let remaining): room = remaining
        case .dropped: room = 0
        case .terminated: break
        @unknown default: break
        }
    }

    /// Nothing follows from this worker.
    func finish() { facts.finish() }
}

extension MediaFact {
    fileprivate var isMeasurement: Bool {
        switch self {
        case .levels, .network, .pictures: true
        case .connected, .lost, .recovered, .closed, .cameraWanted: false
        }
    }
}
