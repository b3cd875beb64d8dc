package import RoomModel
package import RoomPorts
import Synchronization

/// News as they were given to be encoded.
package final class PlainFrame: NewsFrame {
    package let news: RoomNews
    init(_ news: RoomNews) { self.news = news }
}

/// Encodes nothing, and counts how often it was asked.
package final class PlainEncoder: NewsEncoder {
    private let made = Mutex(0)
    package init() {}
    package var count: Int { made.withLock { $0 } }
    package func frame(_ news: RoomNews) -> any NewsFrame {
        made.withLock { $0 += 1 }
        return PlainFrame(news)
    }
}

/// What one connection hears, in order: answers (which a test puts in itself, in its `Reply`) and news.
package final class RecordingOutbox: Outbox {
    package enum Heard: Sendable, Hashable {
        case answer(String)
        case news(RoomNewsEvent, NewsLane)
    }
    private let contents = Mutex<[Heard]>([])

    package init() {}

    package func enqueue(_ frame: any NewsFrame, lane: NewsLane) {
        guard let frame = frame as? PlainFrame else { return }
        contents.withLock { $0 += frame.news.events.map { .news($0, lane) } }
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
