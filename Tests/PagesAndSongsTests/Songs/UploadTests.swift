import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import RoomModel
import RoomPorts
import RoomTestSupport
import Synchronization
import Testing
import Timing
import UserSig

@testable import PagesAndSongs

/// Uploads in virtual time, with a library on the disk behind them.
@Suite struct UploadTests {
    private static let boundary = "line"

    private struct House {
        static let application = Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"])
        let clock = VirtualRoomClock()
        let restrictions = MemoryRestrictions()
        let folder = NSTemporaryDirectory() + "ovation-upload-" + UUID().uuidString
        let handler: SongHandler
        let library: SongLibrary

        init(
            _ limits: UploadLimits = UploadLimits(), slots: UploadSlots = UploadSlots(),
            inspect: @escaping @Sendable (String) async -> SoundFinding = { _ in .sound(milliseconds: 1_000) },
            pause: @escaping @Sendable (Duration) async throws -> Void = { _ in
                // No look at all: cancelled when the upload ends.
                try await Task.sleep(for: .seconds(3600))
            }
        ) {
            library = SongLibrary(folder: folder, webRoot: nil)
            handler = SongHandler(
                library: library,
                signIn: SignIn(
                    accounts: MemoryAccounts([Self.application]), restrictions: restrictions, clock: clock),
                slots: slots, limits: limits, now: { 1 }, inspect: inspect, pause: pause)
        }

        func request(_ body: RequestBody, by user: String = "alice", to path: String = "/v1/songs") throws -> Request {
            let ticket = try TicketSigner(application: Self.application.id.rawValue, key: Self.application.keys[0])
                .ticket(user: user, issuedAt: clock.wallTime.secondsSince1970, lifetime: 1_000)
            return Request(
                head: HTTPRequest(
                    method: .post, scheme: "http", authority: "a", path: path,
                    headerFields: [
                        .authorization: "Bearer \(Self.application.id):\(user):\(ticket)",
                        .contentType: "multipart/form-data; boundary=\(UploadTests.boundary)",
                    ]), body: body)
        }

        func upload(_ request: Request) async -> Response {
            await handler.upload(request, from: ClientAddress(text: "192.0.2.1"))
        }

        /// What no upload may leave behind.
        var left: [String] {
            ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).filter { $0 != ".incoming" }
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }

    private static let form = ByteBuffer(
        string: [("title", "x"), ("audio", "fLaC, or so")].map {
            "--line\r\nContent-Disposition: form-data; name=\"\($0.0)\"; filename=\"a\"\r\n\r\n\($0.1)\r\n"
        }.joined() + "--line--\r\n")

    @Test("a body of no stated length is refused once it is longer than any song, and leaves nothing")
    func tooLarge() async throws {
        var limits = UploadLimits()
        limits.body = Self.form.readableBytes
        let house = House(limits)
        defer { house.remove() }
        let made = await house.upload(try house.request(.init(buffer: Self.form)))
        #expect(made.status == .created)
        let kept = house.left
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        out.yield(Self.form)
        out.yield(ByteBuffer(string: "\n"))
        out.finish()
        let refused = await house.upload(try house.request(.init(asyncSequence: pieces)))
        #expect(refused.status == .contentTooLarge && house.left == kept)
    }

    @Test("an upload that hardly goes on is ended with 408, and gives its slot back", arguments: [false, true])
    func tooSlow(sendsSomething: Bool) async throws {
        var limits = UploadLimits()
        limits.leastBytesPerSecond = 10
        limits.lookInterval = .seconds(15)
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        let looks = Mutex(0)
        let house = House(
            limits,
            pause: { _ in
                // 15 s pass with each look.
                looks.withLock { $0 += 1 }
            })
        defer { house.remove() }
        if sendsSomething {
            out.yield(ByteBuffer(bytes: Array("--line\r\n".utf8) + [UInt8](repeating: 97, count: 282)))
        }
        let refused = await house.upload(try house.request(.init(asyncSequence: pieces)))
        #expect(refused.status == .requestTimeout && house.left.isEmpty)
        #expect(looks.withLock { $0 } >= 2)
        _ = out
        let next = House(limits)
        defer { next.remove() }
        #expect(await next.upload(try next.request(.init(buffer: Self.form))).status == .created)
    }

    @Test(
        "R11-S an upload is ended when little has come for half a minute, however much came before, or after the longest time; while the server reads it, it is not"
    )
    func progress() {
        var limits = UploadLimits()
        limits.leastBytesPerSecond = 10
        limits.longest = .seconds(90)
        limits.body = 1_000
        func looks(_ pieces: [Int], isWhole: Bool = false) -> [Bool] {
            let progress = UploadProgress(limits)
            var looks = UploadProgress.Looks()
            return pieces.enumerated().map { number, piece in
                _ = progress.add(piece)
                if isWhole { progress.end() }
                return progress.isTooSlow(after: .seconds(15 * number), &looks)
            }
        }
        #expect(looks([0, 0, 0]) == [false, false, true])
        #expect(looks([0, 0, 299]) == [false, false, true])
        #expect(looks([0, 0, 300]) == [false, false, false])
        #expect(looks([0, 800, 0, 0]) == [false, false, false, true])
        #expect(looks([800, 0, 0], isWhole: true) == [false, false, false])
        #expect(looks([0, 300, 0, 300, 0, 300, 0]) == [false, false, false, false, false, false, true])
        let progress = UploadProgress(limits)
        #expect(progress.add(1_000) && !progress.add(1))
    }

    @Test("R11-S nobody takes all places for uploads: a person has one, an address three, an application six, of eight")
    func slots() throws {
        let slots = UploadSlots()
        func take(_ user: Int, _ app: UInt32 = 1, from address: String) throws -> UploadSlots.Slot? {
            slots.take(
                for: try #require(UserID("user-\(user)")), of: ApplicationID(app), from: ClientAddress(text: address))
        }
        let first = try #require(try take(0, from: "192.0.2.1"))
        #expect(try take(0, from: "192.0.2.2") == nil)
        for user in 1...2 { #expect(try take(user, from: "192.0.2.1") != nil) }
        #expect(try take(3, from: "192.0.2.1") == nil, "a stranger with four names")
        for user in 3...5 { #expect(try take(user, from: "2001:db8::\(user)") != nil) }
        #expect(try take(6, 2, from: "2001:db8::6") == nil, "one customer has all of these addresses")
        #expect(try take(6, from: "192.0.2.3") == nil, "the application's share")
        let others = try (0...1).map { try #require(try take($0, 2, from: "192.0.2.3")) }
        #expect(try take(2, 2, from: "192.0.2.4") == nil, "the server's")
        slots.giveBack(first)
        slots.giveBack(first)
        #expect(try take(0, from: "192.0.2.1") != nil && take(2, 2, from: "192.0.2.4") == nil)
        for slot in others { slots.giveBack(slot) }
        #expect(try take(2, 2, from: "192.0.2.4") != nil)
    }

    @Test("R11-S a song and a picture take the same places")
    func shared() async throws {
        let slots = UploadSlots()
        let house = House(slots: slots)
        defer { house.remove() }
        let alice = try #require(UserID("alice"))
        let faces = FaceHandler(
            library: FaceLibrary(folder: house.folder + "-faces"),
            signIn: SignIn(
                accounts: MemoryAccounts([House.application]), restrictions: MemoryRestrictions(), clock: house.clock),
            slots: slots, clock: house.clock, rewrite: { _, _ in .unreadable })
        let slot = try #require(
            slots.take(for: alice, of: House.application.id, from: ClientAddress(text: "192.0.2.9")))
        #expect(await house.upload(try house.request(.init(buffer: Self.form))).status == .serviceUnavailable)
        let request = try house.request(.init(buffer: Self.form), to: "/v1/faces?kind=avatar")
        let address = ClientAddress(text: "192.0.2.1")
        #expect(await faces.upload(request, from: address).status == .serviceUnavailable)
        slots.giveBack(slot)
        #expect(await faces.upload(request, from: address).status == .unsupportedMediaType)
        #expect(await house.upload(try house.request(.init(buffer: Self.form))).status == .created)
    }

    @Test("a second upload of the same person waits for the first, and a part that comes twice is refused")
    func twice() async throws {
        let house = House()
        defer { house.remove() }
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        async let first = house.upload(try house.request(.init(asyncSequence: pieces)))
        while house.left.isEmpty { await Task.yield() }
        #expect(
            await house.upload(try house.request(.init(buffer: Self.form))).status == .serviceUnavailable)
        out.yield(Self.form)
        out.finish()
        #expect(try await first.status == .created)
        for (name, value) in [("title", "x"), ("audio", "fLaC, or so"), ("lyrics", "[00:01.00]la")] {
            let part = "--line\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"a\"\r\n\r\n\(value)\r\n"
            let answer = await house.upload(try house.request(.init(buffer: ByteBuffer(string: part + part))))
            #expect(answer.status == .badRequest, "\(name)")
        }
    }

    enum Meanwhile: CaseIterable { case banned, muted, erased, nothing }

    @Test(
        "R09-S D01-S whoever is banned, muted or erased while their song is looked at leaves none behind",
        arguments: Meanwhile.allCases)
    func meanwhile(_ meanwhile: Meanwhile) async throws {
        let (waiting, reading) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let house = House(inspect: { _ in
            reading.continuation.finish()
            for await _ in waiting.stream {}
            return .sound(milliseconds: 1_000)
        })
        defer { house.remove() }
        async let answer = house.upload(try house.request(.init(buffer: Self.form)))
        for await _ in reading.stream {}
        let alice = UserID(literal: "alice")
        func restrict(_ kind: RestrictionKind) {
            let restriction = Restriction(kind, user: alice, name: "", until: nil, by: UserID(literal: "shop"))
            house.restrictions.set(restriction, from: .application, in: House.application.id) { _ in }
        }
        switch meanwhile {
        case .banned: restrict(.ban)
        case .muted: restrict(.chatMute)
        case .erased: #expect(try house.library.removeAll(of: alice, from: House.application.id) == 0)
        case .nothing: break
        }
        waiting.continuation.finish()
        let status = try await answer.status
        #expect(meanwhile == .nothing ? status == .created : (400..<500).contains(status.code), "\(status)")
        #expect(house.library.uploaded(to: House.application.id).isEmpty == (meanwhile != .nothing))
        #expect(meanwhile == .nothing || house.left.isEmpty)
    }

    @Test("a form that is refused is read on, so that its sender hears why, and no further than the limit")
    func readOn() async throws {
        var limits = UploadLimits()
        limits.readOn = 100
        let house = House(limits)
        defer { house.remove() }
        for (pieces, taken) in [(3, 3), (50, 5)] {
            let asked = Mutex(0)
            let body = AsyncStream<ByteBuffer>(unfolding: {
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                return number <= pieces ? ByteBuffer(string: "--line: thirty bytes, no form.") : nil
            })
            let answer = await house.upload(try house.request(.init(asyncSequence: body)))
            #expect(answer.status == .badRequest && house.left.isEmpty)
            // The end of the body is asked for as well.
            #expect(asked.withLock { $0 } == (taken < pieces ? taken : taken + 1))
        }
    }
}
