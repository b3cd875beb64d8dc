package import Logging
import RoomModel
package import RoomPorts
import Synchronization
package import Timing

/// How deliveries go.
package struct DeliverySettings: Sendable {
    /// How long a receiver may take.
    package var timeout = Interval.seconds(15)
    /// After so long a time of silence what waits is given up.
    package var giveUpAfter = Interval.seconds(24 * 3_600)
    /// How often one that the receiver answers and does not take is tried: it would hold up what stands behind it for ever.
    package var attempts = 6
    /// Between attempts: this, then twice as long each time.
    package var firstPause = Interval.seconds(1)
    package var longestPause = Interval.seconds(300)
    /// How many of those that were given up are kept for a replay.
    package var deadKept = 10_000

    package init() {}
}

/// Brings what waits to the receivers: in each lane one after the other, lanes side by side. A receiver that does not answer is left in
/// peace for longer and longer. Nothing is forgotten before it was taken or given up, so that a receiver may see one twice.
package final class WebhookDelivery: Sendable {
    private static let page = 20

    private enum LaneState {
        case working
        /// Something has come since its worker looked.
        case workingAndAsked
    }

    /// What came of a lane's turn.
    private enum Pass {
        case worked
        case nothing
        /// The webhook is off, or gone.
        case off
        case storeFailed
    }

    private struct Pause {
        var failures = 0
        var until: Instant
    }

    private let store: any WebhookStore
    private let book: WebhookBook
    private let client: any WebhookClient
    private let clock: any TimeSource
    private let settings: DeliverySettings
    private let logger: Logger
    private let lanes = Mutex<[WebhookLane: LaneState]>([:])
    private let pauses = Mutex<[WebhookID: Pause]>([:])
    private let due: AsyncStream<WebhookLane>
    private let ask: AsyncStream<WebhookLane>.Continuation

    package init(
        store: any WebhookStore, book: WebhookBook, client: any WebhookClient, clock: any TimeSource,
        settings: DeliverySettings = DeliverySettings(), logger: Logger
    ) {
        self.store = store
        self.book = book
        self.client = client
        self.clock = clock
        self.settings = settings
        self.logger = logger
        (due, ask) = AsyncStream.makeStream()
    }

    /// Delivers until it is cancelled. What is under way then is delivered again after the next start.
    package func run() async {
        store.onArrival { [weak self] in self?.wake($0) }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                if let waiting = try? await store.lanes() { wake(Set(waiting)) }
                for await lane in due { group.addTask { await self.work(lane) } }
                group.cancelAll()
            }
        } onCancel: {
            ask.finish()
        }
    }

    /// Something waits in these lanes.
    func wake(_ arrived: Set<WebhookLane>) {
        let begin = lanes.withLock { lanes in
            arrived.filter { lane in
                defer { lanes[lane] = lanes[lane] == nil ? .working : .workingAndAsked }
                return lanes[lane] == nil
            }
        }
        for lane in begin { ask.yield(lane) }
    }

    /// The webhook is on again, or its receiver another one: nobody waits for it any more.
    func resume(_ id: WebhookID) async {
        pauses.withLock { $0[id] = nil }
        if let waiting = try? await store.lanes() { wake(Set(waiting.filter { $0.webhook == id })) }
    }

    private func work(_ lane: WebhookLane) async {
        while !Task.isCancelled {
            switch await workThroughPage(of: lane) {
            case .worked: continue
            case .storeFailed:
                // What was delivered is delivered again: neither the receiver nor the disk is better for haste.
                pause(lane.webhook, atLeast: nil)
                await awaitPause(of: lane.webhook)
            case .nothing:
                let more = lanes.withLock { lanes in
                    let asked = lanes[lane] == .workingAndAsked
                    lanes[lane] = asked ? .working : nil
                    return asked
                }
                if !more { return }
            case .off:
                lanes.withLock { $0[lane] = nil }
                return
            }
        }
    }

    private func workThroughPage(of lane: WebhookLane) async -> Pass {
        let found: [WaitingNews]
        do throws(JournalFailure) { found = try await store.waiting(in: lane, limit: Self.page) } catch {
            if !Task.isCancelled {
                logger.error("webhook \(lane.webhook.rawValue): what waits cannot be read: \(error)")
            }
            return .storeFailed
        }
        for news in found {
            switch await deliver(news) {
            case .worked: if Task.isCancelled { return .worked }
            case let other: return other
            }
        }
        return found.isEmpty ? .nothing : .worked
    }

    private func deliver(_ waiting: WaitingNews) async -> Pass {
        var attempts = waiting.attempts
        while !Task.isCancelled {
            guard let webhook = book[waiting.news.lane.webhook], webhook.state == .on else { return .off }
            await awaitPause(of: webhook.id)
            if Task.isCancelled { return .worked }
            switch await send(waiting, to: webhook) {
            case .answered(let status, _, _) where (200..<300).contains(status):
                guard await settle(waiting, .delivered) else { return .storeFailed }
                noteAnswer(of: webhook.id)
                return .worked
            case .answered(410, _, _):
                await switchOff(webhook, "the receiver answered 410 (gone)")
                return .off
            case .answered(let status, _, let retryAfter) where [429, 502, 503, 504].contains(status):
                if isTooOld(waiting) { return await giveUp(waiting, "answered \(status)") }
                let isFirst = pause(webhook.id, atLeast: retryAfter)
                if isFirst { logger.warning("webhook \(webhook.id.rawValue) takes nothing now: answered \(status)") }
            case .answered(let status, _, _):
                attempts += 1
                if attempts >= settings.attempts {
                    return await giveUp(waiting, "answered \(status), \(attempts) times")
                }
                guard await settle(waiting, .refused) else { return .storeFailed }
                noteAnswer(of: webhook.id)
                await wait(until: clock.now + backoff(attempts))
            case .unreachable(let why):
                if isTooOld(waiting) { return await giveUp(waiting, why) }
                let isFirst = pause(webhook.id, atLeast: nil)
                if isFirst { logger.warning("webhook \(webhook.id.rawValue) cannot be reached: \(why)") }
            }
        }
        return .worked
    }

    private func send(_ waiting: WaitingNews, to webhook: Webhook) async -> WebhookAnswer {
        let request = WebhookRequest(
            waiting.news.payload, id: "\(webhook.id.rawValue)-\(waiting.id)", to: webhook,
            at: clock.wallTime.secondsSince1970)
        return await client.post(
            request.url, headers: request.headers, body: waiting.news.payload, within: settings.timeout)
    }

    private func isTooOld(_ waiting: WaitingNews) -> Bool {
        let age = clock.wallTime.millisecondsSince1970 - waiting.news.time
        return age > settings.giveUpAfter.nanoseconds / 1_000_000
    }

    private func giveUp(_ waiting: WaitingNews, _ why: String) async -> Pass {
        guard await settle(waiting, .dead(reason: why)) else { return .storeFailed }
        logger.warning(
            "webhook \(waiting.news.lane.webhook.rawValue): \(waiting.news.type) \(waiting.id) was given up: \(why)")
        return .worked
    }

    /// - Returns: false if the store fails: then it waits as before, and is delivered again.
    private func settle(_ waiting: WaitingNews, _ outcome: NewsOutcome) async -> Bool {
        do throws(JournalFailure) {
            try await store.settle(waiting.id, outcome, deadKept: settings.deadKept)
        } catch {
            logger.error("webhook \(waiting.news.lane.webhook.rawValue): \(waiting.id) is not settled: \(error)")
            return false
        }
        switch outcome {
        case .refused: break
        case .delivered: book.settled(waiting.news.lane.webhook, bytes: waiting.news.payload.count)
        case .dead: book.settled(waiting.news.lane.webhook)
        }
        return true
    }

    private func switchOff(_ webhook: Webhook, _ reason: String) async {
        var off = webhook
        off.state = .off(reason: reason)
        logger.warning("webhook \(webhook.id.rawValue) is off: \(reason)")
        do throws(JournalFailure) {
            try await store.save(off)
            book.set(try await store.webhooks())
        } catch {
            logger.error("webhook \(webhook.id.rawValue) is not switched off: \(error)")
        }
    }

    // MARK: Pauses

    private func backoff(_ failures: Int) -> Interval {
        let doubled = settings.firstPause.nanoseconds << min(Int64(failures - 1), 30)
        return Interval(nanoseconds: min(max(doubled, 0), settings.longestPause.nanoseconds))
    }

    /// The receiver is left in peace. The lanes fail at the same time: that is one failure.
    /// - Returns: whether it is the first one since the receiver answered.
    private func pause(_ id: WebhookID, atLeast seconds: Int?) -> Bool {
        let now = clock.now
        return pauses.withLock { pauses in
            var pause = pauses[id] ?? Pause(until: now)
            guard pause.until <= now else { return false }
            pause.failures += 1
            let least = Interval.seconds(Int64(min(max(seconds ?? 0, 0), 3_600)))
            pause.until = now + max(backoff(pause.failures), least)
            pauses[id] = pause
            return pause.failures == 1
        }
    }

    private func noteAnswer(of id: WebhookID) {
        if pauses.withLock({ $0.removeValue(forKey: id) }) != nil {
            logger.notice("webhook \(id.rawValue) answers again")
        }
    }

    private func awaitPause(of id: WebhookID) async {
        while !Task.isCancelled, let until = pauses.withLock({ $0[id]?.until }) {
            guard until > clock.now else { return }
            await wait(until: until)
        }
    }

    /// Ends early when the task is cancelled.
    private func wait(until time: Instant) async {
        let (rung, ring) = AsyncStream.makeStream(of: Void.self)
        let alarm = clock.schedule(at: time) { ring.finish() }
        for await _ in rung {}
        alarm.cancel()
    }
}

/// A signed request.
struct WebhookRequest {
    var url: String
    var headers: [(String, String)]

    init(_ body: [UInt8], id: String, to webhook: Webhook, at time: Int64) {
        headers = [("Content-Type", "application/json"), ("User-Agent", "Ovation")]
        switch webhook.format {
        case .standard:
            url = webhook.url
            headers += WebhookSignature.headers(id: id, time: time, body: body, secret: webhook.secret)
        case .compatible:
            let query = WebhookSignature.query(
                command: CompatibleCommand.name(in: body), application: webhook.application.rawValue, time: time,
                secret: webhook.secret)
            url = webhook.url + (webhook.url.contains("?") ? "&" : "?") + query
        }
    }
}
