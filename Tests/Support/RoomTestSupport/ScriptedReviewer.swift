package import RoomModel
package import RoomPorts
import Synchronization

/// Reviews messages as a test says, and keeps what webhooks would be told.
package final class ScriptedReviewer: MessageReview, WebhookSink {
    private struct State {
        var isOn = false
        var asked: [MessageBody] = []
        var waiting: [CheckedContinuation<ReviewVerdict, Never>] = []
        var told: [String] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func turnOn() { state.withLock { $0.isOn = true } }

    /// What it has been asked about.
    package var asked: [MessageBody] { state.withLock { $0.asked } }
    package var waiting: Int { state.withLock { $0.waiting.count } }
    /// What was told: `created`, the kind of news, or who came and went.
    package var told: [String] { state.withLock { $0.told } }

    /// Answers the oldest question.
    package func answer(_ verdict: ReviewVerdict) {
        state.withLock { $0.waiting.removeFirst() }.resume(returning: verdict)
    }

    /// Answers the newest question.
    package func answerLast(_ verdict: ReviewVerdict) {
        state.withLock { $0.waiting.removeLast() }.resume(returning: verdict)
    }

    package func isOn(in application: ApplicationID) -> Bool { state.withLock { $0.isOn } }

    package func review(_ body: MessageBody, by user: UserProfile, to place: ReviewedPlace) async -> ReviewVerdict {
        await withCheckedContinuation { continuation in
            state.withLock {
                $0.asked.append(body)
                $0.waiting.append(continuation)
            }
        }
    }

    package func outgoing(
        _ news: [RoomNewsEvent], created: RoomInfo?, of room: RoomKey, at time: Int64
    ) -> [OutgoingNews] {
        state.withLock { state in
            if created != nil { state.told.append("created") }
            for event in news {
                switch event {
                case .change(let change):
                    state.told.append("\(change.what)".prefix { $0.isLetter }.description)
                case .message(let message): state.told.append("message \(message.chat)")
                case .invitation: state.told.append("invitation")
                case .restriction: state.told.append("restriction")
                case .challenge: state.told.append("challenge")
                case .passing: state.told.append("passing")
                }
            }
        }
        return (created == nil ? [] : ["created"] + news.map { _ in "news" }).map { type in
            OutgoingNews(lane: WebhookLane(webhook: WebhookID(1), lane: 0), type: type, payload: [], time: time)
        }
    }

    package func post(_ news: PassingNews, of room: RoomKey, at time: Int64) {
        state.withLock { state in
            switch news {
            case .audienceEntered(let entry): state.told.append("\(entry.member.id) entered")
            case .audienceLeft(let exit): state.told.append("\(exit.user) left")
            default: state.told.append("passing")
            }
        }
    }
}
