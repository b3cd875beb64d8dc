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

/// Pictures on their way in, in virtual time, with a library on the disk behind them. What reads them says what the test wants.
@Suite(.timeLimit(.minutes(10))) struct FaceUploadTests {
    private struct House {
        static let application = Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"])
        let clock = VirtualRoomClock()
        let restrictions = MemoryRestrictions()
        let folder = NSTemporaryDirectory() + "ovation-faces-" + UUID().uuidString
        let handler: FaceHandler
        let library: FaceLibrary

        init(
            _ limits: UploadLimits = .faces, mostPerApplication: Int = 100,
            finding: @escaping @Sendable (PictureOrder) async -> PictureFinding = { order in
                .pictures(order.sizes.map { [0xFF, 0xD8, UInt8($0.side & 255)] })
            },
            pause: @escaping @Sendable (Duration) async throws -> Void = { _ in
                // No look at all: cancelled when the upload ends.
                try await Task.sleep(for: .seconds(3600))
            }
        ) {
            library = FaceLibrary(folder: folder, mostPerApplication: mostPerApplication)
            handler = FaceHandler(
                library: library,
                signIn: SignIn(
                    accounts: MemoryAccounts([Self.application]), restrictions: restrictions, clock: clock),
                limits: limits, clock: clock, rewrite: { _, order in await finding(order) }, pause: pause)
        }

        func request(
            _ body: RequestBody = RequestBody(buffer: ByteBuffer(string: "a picture")), by user: String = "alice",
            _ query: String = "kind=avatar"
        ) throws -> Request {
            let ticket = try TicketSigner(application: Self.application.id.rawValue, key: Self.application.keys[0])
                .ticket(user: user, issuedAt: clock.wallTime.secondsSince1970, lifetime: 1_000_000)
            return Request(
                head: HTTPRequest(
                    method: .post, scheme: "http", authority: "a", path: "/v1/faces?" + query,
                    headerFields: [.authorization: "Bearer \(Self.application.id):\(user):\(ticket)"]), body: body)
        }

        func upload(_ request: Request) async -> Response {
            await handler.upload(request, from: ClientAddress(text: "192.0.2.1"))
        }

        func status(by user: String = "alice", _ query: String = "kind=avatar") async throws -> Int {
            await upload(try request(by: user, query)).status.code
        }

        /// The folders of pictures.
        var kept: [String] {
            let place = "\(folder)/\(Self.application.id)"
            return ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted()
        }

        /// What no upload may leave behind.
        var left: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder + "/.incoming")) ?? []
        }

        func owner(_ user: String) throws -> FaceLibrary.Owner {
            FaceLibrary.Owner(application: Self.application.id, user: try #require(UserID(user)))
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }

    @Test("A13-S a part of a picture is given with all its sides, within the picture, or not at all")
    func orders() async throws {
        let asked = Mutex<[PictureOrder]>([])
        let house = House(finding: { order in
            asked.withLock { $0.append(order) }
            return .unreadable
        })
        defer { house.remove() }
        for (query, status) in [
            ("", 400), ("kind=product", 400), ("kind=avatar&x=0.1", 400), ("kind=avatar&x=0&y=0&width=0&height=1", 400),
            ("kind=avatar&x=0.6&y=0&width=0.5&height=1", 400), ("kind=avatar&x=nan&y=0&width=1&height=1", 400),
            ("kind=avatar&x=-0.1&y=0&width=1&height=1", 400), ("kind=avatar&x=0&y=0&width=inf&height=1", 400),
            ("kind=cover&x=0.25&y=0.5&width=0.75&height=0.5", 415), ("kind=avatar", 415),
        ] {
            #expect(try await house.status(query) == status, "\(query)")
        }
        var part = PictureOrder.Part(across: 16, down: 9)
        (part.left, part.top, part.width, part.height) = (250_000, 500_000, 750_000, 500_000)
        let orders = asked.withLock { $0 }
        #expect(orders.map(\.crop) == [.part(part), .part(PictureOrder.Part(across: 1, down: 1))])
        #expect(orders.map { $0.sizes.map(\.side) } == [[1_280, 640, 320], [640, 256, 96]])
    }

    @Test("A13-S what a picture turned out to be has its own refusal, and none leaves anything behind")
    func findings() async throws {
        for (finding, status) in [
            (PictureFinding.unreadable, 415), (.tooLarge, 413), (.noLibrary("libavformat59"), 501), (.unavailable, 501),
            (.busy, 503), (.pictures([]), 500),
        ] {
            let house = House(finding: { _ in finding })
            defer { house.remove() }
            #expect(try await house.status() == status, "\(finding)")
            #expect(house.kept.isEmpty && house.left.isEmpty)
        }
    }

    @Test("A13-S a body of no stated length is refused once it is longer than any picture may be")
    func tooLarge() async throws {
        var limits = UploadLimits.faces
        limits.body = 20
        let house = House(limits)
        defer { house.remove() }
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        for _ in 0..<3 { out.yield(ByteBuffer(string: "ten bytes.")) }
        out.finish()
        let refused = await house.upload(try house.request(RequestBody(asyncSequence: pieces)))
        #expect(refused.status == .contentTooLarge && house.kept.isEmpty && house.left.isEmpty)
        let (few, end) = AsyncStream.makeStream(of: ByteBuffer.self)
        for _ in 0..<2 { end.yield(ByteBuffer(string: "ten bytes.")) }
        end.finish()
        #expect(await house.upload(try house.request(RequestBody(asyncSequence: few))).status == .created)
    }

    @Test("A13-S an upload that hardly goes on is ended with 408, and gives its place back")
    func tooSlow() async throws {
        let house = House(pause: { _ in })
        defer { house.remove() }
        let (pieces, out) = AsyncStream.makeStream(of: ByteBuffer.self)
        let refused = await house.upload(try house.request(RequestBody(asyncSequence: pieces)))
        #expect(refused.status == .requestTimeout && house.left.isEmpty)
        _ = out
        let place = try house.library.reserve(for: house.owner("alice"))
        house.library.release(place)
    }

    @Test("A13-S a picture that has come is read to the end, however long that takes")
    func wholeIsNotSlow() async throws {
        let (reading, looking) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let looks = Mutex(0)
        let house = House(
            finding: { order in
                reading.continuation.finish()
                for await _ in looking.stream {}
                return .pictures(order.sizes.map { _ in [0xFF] })
            },
            pause: { _ in
                for await _ in reading.stream {}
                // A look each quarter of a minute, for an hour.
                let number = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                guard number >= 240 else { return }
                looking.continuation.finish()
                // No further look: it waits until the upload is over and cancels it.
                try await Task.sleep(for: .seconds(3600))
            })
        defer { house.remove() }
        #expect(try await house.status() == 201)
    }

    @Test("A13-S one person sends one picture at a time, and no more than a few in a while")
    func rate() async throws {
        let house = House()
        defer { house.remove() }
        let (waiting, reading) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let body = AsyncStream<ByteBuffer>(unfolding: {
            reading.continuation.finish()
            for await _ in waiting.stream {}
            return nil
        })
        async let first = house.upload(try house.request(RequestBody(asyncSequence: body)))
        for await _ in reading.stream {}
        let second = await house.upload(try house.request())
        #expect(second.status == .serviceUnavailable && second.headers[.retryAfter] == "3")
        #expect(try await house.status(by: "bob") == 201, "others are not kept waiting")
        waiting.continuation.finish()
        #expect(try await first.status == .created)
        var statuses: [Int] = []
        // The one that was turned away is none of them.
        for _ in 0..<8 { statuses.append(try await house.status()) }
        #expect(statuses == [201, 201, 201, 201, 201, 201, 201, 429])
        house.clock.advance(by: .seconds(20))
        #expect(try await house.status() == 201)
        #expect(try await house.status() == 429)
        // They wait for no place: those are for who may.
        var others: [(answer: Task<Int, Never>, end: AsyncStream<Void>.Continuation)] = []
        for user in ["carol", "dave", "erin"] {
            let (begun, hanging) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
            let body = AsyncStream<ByteBuffer>(unfolding: {
                begun.continuation.finish()
                for await _ in hanging.stream {}
                return nil
            })
            let request = try house.request(RequestBody(asyncSequence: body), by: user)
            others.append((Task { await house.upload(request).status.code }, hanging.continuation))
            for await _ in begun.stream {}
        }
        #expect(try await house.status(by: "frank") == 503)
        #expect(try await house.status() == 429)
        for other in others {
            other.end.finish()
            #expect(await other.answer.value == 201)
        }
    }

    @Test("A13-S one person keeps twelve pictures, and an application no more than its share; who removes one has room")
    func full() async throws {
        let house = House(mostPerApplication: 14)
        defer { house.remove() }
        func upload(_ user: String) async throws -> Int {
            house.clock.advance(by: .seconds(60))
            return try await house.status(by: user)
        }
        for number in 1...FaceLibrary.perPerson { #expect(try await upload("alice") == 201, "\(number)") }
        #expect(try await upload("alice") == 409)
        let newest = try #require(house.library.all(of: house.owner("alice")).first)
        #expect(
            house.kept.count == FaceLibrary.perPerson && newest.sizes.keys.sorted() == ["large", "medium", "small"])
        #expect(try house.library.remove(newest.id, of: house.owner("alice")))
        #expect(try !house.library.remove(newest.id, of: house.owner("alice")))
        #expect(try await upload("alice") == 201)
        #expect(try await upload("bob") == 201)
        #expect(try await upload("bob") == 201)
        #expect(try await upload("bob") == 409, "the application's share")
    }

    @Test("A13-S a picture that is still being read when its person is erased is not kept")
    func erasedMeanwhile() async throws {
        let (waiting, reading) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let house = House(finding: { order in
            reading.continuation.finish()
            for await _ in waiting.stream {}
            return .pictures(order.sizes.map { _ in [0xFF] })
        })
        defer { house.remove() }
        async let answer = house.upload(try house.request())
        for await _ in reading.stream {}
        let alice = try house.owner("alice")
        #expect(try house.library.removeAll(of: alice.user, from: alice.application) == 0)
        waiting.continuation.finish()
        #expect(try await answer.status == .serviceUnavailable && house.kept.isEmpty && house.left.isEmpty)
        #expect(house.library.all(of: alice).isEmpty)
    }

    @Test("A13-S a picture that is still being read when its person is banned is not kept")
    func bannedMeanwhile() async throws {
        let (waiting, reading) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let house = House(finding: { order in
            reading.continuation.finish()
            for await _ in waiting.stream {}
            return .pictures(order.sizes.map { _ in [0xFF] })
        })
        defer { house.remove() }
        async let answer = house.upload(try house.request())
        for await _ in reading.stream {}
        let alice = try house.owner("alice")
        let ban = Restriction(.ban, user: alice.user, name: "", until: nil, by: UserID(literal: "shop"))
        house.restrictions.set(ban, from: .application, in: alice.application)
        waiting.continuation.finish()
        #expect(try await answer.status == .forbidden && house.kept.isEmpty && house.left.isEmpty)
    }

    @Test("A13-S what a crash left half written or half removed is never shown, and is gone at the next start")
    func crash() async throws {
        let house = House()
        defer { house.remove() }
        #expect(try await house.status() == 201)
        let files = FileManager.default
        let half = "\(house.folder)/.incoming/0123456789abcdefghjkmnpqrs"
        try files.createDirectory(atPath: half, withIntermediateDirectories: true)
        #expect(files.createFile(atPath: half + "/large.jpg", contents: Data([1])))
        for name in ["x", "0123456789abcdefghjkmnpqrs.avatar.1", "0123456789abcdefghjkmnpqrs.hat.1.alice"] {
            let stray = "\(house.folder)/\(House.application.id)/\(name)"
            try files.createDirectory(atPath: stray, withIntermediateDirectories: true)
        }
        let again = FaceLibrary(folder: house.folder)
        again.sweep()
        #expect(again.all(of: try house.owner("alice")) == house.library.all(of: try house.owner("alice")))
        #expect(again.all(of: try house.owner("alice")).count == 1 && house.left.isEmpty)
        #expect(again.file("\(House.application.id)/0123456789abcdefghjkmnpqrs/large.jpg") == nil)
    }

    @Test("A13-S where the disk takes nothing the sender hears it, and nothing is kept")
    func fullDisk() async throws {
        let house = House()
        defer { house.remove() }
        // A file stands where the folder would be.
        #expect(FileManager.default.createFile(atPath: house.folder, contents: Data()))
        #expect(try await house.status() == 503)
        #expect(house.library.all(of: try house.owner("alice")).isEmpty)
    }

    @Test("A13-S whether pictures can be read is asked anew after a minute, and once for all who ask")
    func readiness() async {
        let clock = VirtualRoomClock()
        let asked = Mutex(0)
        let readiness = PictureReadiness(clock: clock) {
            asked.withLock { asked in
                asked += 1
                return asked == 1 ? "libavformat59 is missing" : nil
            }
        }
        #expect(await !readiness.isPossible)
        clock.advance(by: .seconds(59))
        #expect(await !readiness.isPossible)
        clock.advance(by: .seconds(1))
        #expect(await readiness.isPossible)
        #expect(asked.withLock { $0 } == 2)
    }
}
