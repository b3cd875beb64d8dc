package import RoomModel
package import RoomPorts
package import SignalProtocol
import Synchronization
import Timing
package import UserSig

/// Checks who somebody is: applications, tickets, profiles.
package final class SignIn: Sendable {
    /// How long an application is remembered. Whoever changes it while the server runs says so (`forget`).
    private static let applicationMemory = Interval.seconds(5)
    package static let nameLimit = 64
    package static let avatarLimit = 500
    /// Characters: two or three sentences.
    package static let bioLimit = 300

    private let accounts: any AccountStore
    private let restrictions: any StandingRestrictions
    package let clock: any TimeSource
    private let filter: @Sendable (ApplicationID) -> (any TextFilter)?
    private struct Memory {
        var applications: [ApplicationID: (application: Application, until: Instant)] = [:]
        /// Counts changes: what was read before one is not remembered after it.
        var changes = 0
    }

    private let remembered = Mutex(Memory())

    /// - Parameter filter: stops names and bios.
    package init(
        accounts: any AccountStore, restrictions: any StandingRestrictions, clock: any TimeSource,
        filter: @escaping @Sendable (ApplicationID) -> (any TextFilter)? = { _ in nil }
    ) {
        self.accounts = accounts
        self.restrictions = restrictions
        self.clock = clock
        self.filter = filter
    }

    /// What a good ticket proves.
    package struct Identity {
        package var application: Application
        package var profile: UserProfile
        package var ticket: TicketProof
    }

    /// - Parameter isTaken: whether somebody else uses a name that this user has not had before.
    package func identify(
        _ opening: SessionOpening, isTaken: (String, UserID, ApplicationID) -> Bool
    ) async throws(Refusal) -> Identity {
        let application = try await application(opening.application)
        let proof = try verify(opening.ticket, of: opening.user, in: application)
        try Self.check(name: opening.name, avatar: opening.avatar)
        var profile = try await profile(opening.user, in: application.id)
        let known = profile
        if let name = opening.name {
            // Who has the name already comes in with it. Whom the operator muted comes in under the name that they have.
            if name != known.name, mute(of: opening.user, in: application.id) == nil {
                try checkWords(Self.texts(name: name), in: application.id)
                if isTaken(name, opening.user, application.id) { throw Refusal(RoomError(.nameTaken)) }
                profile.name = name
            }
        }
        if let avatar = opening.avatar { profile.avatar = avatar }
        if profile != known { try await save(profile, in: application.id) }
        return Identity(application: application, profile: profile, ticket: proof)
    }

    package func verify(_ ticket: String, of user: UserID, in application: Application) throws(Refusal) -> TicketProof {
        let verifier = TicketVerifier(application: application.id.rawValue, keys: application.keys)
        let good: Ticket
        do throws(TicketFailure) {
            good = try verifier.verify(ticket, user: user.rawValue, now: clock.wallTime.secondsSince1970)
        } catch {
            throw Self.refusal(error)
        }
        // A privateMapKey is good for one room and some privileges. Taking it for a whole ticket would give its bearer more than its
        // maker wanted.
        guard good.userbuf == nil else { throw Self.scoped }
        try checkBan(of: user, in: application.id)
        guard let maker = verifier.maker(of: good) else { throw Self.refusal(.signature) }
        return TicketProof(
            // Tickets may claim to last for ever; ours end within what nanoseconds can say.
            end: WallTime(secondsSince1970: min(good.expiresAt, Self.lastSecond)),
            maker: TicketMaker(key: application.keys[maker]))
    }

    /// Asks once more, after a session is there: those whose ticket's key has been dropped, or who have been banned, since the ticket was
    /// looked at have had their sessions ended before this one was there.
    package func checkAgain(_ proof: TicketProof, of user: UserID, in id: ApplicationID) async throws(Refusal) {
        try checkBan(of: user, in: id)
        let application = try await application(id)
        guard application.keys.contains(where: { TicketMaker(key: $0) == proof.maker }) else {
            throw Self.refusal(.signature)
        }
    }

    /// Whom the operator keeps out.
    package func checkBan(of user: UserID, in application: ApplicationID) throws(Refusal) {
        let now = clock.wallTime.millisecondsSince1970
        guard let ban = restrictions.holding(.ban, of: user, in: application, at: now) else { return }
        throw Refusal(refusal(of: ban))
    }

    /// What somebody is told whom the operator keeps out.
    package func refusal(of ban: Restriction) -> RoomError {
        guard let until = ban.until else { return RoomError(.bannedHereForGood, reason: ban.reason) }
        let left = max(0, until - clock.wallTime.millisecondsSince1970)
        return RoomError(.bannedHere, retryAfterMs: Int(clamping: left), reason: ban.reason)
    }

    /// 2116: far beyond any ticket and still representable.
    private static let lastSecond: Int64 = 1 << 32 + 1 << 28

    package func application(_ id: ApplicationID) async throws(Refusal) -> Application {
        let now = clock.now
        let (known, changes) = remembered.withLock { ($0.applications[id], $0.changes) }
        if let known, known.until > now { return known.application }
        let found: Application?
        do throws(JournalFailure) { found = try await accounts.application(id) } catch { throw Self.unavailable }
        guard let found else { throw Refusal(RoomError(.appUnknown)) }
        remembered.withLock {
            if $0.changes == changes { $0.applications[id] = (found, now + Self.applicationMemory) }
        }
        return found
    }

    /// The application has changed.
    package func forget(_ id: ApplicationID) {
        remembered.withLock {
            $0.applications[id] = nil
            $0.changes += 1
        }
    }

    package func profiles(_ users: [UserID], in application: ApplicationID) async throws(Refusal) -> [UserProfile] {
        let found: [UserProfile]
        do throws(JournalFailure) { found = try await accounts.profiles(users, of: application) } catch {
            throw Self.unavailable
        }
        let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return users.compactMap { byID[$0] }
    }

    /// A user who never said a name is shown by the id.
    private func profile(_ user: UserID, in application: ApplicationID) async throws(Refusal) -> UserProfile {
        try await profiles([user], in: application).first ?? UserProfile(id: user)
    }

    package func save(_ profile: UserProfile, in application: ApplicationID) async throws(Refusal) {
        do throws(JournalFailure) { try await accounts.save(profile, of: application) } catch { throw Self.unavailable }
    }

    /// What the operator's words stop.
    package func checkWords(_ texts: [SaidText], in application: ApplicationID) throws(Refusal) {
        do throws(RoomError) { try texts.check(against: filter(application)) } catch { throw Refusal(error) }
    }

    /// What the operator's mute of somebody stops, in no room.
    package func checkMute(_ texts: [SaidText], by user: UserID, in application: ApplicationID) throws(Refusal) {
        guard texts.areStopped(byOperatorsMute: true), let mute = mute(of: user, in: application) else { return }
        throw Refusal(RoomError(muted: mute, at: clock.wallTime.millisecondsSince1970))
    }

    private func mute(of user: UserID, in application: ApplicationID) -> Restriction? {
        restrictions.holding(.chatMute, of: user, in: application, at: clock.wallTime.millisecondsSince1970)
    }

    /// What stands in a profile, as far as it is text.
    package static func texts(name: String?, bio: String? = nil) -> [SaidText] {
        [name.map { SaidText(.personName, $0, "name") }, bio.map { SaidText(.personBio, $0, "bio") }].compactMap { $0 }
    }

    /// What may stand in a profile.
    package static func check(name: String?, avatar: String?, bio: String? = nil) throws(Refusal) {
        if let bio, bio.utf8.count > bioLimit * 4 || bio.count > bioLimit {
            throw Refusal(.invalid("bio", "a bio has at most \(bioLimit) characters"))
        }
        if let name {
            guard name.utf8.count <= nameLimit * 4, (1...nameLimit).contains(name.count),
                ReadableName.isReadable(name)
            else { throw Refusal(.invalid("name", "a name has 1…64 characters that people can see")) }
        }
        if let avatar {
            guard WebAddress.isAcceptable(avatar, bytes: avatarLimit) else {
                throw Refusal(.invalid("avatar", "an avatar is an https:, http: or relative URL of at most 500 bytes"))
            }
        }
    }

    package static let scoped = Refusal(
        RoomError(
            .ticketFailed, "a privateMapKey is no whole ticket: sign in with a UserSig without userbuf", reason: "scope"
        ))

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 1000))

    package static func refusal(_ failure: TicketFailure) -> Refusal {
        switch failure {
        case .empty: Refusal(RoomError(.ticketEmpty))
        case .malformed(let what):
            Refusal(RoomError(.ticketFailed, "the ticket is malformed (\(what))", reason: "malformed"))
        case .application:
            Refusal(RoomError(.ticketFailed, "the ticket was made for another application", reason: "app"))
        case .user: Refusal(RoomError(.ticketFailed, "the ticket was made for another user", reason: "user"))
        case .signature:
            Refusal(RoomError(.ticketFailed, "no key of the application made this ticket", reason: "signature"))
        case .expired: Refusal(RoomError(.ticketExpired, "the ticket is out of date: get a new one", reason: "expired"))
        case .notYetValid(let skew):
            Refusal(
                RoomError(
                    .ticketNotYetValid, "the ticket was made \(skew) s in the future: a clock is wrong", reason: "clock"
                ),
                skewSeconds: skew)
        }
    }
}
