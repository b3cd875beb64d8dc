package import RoomModel
package import RoomPorts
import Synchronization

/// An audience whose listeners hear at once, and that counts how often it was spoken to.
package final class PlainAudience: Audience {
    private struct State {
        var outboxes: [SessionToken: any Outbox] = [:]
        var published = 0
        var isBehind = false
    }
    private let state = Mutex(State())
    private let ready: @Sendable () -> Void

    package init(ready: @escaping @Sendable () -> Void = {}) { self.ready = ready }

    /// Lanes of news that were published, to whomever.
    package var count: Int { state.withLock { $0.published } }

    package func join(_ session: SessionToken, by outbox: any Outbox) {
        state.withLock { $0.outboxes[session] = outbox }
    }

    package func leave(_ session: SessionToken) { state.withLock { $0.outboxes[session] = nil } }

    package func publish(_ news: [LaneNews], to recipients: Recipients) {
        let outboxes = state.withLock { state in
            state.published += news.count
            return switch recipients {
            case .everybody(let except): state.outboxes.filter { !except.contains($0.key) }.map(\.value)
            case .only(let sessions): sessions.compactMap { state.outboxes[$0] }
            }
        }
        for outbox in outboxes { for part in news { outbox.enqueue(part.news, lane: part.lane) } }
    }

    package var isBehind: Bool { state.withLock { $0.isBehind } }

    package func setBehind(_ isBehind: Bool) {
        let catchesUp = state.withLock { state in
            defer { state.isBehind = isBehind }
            return state.isBehind && !isBehind
        }
        if catchesUp { ready() }
    }

    package var listeners: Set<SessionToken> { state.withLock { Set($0.outboxes.keys) } }
}

/// What one connection hears, in order: answers (which a test puts in itself, in its `Reply`) and news.
package final class RecordingOutbox: Outbox {
    package enum Heard: Sendable, Hashable {
        case answer(String)
        case news(RoomNewsEvent, NewsLane)
    }
    private let contents = Mutex<[Heard]>([])

    package init() {}

    package func enqueue(_ news: RoomNews, lane: NewsLane) {
        contents.withLock { $0 += news.events.map { .news($0, lane) } }
    }

    package func answer(_ text: String) { contents.withLock { $0.append(.answer(text)) } }

    package var heard: [Heard] { contents.withLock { $0 } }
    package var news: [RoomNewsEvent] {
        heard.compactMap { if case .news(let event, _) = $0 { event } else { nil } }
    }
    package var changes: [RoomChange] { news.compactMap { if case .change(let change) = $0 { change } else { nil } } }
    package var messages: [Message] { news.compactMap { if case .message(let message) = $0 { message } else { nil } } }
    package var passing: [PassingNews] { news.compactMap { if case .passing(let news) = $0 { news } else { nil } } }
    package var invitations: [InvitationNews] {
        news.compactMap { if case .invitation(let news) = $0 { news } else { nil } }
    }

    /// Takes what has been heard so far.
    @discardableResult
    package func drain() -> [Heard] {
        contents.withLock { heard in
            defer { heard = [] }
            return heard
        }
    }
}
