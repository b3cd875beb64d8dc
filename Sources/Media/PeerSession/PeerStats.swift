/// What happened on a peer's path since it was made. Counts wrap around.
package struct PeerStats: Hashable, Sendable {
    package var packetsReceived: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    package var packetsSent: UInt64 = 0
    package var bytesSent: UInt64 = 0
    package var repeatsSent: UInt64 = 0
    /// Sequence numbers that we asked to be repeated.
    package var repeatsRequested: UInt64 = 0
    /// Sequence numbers that the other side asked us to repeat.
    package var repeatsAsked: UInt64 = 0

    private var drops = [UInt32](repeating: 0, count: DropReason.allCases.count)

    package init() {}

    package subscript(reason: DropReason) -> UInt32 { drops[reason.rawValue] }
    mutating func count(_ reason: DropReason) { drops[reason.rawValue] &+= 1 }
}
