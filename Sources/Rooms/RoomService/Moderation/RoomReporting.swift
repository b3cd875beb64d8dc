import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What people report of each other is handed to the operator, with what the server saw.
struct RoomReporting {
    /// The last messages of somebody who is reported go along.
    static let evidenceMessages = 5

    private let allowances: PersonalAllowances

    init(_ allowances: PersonalAllowances) { self.allowances = allowances }

    func report(
        _ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>, in turn: inout RoomTurn
    ) {
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        guard let reporter = turn.attendance.user(of: session) else {
            return turn.answer(reply, .failure(RoomError(.notInRoom)))
        }
        let report: Report
        do throws(RoomError) {
            report = try checked(draft, by: reporter, in: &turn)
        } catch {
            return turn.answer(reply, .failure(error))
        }
        // Not the room's to order: it changes nothing there.
        turn.add(.file(report, reply))
    }

    private func checked(_ draft: ReportDraft, by reporter: UserID, in turn: inout RoomTurn) throws(RoomError) -> Report
    {
        guard draft.user != reporter else { throw .invalid("user", "one cannot report oneself") }
        try draft.texts.checkSizes()
        if let words = draft.words, !Restriction.isReason(words) {
            throw .invalid("words", "a few words have up to 200 characters that people can see")
        }
        let reported = draft.message.flatMap { turn.recent.message($0) }
        if draft.message != nil, reported?.from.id != draft.user { throw RoomError(.messageNotFound) }
        let person = turn.attendance.people[draft.user]
        let said = turn.recent.messages(of: draft.user, limit: Self.evidenceMessages)
        guard person != nil || reported != nil || !said.isEmpty else { throw RoomError(.userNotInRoom) }
        let wait = allowances.takeReport(
            of: reporter, in: turn.key.application, now: turn.now)
        if let wait { throw RoomError(.rateLimited, "you have reported much of late", retryAfterMs: wait) }
        let messages = (reported.map { [$0] } ?? []) + said.filter { $0.chat != reported?.chat }
        let evidence = AuditDetail(
            name: person?.profile.name ?? reported?.from.name ?? said.first?.from.name,
            seat: turn.state.seat(of: draft.user), reported: draft.message,
            messages: messages.map(AuditDetail.Said.init))
        return Report(
            application: turn.key.application, room: turn.key.room, reporter: reporter, user: draft.user,
            cause: draft.cause, words: draft.words.flatMap { $0.isEmpty ? nil : $0 }, evidence: evidence.json,
            time: turn.wallNow)
    }
}
