package import HTTP
package import RoomEvents
package import RoomModel
package import RoomPorts
package import SignalProtocol
package import Signalling
import Timing

/// What the operator decides about a person in a whole application, whichever API says so.
package struct OperatorRestrictions: Sendable {
    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))

    package let store: any StandingRestrictions
    package let signIn: SignIn
    package let people: PersonSessions
    package let audit: any AuditTrail
    package let clock: any TimeSource

    package init(
        store: any StandingRestrictions, signIn: SignIn, people: PersonSessions, audit: any AuditTrail,
        clock: any TimeSource
    ) {
        self.store = store
        self.signIn = signIn
        self.people = people
        self.audit = audit
        self.clock = clock
    }

    private var now: Int64 { clock.wallTime.millisecondsSince1970 }

    /// The one that holds now.
    func held(_ kind: RestrictionKind, of user: UserID, in application: ApplicationID) -> Restriction? {
        store.holding(kind, of: user, in: application, at: now)
    }

    /// When it returns, whoever is banned is out, silent and deaf, and whoever is muted has been told.
    /// - Parameter seconds: `nil`: until it is lifted.
    package func set(
        _ kind: RestrictionKind, of user: UserID, seconds: Int64?, reason: String?, by caller: Operator,
        in application: ApplicationID
    ) async throws(Refusal) -> Restriction {
        let limit = RestrictionScope.application.limit
        guard
            store.count(from: .application, in: application, at: now) < limit
                || held(kind, of: user, in: application) != nil
        else { throw Refusal(RoomError(.restrictionsFull, "an application keeps \(limit) restrictions")) }
        let profile = try await signIn.profiles([user], in: application).first ?? UserProfile(id: user)
        let restriction = Restriction(
            kind, user: user, name: profile.name, until: seconds.map { now + $0 * 1_000 }, everywhere: true,
            by: caller.name, reason: reason)
        try await change(StandingChange(beginning: restriction, from: .application, in: application))
        switch kind {
        case .ban: await people.end(user, in: application, why: .banned(signIn.refusal(of: restriction)))
        case .chatMute: await people.tellMute(of: user, in: application, lifted: nil)
        // Only what a newer server tells; nobody can ask for it.
        case .unknown: break
        }
        note("setRestriction", restriction, by: caller, in: application)
        return restriction
    }

    /// - Throws: `not_restricted` if none holds.
    func lift(
        _ kind: RestrictionKind, of user: UserID, by caller: Operator, in application: ApplicationID
    ) async throws(Refusal) {
        guard let former = held(kind, of: user, in: application) else { throw Refusal(RoomError(.notRestricted)) }
        try await change(StandingChange(ending: kind, of: user, from: .application, in: application))
        if kind == .chatMute { await people.tellMute(of: user, in: application, lifted: former) }
        note("liftRestriction", former, by: caller, in: application)
    }

    private func change(_ change: StandingChange) async throws(Refusal) {
        let stored: Result<Void, JournalFailure> = await withCheckedContinuation { continuation in
            store.change(change) { continuation.resume(returning: $0) }
        }
        guard case .success = stored else { throw Self.unavailable }
    }

    private func note(
        _ action: String, _ restriction: Restriction, by caller: Operator, in application: ApplicationID
    ) {
        var detail = ["kind": restriction.kind.rawValue, "everywhere": "true"]
        detail["until"] = restriction.until.map { "\($0)" }
        audit.note(
            AuditLine(
                application: application, room: nil, actor: caller.name, role: .operator, way: .rest, action: action,
                target: restriction.user, detail: String(decoding: SignalText.encode(detail), as: UTF8.self),
                reason: restriction.reason, outcome: "done", time: now))
    }
}
