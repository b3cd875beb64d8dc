import Digests
import Foundation

/// Checks UserSig tickets of one application. Compares decoded fields and the signature, never ticket texts:
/// spacing, key order and compression differ between the published generators.
public struct TicketVerifier: Sendable {
    /// The application (SDKAppID) whose tickets are good.
    public let application: UInt32
    private let keys: [HMACKey]

    /// How far the clock of a ticket's maker may be ahead of ours: five minutes, the usual allowance (Kerberos, RFC 4120 §8.2).
    public static let clockTolerance: Int64 = 300

    /// - Parameter keys: the secret keys as given; more than one while a key is being rotated.
    public init(application: UInt32, keys: [String]) {
        self.application = application
        self.keys = keys.map { HMACKey(.sha256, key: Array($0.utf8)) }
    }

    /// - Parameters:
    ///   - user: who claims to own the ticket.
    ///   - now: in seconds since 1970.
    /// - Returns: the ticket's content, which is genuine and good now.
    public func verify(_ text: String, user: String, now: Int64) throws(TicketFailure) -> Ticket {
        let ticket = try verifySignature(text, user: user)
        let (skew, overflow) = ticket.issuedAt.subtractingReportingOverflow(now)
        guard !overflow, skew <= Self.clockTolerance else { throw .notYetValid(skewSeconds: overflow ? .max : skew) }
        guard now <= ticket.expiresAt else { throw .expired(at: ticket.expiresAt) }
        return ticket
    }

    /// Everything but the times: for a ticket that may be renewed although it has run out.
    public func verifySignature(_ text: String, user: String) throws(TicketFailure) -> Ticket {
        let ticket = try TicketText.decode(text)
        guard ticket.application == application else { throw .application(ticket.application) }
        guard ticket.user == user else { throw .user }
        guard Base64.decode(ticket.signature) != nil else { throw .malformed("signature") }
        guard maker(of: ticket) != nil else { throw .signature }
        return ticket
    }

    /// The key that made a ticket, by its place among the keys; `nil`: none of them did.
    package func maker(of ticket: Ticket) -> Int? {
        guard let signature = Base64.decode(ticket.signature) else { return nil }
        let message = Array(ticket.signedText.utf8)
        // Constant time per key, and every key is tried: the time says neither which key nor which byte was wrong.
        let matches = keys.map { $0.isCode(signature, of: message) }
        return matches.firstIndex(of: true)
    }
}
