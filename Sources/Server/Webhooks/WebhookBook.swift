package import RoomModel
package import RoomPorts
import SignalProtocol
import Synchronization

/// The webhooks as they are now, and how much waits for each. Rooms ask it in their turns.
package final class WebhookBook: WebhookSink {
    /// What may wait for one webhook: a day and a half of two events a second, some 100 MB. What is more is not kept, and is counted.
    static let mostWaiting = 250_000
    /// What all webhooks of an application may hold, given up or not: messages are as large as people make them.
    static let mostBytes = 256 << 20
    /// What is left of what was given up, once that is full.
    static let deadBytes = mostBytes / 4

    private struct State {
        var webhooks: [WebhookID: Webhook] = [:]
        var byApplication: [ApplicationID: [Webhook]] = [:]
        var waiting: [WebhookID: Int] = [:]
        var lost: [WebhookID: Int] = [:]
        /// Of what waits and what was given up.
        var bytes: [WebhookID: Int] = [:]
        /// Applications that have no room, and were told so.
        var full: Set<ApplicationID> = []

        mutating func forget(_ bytes: Int, of id: WebhookID) {
            if let held = self.bytes[id] { self.bytes[id] = max(0, held - bytes) }
        }

        func bytes(of application: ApplicationID) -> Int {
            byApplication[application, default: []].reduce(0) { $0 + (bytes[$1.id] ?? 0) }
        }
    }

    private let state = Mutex(State())
    private let post: @Sendable ([OutgoingNews]) -> Void

    /// Makes room in an application that has none.
    private let makeRoom: @Sendable (ApplicationID) -> Void

    /// - Parameters:
    ///   - makeRoom: called once when there is no room in an application; it must return at once.
    ///   - post: takes news that no journal carries.
    package init(
        makeRoom: @escaping @Sendable (ApplicationID) -> Void = { _ in },
        post: @escaping @Sendable ([OutgoingNews]) -> Void
    ) {
        self.makeRoom = makeRoom
        self.post = post
    }

    // MARK: What rooms tell

    package func outgoing(
        _ news: [RoomNewsEvent], created: RoomInfo?, of room: RoomKey, at time: Int64
    ) -> [OutgoingNews] {
        let webhooks = state.withLock { $0.byApplication[room.application] ?? [] }
        guard !webhooks.isEmpty else { return [] }
        var outgoing: [OutgoingNews] = []
        if let created {
            outgoing += rows(WebhookEventTypes.roomCreated, .created(created), for: webhooks, of: room, at: time)
        }
        for event in news {
            guard let type = WebhookEventTypes.type(of: event) else { continue }
            outgoing += rows(type, .event(event), for: webhooks, of: room, at: time)
        }
        return outgoing
    }

    package func post(_ news: PassingNews, of room: RoomKey, at time: Int64) {
        let outgoing = outgoing([.passing(news)], created: nil, of: room, at: time)
        if !outgoing.isEmpty { post(outgoing) }
    }

    private func rows(
        _ type: String, _ content: StandardPayload.Content, for webhooks: [Webhook], of room: RoomKey, at time: Int64
    ) -> [OutgoingNews] {
        var rows: [OutgoingNews] = []
        for webhook in webhooks where WebhookEventTypes.isWanted(type, by: webhook) {
            let payload: [UInt8]
            switch webhook.format {
            case .standard:
                payload = SignalText.encode(StandardPayload(type: type, time: time, key: room, content: content))
            case .compatible:
                guard let command = CompatiblePayload.made(of: content, room, at: time) else { continue }
                payload = SignalText.encode(command)
            }
            guard take(webhook, payload.count) else { continue }
            let lane = WebhookLane(webhook: webhook.id, lane: Self.lane(of: room.room))
            rows.append(OutgoingNews(lane: lane, type: type, payload: payload, time: time))
        }
        return rows
    }

    /// The same over restarts, so that what is told stays in its order.
    static func lane(of room: RoomID) -> Int {
        // FNV-1a
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in room.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(hash % UInt64(WebhookLane.count))
    }

    private func take(_ webhook: Webhook, _ bytes: Int) -> Bool {
        let id = webhook.id
        let (isTaken, isFull) = state.withLock { state in
            let hasRoom = state.bytes(of: webhook.application) + bytes <= Self.mostBytes
            guard hasRoom, state.waiting[id, default: 0] < Self.mostWaiting else {
                state.lost[id, default: 0] += 1
                return (false, hasRoom ? false : state.full.insert(webhook.application).inserted)
            }
            state.waiting[id, default: 0] += 1
            state.bytes[id, default: 0] += bytes
            return (true, false)
        }
        if isFull { makeRoom(webhook.application) }
        return isTaken
    }

    // MARK: What there is

    package func set(_ webhooks: [Webhook]) {
        state.withLock { state in
            state.webhooks = Dictionary(webhooks.map { ($0.id, $0) }) { first, _ in first }
            state.byApplication = Dictionary(grouping: webhooks, by: \.application)
        }
    }

    subscript(id: WebhookID) -> Webhook? { state.withLock { $0.webhooks[id] } }

    var everything: [Webhook] { state.withLock { Array($0.webhooks.values) } }

    func all(of application: ApplicationID) -> [Webhook] {
        state.withLock { $0.byApplication[application] ?? [] }
    }

    /// The one that reviews messages, if it is on.
    func reviewer(of application: ApplicationID) -> Webhook? {
        state.withLock { state in
            state.byApplication[application]?.first { webhook in
                guard webhook.state == .on, case .review = webhook.use else { return false }
                return true
            }
        }
    }

    /// How much waits by the store's count.
    func setWaiting(_ count: Int, for id: WebhookID) { state.withLock { $0.waiting[id] = count } }

    /// What it holds, by the store's count.
    func setBytes(_ bytes: Int, for id: WebhookID) { state.withLock { $0.bytes[id] = bytes } }

    /// One that waited does no more.
    /// - Parameter bytes: that went with it; what was given up stays.
    func settled(_ id: WebhookID, bytes: Int = 0) {
        state.withLock { state in
            if let count = state.waiting[id] { state.waiting[id] = max(0, count - 1) }
            state.forget(bytes, of: id)
        }
    }

    /// What was given up went, to make room.
    func forgot(_ gone: [WebhookID: Int], of application: ApplicationID) {
        state.withLock { state in
            for (id, bytes) in gone { state.forget(bytes, of: id) }
            state.full.remove(application)
        }
    }

    /// What was kept for too long went.
    func aged(_ gone: [WebhookID: AgedNews]) {
        state.withLock { state in
            for (id, aged) in gone {
                state.forget(aged.bytes, of: id)
                guard aged.waiting > 0 else { continue }
                state.lost[id, default: 0] += aged.waiting
                state.waiting[id] = max(0, (state.waiting[id] ?? 0) - aged.waiting)
            }
            state.full = []
        }
    }

    func lost(_ id: WebhookID) -> Int { state.withLock { $0.lost[id] ?? 0 } }
    func bytes(_ id: WebhookID) -> Int { state.withLock { $0.bytes[id] ?? 0 } }
}
