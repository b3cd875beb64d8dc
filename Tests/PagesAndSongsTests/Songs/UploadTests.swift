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
        let folder = NSTemporaryDirectory() + "ovation-upload-" + UUID().uuidString
        let handler: SongHandler
        let library: SongLibrary

        init(
            _ limits: UploadLimits = UploadLimits(),
            pause: @escaping @Sendable (Duration) async throws -> Void = { _ in
                // No look at all: cancelled when the upload ends.
                try await Task.sleep(for: .seconds(3600))
            }
        ) {
            library = SongLibrary(folder: folder, webRoot: nil)
            handler = SongHandler(
                library: library,
                signIn: SignIn(
                    accounts: MemoryAccounts([Self.application]), restrictions: MemoryRestrictions(), clock: clock),
                limits: limits, now: { 1 }, inspect: { _ in .sound(milliseconds: 1_000) }, pause: pause)
        }

        func request(_ body: RequestBody, by user: String = "alice") throws -> Request {
            let ticket = try TicketSigner(application: Self.application.id.rawValue, key: Self.application.keys[0])
                .ticket(user: user, issuedAt: clock.wallTime.secondsSince1970, lifetime: 1_000)
            return Request(
                head: HTTPRequest(
                    method: .post, scheme: "http", authority: "a", path: "/v1/songs",
                    headerFields: [
                        .authorization: "Bearer \(Self.application.id):\(user):\(ticket)",
                        .contentType: "multipart/form-data; boundary=\(UploadTests.boundary)",
                    ]), body: body)
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
        let made = await house.handler.upload(try house.request(.init(buffer: Self.form)))
        #expect(made.status == .created)
        let kept = house.left
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        out.yield(Self.form)
        out.yield(ByteBuffer(string: "\n"))
        out.finish()
        let refused = await house.handler.upload(try house.request(.init(asyncSequence: pieces)))
        #expect(refused.status == .contentTooLarge && house.left == kept)
    }

    @Test("an upload that hardly goes on is ended with 408, and gives its slot back", arguments: [false, true])
    func tooSlow(sendsSomething: Bool) async throws {
        var limits = UploadLimits()
        limits.leastBytesPerSecond = 10
        limits.lookInterval = .seconds(15)
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        let looks = Mutex(0)
        let house = House(limits) { _ in
            // 15 s pass with each look; enough has come for the first only.
            looks.withLock { $0 += 1 }
        }
        defer { house.remove() }
        if sendsSomething {
            out.yield(ByteBuffer(bytes: Array("--line\r\n".utf8) + [UInt8](repeating: 97, count: 142)))
        }
        let refused = await house.handler.upload(try house.request(.init(asyncSequence: pieces)))
        #expect(refused.status == .requestTimeout && house.left.isEmpty)
        #expect(looks.withLock { $0 } >= 1)
        _ = out
        let next = House(limits)
        defer { next.remove() }
        #expect(await next.handler.upload(try next.request(.init(buffer: Self.form))).status == .created)
    }

    @Test("an upload is too slow below the least rate and after the longest time, and not before")
    func progress() {
        var limits = UploadLimits()
        limits.leastBytesPerSecond = 10
        limits.longest = .seconds(60)
        limits.body = 1_000
        let progress = UploadProgress(limits)
        #expect(!progress.isTooSlow(after: .zero) && progress.isTooSlow(after: .seconds(15)))
        #expect(progress.add(150))
        #expect(!progress.isTooSlow(after: .seconds(15)) && progress.isTooSlow(after: .seconds(16)))
        #expect(progress.add(850) && !progress.add(1))
        #expect(!progress.isTooSlow(after: .seconds(59)) && progress.isTooSlow(after: .seconds(60)))
    }

    @Test("one person uploads one song at a time, four people at once; whoever is done makes room")
    func slots() throws {
        let slots = UploadSlots(UploadLimits())
        let people = try (0..<5).map { try #require(UserID("user-\($0)")) }
        let (app, other) = (ApplicationID(1_400_000_009), ApplicationID(1_400_000_010))
        #expect(slots.take(for: people[0], of: app) && !slots.take(for: people[0], of: app))
        #expect(slots.take(for: people[0], of: other), "somebody else's user of the same name")
        #expect(slots.take(for: people[1], of: app) && slots.take(for: people[2], of: app))
        #expect(!slots.take(for: people[3], of: app))
        slots.giveBack(for: people[0], of: app)
        #expect(slots.take(for: people[3], of: app) && !slots.take(for: people[0], of: app))
    }

    @Test("a second upload of the same person waits for the first, and a part that comes twice is refused")
    func twice() async throws {
        let house = House()
        defer { house.remove() }
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        async let first = house.handler.upload(try house.request(.init(asyncSequence: pieces)))
        while house.left.isEmpty { await Task.yield() }
        #expect(
            await house.handler.upload(try house.request(.init(buffer: Self.form))).status == .serviceUnavailable)
        out.yield(Self.form)
        out.finish()
        #expect(try await first.status == .created)
        for (name, value) in [("title", "x"), ("audio", "fLaC, or so"), ("lyrics", "[00:01.00]la")] {
            let part = "--line\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"a\"\r\n\r\n\(value)\r\n"
            let answer = await house.handler.upload(try house.request(.init(buffer: ByteBuffer(string: part + part))))
            #expect(answer.status == .badRequest, "\(name)")
        }
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
            let answer = await house.handler.upload(try house.request(.init(asyncSequence: body)))
            #expect(answer.status == .badRequest && house.left.isEmpty)
            // The end of the body is asked for as well.
            #expect(asked.withLock { $0 } == (taken < pieces ? taken : taken + 1))
        }
    }
}
