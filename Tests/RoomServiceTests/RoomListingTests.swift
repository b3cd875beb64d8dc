import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

/// What lists and details show of the rooms.
@Suite(.timeLimit(.minutes(1))) struct RoomListingTests {
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
            house.directory.list(query, of: DirectoryHouse.app).rooms.map(\.name)
        }
        #expect(names(RoomQuery()) == ["ÉCOLE de jazz", "Study hall", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "JAZZ")) == ["ÉCOLE de jazz", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "école")) == ["ÉCOLE de jazz"])
        #expect(names(RoomQuery(text: "카페")) == ["재즈 카페"])
        #expect(names(RoomQuery(text: "60003")) == ["Study hall"])
        #expect(names(RoomQuery(text: "6000")) == [])
        #expect(names(RoomQuery(tag: "jazz")) == ["재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(tag: "jaz")) == [])
        #expect(names(RoomQuery(text: "midnight", tag: "quiet")) == [])
        var cursor: String?
        var seen: [String] = []
        repeat {
            let page = house.directory.list(RoomQuery(limit: 3, cursor: cursor), of: DirectoryHouse.app)
            seen += page.rooms.map(\.name)
            #expect(page.rooms.count == (seen.count <= 3 ? 3 : 1))
            cursor = page.cursor
        } while cursor != nil && seen.count < 10
        #expect(seen == names(RoomQuery()))
        #expect(names(RoomQuery(cursor: "nonsense")).count == 4)
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
        #expect(await room.ask(.takeSeat(0), by: owner) == .success(.done))
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
        for command in [RoomCommand.takeSeat(0), .updateRoom(RoomUpdate(name: "Renamed")), .destroyRoom] {
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
