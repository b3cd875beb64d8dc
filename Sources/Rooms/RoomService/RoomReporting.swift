import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What people report of each other is handed to the operator, with what the server saw.
final class RoomReporting {
    /// The last messages of somebody who is reported go along.
    static let evidenceMessages = 5

    private unowned let core: RoomCore

    init(_ core: RoomCore) { self.core = core }

    func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        guard let reporter = core.people.attendance.user(of: session) else {
            return core.answer(reply, .failure(RoomError(.notInRoom)))
        }
        let report: Report
        do throws(RoomError) {
            report = try checked(draft, by: reporter)
        } catch {
            return core.answer(reply, .failure(error))
        }
        // Not the room's to order: it changes nothing there.
        core.dependencies.moderation.reports.post(report) { result in
            reply(result.mapError { _ in RoomCore.unavailable })
        }
    }

    private func checked(_ draft: ReportDraft, by reporter: UserID) throws(RoomError) -> Report {
        guard draft.user != reporter else { throw .invalid("user", "one cannot report oneself") }
        try draft.texts.checkSizes()
        if let words = draft.words, !Restriction.isReason(words) {
            throw .invalid("words", "a few words have up to 200 characters that people can see")
        }
        let reported = draft.message.flatMap { core.recent.message($0) }
        if draft.message != nil, reported?.from.id != draft.user { throw RoomError(.messageNotFound) }
        let person = core.people.attendance.people[draft.user]
        let said = core.recent.messages(of: draft.user, limit: Self.evidenceMessages)
        guard person != nil || reported != nil || !said.isEmpty else { throw RoomError(.userNotInRoom) }
        let wait = core.dependencies.allowances.takeReport(
            of: reporter, in: core.key.application, now: core.now)
        if let wait { throw RoomError(.rateLimited, "you have reported much of late", retryAfterMs: wait) }
        let messages = (reported.map { [$0] } ?? []) + said.filter { $0.chat != reported?.chat }
        let evidence = AuditDetail(
            name: person?.profile.name ?? reported?.from.name ?? said.first?.from.name,
            seat: core.state.seat(of: draft.user), reported: draft.message,
            messages: messages.map(AuditDetail.Said.init))
        return Report(
            application: core.key.application, room: core.key.room, reporter: reporter, user: draft.user,
            cause: draft.cause, words: draft.words.flatMap { $0.isEmpty ? nil : $0 }, evidence: evidence.json,
            time: core.wallNow)
    }
}
