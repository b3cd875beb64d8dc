import Foundation
package import Logging
package import RoomModel
package import RoomPorts
import SignalProtocol
import Timing

/// The webhooks of a server that runs: what rooms tell them, what they are asked, and what operators change.
package final class WebhookService: WebhookControl, Sendable {
    /// Each gets all that happens in an application.
    static let mostPerApplication = 20
    static let urlLimit = 500

    package let book: WebhookBook
    package let delivery: WebhookDelivery
    package let review: MessageReviewer
    private let store: any WebhookStore
    private let client: any WebhookClient
    private let reviewClient: any WebhookClient
    private let clock: any TimeSource
    private let changes = SerialWork()
    /// Applications whose webhooks hold as much as they may.
    private let full: AsyncStream<ApplicationID>

    /// - Parameter reviewClient: asks reviewers, so that no question waits behind deliveries to a receiver that is slow.
    package init(
        store: any WebhookStore, client: any WebhookClient, reviewClient: any WebhookClient, clock: any TimeSource,
        settings: DeliverySettings = DeliverySettings(), logger: Logger
    ) {
        self.store = store
        self.client = client
        self.reviewClient = reviewClient
        self.clock = clock
        let (full, tellFull) = AsyncStream.makeStream(of: ApplicationID.self)
        self.full = full
        book = WebhookBook(makeRoom: { tellFull.yield($0) }) { store.post($0) }
        store.onAge { [book] in book.aged($0) }
        delivery = WebhookDelivery(
            store: store, book: book, client: client, clock: clock, settings: settings, logger: logger)
        review = MessageReviewer(book: book, client: reviewClient, clock: clock, logger: logger)
    }

    /// Reads what there is. Before rooms are opened, so that what they tell at once is told.
    package func load() async throws(JournalFailure) {
        let webhooks = try await store.webhooks()
        for webhook in webhooks {
            _ = try await count(webhook.id)
            book.setBytes(try await store.bytes(of: webhook.id), for: webhook.id)
        }
        book.set(webhooks)
    }

    /// Counts anew, so that what was never stored does not stand in the book for ever.
    private func count(_ id: WebhookID) async throws(JournalFailure) -> (waiting: Int, dead: Int) {
        let counts = try await store.counts(of: id)
        book.setWaiting(counts.waiting, for: id)
        return counts
    }

    /// All webhooks together.
    package struct Totals: Sendable, Hashable {
        package var on = 0
        package var off = 0
        package var waiting = 0
        package var dead = 0
        package var lost = 0
        package var bytes = 0
    }

    package func totals() async -> Totals {
        var totals = Totals()
        for webhook in book.everything {
            if webhook.state == .on { totals.on += 1 } else { totals.off += 1 }
            totals.lost += book.lost(webhook.id)
            totals.bytes += book.bytes(webhook.id)
            guard let counts = try? await count(webhook.id) else { continue }
            totals.waiting += counts.waiting
            totals.dead += counts.dead
        }
        return totals
    }

    /// Delivers until it is cancelled, and lets go of all connections.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.makeRoom() }
            await delivery.run()
            group.cancelAll()
        }
        await client.shutDown()
        await reviewClient.shutDown()
    }

    /// Where nothing more can wait, what was given up goes first.
    private func makeRoom() async {
        for await application in full {
            let gone = try? await store.forgetDead(of: application, above: WebhookBook.deadBytes)
            book.forgot(gone ?? [:], of: application)
        }
    }

    // MARK: What operators do

    package func list(of application: ApplicationID) async throws(WebhookFault) -> [WebhookStatus] {
        var list: [WebhookStatus] = []
        for webhook in book.all(of: application) {
            do throws(JournalFailure) {
                let (waiting, dead) = try await count(webhook.id)
                list.append(
                    WebhookStatus(
                        webhook: webhook, waiting: waiting, dead: dead, lost: book.lost(webhook.id),
                        bytes: book.bytes(webhook.id)))
            } catch { throw .unavailable }
        }
        return list
    }

    package func add(_ draft: WebhookDraft, to application: ApplicationID) async throws(WebhookFault) -> Webhook {
        guard let url = draft.url else { throw .invalid(field: "url", "a webhook has a url") }
        var webhook = Webhook(
            id: WebhookID(0), application: application, url: url, format: .standard, use: .events([]),
            secret: WebhookSignature.makeSecret(), createdAt: clock.wallTime.millisecondsSince1970)
        try Self.apply(draft, to: &webhook)
        let wanted = webhook
        return try await changes.run { [self] () async throws(WebhookFault) -> Webhook in
            guard book.all(of: application).count < Self.mostPerApplication else {
                throw .refused("an application has at most \(Self.mostPerApplication) webhooks")
            }
            try checkReviewer(wanted)
            do throws(JournalFailure) {
                var made = wanted
                made.id = try await store.add(wanted)
                book.set(try await store.webhooks())
                return made
            } catch { throw .unavailable }
        }
    }

    package func change(
        _ id: WebhookID, of application: ApplicationID, _ draft: WebhookDraft
    ) async throws(WebhookFault) -> Webhook {
        let changed = try await changes.run { [self] () async throws(WebhookFault) -> Webhook in
            var webhook = try find(id, application)
            try Self.apply(draft, to: &webhook)
            try checkReviewer(webhook)
            do throws(JournalFailure) {
                try await store.save(webhook)
                book.set(try await store.webhooks())
            } catch { throw .unavailable }
            return webhook
        }
        await delivery.resume(id)
        return changed
    }

    package func remove(_ id: WebhookID, of application: ApplicationID) async throws(WebhookFault) {
        try await changes.run { [self] () async throws(WebhookFault) -> Void in
            _ = try find(id, application)
            do throws(JournalFailure) {
                try await store.remove(id)
                book.set(try await store.webhooks())
            } catch { throw .unavailable }
        }
    }

    package func dead(
        _ id: WebhookID, of application: ApplicationID, before: Int64?, limit: Int
    ) async throws(WebhookFault) -> [DeadNews] {
        _ = try find(id, application)
        do throws(JournalFailure) { return try await store.dead(of: id, before: before, limit: limit) } catch {
            throw .unavailable
        }
    }

    package func replay(
        _ id: WebhookID, of application: ApplicationID, number: Int64?
    ) async throws(WebhookFault) -> Int {
        _ = try find(id, application)
        do throws(JournalFailure) {
            let again = try await store.replay(id, number: number).count
            _ = try await count(id)
            return again
        } catch { throw .unavailable }
    }

    package func test(_ id: WebhookID, of application: ApplicationID) async throws(WebhookFault) -> String? {
        let webhook = try find(id, application)
        let body = SignalText.encode(TestPayload(time: clock.wallTime, application: application))
        let request = WebhookRequest(
            body, id: "\(id.rawValue)-test-\(UUID().uuidString.lowercased())", to: webhook,
            at: clock.wallTime.secondsSince1970)
        switch await client.post(request.url, headers: request.headers, body: body, within: .seconds(15)) {
        case .answered(let status, _, _) where (200..<300).contains(status): return nil
        case .answered(let status, _, _): return "answered \(status)"
        case .unreachable(let why): return why
        }
    }

    private func find(_ id: WebhookID, _ application: ApplicationID) throws(WebhookFault) -> Webhook {
        guard let webhook = book[id], webhook.application == application else { throw .unknown }
        return webhook
    }

    private func checkReviewer(_ webhook: Webhook) throws(WebhookFault) {
        guard case .review = webhook.use else { return }
        let other = book.all(of: webhook.application).contains { other in
            guard other.id != webhook.id, case .review = other.use else { return false }
            return true
        }
        if other { throw .refused("an application has one webhook that reviews messages") }
    }

    private static func apply(_ draft: WebhookDraft, to webhook: inout Webhook) throws(WebhookFault) {
        if let url = draft.url {
            guard isURL(url) else {
                throw .invalid(
                    field: "url",
                    "a url is http: or https:, with a host, without a user or a fragment, and has at most \(urlLimit) bytes"
                )
            }
            webhook.url = url
        }
        if let format = draft.format { webhook.format = format }
        if let use = draft.use {
            if case .events(let types) = use {
                guard types.count <= WebhookEventTypes.all.count else {
                    throw .invalid(field: "events", "there are only \(WebhookEventTypes.all.count) types")
                }
                if let odd = types.first(where: { !WebhookEventTypes.isPattern($0) }) {
                    throw .invalid(field: "events", "there is no type \(odd.prefix(40))")
                }
            }
            webhook.use = use
        }
        if let isOn = draft.isOn { webhook.state = isOn ? .on : .off(reason: "switched off") }
    }

    static func isURL(_ text: String) -> Bool {
        guard text.utf8.count <= urlLimit, let parts = URLComponents(string: text), let host = parts.host,
            !host.isEmpty, let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme)
        else { return false }
        return parts.user == nil && parts.password == nil && parts.fragment == nil
            && !text.unicodeScalars.contains { $0.value <= 0x20 || $0.value == 0x7f }
    }

    /// Says nothing, in either format.
    private struct TestPayload: Encodable {
        struct Data: Encodable { var app: UInt32 }
        var type = "webhook.test"
        var timestamp: String
        var data: Data
        var CallbackCommand = "Test"

        init(time: WallTime, application: ApplicationID) {
            timestamp = StandardPayload.timestamp(time.millisecondsSince1970)
            data = Data(app: application.rawValue)
        }
    }
}
