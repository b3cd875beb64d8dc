internal import ICE
internal import Wire

/// Whose a datagram is.
struct Route {
    var peer: Peer
    /// It is a connectivity check that names the peer, not just a datagram by a way that the peer is known to use.
    var isNamed: Bool

    /// nil if it is nobody's. STUN is told by its first byte (RFC 7983); a check names its peer, since it may come by a new
    /// way, or by one that was another's before.
    init?(_ datagram: UnsafeRawBufferPointer, _ path: NetworkPath, in table: PeerTable) {
        if let ufrag = Self.ufrag(in: datagram) {
            guard let named = table.peer(named: ufrag) else { return nil }
            peer = named
            isNamed = true
        } else {
            guard let known = table.peer(at: path) else { return nil }
            peer = known
            isNamed = false
        }
    }

    /// The peer that a connectivity check names.
    static func named(by datagram: UnsafeRawBufferPointer, in table: PeerTable) -> Peer? {
        ufrag(in: datagram).flatMap { table.peer(named: $0) }
    }

    @inline(__always)
    private static func ufrag(in datagram: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer.SubSequence? {
        guard let first = datagram.first, first < 4, let message = STUNMessage.parse(datagram),
            message.messageClass == .request
        else { return nil }
        return message.destinationUfrag(in: datagram)
    }
}
