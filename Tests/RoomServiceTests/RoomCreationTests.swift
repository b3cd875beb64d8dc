import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

/// Rooms that are created: their ids, whose they are, and what becomes of a creation that fails or is tried again.
@Suite(.timeLimit(.minutes(10))) struct RoomCreationTests {
    @Test("V01-S A09-S the server picks a number of five to seven digits; the creator is in the room and owns it")
    func picksAnID() async throws {
        let house = try await DirectoryHouse()
        var ids: Set<RoomID> = []
        for number in 0..<50 {
            let client = Client(UserID(literal: "user-\(number)"), UInt64(number))
            let (room, entry) = try await house.create(by: client).get()
            guard case .snapshot(let snapshot) = entry, case .number(let id) = room.key.room else {
                Issue.record("\(entry)")
                continue
            }
            #expect((10_000...9_999_999).contains(id))
            #expect(snapshot.me.role == .owner)
            ids.insert(room.key.room)
        }
        #expect(ids.count == 50)
    }

    @Test(
        "V01-S an owner's own room is created again, another's id is refused, and so is a creation that breaks a rule")
    func sameID() async throws {
        let house = try await DirectoryHouse()
        let (owner, member) = (Client(.owner, 1), Client(.member, 2))
        let first = try await house.create(.number(77_777), by: owner).get()
        let again = try await house.create(.number(77_777), "Renamed", by: owner).get()
        #expect(first.room === again.room)
        #expect(house.directory.infos([.number(77_777)], of: DirectoryHouse.app).map(\.name) == ["Renamed"])
        #expect(house.code(await house.create(.number(77_777), by: member)) == .roomIDTaken)
        #expect(house.code(await house.create(.number(88_888), " ", by: member)) == .invalidParams)
        #expect(house.code(await house.create(.number(77_777), by: member)) == .roomIDTaken)
        #expect(try await !house.journal.exists(RoomKey(application: DirectoryHouse.app, room: .number(88_888))))
    }

    @Test("of many who create the same id at once one owns it") func creationRace() async throws {
        let house = try await DirectoryHouse()
        let outcomes = await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let client = Client(UserID(literal: "user-\(number)"), UInt64(number))
                    return house.code(await house.create(.string("the room"), by: client))
                }
            }
            return await group.reduce(into: [RoomError.Code?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .roomIDTaken } == 39)
    }

    @Test("A07-S A01-S 123 and \"123\" are different rooms, and so are those of different applications")
    func isolation() async throws {
        let house = try await DirectoryHouse()
        let client = Client(.owner, 1)
        _ = try await house.create(.number(123), "number", by: client).get()
        _ = try await house.create(.string("123"), "string", by: client).get()
        _ = try await house.create(.number(123), "other", by: client, in: DirectoryHouse.otherApp).get()
        let both: [RoomID] = [.string("123"), .number(9), .number(123)]
        #expect(house.directory.infos(both, of: DirectoryHouse.app).map(\.name) == ["string", "number"])
        #expect(house.directory.infos(both, of: DirectoryHouse.otherApp).map(\.name) == ["other"])
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.otherApp).rooms.map(\.name) == ["other"])
        #expect(try house.directory.list(RoomQuery(), of: ApplicationID(1)).rooms.isEmpty)
    }

    @Test("V01-S a creation that the disk refuses counts as nobody's room, and one that has ended counts no more")
    func roomsPerOwner() async throws {
        var policy = RoomPolicy()
        policy.maxRoomsPerOwner = 2
        let house = try await DirectoryHouse(policy: policy)
        let owner = UserID(literal: "olga")
        house.journal.fail()
        for number in 0..<5 {
            #expect(house.code(await house.create(by: Client(owner, UInt64(number)))) == .unavailable)
        }
        house.journal.heal()
        let first = Client(owner, 11)
        let (room, _) = try await house.create(by: first).get()
        _ = try await house.create(by: Client(owner, 12)).get()
        #expect(house.code(await house.create(by: Client(owner, 13))) == .roomsLimited)
        _ = try await house.create(by: Client(.member, 14)).get()
        _ = try await room.ask(.destroyRoom, by: first).get()
        // The room's end reaches the directory in a turn of its own.
        while house.code(await house.create(by: Client(owner, 15))) == .roomsLimited { await Task.yield() }
    }

    @Test("a retried creation gets the first room, also when the server picked the id; another body is an error")
    func retriedCreation() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let first = try await house.create(by: owner, key: "k").get().room
        #expect(try await house.create(by: owner, key: "k").get().room === first)
        #expect(house.code(await house.create(nil, "Other", by: owner, key: "k")) == .keyReused)
        #expect(try await house.create(by: Client(.member, 2), key: "k").get().room !== first)
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.count == 2)
    }

    @Test("a creation that cannot be stored leaves nothing behind") func failedCreation() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        house.journal.fail(.full)
        #expect(house.code(await house.create(.number(44_444), by: owner)) == .unavailable)
        house.journal.heal()
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.isEmpty)
        #expect(house.code(await house.create(.number(44_444), by: Client(.member, 2))) == nil)
    }

    @Test("a creation whose commit failed can be tried again under its key, and gets a room") func retriedAfterFailure()
        async throws
    {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        // The opening is stored, the creation is not.
        house.journal.setMode(.manual)
        async let first = house.create(by: owner, key: "k")
        while house.journal.pending == 0 { await Task.yield() }
        house.journal.fail(.full, times: 1)
        house.journal.commit()
        #expect(house.code(await first) == .unavailable)
        house.journal.heal()
        house.journal.setMode(.automatic)
        while house.code(await house.create(by: owner, key: "k")) != nil { await Task.yield() }
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.count == 1)
    }

    @Test("V01-S a creation that is repeated while its room is being read leads to that room, and makes no second one")
    func repeatedWhileLoading() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner, key: "k").get().room
        house.journal.fail(.full)
        #expect(await room.ask(.takeSeat(TakeSeat(0)), by: owner).code == .unavailable)
        #expect(house.code(await house.create(by: owner, key: "k")) == .unavailable)
        house.journal.heal()
        // A room that is read again at last, and not another one in its place.
        while true {
            house.clock.advance(by: .milliseconds(100))
            let again = await house.create(by: owner, key: "k")
            guard case .success(let found) = again else {
                #expect(house.code(again) == .unavailable)
                await Task.yield()
                continue
            }
            #expect(found.room === room)
            break
        }
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.count == 1)
    }

    @Test("V01-S a creation that is stored and reported as failed is found by its key")
    func storedUntold() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        house.journal.fail(storing: true, times: 1)
        #expect(house.code(await house.create(by: owner, key: "k")) == .unavailable)
        var again = await house.create(by: owner, key: "k")
        while house.code(again) == .unavailable {
            await Task.yield()
            again = await house.create(by: owner, key: "k")
        }
        _ = try again.get()
        #expect(try house.directory.list(RoomQuery(), of: DirectoryHouse.app).rooms.count == 1)
        #expect(try await house.journal.openRooms().count == 1)
    }
}
