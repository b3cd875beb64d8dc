import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// R01: what operators do in a room that they are not in.
@Suite struct OperatorTests {
    private let console = Caller.operator(
        Operator(UserID(literal: "console"), scopes: Set(OperatorScope.allCases)))

    private func code<Value>(_ result: Result<Value, RoomError>?) -> RoomError.Code? {
        if case .failure(let error)? = result { error.code } else { nil }
    }

    @Test("R01 an operator frees a seat that the owner sits on, and everybody hears who did it")
    func seats() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(.takeSeat(TakeSeat(0)), by: owner) == nil)
        let outcome = try #require(try salon.submit(.kickSeat(KickSeat(0)), by: console)?.get())
        #expect(outcome.seq == 3 && salon.core.state.seats[0].occupant == nil)
        salon.advance(.seconds(1))
        let told = member.outbox.changes.contains { change in
            if case .seatLeft(let left) = change.what {
                left.reason == .kicked && left.by?.rawValue == "console"
            } else {
                false
            }
        }
        #expect(told)
        #expect(
            salon.audit.lines.last.map { [$0.actor?.rawValue, $0.role.rawValue, $0.way.rawValue, $0.action] }
                == ["console", "operator", "rest", "kickSeat"])
    }

    @Test("R01 G04-R an operator's messages cost the room's budget and nobody's share; a repeat is one message")
    func messages() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let member = salon.enter(.member)
        salon.policy.update { $0.messages = MessageLimits(room: 4, person: 1) }
        let say = RoomCommand.sendMessage(MessageDraft(.text("news"), priority: .high))
        let first = try #require(try salon.submit(say, by: console, key: "k")?.get())
        #expect(try salon.submit(say, by: console, key: "k")?.get().result == first.result)
        #expect(
            code(salon.submit(.sendMessage(MessageDraft(.text("other"))), by: console, key: "k")) == .keyReused)
        for _ in 0..<3 { #expect(code(salon.submit(say, by: console)) == nil) }
        #expect(code(salon.submit(say, by: console)) == .rateLimited)
        salon.advance(.seconds(1))
        #expect(member.outbox.messages.count == 4)
    }

    @Test(
        "R01 attributes are told to those who are here, and to those who come, after a restart too; five changes a second"
    )
    func attributes() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let set = RoomCommand.setAttributes(AttributesDraft(set: ["theme": "night"]))
        #expect(salon.refusal(set, by: member) == .permissionDenied)
        #expect(salon.refusal(set, by: owner) == nil)
        salon.advance(.seconds(1))
        let point = member.point
        for number in 0..<5 {
            let change = AttributesDraft(set: ["n": "\(number)"])
            #expect(code(salon.submit(.setAttributes(change), by: console)) == nil)
        }
        let late = RoomCommand.setAttributes(AttributesDraft(set: ["late": "1"]))
        #expect(code(salon.submit(late, by: console)) == .rateLimited)
        #expect(salon.refusal(late, by: owner) == .rateLimited)
        salon.advance(.seconds(1))
        let told = member.outbox.changes.compactMap { change in
            if case .attributesChanged(let changed) = change.what {
                "\(changed.set) \(changed.by?.rawValue ?? "")"
            } else {
                nil
            }
        }
        #expect(told == ["[\"theme\": \"night\"] olga"] + (0..<5).map { "[\"n\": \"\($0)\"] console" })
        #expect(salon.core.overview.attributes == ["theme": "night", "n": "4"])
        #expect(salon.audit.lines.filter { $0.outcome == "done" }.map(\.detail).first == #"{"attributes":["theme"]}"#)
        try await salon.crash()
        let other = salon.enter(.other)
        #expect(other.snapshot?.attributes == ["theme": "night", "n": "4"])
        salon.reconnect(member, since: point)
        #expect(member.resumption?.events.count == 5, "what was missed, exactly")
    }

    @Test("R01 G06-S what a key's scopes do not reach to changes nothing, and is noted")
    func refused() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let shop = Caller.operator(Operator(UserID(literal: "shop"), scopes: [.writeMessages]))
        let before = salon.core.state
        #expect(code(salon.submit(.destroyRoom, by: shop)) == .permissionDenied)
        #expect(code(salon.submit(.sendGift(GiftDraft(gift: "rose")), by: console)) == .permissionDenied)
        #expect(code(salon.submit(.exitRoom, by: console)) == .permissionDenied)
        #expect(code(salon.submit(.takeSeat(TakeSeat(0)), by: console)) == .permissionDenied)
        #expect(salon.core.state == before)
        #expect(salon.audit.lines.map(\.outcome) == ["permission_denied"])
        #expect(salon.audit.lines.map(\.actor?.rawValue) == ["shop"])
    }

    @Test("R01 G06-S an operator bans and lifts, mutes and deletes; the person is out at once")
    func moderates() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text("hello"))), by: member) == nil)
        #expect(code(salon.submit(.deleteMessage(DeleteMessage(1)), by: console)) == nil)
        let ban = RestrictionDraft(.ban, of: .member, everywhere: true)
        #expect(code(salon.submit(.setRestriction(ban), by: console)) == nil)
        guard case .removed(let restriction)? = member.departures.current.last else {
            Issue.record("\(member.departures.current)")
            return
        }
        #expect(restriction.by.rawValue == "console" && salon.expelled.current.count == 1)
        #expect(code(salon.enter(.member).entries.current.last) == .bannedForGood)
        #expect(code(salon.submit(.liftRestriction(LiftRestriction(.ban, of: .member)), by: console)) == nil)
        #expect(code(salon.enter(.member).entries.current.last) == nil)
    }

    @Test("R01 V20 who is handed a room whose owner is away is waited for no more")
    func handsOver() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        _ = salon.submit(.exitRoom, by: owner)
        salon.advance(.seconds(1))
        #expect(salon.core.people.owner.absence != nil)
        #expect(code(salon.submit(.setOwner(SetOwner(.member)), by: console)) == nil)
        salon.advance(.seconds(1))
        #expect(salon.core.people.owner.absence == nil && salon.core.state.owner.id == .member)
        let isBack = member.outbox.heard.contains { heard in
            if case .news(.passing(.ownerBack(OwnerBack())), _) = heard { true } else { false }
        }
        #expect(isBack)
        salon.advance(.seconds(600))
        #expect(!salon.core.isOver)
    }

    @Test("R01 a room that an operator creates outlives its owner's absence, and a crash")
    func founds() async throws {
        let salon = try await Salon()
        let creation = RoomCreation(
            room: salon.key.room, kind: .voice, settings: RoomSettings(name: "Show"),
            seats: Array(repeating: SeatSetup(), count: 2))
        let answer = Shared<Result<RoomOverview, RoomError>?>(nil)
        let caller = Operator(UserID(literal: "shop"), scopes: [.writeRooms])
        salon.core.found(creation, for: .named(.owner), by: caller, key: nil) { answer.set($0) }
        salon.settle()
        #expect(try answer.current?.get().info.owner.id == .owner)
        #expect(salon.audit.lines.map(\.action) == ["createRoom"])
        salon.advance(.seconds(600))
        try await salon.crash()
        salon.advance(.seconds(600))
        #expect(!salon.core.isOver)
        let owner = salon.enter(.owner)
        #expect(owner.snapshot?.me.role == .owner)
        _ = salon.submit(.exitRoom, by: owner)
        salon.advance(.seconds(600))
        #expect(!salon.core.isOver && salon.core.state.owner.id == .owner)
        salon.core.found(creation, for: .named(.owner), by: caller, key: nil) { answer.set($0) }
        salon.settle()
        #expect(code(answer.current) == .roomIDTaken)
    }

    @Test("R01 D04-S an operator sees how the singers of a chorus room sing") func duet() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        #expect(salon.core.overview.duet == .together)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.setDuetMode(SetDuetMode(.leadFollow, leader: .owner)), by: owner)
        #expect(salon.core.overview.duet == .leadFollow(leader: .owner))
        let voice = try await Salon()
        _ = voice.create()
        #expect(voice.core.overview.duet == nil)
    }

    @Test("R01 L15-S a room that an operator ends is told so to all, and takes nothing more")
    func ends() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        #expect(code(salon.submit(.destroyRoom, by: console)) == nil)
        salon.advance(.seconds(1))
        #expect(owner.departures.current == [.ended])
        #expect(code(salon.submit(.updateRoom(RoomUpdate(name: "x")), by: console)) == .roomClosed)
    }
}
