import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// A stay begins with an entry and ends once: what belongs to an earlier one touches no later one.
@Suite struct StayTests {
    @Test("V19-S who could not be let in, since the disk failed, is not counted as being here")
    func turnedAway() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.journal.setMode(.manual)
        salon.submit(.takeSeat(TakeSeat(1)), by: owner)
        let stranger = salon.enter(.other)
        salon.journal.fail(times: 1)
        salon.commit()
        salon.journal.heal()
        #expect(stranger.entries.current.count == 1 && stranger.snapshot == nil)
        try await salon.load()
        salon.commit()
        let here = salon.members(.everyone(limit: 10, cursor: nil), for: owner)
        salon.commit()
        #expect(here?.members.map(\.id) == [.owner] && here?.count == 1)
        #expect(stranger.stays.current.isEmpty)
    }

    @Test("V19-S whoever is back, replaced or gone is waited for no more")
    func timers() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let first = salon.enter(.member)
        let isAwaited: (Client) -> Bool = { salon.core.turn.deadlines.isSet(.grace($0.session)) }
        let isPersonAwaited = { salon.core.turn.deadlines.isSet(.absence(.member)) }
        salon.lose(first)
        #expect(isAwaited(first))
        salon.attach(first)
        #expect(!isAwaited(first))
        salon.lose(first)
        salon.core.detach(first.session, from: nil, why: .replaced)
        #expect(!isAwaited(first) && isPersonAwaited())
        let second = salon.enter(.member)
        #expect(!isAwaited(second) && !isPersonAwaited())
        salon.lose(second)
        salon.core.detach(second.session, from: nil, why: .left)
        #expect(!isAwaited(second) && !isPersonAwaited())
    }

    @Test("V19-S exit and entry in one breath are two stays, and the end of the first does not end the second")
    func exitAndEntry() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        salon.journal.setMode(.manual)
        // Neither is answered before the other is asked for.
        salon.submit(.exitRoom, by: member)
        salon.attach(member)
        salon.commit()
        let stays = member.stays.current
        #expect(stays.count == 2)
        #expect(member.ended.current == [stays[0]])
        salon.journal.setMode(.automatic)
        salon.advance(.seconds(60))
        #expect(salon.members(.everyone(limit: 10, cursor: nil), for: owner)?.count == 2)
        // Whose connection breaks in the second stay is gone after the grace time like anybody else.
        salon.lose(member)
        salon.advance(.seconds(20))
        #expect(member.ended.current == stays)
        #expect(salon.members(.everyone(limit: 10, cursor: nil), for: owner)?.count == 1)
    }

    @Test("V19-S a second session that is lost goes after its own grace time; the person and the seat stay")
    func secondSession() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let phone = salon.enter(.member)
        let desk = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: phone)
        let path = try salon.core.openMedia(for: desk.session)
        salon.lose(desk)
        salon.advance(.seconds(14))
        #expect(desk.departures.current.isEmpty)
        salon.advance(.seconds(2))
        #expect(desk.departures.current == [.lost])
        #expect(salon.media.orders.contains(.closePeer(path.peer, salon.stage)))
        #expect(phone.departures.current.isEmpty)
        let people = salon.members(.users([.member]), for: owner)?.members
        #expect(people?.first?.seat == 1 && people?.first?.presence == .online)
    }

    @Test("V19-S both sessions of one person are lost: each has its own grace time, and the seat goes with the last")
    func bothSessions() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let phone = salon.enter(.member)
        let desk = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: phone)
        salon.lose(desk)
        salon.advance(.seconds(10))
        salon.lose(phone)
        salon.advance(.seconds(10))
        #expect(desk.departures.current == [.lost] && phone.departures.current.isEmpty)
        #expect(salon.members(.users([.member]), for: owner)?.members.first?.seat == 1)
        salon.advance(.seconds(6))
        #expect(phone.departures.current == [.lost])
        #expect(salon.members(.users([.member]), for: owner)?.members.isEmpty == true)
    }

    @Test(
        "A12-S who is replaced is out at once, way and all; the person has the grace time to enter again, seat and all")
    func replaced() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let old = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: old)
        let path = try salon.core.openMedia(for: old.session)
        salon.media.holdConfirmations()
        let isDone = Shared(false)
        old.isOver.set(true)
        salon.core.detach(old.session, from: nil, why: .replaced) { isDone.set(true) }
        salon.settle()
        #expect(salon.media.orders.last == .assign(slot: 1, nil, muted: false, salon.stage))
        #expect(salon.media.orders.contains(.closePeer(path.peer, salon.stage)))
        #expect(!isDone.current, "before the media plane has cut it, nobody is told that it is over")
        salon.media.confirm()
        #expect(isDone.current)
        #expect(old.departures.current == [.replaced])
        // The old client goes on talking to the room.
        #expect(salon.refusal(.sendMessage(MessageDraft(.text("still here"))), by: old) == .notInRoom)
        #expect(throws: RoomError(.notInRoom)) { try salon.core.openMedia(for: old.session) }
        salon.attach(old)
        #expect(old.entries.current.last == .failure(RoomError(.sessionReplaced)))
        // The new one comes, and has the seat.
        salon.advance(.seconds(14))
        let new = salon.enter(.member)
        #expect(new.snapshot?.me.seat == 1)
        salon.advance(.seconds(60))
        #expect(salon.members(.users([.member]), for: owner)?.members.first?.seat == 1)
    }

    @Test(
        "A12-S whoever takes a session out hears that it is in force: at once where nothing is to be cut, else with the cut",
        arguments: [DetachReason.left, .replaced, .lost, .expired])
    func detachIsAnswered(why: DetachReason) async throws {
        for hasPath in [false, true] {
            let salon = try await Salon()
            _ = salon.create()
            let client = salon.enter(.member)
            if hasPath { _ = try salon.core.openMedia(for: client.session) }
            salon.media.holdConfirmations()
            let isDone = Shared(0)
            salon.core.detach(client.session, from: nil, why: why) { isDone.update { $0 += 1 } }
            salon.settle()
            // Who is merely lost may come back to the way that is open.
            #expect(isDone.current == (hasPath && why != .lost ? 0 : 1))
            salon.media.confirm()
            salon.settle()
            #expect(isDone.current == 1)
            salon.core.detach(SessionToken(rawValue: 99), from: nil, why: why) { isDone.update { $0 += 1 } }
            #expect(isDone.current == 2, "nobody is out already")
        }
    }

    @Test("V03-S who leaves while the journal is being mended hears that it is done, and is gone when the room goes on")
    func leavesWhileClosed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let client = salon.enter(.member)
        salon.journal.fail(.full)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        #expect(salon.reloadWanted.current)
        let isDone = Shared(false)
        salon.core.detach(client.session, from: nil, why: .left) { isDone.set(true) }
        salon.settle()
        #expect(isDone.current && client.departures.current == [.exited])
        salon.journal.heal()
        try await salon.load()
        #expect(salon.members(.users([.member]), for: owner)?.members.isEmpty == true)
    }

    @Test(
        "V19-S who leaves a seat while the journal fails is told as gone, then as missing on the seat, which is free after the grace time",
        arguments: [false, true])
    func leavesSeatWhileClosed(isClosedBefore: Bool) async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let client = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: client)
        salon.advance(.seconds(1))
        owner.outbox.drain()
        salon.journal.fail(.full)
        if isClosedBefore {
            salon.submit(.takeSeat(TakeSeat(0)), by: owner)
            #expect(salon.reloadWanted.current)
        }
        salon.core.detach(client.session, from: nil, why: .left)
        salon.settle()
        salon.journal.heal()
        try await salon.load()
        salon.advance(.seconds(1))
        let people = owner.outbox.passing.filter {
            switch $0 {
            case .audienceEntered, .audienceLeft: true
            default: false
            }
        }
        #expect(people.count == 2 && people.first == .audienceLeft(AudienceLeft(.member, reason: .left)), "\(people)")
        guard case .audienceEntered(let entry) = people.last else { return }
        #expect(entry.member.id == .member)
        salon.advance(.seconds(15))
        guard case .seatLeft(let left) = owner.outbox.changes.last?.what, left.reason == .lost else {
            Issue.record("the seat was not freed")
            return
        }
        #expect(left.seat.index == 1)
    }

    @Test(
        "V19-S an owner who leaves while the disk fails is missing on the seat first, and waited for after the grace time"
    )
    func ownerLeavesWhileClosed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.journal.fail(.full)
        salon.submit(.exitRoom, by: owner)
        salon.journal.heal()
        try await salon.load()
        #expect(salon.enter(.other).snapshot?.ownerAbsentUntil == nil, "the seat is still the owner's")
        let until = salon.clock.wallTime.millisecondsSince1970 + 15_000 + 120_000
        salon.advance(.seconds(16))
        #expect(member.outbox.passing.contains(.ownerAbsent(OwnerAbsent(until: until, heir: nil))))
        #expect(salon.enter(.admin).snapshot?.ownerAbsentUntil == until)
    }

    @Test("V19-S a person who was replaced and does not come back loses the seat after the grace time, and is gone")
    func replacedForGood() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let old = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: old)
        owner.outbox.drain()
        salon.core.detach(old.session, from: nil, why: .replaced)
        salon.settle()
        salon.advance(.seconds(16))
        guard case .seatLeft(let left) = owner.outbox.changes.last?.what, left.reason == .lost else {
            Issue.record("the seat was not freed")
            return
        }
        #expect(left.seat.index == 1)
        #expect(salon.members(.everyone(limit: 10, cursor: nil), for: owner)?.count == 1)
    }

    @Test(
        "A12-S with an expired ticket the way is closed at once and nothing is told; session and seat wait for a new ticket"
    )
    func expired() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        let path = try salon.core.openMedia(for: member.session)
        salon.media.holdConfirmations()
        let isDone = Shared(false)
        salon.core.detach(member.session, from: nil, why: .expired) { isDone.set(true) }
        salon.settle()
        #expect(salon.media.orders.contains(.closePeer(path.peer, salon.stage)) && !isDone.current)
        salon.media.confirm()
        #expect(isDone.current && member.departures.current.isEmpty)
        salon.submit(.sendMessage(MessageDraft(.text("for those with a ticket"))), by: owner)
        salon.advance(.seconds(10))
        #expect(owner.outbox.messages.count == 1 && member.outbox.messages.isEmpty)
        salon.reconnect(member, since: member.point)
        #expect(try salon.core.openMedia(for: member.session).peer != path.peer)
        salon.advance(.seconds(60))
        #expect(member.departures.current.isEmpty)
    }

    @Test("A12-S leaving is answered when the way is closed, not before")
    func leaving() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        _ = try salon.core.openMedia(for: member.session)
        salon.media.holdConfirmations()
        let answer = salon.submit(.exitRoom, by: member)
        #expect(answer.current == nil && member.departures.current.isEmpty)
        salon.media.confirm()
        salon.settle()
        #expect(answer.current == .success(.done) && member.departures.current == [.exited])
    }

    @Test("who waits to be let in has no way on the media plane yet")
    func admission() async throws {
        let salon = try await Salon()
        _ = salon.create()
        salon.journal.setMode(.manual)
        let member = salon.client(.member)
        salon.submit(.sendMessage(MessageDraft(.text("held up"))), by: salon.enter(.other))
        salon.attach(member)
        #expect(member.entries.current.isEmpty)
        #expect(throws: RoomError(.notInRoom)) { try salon.core.openMedia(for: member.session) }
        salon.commit()
        let path = try salon.core.openMedia(for: member.session)
        #expect(salon.media.orders.last == .admit(path.peer, salon.stage))
    }

    @Test("an entry that waits behind the end of the room is refused, and leaves nobody in it")
    func entryAtTheEnd() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.journal.setMode(.manual)
        salon.submit(.destroyRoom, by: owner)
        let late = salon.enter(.member)
        salon.commit()
        #expect(late.entries.current == [.failure(RoomError(.roomClosed))])
        #expect(late.stays.current.isEmpty && late.departures.current.isEmpty)
    }

    @Test("a room has one alarm, however often it is armed anew, and none when it is over")
    func oneAlarm() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let people = (0..<50).map { salon.enter(UserID(literal: "u-\($0)")) }
        for person in people {
            salon.lose(person)
            salon.advance(.milliseconds(100))
            salon.reconnect(person)
            salon.submit(.sendLikes(SendLikes(1)), by: person)
            #expect(salon.clock.alarmCount <= 1)
        }
        salon.submit(.destroyRoom, by: owner)
        #expect(salon.clock.alarmCount == 0)
    }
}
