import Foundation
import Logging
import RoomModel
import RoomPorts
import RoomTestSupport
import StoreSQLite
import Synchronization
import Testing
import Timing

@testable import Webhooks

/// A receiver that answers as a test says, in virtual time.
private final class Receiver: WebhookClient {
    private struct State {
        var answer: @Sendable (String) -> WebhookAnswer = { _ in
            .answered(status: 200, body: [], retryAfterSeconds: nil)
        }
        var seen: [(text: String, id: String, at: Int64)] = []
    }
    private let state = Mutex(State())
    let clock: VirtualRoomClock

    init(clock: VirtualRoomClock) { self.clock = clock }

    func answer(_ answer: @escaping @Sendable (String) -> WebhookAnswer) { state.withLock { $0.answer = answer } }
    var seen: [String] { state.withLock { $0.seen.map(\.text) } }
    var ids: [String] { state.withLock { $0.seen.map(\.id) } }
    /// Seconds between what came.
    var pauses: [Int64] {
        state.withLock { state in zip(state.seen, state.seen.dropFirst()).map { ($1.at - $0.at) / 1_000_000_000 } }
    }

    func post(
        _ url: String, headers: [(String, String)], body: [UInt8], within limit: Interval
    ) async -> WebhookAnswer {
        let text = String(decoding: body, as: UTF8.self)
        let id = headers.first { $0.0 == "webhook-id" }?.1 ?? ""
        return state.withLock { state in
            state.seen.append((text, id, clock.now.nanoseconds))
            return state.answer(text)
        }
    }

    func shutDown() async {}
}

/// What is logged.
private final class Lines: LogHandler {
    let all = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .info }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    func log(event: LogEvent) { all.withLock { $0.append("\(event.message)") } }
}

/// A store whose disk fails so many times.
private final class FailingStore: WebhookStore {
    private struct Faults {
        var settling = 0
        var reading = 0
    }
    private let store: SQLiteWebhooks
    private let faults = Mutex(Faults())

    init(_ store: SQLiteWebhooks) { self.store = store }

    func fail(settling: Int = 0, reading: Int = 0) {
        faults.withLock { $0 = Faults(settling: settling, reading: reading) }
    }

    private func meet(_ kind: any WritableKeyPath<Faults, Int> & Sendable) throws(JournalFailure) {
        let fails = faults.withLock { faults in
            defer { faults[keyPath: kind] = max(0, faults[keyPath: kind] - 1) }
            return faults[keyPath: kind] > 0
        }
        if fails { throw .failed("the disk is full") }
    }

    func webhooks() async throws(JournalFailure) -> [Webhook] { try await store.webhooks() }
    func add(_ webhook: Webhook) async throws(JournalFailure) -> WebhookID { try await store.add(webhook) }
    func save(_ webhook: Webhook) async throws(JournalFailure) { try await store.save(webhook) }
    func remove(_ id: WebhookID) async throws(JournalFailure) { try await store.remove(id) }
    func post(_ news: [OutgoingNews]) { store.post(news) }
    func lanes() async throws(JournalFailure) -> [WebhookLane] { try await store.lanes() }
    func waiting(in lane: WebhookLane, limit: Int) async throws(JournalFailure) -> [WaitingNews] {
        try meet(\.reading)
        return try await store.waiting(in: lane, limit: limit)
    }
    func settle(_ id: Int64, _ outcome: NewsOutcome, deadKept: Int) async throws(JournalFailure) {
        try meet(\.settling)
        try await store.settle(id, outcome, deadKept: deadKept)
    }
    func counts(of id: WebhookID) async throws(JournalFailure) -> (waiting: Int, dead: Int) {
        try await store.counts(of: id)
    }
    func dead(of id: WebhookID, before: Int64?, limit: Int) async throws(JournalFailure) -> [DeadNews] {
        try await store.dead(of: id, before: before, limit: limit)
    }
    func replay(_ id: WebhookID, number: Int64?) async throws(JournalFailure) -> [WebhookLane] {
        try await store.replay(id, number: number)
    }
    func onArrival(_ arrived: @escaping @Sendable (Set<WebhookLane>) -> Void) { store.onArrival(arrived) }
    func bytes(of id: WebhookID) async throws(JournalFailure) -> Int { try await store.bytes(of: id) }
    func forgetDead(
        of application: ApplicationID, above bytes: Int
    ) async throws(JournalFailure) -> [WebhookID: Int] { try await store.forgetDead(of: application, above: bytes) }
    func onAge(_ gone: @escaping @Sendable ([WebhookID: AgedNews]) -> Void) { store.onAge(gone) }
}

@Suite(.timeLimit(.minutes(10))) struct WebhookDeliveryTests {
    private struct House {
        let store: SQLiteStore
        let failing: FailingStore
        let receiver: Receiver
        let clock: VirtualRoomClock
        let book: WebhookBook
        let delivery: WebhookDelivery
        let webhook: WebhookID

        func lane(_ number: Int) -> WebhookLane { WebhookLane(webhook: webhook, lane: number) }

        func post(_ texts: [String], lane number: Int = 1) {
            store.webhooks.post(
                texts.map {
                    OutgoingNews(
                        lane: lane(number), type: "message", payload: Array($0.utf8),
                        time: clock.wallTime.millisecondsSince1970)
                })
        }

        /// Until so many requests have come and nothing waits.
        func drained(after count: Int) async throws {
            try await until {
                guard receiver.seen.count >= count else { return false }
                return try await store.webhooks.counts(of: webhook).waiting == 0
            }
        }

        /// Until it is so: what is under way is on other threads.
        func until(_ isSo: () async throws -> Bool) async throws {
            while try await !isSo() {
                // Nobody waits for anything else than the next alarm.
                if let next = clock.nextAlarm { clock.advance(by: next - clock.now) }
                await Task.yield()
            }
        }
    }

    private func with(
        _ logger: Logger = Logger(label: "test"), _ body: (House) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "ovation-webhooks-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = VirtualRoomClock()
        let store = try SQLiteStore(directory: folder, now: { clock.wallTime })
        let id = try await store.webhooks.add(
            Webhook(
                id: WebhookID(0), application: ApplicationID(1), url: "https://example.org", format: .standard,
                use: .events([]), secret: WebhookSignature.makeSecret(), createdAt: 0))
        let receiver = Receiver(clock: clock)
        let failing = FailingStore(store.webhooks)
        let book = WebhookBook { store.webhooks.post($0) }
        book.set(try await store.webhooks.webhooks())
        let delivery = WebhookDelivery(
            store: failing, book: book, client: receiver, clock: clock, logger: logger)
        let house = House(
            store: store, failing: failing, receiver: receiver, clock: clock, book: book, delivery: delivery,
            webhook: id)
        let running = Task { await delivery.run() }
        do { try await body(house) } catch {
            running.cancel()
            await running.value
            await store.shutDown()
            throw error
        }
        running.cancel()
        await running.value
        await store.shutDown()
    }

    @Test("R02-S a receiver that cannot be reached is one line of the log, and another when it answers again")
    func lines() async throws {
        let lines = Lines()
        try await with(Logger(label: "test") { _ in lines }) { house in
            house.receiver.answer(Self.failing(30, .unreachable("nobody listens")))
            for lane in 1...5 { house.post(["\(lane)"], lane: lane) }
            try await house.drained(after: 35)
        }
        let webhook = "webhook 1"
        #expect(
            lines.all.withLock { $0 } == [
                "\(webhook) cannot be reached: nobody listens", "\(webhook) answers again",
            ])
    }

    @Test("R02-S a reviewer that does not answer lets messages through, or refuses them, and does not fill the log")
    func reviews() async throws {
        let (lines, clock) = (Lines(), VirtualRoomClock())
        let receiver = Receiver(clock: clock)
        receiver.answer { _ in .unreachable("nobody listens") }
        for (fallback, verdict, word) in [
            (Webhook.Fallback.allow, ReviewVerdict.told(.text("a")), "allowed"), (.refuse, .refused, "refused"),
        ] {
            let book = WebhookBook { _ in }
            book.set([
                Webhook(
                    id: WebhookID(1), application: ApplicationID(1), url: "https://example.org", format: .standard,
                    use: .review(fallback), secret: WebhookSignature.makeSecret(), createdAt: 0)
            ])
            let reviewer = MessageReviewer(
                book: book, client: receiver, clock: clock, logger: Logger(label: "test") { _ in lines })
            let place = ReviewedPlace.room(RoomKey(application: ApplicationID(1), room: .number(1)))
            for _ in 0..<100 {
                #expect(
                    await reviewer.review(.text("a"), by: UserProfile(id: UserID(literal: "mina")), to: place)
                        == verdict)
            }
            let said = lines.all.withLock { lines in
                defer { lines = [] }
                return lines
            }
            #expect(said.count == 10 && said[0] == "webhook 1: no review: nobody listens; messages are \(word)")
        }
    }

    private static func failing(_ count: Int, _ answer: WebhookAnswer) -> @Sendable (String) -> WebhookAnswer {
        let left = Mutex(count)
        return { _ in
            left.withLock { left in
                left -= 1
                return left >= 0 ? answer : .answered(status: 204, body: [], retryAfterSeconds: nil)
            }
        }
    }

    @Test("R02-S news of a lane come one after the other, each once, and are forgotten when they are taken")
    func ordered() async throws {
        try await with { house in
            let texts = (0..<100).map { "n\($0)" }
            house.post(texts)
            house.post(["other"], lane: 2)
            try await house.drained(after: 101)
            #expect(house.receiver.seen.filter { $0 != "other" } == texts)
            #expect(Set(house.receiver.ids).count == 101)
        }
    }

    @Test("R02-S a receiver that does not answer is left in peace for longer and longer, and misses nothing")
    func unreachable() async throws {
        try await with { house in
            house.receiver.answer(Self.failing(6, .unreachable("refused")))
            house.post(["a", "b"])
            try await house.drained(after: 8)
            #expect(house.receiver.seen == Array(repeating: "a", count: 7) + ["b"])
            #expect(house.receiver.pauses == [1, 2, 4, 8, 16, 32, 0])
            #expect(Set(house.receiver.ids).count == 2, "a repeat has the same id")
        }
    }

    @Test(
        "R02-S 503 with Retry-After is heeded; what is never answered is given up after a day, and waits for a replay")
    func givenUp() async throws {
        try await with { house in
            house.receiver.answer(
                Self.failing(1, .answered(status: 503, body: [], retryAfterSeconds: 90)))
            house.post(["a"])
            try await house.drained(after: 2)
            #expect(house.receiver.pauses == [90])

            house.receiver.answer { _ in .unreachable("timeout") }
            house.post(["lost"])
            try await house.until { try await house.store.webhooks.counts(of: house.webhook).dead == 1 }
            let dead = try await house.store.webhooks.dead(of: house.webhook, before: nil, limit: 9)
            #expect(dead.map(\.reason) == ["timeout"] && dead.map(\.type) == ["message"])
            house.receiver.answer { _ in .answered(status: 200, body: [], retryAfterSeconds: nil) }
            let lanes = try await house.store.webhooks.replay(house.webhook, number: nil)
            #expect(lanes == [house.lane(1)])
            try await house.until { try await house.store.webhooks.counts(of: house.webhook) == (0, 0) }
            #expect(house.receiver.seen.last == "lost")
        }
    }

    @Test("R02-S what a receiver answers and does not take holds up the others for some attempts only")
    func poison() async throws {
        try await with { house in
            house.receiver.answer { text in
                .answered(status: text == "bad" ? 500 : 200, body: [], retryAfterSeconds: nil)
            }
            house.post(["bad", "good"])
            try await house.until { try await house.store.webhooks.counts(of: house.webhook) == (0, 1) }
            #expect(house.receiver.seen == Array(repeating: "bad", count: 6) + ["good"])
            let dead = try await house.store.webhooks.dead(of: house.webhook, before: nil, limit: 9)
            #expect(dead.map(\.reason) == ["answered 500, 6 times"])
        }
    }

    @Test("R02-S a disk that fails lets the receiver have news twice, after pauses, and loses none")
    func diskFails() async throws {
        try await with { house in
            house.failing.fail(settling: 3)
            house.post(["a", "b"])
            try await house.drained(after: 5)
            #expect(house.receiver.seen == ["a", "a", "a", "a", "b"])
            #expect(house.receiver.pauses == [1, 2, 4, 0])
            #expect(Set(house.receiver.ids).count == 2, "a repeat has the same id")

            house.failing.fail(reading: 2)
            house.post(["c"])
            try await house.drained(after: 6)
            #expect(house.receiver.seen.last == "c")
        }
    }

    @Test("R02-S 410 switches a webhook off; what waits goes on when it is on again")
    func gone() async throws {
        try await with { house in
            house.receiver.answer { _ in .answered(status: 410, body: [], retryAfterSeconds: nil) }
            house.post(["a"])
            try await house.until {
                house.book[house.webhook]?.state == .off(reason: "the receiver answered 410 (gone)")
            }
            #expect(try await house.store.webhooks.webhooks().first?.state != .on)
            #expect(try await house.store.webhooks.counts(of: house.webhook).waiting == 1)
            house.receiver.answer { _ in .answered(status: 200, body: [], retryAfterSeconds: nil) }
            var on = try #require(house.book[house.webhook])
            on.state = .on
            house.book.set([on])
            await house.delivery.resume(house.webhook)
            try await house.until { try await house.store.webhooks.counts(of: house.webhook).waiting == 0 }
        }
    }

    @Test("R02-S what waits for one webhook is bounded; what is more is counted")
    func bounded() {
        let book = WebhookBook { _ in }
        let webhook = Webhook(
            id: WebhookID(1), application: ApplicationID(1), url: "https://example.org", format: .standard,
            use: .events([]), secret: "", createdAt: 0)
        book.set([webhook])
        book.setWaiting(WebhookBook.mostWaiting - 1, for: webhook.id)
        let key = RoomKey(application: ApplicationID(1), room: .number(1))
        let message = RoomNewsEvent.message(
            Message(chat: 1, from: UserProfile(id: UserID(literal: "a")), body: .text("x"), time: 0))
        #expect(book.outgoing([message, message], created: nil, of: key, at: 0).count == 1)
        #expect(book.lost(webhook.id) == 1)
        book.settled(webhook.id)
        #expect(book.outgoing([message], created: nil, of: key, at: 0).count == 1)
    }

    @Test(
        "R02-S what an application's webhooks hold is bounded in bytes: first goes what was given up, then what is new is counted"
    )
    func boundedBytes() {
        let rooms = Mutex<[ApplicationID]>([])
        let book = WebhookBook(makeRoom: { application in rooms.withLock { $0.append(application) } }) { _ in }
        func webhook(_ id: Int64, of application: UInt32) -> Webhook {
            Webhook(
                id: WebhookID(id), application: ApplicationID(application), url: "https://example.org",
                format: .standard, use: .events([]), secret: "", createdAt: 0)
        }
        let (full, beside, other) = (webhook(1, of: 1), webhook(2, of: 1), webhook(3, of: 2))
        book.set([full, beside, other])
        book.setBytes(WebhookBook.mostBytes - 100, for: full.id)
        let message = RoomNewsEvent.message(
            Message(
                chat: 1, from: UserProfile(id: UserID(literal: "a")),
                body: .text(String(repeating: "x", count: 12_000)), time: 0))
        func tell(_ application: UInt32) -> Int {
            let key = RoomKey(application: ApplicationID(application), room: .number(1))
            return book.outgoing([message], created: nil, of: key, at: 0).count
        }
        #expect(tell(1) == 0 && tell(1) == 0 && tell(2) == 1)
        #expect(book.lost(full.id) == 2 && book.lost(beside.id) == 2 && book.lost(other.id) == 0)
        #expect(rooms.withLock { $0 } == [full.application], "room is asked for once")
        book.forgot([full.id: 40_000], of: full.application)
        #expect(tell(1) == 2)
        book.settled(beside.id, bytes: 12_000)
        book.aged([full.id: AgedNews(waiting: 3, bytes: WebhookBook.mostBytes)])
        #expect(book.lost(full.id) == 5 && book.bytes(full.id) == 0)
        #expect((0..<10).allSatisfy { _ in tell(1) == 2 })
    }
}
