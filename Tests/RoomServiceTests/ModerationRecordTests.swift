import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// G06: what is noted of those who run a room, and what is reported of people.
@Suite struct ModerationRecordTests {
    private func audited(_ salon: Salon) -> [String] {
        salon.audit.lines.map { line in
            [
                line.actor?.rawValue ?? "-", line.role.rawValue, line.action, line.target?.rawValue ?? "-", line.detail,
                line.reason ?? "-", line.outcome,
            ].joined(separator: " ")
        }
    }

    @Test(
        "G06-S what is done about people is noted with whom, what, why and before and after; what is refused too, without its words"
    )
    func audit() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(say("buy coins"), by: member)
        #expect(salon.refusal(.deleteMessage(DeleteMessage(1)), by: owner) == nil)
        #expect(
            salon.refusal(.deleteMessage(DeleteMessage(1)), by: owner) == nil, "nothing is changed, and nothing noted")
        #expect(salon.refusal(mute(.member, 60), by: owner) == nil)
        #expect(salon.refusal(.liftRestriction(LiftRestriction(.chatMute, of: .member)), by: owner) == nil)
        #expect(salon.refusal(.updateRoom(RoomUpdate(name: "Salon", slowSeconds: 5)), by: owner) == nil)
        #expect(
            salon.refusal(
                .setRestriction(RestrictionDraft(.ban, of: .owner, reason: String(repeating: "x", count: 9_000))),
                by: member) == .permissionDenied)
        #expect(salon.refusal(mute(.owner), by: owner) == .permissionDenied)
        #expect(salon.refusal(say("hello"), by: member) == nil)
        #expect(salon.refusal(.setRole(SetRole(.member, .admin)), by: owner) == nil)
        #expect(salon.refusal(ban(.member, everywhere: true), by: owner) == nil)
        let time = salon.audit.lines.first.map { "\($0.time)" } ?? ""
        #expect(
            audited(salon) == [
                "olga owner deleteMessage mia {\"messages\":[{\"chat\":1,\"text\":\"buy coins\",\"time\":\(time)}],\"reported\":1} - done",
                "olga owner setRestriction mia {\"kind\":\"chat_mute\",\"seconds\":60} spam done",
                "olga owner liftRestriction mia {\"kind\":\"chat_mute\"} - done",
                "olga owner updateRoom - {\"slowSeconds\":{\"after\":5,\"before\":0}} - done",
                "mia member setRestriction olga {} - permission_denied",
                "olga owner setRestriction olga {} - permission_denied",
                "olga owner setRole mia {\"role\":{\"after\":\"admin\",\"before\":\"member\"}} - done",
                "olga owner setRestriction mia {\"everywhere\":true,\"kind\":\"ban\"} - done",
            ])
    }

    @Test("G06-S the trail says that something is done if it is stored, whatever the disk reports, and not otherwise")
    func lostLines() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        _ = salon.enter(.member)
        salon.journal.fail(times: 1)
        #expect(salon.refusal(mute(.member, 60), by: owner) == .unavailable)
        try await salon.load()
        #expect(audited(salon).isEmpty)
        salon.journal.fail(storing: true, times: 1)
        #expect(salon.refusal(ban(.member, 60), by: owner) == .unavailable)
        try await salon.load()
        #expect(salon.audit.lines.map(\.action) == ["setRestriction"])
    }

    @Test(
        "G06-S nobody fills the trail: refusals are noted up to a number, and what is done to people comes no faster than people work"
    )
    func floods() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        for _ in 0..<200 { #expect(salon.refusal(.setRole(SetRole(.other, .admin)), by: member) == .permissionDenied) }
        #expect(salon.audit.lines.count == 20)
        for number in 0..<200 {
            #expect(salon.refusal(.updateRoom(RoomUpdate(slowSeconds: number % 60)), by: owner) == nil)
        }
        #expect(salon.audit.lines.count == 20 + 20, "settings change as fast as apps ask; the beginning is noted")
        salon.advance(.seconds(10))
        #expect(salon.refusal(.updateRoom(RoomUpdate(noLinks: true)), by: owner) == nil)
        #expect(salon.audit.lines.count == 41)
        #expect(salon.audit.lines.last?.detail.contains(#""merged":179"#) == true, "and how many more there were")
        for _ in 0..<60 { #expect(salon.refusal(mute(.member), by: owner) == nil) }
        let refused = try #require(error(mute(.member), by: owner, in: salon))
        #expect(refused.code == .rateLimited && refused.retryAfterMs == 500)
        salon.advance(.milliseconds(500))
        #expect(salon.refusal(mute(.member), by: owner) == nil)
        #expect(salon.audit.lines.last?.action == "setRestriction", "what is done to people is noted each time")
    }

    private func report(_ draft: ReportDraft, by client: Client, in salon: Salon) -> RoomError? {
        let answer = Shared<RoomError??>(.none)
        salon.core.report(draft, by: client.session) { result in
            switch result {
            case .success: answer.set(.some(nil))
            case .failure(let error): answer.set(error)
            }
        }
        salon.settle()
        guard let answered = answer.current else {
            Issue.record("not answered")
            return nil
        }
        return answered
    }

    @Test(
        "G06-S a report goes to the operator with what the server itself knows; it names a message of that person, and nobody floods"
    )
    func reports() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let member = salon.enter(.member)
        let other = salon.enter(.other)
        for text in ["one", "two"] { salon.submit(say(text), by: member) }
        salon.submit(say("mine"), by: other)
        #expect(
            report(ReportDraft(.member, cause: .spam, words: "again and again", message: 1), by: other, in: salon)
                == nil)
        let noted = try #require(salon.reports.reports.first)
        #expect(noted.reporter == .other && noted.user == .member && noted.cause == .spam)
        #expect(noted.words == "again and again" && noted.room == salon.key.room)
        #expect(
            noted.evidence.contains("\"one\"") && noted.evidence.contains("\"two\"") && !noted.evidence.contains("mine")
        )
        #expect(noted.evidence.contains("\"name\":\"MIA\"") && noted.evidence.contains("\"reported\":1"))
        for (draft, code) in [
            (ReportDraft(.other, cause: .spam), RoomError.Code.invalidParams),
            (ReportDraft(.member, cause: .spam, message: 3), .messageNotFound),
            (ReportDraft(.member, cause: .spam, message: 9), .messageNotFound),
            (ReportDraft(UserID(literal: "nobody"), cause: .spam), .userNotInRoom),
            (ReportDraft(.member, cause: .spam, words: String(repeating: "x", count: 201)), .invalidParams),
        ] { #expect(report(draft, by: other, in: salon)?.code == code) }
        // Who has gone can still be reported for what they wrote.
        salon.submit(.exitRoom, by: member)
        salon.reports.fail(.full)
        #expect(report(ReportDraft(.member, cause: .abuse), by: other, in: salon)?.code == .unavailable)
        salon.reports.fail(nil)
        for _ in 0..<3 { #expect(report(ReportDraft(.member, cause: .abuse), by: other, in: salon) == nil) }
        let refused = report(ReportDraft(.member, cause: .abuse), by: other, in: salon)
        #expect(refused?.code == .rateLimited && refused?.retryAfterMs == 60_000)
        #expect(salon.reports.reports.count == 4)
    }
}
