import Digests
import Foundation
package import HTTP
package import RoomModel
package import RoomPorts
import SignalProtocol
package import Signalling
import Synchronization
import Timing
import UserSig

/// Makes tickets for people who have no account: on this machine while developing, or as guests where the operator wants that.
package final class TicketIssuer: Sendable {
    package enum Kind: Sendable, Hashable {
        /// A name always gives the same user, so that a person who comes back owns their rooms still. For loopback addresses only.
        case development
        /// Each sign-in is a new user: a name proves nothing about who somebody is.
        case guests
    }

    /// What somebody gets.
    struct Issued: Encodable, Sendable {
        var app: ApplicationID
        var user: UserID
        var name: String
        var ticket: String
        var expiresInSeconds: Int64
    }

    /// A day: as long as a party, and short enough that a lost ticket does not matter for long.
    static let lifetime: Int64 = 86_400
    /// For how long after its end a ticket can be changed for a new one: a tab that was closed for the week.
    static let renewalWindow: Int64 = 7 * 86_400
    /// A name is kept for whoever has just got a ticket for it until they have signed in.
    static let reservation = Interval.seconds(10)

    package let kind: Kind
    package let application: ApplicationID
    private let signIn: SignIn
    private let sessions: SessionRegistry
    private let clock: any TimeSource
    private let rates: AddressRates
    private let guestsAtOnce: Int
    private let reserved = Mutex<[String: (user: UserID, until: Instant)]>([:])

    package init(
        kind: Kind, application: ApplicationID, signIn: SignIn, sessions: SessionRegistry, clock: any TimeSource,
        limits: AdmissionLimits
    ) {
        self.kind = kind
        self.application = application
        self.signIn = signIn
        self.sessions = sessions
        self.clock = clock
        self.rates = AddressRates(limits.guestsPerAddress)
        self.guestsAtOnce = Int(limits.guestsPerAddress.burst)
    }

    /// Whether tickets are given to that address at all.
    package func serves(_ address: ClientAddress) -> Bool { kind == .guests || address.isLoopback }

    func issue(name: String, to address: ClientAddress) async throws(Refusal) -> Issued {
        let name = DirectionMarks.withoutIdle(name).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        try SignIn.check(name: name, avatar: nil)
        if kind == .guests, let wait = rates.take(address, now: clock.now) {
            throw Refusal(
                RoomError(
                    .guestsLimited,
                    "too many guests from this address: \(guestsAtOnce) at once (limits.guests_per_address)",
                    retryAfterMs: wait))
        }
        let user = try kind == .development ? Self.developmentUser(name) : Self.guestUser()
        guard reserve(name, for: user), !sessions.isNameInUse(name, in: application, besides: nil) else {
            throw Refusal(RoomError(.nameTaken))
        }
        return try await ticket(user: user, name: name, lifetime: Self.lifetime)
    }

    /// Changes a ticket of this issuer, which may have run out lately, for a new one that lasts no longer than the old one did. What an
    /// operator has signed the operator renews: here it would become more than was given.
    func renew(user: String, ticket text: String) async throws(Refusal) -> Issued {
        guard let user = UserID(user) else { throw Refusal(RoomError(.userIDInvalid, field: "user")) }
        let application = try await signIn.application(application)
        let verifier = TicketVerifier(application: application.id.rawValue, keys: application.keys)
        let old: Ticket
        do throws(TicketFailure) { old = try verifier.verifySignature(text, user: user.rawValue) } catch {
            throw SignIn.refusal(error)
        }
        guard old.userbuf == nil else { throw SignIn.scoped }
        guard user.rawValue.hasPrefix(prefix) else {
            throw Refusal(
                RoomError(
                    .ticketFailed, "this server did not make the ticket: get a new one where it came from",
                    reason: "foreign"))
        }
        let (end, overflow) = old.expiresAt.addingReportingOverflow(Self.renewalWindow)
        guard overflow || clock.wallTime.secondsSince1970 <= end else {
            throw SignIn.refusal(.expired(at: old.expiresAt))
        }
        let name = try await signIn.profiles([user], in: self.application).first?.name ?? ""
        return try await self.ticket(user: user, name: name, lifetime: min(old.lifetime, Self.lifetime))
    }

    private func ticket(user: UserID, name: String, lifetime: Int64) async throws(Refusal) -> Issued {
        let application = try await signIn.application(application)
        try signIn.checkBan(of: user, in: application.id)
        guard let key = application.keys.first else { throw Refusal(RoomError(.appUnknown)) }
        let signer = TicketSigner(application: application.id.rawValue, key: key)
        do throws(TicketSigner.Failure) {
            let ticket = try signer.ticket(
                user: user.rawValue, issuedAt: clock.wallTime.secondsSince1970, lifetime: lifetime)
            return Issued(app: application.id, user: user, name: name, ticket: ticket, expiresInSeconds: lifetime)
        } catch {
            throw Refusal(RoomError(.internalError))
        }
    }

    /// - Returns: whether the name is free, or was kept for the same user.
    private func reserve(_ name: String, for user: UserID) -> Bool {
        let now = clock.now
        return reserved.withLock { reserved in
            reserved = reserved.filter { $0.value.until > now }
            let key = ReadableName.key(name)
            if let holder = reserved[key], holder.user != user { return false }
            reserved[key] = (user, now + Self.reservation)
            return true
        }
    }

    /// Whether a ticket issuer made that user.
    package static func isOwn(_ user: UserID) -> Bool {
        user.rawValue.hasPrefix(guestPrefix) || user.rawValue.hasPrefix(developmentPrefix)
    }

    /// How the users begin that this issuer makes.
    private var prefix: String { kind == .guests ? Self.guestPrefix : Self.developmentPrefix }
    private static let guestPrefix = "guest-"
    private static let developmentPrefix = "demo-"

    private static func guestUser() throws(Refusal) -> UserID {
        try user(guestPrefix, UInt64.random(in: .min ... .max))
    }

    private static func developmentUser(_ name: String) throws(Refusal) -> UserID {
        let digest = SHA256.hash(Array(ReadableName.key(name).utf8))
        return try user(developmentPrefix, digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func user(_ prefix: String, _ number: UInt64) throws(Refusal) -> UserID {
        guard let user = UserID(prefix + String(number, radix: 36)) else { throw Refusal(RoomError(.internalError)) }
        return user
    }
}
