import Hummingbird
import RoomModel
import RoomPorts
import SignalProtocol
import Timing

/// Whom the operator keeps out of an application, or from writing in any of its rooms.
struct RestrictionsResource: Sendable {
    enum Operation: Sendable, Hashable { case list, set, lift }

    private struct Page: Encodable {
        var restrictions: [Restriction]
        var cursor: Int64?
    }

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))

    let restrictions: any StandingRestrictions
    let records: any OperatorRecords
    let signIn: SignIn
    let people: PersonSessions
    let clock: any TimeSource

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .list:
            try trail.check(.managePeople, access, "readRestrictions")
            return HTTPReply.json(try await list(parameters, access))
        case .set:
            try trail.check(.managePeople, access, "setRestriction")
            let restriction = try await wanted(parameters, access)
            try await set(restriction, access)
            var detail = ["kind": restriction.kind.rawValue]
            detail["until"] = restriction.until.map { "\($0)" }
            trail.note(access, "setRestriction", target: restriction.user, detail: detail, reason: restriction.reason)
            return HTTPReply.json(restriction)
        case .lift:
            try trail.check(.managePeople, access, "liftRestriction")
            let (user, kind) = (try parameters.user(), try kind(parameters))
            try await lift(kind, of: user, access)
            trail.note(access, "liftRestriction", target: user, detail: ["kind": kind.rawValue])
            return HTTPReply.json(Answer.Empty())
        }
    }

    private func list(_ parameters: RESTParameters, _ access: OperatorAccess) async throws(Refusal) -> Page {
        let kind = try parameters.choice("kind", RestrictionKind.self)
        let limit = try parameters.number("limit", in: RESTParameters.page, default: 50)
        let cursor = try parameters.cursor()
        let found: [NotedRestriction]
        do throws(JournalFailure) {
            found = try await records.restrictions(
                of: access.application, kind, at: clock.wallTime.millisecondsSince1970, before: cursor, limit: limit)
        } catch { throw Self.unavailable }
        return Page(
            restrictions: found.map(\.restriction), cursor: found.count == limit ? found.last?.id : nil)
    }

    private func kind(_ parameters: RESTParameters) throws(Refusal) -> RestrictionKind {
        guard let kind = try parameters.choice("kind", RestrictionKind.self) else {
            throw Refusal(.invalid("kind", "the parameter kind is missing"))
        }
        return kind
    }

    private func wanted(_ parameters: RESTParameters, _ access: OperatorAccess) async throws(Refusal) -> Restriction {
        let (user, kind) = (try parameters.user(), try kind(parameters))
        let seconds = parameters.has("seconds") ? try parameters.whole("seconds") : nil
        if let seconds, !(1...Int64(Restriction.longestSeconds)).contains(seconds) {
            throw Refusal(.invalid("seconds", "a restriction holds 1…31,536,000 s, or without an end"))
        }
        let reason = try parameters.text("reason").flatMap { $0.isEmpty ? nil : $0 }
        if let reason, !Restriction.isReason(reason) {
            throw Refusal(.invalid("reason", "a reason has up to 200 characters that people can see"))
        }
        let profile = try await signIn.profiles([user], in: access.application).first ?? UserProfile(id: user)
        let now = clock.wallTime.millisecondsSince1970
        return Restriction(
            kind, user: user, name: profile.name, until: seconds.map { now + $0 * 1_000 }, everywhere: true,
            by: access.caller.name, reason: reason)
    }

    /// When it is answered, whoever is banned is out, silent and deaf, and whoever is muted has been told.
    private func set(_ restriction: Restriction, _ access: OperatorAccess) async throws(Refusal) {
        let application = access.application
        let held = restrictions.count(from: .application, in: application, at: clock.wallTime.millisecondsSince1970)
        guard
            held < RestrictionScope.application.limit
                || self.held(restriction.kind, of: restriction.user, access) != nil
        else { throw Refusal(RoomError(.restrictionsFull, "an application keeps 100,000 restrictions")) }
        let stored: Result<Void, JournalFailure> = await withCheckedContinuation { continuation in
            restrictions.set(restriction, from: .application, in: application) { continuation.resume(returning: $0) }
        }
        guard case .success = stored else { throw Self.unavailable }
        switch restriction.kind {
        case .ban: await people.end(restriction.user, in: application, why: .banned(signIn.refusal(of: restriction)))
        case .chatMute: await people.tellMute(of: restriction.user, in: application, lifted: nil)
        }
    }

    private func lift(_ kind: RestrictionKind, of user: UserID, _ access: OperatorAccess) async throws(Refusal) {
        guard let former = held(kind, of: user, access) else { throw Refusal(RoomError(.notRestricted)) }
        let stored: Result<Void, JournalFailure> = await withCheckedContinuation { continuation in
            restrictions.lift(kind, of: user, from: .application, in: access.application) {
                continuation.resume(returning: $0)
            }
        }
        guard case .success = stored else { throw Self.unavailable }
        if kind == .chatMute { await people.tellMute(of: user, in: access.application, lifted: former) }
    }

    private func held(_ kind: RestrictionKind, of user: UserID, _ access: OperatorAccess) -> Restriction? {
        restrictions.holding(kind, of: user, in: access.application, at: clock.wallTime.millisecondsSince1970)
    }
}
