/// What happened on a peer's path since it was made.
package struct PeerStats: Hashable, Sendable {
    /// Media packets that were authentic.
    package internal(set) var packetsReceived: UInt64 = 0
    package internal(set) var packetsSent: UInt64 = 0
    package internal(set) var repeatsSent: UInt64 = 0
    /// Requests that we sent, one counted for each sequence number and time.
    package internal(set) var repeatsRequested: UInt64 = 0
    /// Requests that the other side sent, counted in the same way.
    package internal(set) var repeatsAsked: UInt64 = 0
    /// Datagrams that were thrown away, by `DropReason`.
    private var drops = [UInt32](repeating: 0, count: DropReason.allCases.count)

    init() {}

    package subscript(reason: DropReason) -> UInt32 { drops[reason.rawValue] }

    mutating func count(_ reason: DropReason) { drops[reason.rawValue] &+= 1 }
}
