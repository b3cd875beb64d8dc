import Digests
import Foundation

/// Makes UserSig tickets for one application. Belongs on a server: whoever holds the key can be anybody.
///
///     let signer = TicketSigner(application: 1400000001, key: secretKey)
///     let ticket = try signer.ticket(user: "alice", issuedAt: Int64(Date().timeIntervalSince1970))
public struct TicketSigner: Sendable {
    /// The application (SDKAppID) that the tickets are for.
    public let application: UInt32
    private let key: HMACKey

    /// - Parameter key: the secret key's text as it was given; it is used as it is, not decoded from hexadecimal.
    public init(application: UInt32, key: String) {
        self.application = application
        self.key = HMACKey(.sha256, key: Array(key.utf8))
    }

    /// Why no ticket can be made.
    public enum Failure: Error, Hashable, Sendable {
        /// A user id is 1…32 of `A-Z a-z 0-9 _ -`.
        case userID
        /// Lifetimes and times are not negative.
        case time
        /// A userbuf may have `TicketText.maximumUserbufBytes` bytes.
        case userbufTooLarge
    }

    /// - Parameters:
    ///   - issuedAt: now, in seconds since 1970.
    ///   - lifetime: seconds for which the ticket is good.
    ///   - userbuf: bytes that the signature shall also cover; see `PrivateMapKey`.
    public func ticket(
        user: String, issuedAt: Int64, lifetime: Int64 = Ticket.defaultLifetime, userbuf: [UInt8]? = nil
    ) throws(Failure) -> String {
        guard Ticket.isUserID(user) else { throw .userID }
        guard issuedAt >= 0, lifetime >= 0 else { throw .time }
        guard userbuf?.count ?? 0 <= TicketText.maximumUserbufBytes else { throw .userbufTooLarge }
        var ticket = Ticket(
            application: application, user: user, issuedAt: issuedAt, lifetime: lifetime, userbuf: userbuf,
            signature: "")
        ticket.signature = Base64.encode(key.code(of: Array(ticket.signedText.utf8)))
        return TicketText.encode(ticket)
    }

    /// A privateMapKey: a ticket that also says which room its bearer may enter, and what they may do there.
    public func privateMapKey(
        user: String, room: PrivateMapKey.Room, privileges: RoomPrivileges, issuedAt: Int64,
        lifetime: Int64 = Ticket.defaultLifetime
    ) throws(Failure) -> String {
        guard issuedAt >= 0, lifetime >= 0 else { throw .time }
        let (end, overflow) = issuedAt.addingReportingOverflow(lifetime)
        let body = PrivateMapKey(
            application: application, user: user, room: room, expiresAt: overflow ? .max : UInt32(clamping: end),
            privileges: privileges)
        return try ticket(user: user, issuedAt: issuedAt, lifetime: lifetime, userbuf: body.encoded)
    }
}
