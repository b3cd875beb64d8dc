import HTTP
import Hummingbird
import RoomEvents
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

    let restrictions: OperatorRestrictions
    let records: any OperatorRecords
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
            return HTTPReply.json(try await set(parameters, access))
        case .lift:
            try trail.check(.managePeople, access, "liftRestriction")
            let (user, kind) = (try parameters.user(), try kind(parameters))
            try await restrictions.lift(kind, of: user, by: access.caller, in: access.application)
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

    private func set(_ parameters: RESTParameters, _ access: OperatorAccess) async throws(Refusal) -> Restriction {
        let (user, kind) = (try parameters.user(), try kind(parameters))
        let seconds = parameters.has("seconds") ? try parameters.whole("seconds") : nil
        if let seconds, !(1...Int64(Restriction.longestSeconds)).contains(seconds) {
            throw Refusal(.invalid("seconds", "a restriction holds 1…31,536,000 s, or without an end"))
        }
        let reason = try parameters.text("reason").flatMap { $0.isEmpty ? nil : $0 }
        if let reason, !Restriction.isReason(reason) {
            throw Refusal(.invalid("reason", "a reason has up to 200 characters that people can see"))
        }
        return try await restrictions.set(
            kind, of: user, seconds: seconds, reason: reason, by: access.caller, in: access.application)
    }
}
