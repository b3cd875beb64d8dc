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
@Suite(.timeLimit(.minutes(10))) struct UploadTests {
    private static let boundary = "line"

    private struct House {
        static let application = Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"])
        let clock: VirtualRoomClock
        let restrictions = MemoryRestrictions()
        let folder = NSTemporaryDirectory() + "ovation-upload-" + UUID().uuidString
        let handler: SongHandler
        let library: SongLibrary

        init(
            _ limits: UploadLimits = UploadLimits(), clock: VirtualRoomClock = VirtualRoomClock(),
            inspect: @escaping @Sendable (String) async -> SoundFinding = { _ in .sound(milliseconds: 1_000) },
            pause: @escaping @Sendable (Duration) async throws -> Void = { _ in
                // No look at all: cancelled when the upload ends.
                try await Task.sleep(for: .seconds(3600))
            }
        ) {
            self.clock = clock
            library = SongLibrary(folder: folder, webRoot: nil)
            handler = SongHandler(
                library: library,
                signIn: SignIn(
                    accounts: MemoryAccounts([Self.application]), restrictions: restrictions, clock: clock),
                limits: limits, clock: clock, inspect: inspect, pause: pause)
        }

        func request(
            _ body: RequestBody, by user: String = "alice", to path: String = "/v1/songs", length: Int? = nil
        ) throws -> Request {
            let ticket = try TicketSigner(application: Self.application.id.rawValue, key: Self.application.keys[0])
                .ticket(user: user, issuedAt: clock.wallTime.secondsSince1970, lifetime: 1_000)
            var fields: HTTPFields = [
                .authorization: "Bearer \(Self.application.id):\(user):\(ticket)",
                .contentType: "multipart/form-data; boundary=\(UploadTests.boundary)",
            ]
            fields[.contentLength] = length.map(String.init)
            return Request(
                head: HTTPRequest(method: .post, scheme: "http", authority: "a", path: path, headerFields: fields),
                body: body)
        }

        func upload(_ request: Request, from address: String = "192.0.2.1") async -> Response {
            await handler.upload(request, from: ClientAddress(text: address))
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
        let isHurrying = Mutex(true)
        let house = House(
            limits,
            pause: { _ in
                // 15 s pass with each look, and no time for whoever comes after that.
                looks.withLock { $0 += 1 }
                if !isHurrying.withLock({ $0 }) { try await Task.sleep(for: .seconds(3600)) }
            })
        defer { house.remove() }
        if sendsSomething {
            out.yield(ByteBuffer(bytes: Array("--line\r\n".utf8) + [UInt8](repeating: 97, count: 282)))
        }
        let refused = await house.upload(try house.request(.init(asyncSequence: pieces)))
        #expect(refused.status == .requestTimeout && house.left.isEmpty)
        #expect(looks.withLock { $0 } >= 2)
        _ = out
        isHurrying.withLock { $0 = false }
        #expect(await house.upload(try house.request(.init(buffer: Self.form))).status == .created)
    }

    @Test(
        "R11-S a song that would not come home in time is late from the third minute on, a picture from the 45th second on; what is to come, its sender states"
    )
    func late() {
        /// At which look, a quarter of a minute apart, it is late, at so many bytes a second.
        func late(_ limits: UploadLimits, at pace: Int, of length: Int? = nil) -> Int? {
            let progress = UploadProgress(limits, length: length)
            var looks = UploadProgress.Looks()
            return (0..<60).first { number in
                if number > 0 { _ = progress.add(15 * pace) }
                _ = progress.isTooSlow(after: .seconds(15 * number), &looks)
                return progress.isLate
            }
        }
        var (songs, pictures) = (UploadLimits(), UploadLimits.faces)
        songs.body = 900_000
        #expect(late(songs, at: 999) == 12)
        #expect(late(songs, at: 1_000) == nil)
        #expect(late(songs, at: 100, of: 90_000) == nil)
        #expect(late(songs, at: 99, of: 90_000) == 12)
        #expect(late(songs, at: 1_000, of: 9_000_000) == nil)
        pictures.body = 180_000
        #expect(late(pictures, at: 999) == 3)
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
        let paces = [0, 300, 0, 300, 0, 300, 0]
        #expect(looks(paces) == [false, false, false, false, false, false, true])
        #expect(!looks(paces, isWhole: true).contains(true), "however long the server reads it")
        let progress = UploadProgress(limits)
        #expect(progress.add(1_000) && !progress.add(1))
    }

    @Test("R11-S nobody takes all places for songs: a person has one, an address two, an application four, of six")
    func slots() throws {
        let (limits, now) = (UploadLimits(), VirtualRoomClock().now)
        let slots = UploadSlots(limits.places)
        func take(_ user: Int, _ app: UInt32 = 1, from address: String) throws -> UploadSlots.Slot? {
            slots.take(
                for: try #require(UserID("user-\(user)")), of: ApplicationID(app), from: ClientAddress(text: address),
                UploadProgress(limits), now: now)
        }
        let first = try #require(try take(0, from: "192.0.2.1"))
        #expect(try take(0, from: "192.0.2.2") == nil)
        #expect(try take(1, from: "192.0.2.1") != nil)
        #expect(try take(2, from: "192.0.2.1") == nil, "a stranger with three names")
        for user in 2...3 { #expect(try take(user, from: "2001:db8::\(user)") != nil) }
        #expect(try take(4, 2, from: "2001:db8::4") == nil, "one customer has all of these addresses")
        #expect(try take(4, from: "192.0.2.3") == nil, "the application's share")
        let others = try (0...1).map { try #require(try take($0, 2, from: "192.0.2.3")) }
        #expect(try take(2, 2, from: "192.0.2.4") == nil, "the server's")
        slots.giveBack(first)
        slots.giveBack(first)
        #expect(try take(0, from: "192.0.2.1") != nil && take(2, 2, from: "192.0.2.4") == nil)
        for slot in others { slots.giveBack(slot) }
        #expect(try take(2, 2, from: "192.0.2.4") != nil)
    }

    /// Eight people with an address each, of whom some are late.
    private struct Queue {
        let limits = UploadLimits()
        let clock = VirtualRoomClock()
        let slots: UploadSlots

        init() { slots = UploadSlots(limits.places) }

        func progress(isLate: Bool) -> UploadProgress {
            let progress = UploadProgress(limits)
            var looks = UploadProgress.Looks()
            if isLate { _ = progress.isTooSlow(after: limits.longestWhileWanted, &looks) }
            return progress
        }

        func take(_ user: Int, _ app: UInt32, _ progress: UploadProgress) -> UploadSlots.Slot? {
            UserID("user-\(user)").flatMap {
                slots.take(
                    for: $0, of: ApplicationID(app), from: ClientAddress(text: "192.0.2.\(user)"), progress,
                    now: clock.now)
            }
        }

        func givingWay(_ held: [UploadSlots.Slot]) -> [Bool] { held.map { slots.givesWay($0, now: clock.now) } }
    }

    @Test(
        "R11-S whoever is turned away waits for one upload: of those in the way the late one that came first; its address does not come back at once"
    )
    func wanted() throws {
        let queue = Queue()
        let (late, quick) = (queue.progress(isLate: true), queue.progress(isLate: false))
        let other = try #require(queue.take(0, 2, late))
        let held = try (1...4).map { try #require(queue.take($0, 1, $0 == 1 ? quick : late)) }
        #expect(queue.take(2, 1, quick) == nil && !queue.givingWay(held).contains(true), "their own is in the way")
        for user in [5, 6, 7] { #expect(queue.take(user, 1, quick) == nil) }
        #expect(queue.givingWay([other] + held) == [false, false, true, false, false])
        queue.slots.giveBack(held[1])
        #expect(queue.take(2, 1, quick) == nil, "the one whose place it was")
        #expect(queue.take(5, 1, quick) != nil)
        queue.slots.giveBack(held[0])
        queue.clock.advance(by: UploadSlots.keptFrom)
        #expect(queue.take(2, 1, quick) != nil)
    }

    @Test(
        "R11-S where the server is full the late upload that came first gives way, of whatever application, unless it is late no more at the next look"
    )
    func wantedOfAll() throws {
        let queue = Queue()
        let (first, late) = (queue.progress(isLate: true), queue.progress(isLate: true))
        let held = try (0..<6).map { try #require(queue.take($0, UInt32($0 % 2), $0 == 0 ? first : late)) }
        #expect(queue.take(6, 3, late) == nil)
        first.end()
        #expect(queue.givingWay(held).contains(true) == false)
        #expect(queue.take(6, 3, late) == nil && queue.givingWay(held) == [false, true, false, false, false, false])
    }

    @Test(
        "R11-S slow songs that fill an application's places: somebody is turned away, the first of the slow ends with 408, and the place is not for its sender"
    )
    func turnedAway() async throws {
        var limits = UploadLimits()
        limits.leastBytesPerSecond = 0
        let clock = VirtualRoomClock()
        let looks = Mutex(0)
        let ended = Mutex<[Int: Int]>([:])
        let house = House(
            limits, clock: clock,
            pause: { time in
                let (rest, end) = AsyncStream.makeStream(of: Void.self)
                clock.schedule(at: clock.now + .seconds(time.components.seconds)) { end.finish() }
                looks.withLock { $0 += 1 }
                for await _ in rest {}
                try Task.checkCancellation()
            })
        defer { house.remove() }
        /// Waits until so many uploads in all have been looked at.
        func looked(_ count: Int) async { while looks.withLock({ $0 }) < count { await Task.yield() } }
        let hangs = (0..<4).map { _ in AsyncStream.makeStream(of: ByteBuffer.self) }
        // The first has come but for its last bytes, of the length that it states.
        let almost = try #require(Self.form.getSlice(at: 0, length: Self.form.readableBytes - 9))
        let (isRead, read) = AsyncStream.makeStream(of: Void.self)
        let pieces = Mutex([almost])
        let quick = AsyncStream<ByteBuffer>(unfolding: {
            if let piece = pieces.withLock({ $0.popLast() }) { return piece }
            read.finish()
            for await _ in hangs[0].stream {}
            return nil
        })
        var uploads: [Task<Void, Never>] = []
        for number in 0..<4 {
            let request = try house.request(
                number == 0 ? .init(asyncSequence: quick) : .init(asyncSequence: hangs[number].stream),
                by: "slow-\(number)", length: number == 0 ? Self.form.readableBytes : nil)
            uploads.append(
                Task { @Sendable in
                    let status = await house.upload(request, from: "192.0.2.\(number / 2)").status.code
                    ended.withLock { $0[number] = status }
                })
            await looked(number + 1)
        }
        for await _ in isRead {}
        func wait() async throws -> Int {
            await house.upload(try house.request(.init(buffer: Self.form), by: "waits"), from: "192.0.2.9").status.code
        }
        for look in 2...13 {
            #expect(try await wait() == 503)
            clock.advance(by: .seconds(15))
            await looked(4 * look)
        }
        #expect(ended.withLock { $0 }.isEmpty, "none is late before three minutes have gone by")
        for _ in 0..<3 { #expect(try await wait() == 503) }
        clock.advance(by: .seconds(15))
        await uploads[1].value
        await looked(4 * 13 + 3)
        #expect(ended.withLock { $0 } == [1: 408])
        let again = try house.request(.init(buffer: Self.form), by: "slow-1")
        #expect(await house.upload(again, from: "192.0.2.0").status.code == 503)
        #expect(try await wait() == 201)
        clock.advance(by: .seconds(15))
        #expect(await house.upload(again, from: "192.0.2.0").status.code == 201)
        for hang in hangs { hang.continuation.finish() }
        for upload in uploads { await upload.value }
    }

    @Test("R11-S a song on its way does not keep its sender's picture waiting")
    func kinds() async throws {
        let house = House()
        defer { house.remove() }
        let faces = FaceHandler(
            library: FaceLibrary(folder: house.folder + "-faces"),
            signIn: SignIn(
                accounts: MemoryAccounts([House.application]), restrictions: MemoryRestrictions(), clock: house.clock),
            clock: house.clock, rewrite: { _, _ in .unreadable })
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        async let song = house.upload(try house.request(.init(asyncSequence: pieces)))
        while house.left.isEmpty { await Task.yield() }
        let picture = try house.request(.init(buffer: Self.form), to: "/v1/faces?kind=avatar")
        #expect(await faces.upload(picture, from: ClientAddress(text: "192.0.2.1")).status == .unsupportedMediaType)
        out.yield(Self.form)
        out.finish()
        #expect(try await song.status == .created)
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
            house.restrictions.set(restriction, from: .application, in: House.application.id)
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
