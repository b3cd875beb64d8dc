import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

/// Journals that fail, are damaged, or end in the middle.
@Suite(.timeLimit(.minutes(10))) struct DirectoryJournalTests {
    @Test("a server does not start on a journal that fails") func failingStart() async throws {
        let house = try await DirectoryHouse()
        _ = try await house.create(by: Client(.owner, 1)).get()
        house.journal.fail(.full)
        await #expect(throws: JournalFailure.full) { _ = try await DirectoryHouse(house.journal) }
    }

    @Test("a journal that cannot be read keeps its room closed and untouched, and the others open") func damaged()
        async throws
    {
        let house = try await DirectoryHouse()
        let good = try await house.create(.number(11_111), by: Client(.owner, 1)).get().room
        let key = RoomKey(application: DirectoryHouse.app, room: .number(22_222))
        let epoch = try await house.journal.open(key, chatLimit: 0).epoch
        house.journal.submit(
            JournalEntry(key: key, kind: .durable, position: 1, epoch: epoch, payload: Array("{}".utf8))
        ) { _ in }
        let next = try await DirectoryHouse(house.journal)
        #expect(try next.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.map(\.room) == [good.key.room])
        #expect(next.reports.current.count == 1)
        await #expect(throws: RoomError.self) { try await next.directory.room(key) }
        #expect(next.code(await next.create(.number(22_222), by: Client(.member, 2))) == .roomIDTaken)
    }

    @Test("a journal that fails again while it is read anew is reported and tried again, and then the room goes on")
    func reloadedAtLast() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        house.journal.fail(.full)
        #expect(await room.ask(.takeSeat(TakeSeat(0)), by: owner).code == .unavailable)
        // The first report is the room's, the second that of reading it anew.
        while house.reports.current.count < 2 { await Task.yield() }
        #expect(house.reports.current == [.journalFailed(room.key, .full), .journalFailed(room.key, .full)])
        house.journal.heal()
        while await room.ask(.takeSeat(TakeSeat(0)), by: owner).code == .unavailable {
            house.clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
        #expect(house.reports.current.count == 2)
    }

    @Test("a journal that is found damaged when it is read anew is reported, and its room closed for everybody")
    func damagedLater() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(.number(22_222), by: owner).get().room
        // Written by something else: the room's own next entry is refused, since its place is taken.
        house.journal.submit(
            JournalEntry(key: room.key, kind: .durable, position: 2, epoch: 1, payload: Array("{}".utf8))
        ) { _ in }
        #expect(await room.ask(.takeSeat(TakeSeat(0)), by: owner).code == .unavailable)
        while owner.departures.current.isEmpty { await Task.yield() }
        #expect(owner.departures.current == [.ended])
        // Neither unknown nor over.
        await #expect(throws: RoomError(.internalError, "the room's journal cannot be read")) {
            try await house.directory.room(room.key)
        }
        #expect(house.code(await house.create(.number(22_222), by: Client(.member, 2))) == .roomIDTaken)
        #expect(
            house.reports.current.contains { report in
                if case .damaged(room.key, _) = report { true } else { false }
            }, "\(house.reports.current)")
    }

    @Test(
        "a room whose end is stored, but not that its journal is closed, is over after a restart and can be created anew"
    )
    func endedAndNotClosed() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(.number(33_333), by: owner).get().room
        house.journal.setMode(.manual)
        let answer = Shared<RoomError.Code?>(nil)
        await room.submit(.destroyRoom, from: owner.session, key: nil) { answer.set($0.map(\.result).code) }
        // The end, and not the closing that follows it.
        house.journal.commit(1)
        while owner.departures.current.isEmpty { await Task.yield() }
        house.journal.crash()
        house.journal.setMode(.automatic)
        let next = try await DirectoryHouse(house.journal)
        #expect(try next.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.isEmpty)
        #expect(try await house.journal.openRooms().isEmpty, "it would be read at every start")
        #expect(next.code(await next.create(.number(33_333), by: Client(.member, 2))) == nil)
    }
}
