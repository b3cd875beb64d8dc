import Digests
package import Timing

/// What a good ticket proves.
package struct TicketProof: Hashable, Sendable {
    /// Until when.
    package var end: WallTime
    package var maker: TicketMaker
}

/// The secret key that made a ticket, told apart from the others of its application. A ticket proves nothing once its key is dropped.
package struct TicketMaker: Hashable, Sendable {
    /// The beginning of the key's SHA-256: sessions remember it, and it is not the key.
    private let digest: UInt64

    package init(key: String) {
        digest = SHA256.hash(Array(key.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
