import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// G03, G06: who may write in a room, what is let through, and what is taken back.
@Suite struct WritingTests {
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
        let chat = salon.core.state.progress.chat
        for client in [owner, member] { #expect(salon.refusal(say("a badger"), by: client) == .textFiltered) }
        #expect(
            salon.refusal(.sendMessage(MessageDraft(.custom(command: "CMD_DANMU", message: "badger"))), by: member)
                == .textFiltered)
        #expect(salon.refusal(.updateRoom(RoomUpdate(name: "badgers")), by: owner) == .textFiltered)
        #expect(salon.refusal(.updateRoom(RoomUpdate(tags: ["badger"])), by: owner) == .textFiltered)
        let request = InvitationDraft(to: .owner, command: "ENTER", words: "badger!")
        #expect(salon.refusal(.sendInvitation(request), by: member) == .textFiltered)
        salon.advance(.seconds(1))
        #expect(
            salon.core.state.progress.chat == chat && member.outbox.messages.isEmpty && owner.outbox.messages.isEmpty)
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
        let seq = salon.core.state.progress.seq
        #expect(salon.refusal(.deleteMessage(DeleteMessage(2)), by: owner) == nil)
        #expect(salon.core.state.progress.seq == seq, "a second time changes nothing")
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
}
