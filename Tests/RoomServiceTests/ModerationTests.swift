import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// G06, V20: what those who run a room do about messages and people.
@Suite struct ModerationTests {
    private func say(_ text: String) -> RoomCommand { .sendMessage(MessageDraft(.text(text))) }

    private func mute(_ user: UserID, _ seconds: Int? = nil) -> RoomCommand {
        .setRestriction(RestrictionDraft(.chatMute, of: user, seconds: seconds, reason: "spam"))
    }

    private func ban(_ user: UserID, _ seconds: Int? = nil, everywhere: Bool = false) -> RoomCommand {
        .setRestriction(RestrictionDraft(.ban, of: user, seconds: seconds, everywhere: everywhere))
    }

    private func error(_ command: RoomCommand, by client: Client, in salon: Salon) -> RoomError? {
        if case .failure(let error)? = salon.submit(command, by: client).current { error } else { nil }
    }

    private func heard(_ client: Client) -> [RestrictionNews] {
        client.outbox.heard.compactMap {
            if case .news(.restriction(let news), _) = $0 { news } else { nil }
        }
    }

    private func refusal(_ client: Client) -> RoomError? {
        if case .failure(let error)? = client.entries.current.last { error } else { nil }
    }

    @Test("G06-S L15-S a ban of 0 s puts somebody out at once, who may come back; others are not kept in the dark")
    func removed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(ban(.member, 0), by: owner) == nil)
        guard case .removed(let removal)? = member.departures.current.last else {
            Issue.record("\(member.departures.current)")
            return
        }
        #expect(removal.by == .owner && !removal.holds(at: removal.until ?? 0))
        salon.advance(.seconds(1))
        #expect(salon.members(.everyone(limit: 10, cursor: nil), for: owner)?.members.map(\.id) == [.owner])
        #expect(salon.refusal(ban(.member, 0), by: owner) == .userNotInRoom)
        #expect(salon.core.state.restrictions.all.isEmpty)
        #expect(salon.audit.lines.count == 1)
        // Also from a seat; and their role stays.
        salon.attach(member)
        #expect(salon.refusal(.setRole(SetRole(.member, .admin)), by: owner) == nil)
        #expect(salon.refusal(.takeSeat(TakeSeat(3)), by: member) == nil)
        #expect(salon.refusal(ban(.member, 0), by: owner) == nil)
        salon.advance(.seconds(1))
        #expect(salon.core.state.seat(of: .member) == nil && salon.core.state.role(of: .member) == .admin)
        let back = salon.enter(.member)
        #expect(back.snapshot?.me.role == .admin)
        #expect(salon.refusal(ban(.member, 0, everywhere: true), by: owner) == .invalidParams)
        #expect(salon.refusal(mute(.member, 0), by: owner) == .invalidParams)
        #expect(salon.refusal(ban(.owner, 0), by: back) == .permissionDenied)
    }

    // MARK: Writing

    @Test("G06-S who is muted writes nothing until the time is over, and is told for how long and why")
    func muted() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let other = salon.enter(.other)
        #expect(salon.refusal(mute(.member, 60), by: owner) == nil)
        let refused = try #require(error(say("hello"), by: member, in: salon))
        #expect(refused.code == .chatMuted && refused.retryAfterMs == 60_000 && refused.reason == "spam")
        #expect(
            salon.refusal(.sendMessage(MessageDraft(.custom(command: "c", message: "hello"))), by: member)
                == .chatMuted)
        #expect(salon.refusal(.sendLikes(SendLikes(1)), by: member) == nil, "likes are no messages")
        salon.advance(.seconds(1))
        // The one concerned and those who run the room hear of it, others do not.
        #expect(heard(member).map(\.restriction.user) == [.member] && heard(owner).count == 1 && heard(other).isEmpty)
        // Whoever comes back still knows.
        salon.reconnect(member, since: member.point)
        #expect(member.resumption?.state.chatMute?.until == heard(owner).first?.restriction.until)
        #expect(salon.enter(.member).snapshot?.chatMute != nil)
        salon.advance(.seconds(59))
        #expect(salon.refusal(say("hello"), by: member) == nil)
        #expect(salon.enter(.member).snapshot?.chatMute == nil)
    }

    @Test("G06-S a mute without an end holds until it is lifted, across a crash, and the owner is never muted")
    func unmuted() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(mute(.member), by: owner) == nil)
        try await salon.crash()
        salon.attach(owner)
        salon.attach(member)
        salon.advance(.seconds(86_400))
        #expect(salon.refusal(say("hello"), by: member) == .chatMuted)
        #expect(salon.refusal(.liftRestriction(LiftRestriction(.chatMute, of: .other)), by: owner) == .notRestricted)
        #expect(salon.refusal(.liftRestriction(LiftRestriction(.chatMute, of: .member)), by: owner) == nil)
        salon.advance(.seconds(1))
        #expect(heard(member).last?.lifted == true)
        #expect(salon.refusal(say("hello"), by: member) == nil)
        #expect(salon.refusal(mute(.owner), by: owner) == .permissionDenied)
    }

    @Test("G06-S slow mode counts accepted messages alone, and tells how long to wait; hosts write freely")
    func slowMode() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let other = salon.enter(.other)
        #expect(salon.refusal(.updateRoom(RoomUpdate(slowSeconds: 30)), by: owner) == nil)
        #expect(salon.core.listing.info.chat == ChatSettings(slowSeconds: 30))
        #expect(salon.refusal(say("1"), by: member) == nil)
        #expect(salon.refusal(say("1"), by: other) == nil, "each has a time of their own")
        salon.advance(.seconds(10))
        let refused = try #require(error(say("2"), by: member, in: salon))
        #expect(refused.code == .slowMode && refused.retryAfterMs.map { (20_000...20_001).contains($0) } == true)
        salon.advance(.seconds(20))
        #expect(salon.refusal(say("2"), by: member) == nil, "what was refused has not begun the time anew")
        for _ in 0..<3 { #expect(salon.refusal(say("host"), by: owner) == nil) }
        #expect(salon.refusal(.updateRoom(RoomUpdate(slowSeconds: 3_601)), by: owner) == .invalidParams)
        #expect(salon.refusal(.updateRoom(RoomUpdate(slowSeconds: 0)), by: owner) == nil)
        #expect(salon.refusal(say("3"), by: member) == nil)
    }

    @Test("G03-S what the filter stops is not forwarded, whoever wrote it, and takes nothing of the budget")
    func filtered() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.stopped.set(["badger"])
        let chat = salon.core.state.chat
        for client in [owner, member] { #expect(salon.refusal(say("a badger"), by: client) == .textFiltered) }
        #expect(
            salon.refusal(.sendMessage(MessageDraft(.custom(command: "CMD_DANMU", message: "badger"))), by: member)
                == .textFiltered)
        #expect(salon.refusal(.updateRoom(RoomUpdate(name: "badgers")), by: owner) == .textFiltered)
        #expect(salon.refusal(.updateRoom(RoomUpdate(tags: ["badger"])), by: owner) == .textFiltered)
        let request = InvitationDraft(to: .owner, command: "ENTER", words: "badger!")
        #expect(salon.refusal(.sendInvitation(request), by: member) == .textFiltered)
        salon.advance(.seconds(1))
        #expect(salon.core.state.chat == chat && member.outbox.messages.isEmpty && owner.outbox.messages.isEmpty)
        // Ten at once are a person's share: nothing of it is gone.
        for number in 0..<10 { #expect(salon.refusal(say("\(number)"), by: member) == nil) }
        salon.stopped.set([])
        #expect(salon.refusal(say("a badger"), by: owner) == nil, "the list changes while the room runs")
    }

    @Test(
        "G06-S links are found whatever they look like, and sentences are no links",
        arguments: [
            ("see https://example.com", true), ("WWW.Example", true), ("example.com", true), ("ＥＸＡＭＰＬＥ．ＣＯＭ", true),
            ("보세요 example.kr입니다", true), ("ftp://x", true), ("a.b.co.uk/path", true), ("Hello.World", false),
            ("3.5 km", false), ("that's all...", false), ("e.g. this", false), ("网址 example。com", true),
            ("evil\u{200b}.com", true), ("e\u{ad}vil.\u{2060}com", true),
        ])
    func links(_ text: String, isLink: Bool) async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(.updateRoom(RoomUpdate(noLinks: true)), by: owner) == nil)
        #expect((salon.refusal(say(text), by: member) == .linksRefused) == isLink)
        #expect(salon.refusal(say(text), by: owner) == nil)
    }

    // MARK: Taking back

    @Test("G06-S a deleted message is gone for those who are here, come back, or enter later, also after a crash")
    func deleted() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        for text in ["one", "two", "three"] { #expect(salon.refusal(say(text), by: member) == nil) }
        salon.advance(.seconds(1))
        salon.lose(member)
        let point = member.point
        #expect(salon.refusal(say("four"), by: owner) == nil)
        #expect(salon.refusal(.deleteMessage(DeleteMessage(2)), by: owner) == nil)
        #expect(salon.refusal(.deleteMessage(DeleteMessage(4)), by: owner) == nil)
        let seq = salon.core.state.seq
        #expect(salon.refusal(.deleteMessage(DeleteMessage(2)), by: owner) == nil)
        #expect(salon.core.state.seq == seq, "a second time changes nothing")
        #expect(salon.refusal(.deleteMessage(DeleteMessage(9)), by: owner) == .messageNotFound)
        #expect(salon.refusal(.deleteMessage(DeleteMessage(0)), by: owner) == .messageNotFound)
        salon.reconnect(member, since: point)
        let missed = try #require(member.resumption).events
        #expect(
            missed.contains {
                if case .change(let change) = $0 {
                    change.what == .messageDeleted(MessageDeleted(2, by: .owner))
                } else {
                    false
                }
            })
        #expect(
            missed.contains {
                if case .message(let message) = $0 { message.chat == 4 && message.deleted } else { false }
            },
            "what was written and deleted meanwhile comes without its text")
        for _ in 0..<2 {
            let messages = try #require(salon.enter(.other).snapshot).messages
            #expect(messages.map(\.chat) == [1, 2, 3, 4])
            #expect(messages.map(\.deleted) == [false, true, false, true])
            #expect(messages.map(\.body) == [.text("one"), .text(""), .text("three"), .text("")])
            try await salon.crash()
        }
    }

    // MARK: Being here

    @Test(
        "G06-S who is banned is out at once, seat, sound and all, is told by whom, and stays out until the time is over"
    )
    func banned() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let second = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        let place = try salon.core.openMedia(for: member.session)
        salon.advance(.seconds(1))
        #expect(salon.refusal(ban(.member, 600), by: owner) == nil)
        #expect(salon.media.orders.contains(.closePeer(place.peer, place.stage)), "the path is closed in the same turn")
        for client in [member, second] {
            guard case .removed(let restriction)? = client.departures.current.last else {
                Issue.record("\(client.departures.current)")
                continue
            }
            #expect(restriction.by == .owner && !restriction.everywhere && restriction.name == "MIA")
        }
        #expect(salon.core.state.seat(of: .member) == nil)
        let before = member.outbox.heard.count
        #expect(salon.refusal(say("hello"), by: owner) == nil)
        salon.advance(.seconds(1))
        #expect(member.outbox.heard.count == before, "nothing is heard any more")
        #expect(salon.refusal(say("hello"), by: member) == .notInRoom)
        salon.attach(member)
        let refused = try #require(refusal(member))
        #expect(refused.code == .banned && refused.reason == "OLGA")
        #expect(refused.retryAfterMs.map { $0 > 590_000 && $0 <= 600_000 } == true)
        try await salon.crash()
        salon.attach(owner)
        salon.attach(member)
        #expect(refusal(member)?.code == .banned)
        salon.advance(.seconds(600))
        #expect(salon.enter(.member).snapshot != nil)
    }

    @Test("G06-S a ban for good ends when it is lifted; one everywhere holds in the host's other rooms")
    func everywhere() async throws {
        let bans = MemoryRestrictions()
        let first = try await Salon(restrictions: bans)
        let second = try await Salon(restrictions: bans, room: .number(7))
        let owner = first.create()
        let host = second.create()
        _ = second.enter(.member)
        #expect(first.refusal(ban(.member, everywhere: true), by: owner) == nil)
        #expect(first.expelled.current.map(\.user) == [.member])
        for ban in first.expelled.current { second.core.expel(ban) }
        second.settle()
        let member = second.enter(.member)
        #expect(refusal(member)?.code == .bannedForGood)
        #expect(second.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: host) == nil)
        #expect(second.enter(.member).snapshot != nil)
        // In the room itself it was said too.
        #expect(refusal(first.enter(.member))?.code == .bannedForGood)
        #expect(first.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: owner) == nil)
        #expect(first.enter(.member).snapshot != nil)
        #expect(first.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: owner) == .notRestricted)
    }

    @Test("G06-S who is banned in another room of the host is put out of this one, but never the host")
    func expelled() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let ban = Restriction(.ban, user: .member, name: "MIA", until: nil, everywhere: true, by: .owner)
        salon.core.expel(ban)
        salon.settle()
        #expect(member.departures.current == [.removed(ban)])
        salon.core.expel(Restriction(.ban, user: .owner, name: "", until: nil, everywhere: true, by: .other))
        salon.settle()
        #expect(owner.departures.current.isEmpty)
    }

    @Test("G06-S an admin who is banned is no admin any more, and nobody bans the owner")
    func admins() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let admin = salon.enter(.admin)
        _ = salon.enter(.other)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        #expect(salon.refusal(ban(.owner), by: admin) == .permissionDenied)
        #expect(salon.refusal(ban(.other), by: admin) == nil)
        #expect(salon.refusal(ban(.admin, 60), by: owner) == nil)
        #expect(salon.core.state.admins.isEmpty)
        salon.advance(.seconds(60))
        #expect(salon.enter(.admin).snapshot?.me.role == .member)
    }

    @Test("G06-S if the ban cannot be stored the moderator is told, and the banned one may come back")
    func failed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.journal.fail(times: 1)
        let refused = try #require(error(ban(.member), by: owner, in: salon))
        #expect(refused.code == .unavailable)
        salon.journal.heal()
        try await salon.load()
        salon.attach(member)
        #expect(member.snapshot != nil && salon.core.state.restrictions.all.isEmpty)
    }

    @Test(
        "G06-S what the moderator is told is not done holds nowhere: a ban everywhere, or its end, that was not stored")
    func failedEverywhere() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        _ = salon.enter(.member)
        func held() -> Restriction? {
            salon.restrictions.restriction(.ban, of: .member, from: .host(.owner), in: salon.key.application)
        }
        salon.journal.fail(times: 1)
        #expect(salon.refusal(ban(.member, everywhere: true), by: owner) == .unavailable)
        #expect(held() == nil)
        salon.journal.heal()
        try await salon.load()
        #expect(salon.refusal(ban(.member, everywhere: true), by: owner) == nil)
        let first = try #require(held())
        salon.journal.fail(times: 1)
        #expect(salon.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: owner) == .unavailable)
        #expect(held() == first)
        salon.journal.heal()
        try await salon.load()
        salon.journal.fail(times: 1)
        #expect(salon.refusal(ban(.member, 60, everywhere: true), by: owner) == .unavailable)
        #expect(held() == first, "the earlier one holds on")
    }

    @Test("G06-S a room keeps so many restrictions, and those whose time is over count no more")
    func many() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        for number in 0..<RoomLimits.restrictions {
            #expect(salon.refusal(mute(UserID(literal: "u\(number)"), 3_600), by: owner) == nil)
            // No faster than somebody works.
            salon.advance(.milliseconds(500))
        }
        #expect(salon.refusal(mute(.member, 60), by: owner) == .restrictionsFull)
        #expect(salon.refusal(mute(UserID(literal: "u7"), 7_200), by: owner) == nil, "an earlier one is replaced")
        let listed = Shared<[Restriction]>([])
        salon.core.restrictions(for: owner.session) { listed.set((try? $0.get())?.restrictions ?? []) }
        salon.settle()
        #expect(listed.current.count == RoomLimits.restrictions && listed.current.first?.user.rawValue == "u7")
        salon.advance(.seconds(3_600))
        #expect(salon.refusal(mute(.member, 60), by: owner) == nil)
        #expect(salon.core.state.restrictions.all.count == 2)
        let member = salon.enter(.member)
        let refused = Shared<RoomError?>(nil)
        salon.core.restrictions(for: member.session) { if case .failure(let error) = $0 { refused.set(error) } }
        salon.settle()
        #expect(refused.current?.code == .permissionDenied)
    }

    // MARK: Handing over

    @Test("V20-S raised hands stand in the order in which they came, also after a crash, and each knows its place")
    func handsRaised() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let hands = [UserID.member, .other, .admin].map { salon.enter($0) }
        for (place, hand) in hands.enumerated() {
            let answer = salon.submit(
                .sendInvitation(InvitationDraft(to: .owner, command: "ENTER", id: "hand-\(place)")), by: hand)
            guard case .success(.invited(_, place + 1))? = answer.current else {
                Issue.record("\(String(describing: answer.current))")
                return
            }
            salon.advance(.milliseconds(5))
        }
        try await salon.crash()
        salon.attach(owner)
        #expect(owner.snapshot?.invitations.map(\.id) == ["hand-0", "hand-1", "hand-2"])
    }

    @Test("V20-S the owner hands the room over, stays admin, and requests go to the new owner")
    func handedOver() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let heir = salon.enter(.member)
        let other = salon.enter(.other)
        salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "ENTER", id: "hand")), by: other)
        #expect(salon.refusal(.setOwner(SetOwner(.member)), by: heir) == .permissionDenied)
        #expect(salon.refusal(.setOwner(SetOwner(.member)), by: owner) == nil)
        #expect(salon.core.state.owner.id == .member && salon.core.state.admins == [.owner])
        #expect(salon.refusal(.acceptInvitation(AcceptInvitation(id: "hand")), by: heir) == nil)
        salon.advance(.seconds(1))
        #expect(
            other.outbox.changes.contains {
                $0.what == .ownerChanged(OwnerChanged(.named(.member), reason: .handedOver))
            })
        #expect(salon.refusal(.destroyRoom, by: owner) == .permissionDenied)
        #expect(salon.refusal(.setOwner(SetOwner(.other)), by: owner) == .permissionDenied)
        salon.lose(other)
        #expect(
            salon.refusal(.setOwner(SetOwner(.other)), by: heir) == .userNotInRoom, "who is away takes no room over")
    }

    // MARK: Records

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
