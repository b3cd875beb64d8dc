import Foundation
import GRDB
import JournalContract
import RoomModel
import RoomPorts
import RoomTestSupport
import Synchronization
import Testing
import Timing

@testable import StoreSQLite

@Suite("Webhooks and what waits for them")
struct WebhookStoreTests {
    private func webhook(_ url: String = "https://example.org") -> Webhook {
        Webhook(
            id: WebhookID(0), application: ApplicationID(1), url: url, format: .standard, use: .events(["seat.*"]),
            secret: "s", createdAt: 1)
    }

    private func news(_ id: WebhookID, _ text: String, lane: Int = 0) -> OutgoingNews {
        OutgoingNews(
            lane: WebhookLane(webhook: id, lane: lane), type: "message", payload: Array(text.utf8), time: 5)
    }

    @Test("R02-S news of an entry are stored with it or not at all, and nobody hears of them before")
    func together() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let id = try await store.webhooks.add(webhook())
        let key = RoomKey.numbered(7)
        let epoch = try await store.journal.open(key, chatLimit: 0).epoch
        var good = JournalEntry.sample(key, 1, epoch: epoch)
        good.outgoing = [news(id, "one"), news(WebhookID(99), "of nobody")]
        try await store.journal.append(good)
        var bad = JournalEntry.sample(key, 5, epoch: epoch)
        bad.outgoing = [news(id, "never")]
        await #expect(throws: JournalFailure.self) { try await store.journal.append(bad) }
        let waiting = try await store.webhooks.waiting(in: WebhookLane(webhook: id, lane: 0), limit: 9)
        #expect(waiting.map { String(decoding: $0.news.payload, as: UTF8.self) } == ["one"])
        #expect(try await store.webhooks.lanes() == [WebhookLane(webhook: id, lane: 0)])
        await store.shutDown()
    }

    @Test("R02-S of those that were given up the newest are kept; a webhook's number is never given again")
    func bounded() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let id = try await store.webhooks.add(webhook())
        let lane = WebhookLane(webhook: id, lane: 0)
        store.webhooks.post((0..<5).map { news(id, "\($0)") })
        var waiting = try await store.webhooks.waiting(in: lane, limit: 9)
        while waiting.isEmpty { waiting = try await store.webhooks.waiting(in: lane, limit: 9) }
        for one in waiting { try await store.webhooks.settle(one.id, .dead(reason: "x"), deadKept: 3) }
        let dead = try await store.webhooks.dead(of: id, before: nil, limit: 9)
        #expect(dead.map(\.id) == waiting.suffix(3).reversed().map(\.id))
        #expect(try await store.webhooks.dead(of: id, before: dead[0].id, limit: 1).map(\.id) == [dead[1].id])
        #expect(try await store.webhooks.replay(id, number: dead[1].id) == [lane])
        #expect(try await store.webhooks.waiting(in: lane, limit: 9).map(\.id) == [dead[1].id])
        #expect(try await store.webhooks.counts(of: id) == (1, 2))
        try await store.webhooks.remove(id)
        #expect(try await store.webhooks.lanes().isEmpty)
        #expect(try await store.webhooks.add(webhook()) != id)
        await store.shutDown()
    }

    @Test("R02-S what was given up is forgotten above a number of bytes, the oldest first, and everything after a week")
    func boundedInBytesAndAge() async throws {
        let scratch = try Scratch()
        let clock = SetClock()
        let store = try SQLiteStore(directory: scratch.path, now: clock.now)
        let id = try await store.webhooks.add(webhook())
        let other = try await store.webhooks.add(webhook("https://example.com"))
        let now = clock.now().millisecondsSince1970
        for (hook, number) in [(id, 0), (other, 1), (id, 2), (id, 3)] {
            var one = news(hook, String(repeating: "\(number)", count: 100))
            one.time = now
            store.webhooks.post([one])
        }
        let lanes = [WebhookLane(webhook: id, lane: 0), WebhookLane(webhook: other, lane: 0)]
        var waiting: [WaitingNews] = []
        while waiting.count < 4 {
            waiting = []
            for lane in lanes { waiting += try await store.webhooks.waiting(in: lane, limit: 9) }
        }
        for one in waiting.sorted(by: { $0.id < $1.id }).dropLast() {
            try await store.webhooks.settle(one.id, .dead(reason: "x"), deadKept: 9)
        }
        #expect(try await store.webhooks.bytes(of: id) == 300)
        // Of two webhooks of one application together.
        #expect(try await store.webhooks.forgetDead(of: ApplicationID(1), above: 200) == [id: 100])
        #expect(try await store.webhooks.counts(of: id) == (1, 1))
        #expect(try await store.webhooks.forgetDead(of: ApplicationID(2), above: 0).isEmpty)
        let aged = Mutex<[WebhookID: AgedNews]>([:])
        store.webhooks.onAge { gone in aged.withLock { $0.merge(gone) { $1 } } }
        clock.advance(by: SQLiteWebhooks.keptFor + .seconds(1))
        store.forgetOld()
        try await store.accounts.save(UserProfile(id: UserID(literal: "bob")), of: ApplicationID(1))
        #expect(
            aged.withLock { $0 }
                == [id: AgedNews(waiting: 1, bytes: 200), other: AgedNews(waiting: 0, bytes: 100)])
        #expect(try await store.webhooks.counts(of: id) == (0, 0))
        await store.shutDown()
    }
}
