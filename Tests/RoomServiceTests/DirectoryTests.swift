import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

/// How rooms are found, brought back and ended.
@Suite(.timeLimit(.minutes(10))) struct DirectoryTests {
    @Test(
        "V02-S a destroyed room is gone for everybody: its id says closed, an unknown one says not found, and it can be created anew"
    )
    func destroyed() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let member = Client(.member, 2)
        let room = try await house.create(.number(55_555), by: owner).get().room
        await room.attach(member.attendee, since: nil) { _ in }
        let path = try await room.openMedia(for: member.session)
        #expect(
            await room.ask(.sendMessage(MessageDraft(.text("secret"))), by: owner)
                == .success(.sent(chat: 1, time: house.clock.wallTime.millisecondsSince1970)))
        #expect(await room.ask(.destroyRoom, by: owner) == .success(.done))
        // The answer leaves in the middle of the room's turn; the room says this when the turn is over.
        #expect(await room.isOver)
        #expect(member.outbox.changes.last.map { if case .ended = $0.what { true } else { false } } == true)
        #expect(member.departures.current == [.ended])
        #expect(house.media.orders.suffix(2) == [.closePeer(path.peer, room.stage), .close(room.stage)])
        #expect(try await house.journal.openRooms() == [])
        await #expect(throws: RoomError(.roomClosed)) { try await house.directory.room(room.key) }
        let unknown = RoomKey(application: DirectoryHouse.app, room: .number(1))
        await #expect(throws: RoomError(.roomNotFound)) { try await house.directory.room(unknown) }
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.isEmpty)

        let (anew, entry) = try await house.create(.number(55_555), by: member).get()
        guard case .snapshot(let snapshot) = entry else { return }
        #expect(snapshot.me.role == .owner)
        #expect(snapshot.messages.isEmpty && snapshot.seq == 1)
        let late = Client(.owner, 3)
        await anew.attach(late.attendee, since: ResumePoint(epoch: 1, seq: 1, chat: 0)) {
            [entries = late.entries] result in
            entries.update { $0.append(result) }
        }
        #expect(late.snapshot != nil, "the former room's numbers mean nothing here")
    }

    @Test("a restart brings the open rooms back and leaves the ended ones") func restart() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let kept = try await house.create(.string("kept"), tags: ["Jazz"], by: owner, key: "k1").get().room
        #expect(await kept.ask(.takeSeat(TakeSeat(3)), by: owner) == .success(.done))
        let picked = try await house.create(by: owner, key: "k2").get().room
        let other = try await house.create(.string("over"), by: owner).get().room
        #expect(await other.ask(.destroyRoom, by: owner) == .success(.done))

        house.journal.crash()
        let next = try await DirectoryHouse(house.journal)
        #expect(
            Set(try next.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.map(\.room))
                == [.string("kept"), picked.key.room])
        let room = try await next.directory.room(kept.key)
        let back = Client(.owner, 2)
        await room.attach(back.attendee, since: nil) { [entries = back.entries] result in
            entries.update { $0.append(result) }
        }
        #expect(back.snapshot?.seats[3].user == .owner)
        // A retried creation whose answer was lost finds its room, by its id and by its key alone.
        let again = try await next.create(.string("kept"), tags: ["Jazz"], by: back, key: "k1").get()
        #expect(again.room === room)
        let retried = try await next.create(by: back, key: "k2").get()
        #expect(retried.room.key == picked.key)
    }

    @Test("D04-S facts of the media plane reach the room they are about; a singer's equipment reaches the media plane")
    func facts() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        let place = try await room.openMedia(for: owner.session)
        #expect(await room.ask(.takeSeat(TakeSeat(0)), by: owner) == .success(.done))
        await room.setEquipment(SingerEquipment(latency: .milliseconds(40)), of: owner.session)
        #expect(house.media.latencies[place.peer] == .milliseconds(40))
        house.media.tell(.lost(place.stage, place.peer))
        // Facts travel on their own; the room's next turn after it has been told shows it.
        while true {
            let client = Client(.member, 2)
            await room.attach(client.attendee, since: nil) { [entries = client.entries] result in
                entries.update { $0.append(result) }
            }
            if client.snapshot?.seats[0].presence == .reconnecting { break }
            await Task.yield()
        }
    }

    @Test("the operator can dismiss a room") func dismissed() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        try await house.directory.dismiss(room.key)
        guard case .ended(let end) = owner.outbox.changes.last?.what, end.reason == .operator else {
            Issue.record("\(owner.outbox.changes)")
            return
        }
    }

    @Test("a room that has ended is forgotten: nothing of it stays in memory")
    func forgotten() async throws {
        let house = try await DirectoryHouse()
        weak var ended: Room?
        do {
            let owner = Client(.owner, 1)
            let (room, _) = try await house.create(by: owner).get()
            ended = room
            _ = try await room.ask(.destroyRoom, by: owner).get()
        }
        // The room's end reaches the directory in a turn of its own.
        while ended != nil { await Task.yield() }
    }

    @Test("a shutdown waits for what is being stored, answers it, and takes nothing more") func shutdown() async throws
    {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        house.journal.setMode(.manual)
        let answer = Shared<Result<CommandResult, RoomError>?>(nil)
        await room.submit(.takeSeat(TakeSeat(0)), from: owner.session, key: nil) { answer.set($0.map(\.result)) }
        async let down: Void = house.directory.shutdown()
        while house.journal.pending > 0 {
            house.journal.commit()
            await Task.yield()
        }
        await down
        #expect(answer.current == .success(.done))
        #expect(house.code(await house.create(by: Client(.member, 2))) == .unavailable)
    }

    @Test("V07-S whoever shuts the rooms down waits until what was accepted is stored and answered")
    func shutdownWaits() async throws {
        let house = try await DirectoryHouse()
        let olga = Client(.owner, 1)
        let (room, _) = try await house.create(by: olga).get()
        house.journal.setMode(.manual)
        let answer = Shared<Result<CommandResult, RoomError>?>(nil)
        await room.submit(.takeSeat(TakeSeat(1)), from: olga.session, key: nil) { answer.set($0.map(\.result)) }
        let isDown = Shared(false)
        async let disk: Void = {
            // Commits only once the room takes nothing more: only a shutdown that reaches the room gets that far.
            while !isDown.current {
                do throws(RoomError) {
                    _ = try await room.openMedia(for: SessionToken(rawValue: 99))
                } catch {
                    if error.code == .unavailable { house.journal.commit() }
                }
                await Task.yield()
            }
        }()
        await house.directory.shutdown()
        let answered = answer.current
        isDown.set(true)
        await disk
        #expect(throws: Never.self) { try #require(answered).get() }
    }
}
