import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

/// L01: what a live room looks like now, in the list.
@Suite struct StillTests {
    private let picture: StillPicture

    init() throws { picture = try StillPicture(jpeg: TestJPEG.bytes()) }

    /// A live room whose host is seen.
    private func liveRoom() async throws -> (salon: Salon, host: Client) {
        let salon = try await Salon()
        let host = salon.create(kind: .live, seats: 3)
        #expect(salon.submit(.takeSeat(TakeSeat(0)), by: host).current == .success(.done))
        #expect(salon.submit(.setCamera(SetCamera(on: true)), by: host).current == .success(.done))
        return (salon, host)
    }

    @discardableResult
    private func set(_ picture: StillPicture?, by client: Client, in salon: Salon) -> Result<Int64?, RoomError>? {
        let answer = Shared<Result<Int64?, RoomError>?>(nil)
        salon.core.setStill(picture, from: client.session) { answer.set($0) }
        salon.settle()
        return answer.current
    }

    private func shown(_ salon: Salon) -> Int64? { salon.infos.current.last?.still }

    @Test("L01-S the list shows the newest still of a host who is seen, each under a number of its own")
    func newest() async throws {
        let (salon, host) = try await liveRoom()
        #expect(shown(salon) == nil)
        let first = try #require(try set(picture, by: host, in: salon)?.get())
        #expect(shown(salon) == first && (1..<(1 << 53)).contains(first))
        salon.advance(.seconds(20))
        let second = try #require(try set(picture, by: host, in: salon)?.get())
        #expect(shown(salon) == second && second != first)
        #expect(salon.enter(.member).snapshot?.info.still == second, "who enters sees it until the first picture comes")
        #expect(set(nil, by: host, in: salon) == .success(nil))
        #expect(shown(salon) == nil)
    }

    @Test("L01-S stills come no more often than every ten seconds, also with removals between them")
    func interval() async throws {
        let (salon, host) = try await liveRoom()
        set(picture, by: host, in: salon)
        salon.advance(.seconds(9))
        #expect(set(nil, by: host, in: salon) == .success(nil))
        #expect(set(picture, by: host, in: salon) == .failure(RoomError(.rateLimited, retryAfterMs: 1_001)))
        #expect(shown(salon) == nil)
        salon.advance(.seconds(1))
        #expect(try set(picture, by: host, in: salon)?.get() != nil)
    }

    @Test("L01-S a still that is a minute old is shown no more") func lifetime() async throws {
        let (salon, host) = try await liveRoom()
        set(picture, by: host, in: salon)
        salon.advance(.seconds(50))
        #expect(shown(salon) != nil)
        set(picture, by: host, in: salon)
        salon.advance(.milliseconds(59_999))
        #expect(shown(salon) != nil, "the newer one has a minute of its own")
        salon.advance(.milliseconds(1))
        #expect(shown(salon) == nil)
    }

    @Test("L01-S whoever is seen no more is gone from the list at once", arguments: 0..<5)
    func gone(_ way: Int) async throws {
        let (salon, host) = try await liveRoom()
        let before = try #require(try set(picture, by: host, in: salon)?.get())
        #expect(shown(salon) == before)
        switch way {
        case 0: #expect(salon.submit(.setCamera(SetCamera(on: false)), by: host).current == .success(.done))
        case 1: #expect(salon.submit(.leaveSeat, by: host).current == .success(.done))
        case 2:
            salon.core.detach(host.session, from: nil, why: .left)
            salon.settle()
        case 3:
            // The path that carried the camera is gone.
            salon.core.serve(.picturesGone(host.user, camera: true, screen: false))
            salon.settle()
        default:
            try await salon.crash()
        }
        #expect(shown(salon) == nil)
        // Back on stage, the old one is not what is seen now.
        if way == 0 {
            #expect(salon.submit(.setCamera(SetCamera(on: true)), by: host).current == .success(.done))
            #expect(shown(salon) == nil)
        }
    }

    @Test("L01-S a new host's list entry does not show the former one") func newHost() async throws {
        let (salon, host) = try await liveRoom()
        let heir = salon.enter(.member)
        #expect(salon.submit(.setRole(SetRole(.member, .admin)), by: host).current == .success(.done))
        set(picture, by: host, in: salon)
        salon.core.detach(host.session, from: nil, why: .left)
        salon.settle()
        salon.advance(.seconds(600))
        #expect(salon.infos.current.last?.owner.id == .member)
        #expect(shown(salon) == nil)
        #expect(salon.submit(.takeSeat(TakeSeat(0)), by: heir).current == .success(.done))
        #expect(set(picture, by: heir, in: salon)?.refusal == .permissionDenied)
        #expect(salon.submit(.setCamera(SetCamera(on: true)), by: heir).current == .success(.done))
        #expect(try set(picture, by: heir, in: salon)?.get() == shown(salon))
    }

    @Test("L01-S only the host of a live room sets a still, and only while being seen") func rights() async throws {
        let (salon, host) = try await liveRoom()
        let guest = salon.enter(.member)
        #expect(salon.submit(.takeSeat(TakeSeat(1)), by: guest).current == .success(.done))
        #expect(salon.submit(.setCamera(SetCamera(on: true)), by: guest).current == .success(.done))
        #expect(set(picture, by: guest, in: salon)?.refusal == .permissionDenied)
        #expect(set(picture, by: salon.client(.other), in: salon)?.refusal == .notInRoom)
        #expect(salon.submit(.setCamera(SetCamera(on: false)), by: host).current == .success(.done))
        #expect(set(picture, by: host, in: salon)?.refusal == .permissionDenied)
        #expect(set(nil, by: host, in: salon) == .success(nil), "taking it back needs no camera")
        #expect(shown(salon) == nil)
        let voice = try await Salon(room: .number(48_214))
        #expect(set(picture, by: voice.create(), in: voice)?.refusal == .notLive)
    }

    @Test("L01-S a still is found under its number and room alone, as long as it may be shown")
    func index() async throws {
        let index = RoomIndex()
        let house = try await DirectoryHouse()
        let host = Client(.owner, 1)
        let room = try await house.create(.number(30_009), kind: .live, by: host).get().room
        #expect(await room.ask(.takeSeat(TakeSeat(0)), by: host) == .success(.done))
        #expect(await room.ask(.setCamera(SetCamera(on: true)), by: host) == .success(.done))
        let number = try #require(
            try await withCheckedContinuation { answered in
                Task { await room.setStill(picture, from: host.session) { answered.resume(returning: $0) } }
            }.get())
        #expect(index.still(number, of: .number(30_009)) == nil)
        let directory = house.directory
        #expect(directory.infos([.number(30_009)], of: DirectoryHouse.app).first?.still == number)
        #expect(directory.still(number, of: .number(30_009)) == picture)
        #expect(directory.still(number, of: .number(30_008)) == nil)
        #expect(directory.still(number &+ 1, of: .number(30_009)) == nil)
        let other = try StillPicture(jpeg: TestJPEG.bytes(width: 180, height: 320))
        // Who has just read the list finds what it named.
        house.clock.advance(by: .seconds(20))
        let next = try #require(
            try await withCheckedContinuation { answered in
                Task { await room.setStill(other, from: host.session) { answered.resume(returning: $0) } }
            }.get())
        #expect(directory.still(number, of: .number(30_009)) == picture)
        #expect(directory.still(next, of: .number(30_009)) == other)
        house.clock.advance(by: .seconds(40))
        // Its answer comes after the turn of the room's timer.
        #expect(await room.ask(.setCamera(SetCamera(on: true)), by: host) == .success(.done))
        #expect(directory.still(number, of: .number(30_009)) == nil)
        #expect(directory.still(next, of: .number(30_009)) == other)
        #expect(await room.ask(.destroyRoom, by: host) == .success(.done))
        #expect(directory.still(number, of: .number(30_009)) == nil)
    }
}

extension Result<Int64?, RoomError> {
    fileprivate var refusal: RoomError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
