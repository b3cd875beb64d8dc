import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing
import Timing

@testable import RoomService

/// What lists and details show of the rooms.
@Suite(.timeLimit(.minutes(10))) struct RoomListingTests {
    @Test("A06-S rooms are found by name, tag and id, newest first, page by page") func search() async throws {
        let house = try await DirectoryHouse()
        let rooms = [
            ("Jazz after midnight", ["music", "Jazz"]), ("재즈 카페", ["jazz"]), ("Study hall", ["quiet"]),
            ("ÉCOLE de jazz", []),
        ]
        for (number, (name, tags)) in rooms.enumerated() {
            let client = Client(UserID(literal: "user-\(number)"), UInt64(number))
            _ = try await house.create(.number(UInt32(60_001 + number)), name, tags: tags, by: client).get()
            house.clock.advance(by: .seconds(1))
        }
        func names(_ query: RoomQuery) -> [String] {
            ((try? house.directory.list(query, of: DirectoryHouse.app))?.rooms ?? []).map(\.name)
        }
        #expect(names(RoomQuery()) == ["ÉCOLE de jazz", "Study hall", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "JAZZ")) == ["ÉCOLE de jazz", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "école")) == ["ÉCOLE de jazz"])
        #expect(names(RoomQuery(text: "카페")) == ["재즈 카페"])
        #expect(names(RoomQuery(text: "60003")) == ["Study hall"])
        #expect(names(RoomQuery(text: "6000")) == [])
        #expect(names(RoomQuery(text: "ＪＡＺＺ")) == ["ÉCOLE de jazz", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "e\u{301}cole")) == ["ÉCOLE de jazz"])
        #expect(names(RoomQuery(text: "\u{110f}\u{1161}\u{1111}\u{1166}")) == ["재즈 카페"], "however it is composed")
        #expect(names(RoomQuery(text: "즈")) == ["재즈 카페"], "one syllable, in the middle")
        #expect(names(RoomQuery(text: "uie")) == ["Study hall"], "inside a tag")
        #expect(names(RoomQuery(tag: "jazz")) == ["재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(tag: "jaz")) == [])
        #expect(names(RoomQuery(text: "midnight", tag: "quiet")) == [])
        var cursor: String?
        var seen: [String] = []
        repeat {
            let page = try house.directory.list(RoomQuery(limit: 3, cursor: cursor), of: DirectoryHouse.app)
            seen += page.rooms.map(\.name)
            #expect(page.rooms.count == (seen.count <= 3 ? 3 : 1))
            cursor = page.cursor
        } while cursor != nil && seen.count < 10
        #expect(seen == names(RoomQuery()))
        for wrong in [
            "nonsense", "", ".", "1", "+1.a", " 1.a", "1.é", "b1.0", "1." + String(repeating: "a", count: 100),
        ] {
            let refusal = #expect(throws: RoomError.self, "\(wrong)") {
                try house.directory.list(RoomQuery(cursor: wrong), of: DirectoryHouse.app)
            }
            #expect(refusal?.code == .invalidParams && refusal?.field == "cursor")
        }
        #expect(throws: RoomError.self) {
            try house.directory.list(RoomQuery(cursor: "nonsense"), of: ApplicationID(77))
        }
    }

    @Test(
        "A06-S by number of people each room stands once on the pages, whatever comes and goes between them; a page that is too old is refused"
    )
    func busiest() async throws {
        let index = RoomIndex()
        let app = DirectoryHouse.app
        var generator = SeededGenerator(seed: 11)
        func put(_ room: UInt32, _ people: Int, createdAt: Int64? = nil) {
            guard let id = RoomID(number: room) else { return }
            let info = RoomInfo(
                room: id, kind: .voice, settings: RoomSettings(name: "Room \(room)"), owner: .named(.owner), seats: 8,
                seated: 0, memberCount: people, createdAt: createdAt ?? Int64(room), speaking: false)
            index.set(RoomListing(info), of: RoomKey(application: app, room: id))
        }
        for room in UInt32(1)...100 { put(room, Int.random(in: 0...50, using: &generator)) }
        var now = Instant(nanoseconds: 1_000_000_000)
        func page(_ cursor: String?, _ limit: Int = 7) throws -> RoomPage {
            try index.list(RoomQuery(order: .busiest, limit: limit, cursor: cursor), of: app, at: now)
        }
        let whole = try page(nil, 100).rooms
        #expect(whole.count == 100)
        for (former, next) in zip(whole, whole.dropFirst()) {
            #expect((former.memberCount, former.createdAt) > (next.memberCount, next.createdAt))
        }
        var seen: [RoomID] = []
        var cursor: String?
        repeat {
            let read = try page(cursor)
            seen += read.rooms.map(\.room)
            cursor = read.cursor
            // Everything changes between the pages: counts, rooms that come, rooms that end.
            for room in UInt32(1)...90 { put(room, Int.random(in: 0...50, using: &generator)) }
            put(UInt32.random(in: 200...900, using: &generator), 60)
            if let id = RoomID(number: UInt32.random(in: 91...100, using: &generator)) {
                index.remove(RoomKey(application: app, room: id))
            }
            now = now + .seconds(3)
        } while cursor != nil
        #expect(Set(seen).count == seen.count, "a room stands twice")
        #expect(
            Set((1...90).compactMap { RoomID(number: $0) }).isSubset(of: seen),
            "a room that was there all the time is missing")
        // A room that has just been opened is there at once, last, and once, also under the id of one that has ended.
        _ = try page(nil)
        index.remove(RoomKey(application: app, room: .number(1)))
        put(1, 5, createdAt: 5_000)
        put(950, 2, createdAt: 5_001)
        let again = try page(nil, 1_000).rooms.map(\.room)
        #expect(Array(again.suffix(2)) == [.number(1), .number(950)] && Set(again).count == again.count)
        #expect(again.count == index.totals.values.reduce(0) { $0 + $1.rooms })
        now = now + .seconds(6)
        #expect(try page(nil, 1_000).rooms.last?.room != .number(950))
        // Who begins anew sees how it is now.
        #expect(try page(nil, 1).rooms.first?.memberCount == 60)
        let first = try page(nil)
        now = now + .seconds(59)
        _ = try page(first.cursor)
        now = now + .seconds(61)
        _ = try page(nil)
        #expect(throws: RoomError.self) { try page(first.cursor) }
        for wrong in ["b", "b1", "b1.", "b.1", "b1.-1", "nonsense", "b99999999999999999999.1"] {
            #expect(throws: RoomError.self, "\(wrong)") { try page(wrong, 1) }
        }
        let last = try page(nil)
        let number = last.cursor?.prefix { $0 != "." } ?? ""
        #expect(try page("\(number).9223372036854775807") == RoomPage(rooms: []), "beyond the end")
    }

    @Test("A05-S room details come in the order of the request, unknown ids dropped, with live counts") func infos()
        async throws
    {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let room = try await house.create(.number(30_001), by: owner).get().room
        _ = try await house.create(.number(30_002), by: Client(.other, 2)).get()
        let member = Client(.member, 3)
        await room.attach(member.attendee, since: nil) { _ in }
        #expect(await room.ask(.takeSeat(TakeSeat(0)), by: owner) == .success(.done))
        let found = house.directory.infos([.number(30_002), .number(4), .number(30_001)], of: DirectoryHouse.app)
        #expect(found.map(\.room) == [.number(30_002), .number(30_001)])
        let turned = house.directory.infos([.number(30_001), .number(30_002)], of: DirectoryHouse.app)
        #expect(turned == found.reversed())
        #expect(found.last?.memberCount == 2)
        #expect(found.last?.seated == 1)
        await room.detach(member.session, why: .left)
        #expect(house.directory.infos([.number(30_001)], of: DirectoryHouse.app).first?.memberCount == 1)
    }

    @Test("A05-S A06-S whoever has an answer finds in the directory what it says, and an ended room no more")
    func answersAndLists() async throws {
        let house = try await DirectoryHouse()
        let owner = Client(.owner, 1)
        let id = RoomID.number(30_003)
        // What the directory shows at the moment of each answer, which the client may use at once.
        let shown = Shared<[String]>([])
        let note: @Sendable () -> Void = { [directory = house.directory] in
            let line = directory.infos([id], of: DirectoryHouse.app).first.map {
                "\($0.name) \($0.memberCount) \($0.seated)"
            }
            shown.update { $0.append(line ?? "nothing") }
        }
        let room = await withCheckedContinuation { answered in
            Task {
                await house.directory.create(
                    RoomCreation(room: id, settings: RoomSettings(name: "Salon")), in: DirectoryHouse.app,
                    by: .named(.owner),
                    key: nil, as: { _ in owner.attendee }
                ) { result in
                    note()
                    answered.resume(returning: try? result.get().room)
                }
            }
        }
        let member = Client(.member, 2)
        await room?.attach(member.attendee, since: nil) { _ in note() }
        for command in [RoomCommand.takeSeat(TakeSeat(0)), .updateRoom(RoomUpdate(name: "Renamed")), .destroyRoom] {
            await withCheckedContinuation { answered in
                Task {
                    await room?.submit(command, from: owner.session, key: nil) { _ in
                        note()
                        answered.resume()
                    }
                }
            }
        }
        #expect(shown.current == ["Salon 1 0", "Salon 2 0", "Salon 2 1", "Renamed 2 1", "nothing"])
    }
}
