import Foundation
package import Logging
package import RoomModel
package import RoomPorts
import SignalProtocol
import Timing

/// Asks an application's reviewer about messages before they are told (G03).
package struct MessageReviewer: MessageReview {
    /// The published time: a room's chat waits no longer.
    static let timeout = Interval.seconds(2)
    /// A reviewer that does not answer fails each message of each room.
    static let failureLines = Allowance(burst: 10, perSecond: 0.1)

    private struct Question: Encodable {
        struct Data: Encodable {
            var app: UInt32
            var room: RoomID?
            /// Of a signal: for whom it is.
            var to: UserID?
            var from: UserProfile
            var text: String?
            var command: String?
            var message: String?
        }
        var type = "message.review"
        var timestamp: String
        var data: Data
    }

    private struct Reply: Decodable {
        var decision: String
        var text: String?
        var message: String?
    }

    private let book: WebhookBook
    private let client: any WebhookClient
    private let clock: any TimeSource
    private let logger: Logger
    private let lines: LineLimit

    package init(book: WebhookBook, client: any WebhookClient, clock: any TimeSource, logger: Logger) {
        self.book = book
        self.client = client
        self.clock = clock
        self.logger = logger
        lines = LineLimit(Self.failureLines, clock: clock)
    }

    package func isOn(in application: ApplicationID) -> Bool { book.reviewer(of: application) != nil }

    package func review(_ body: MessageBody, by user: UserProfile, to place: ReviewedPlace) async -> ReviewVerdict {
        guard let webhook = book.reviewer(of: place.application), case .review(let fallback) = webhook.use else {
            return .told(body)
        }
        let time = clock.wallTime
        let question: [UInt8] =
            switch webhook.format {
            case .standard: SignalText.encode(Self.question(body, by: user, to: place, at: time))
            case .compatible:
                SignalText.encode(
                    CompatiblePayload.question(body, by: user.id, to: place, at: time.millisecondsSince1970))
            }
        let id = "\(webhook.id.rawValue)-review-\(UUID().uuidString.lowercased())"
        let request = WebhookRequest(question, id: id, to: webhook, at: time.secondsSince1970)
        let answer = await client.post(
            request.url, headers: request.headers, body: question, within: Self.timeout)
        guard case .answered(200, let bytes, _) = answer, let verdict = Self.verdict(bytes, on: body, webhook.format)
        else {
            if let more = lines.take() {
                let fate = fallback == .allow ? "allowed" : "refused"
                logger.warning(
                    "webhook \(webhook.id.rawValue): no review: \(Self.reason(answer)); messages are \(fate)\(more)")
            }
            return fallback == .allow ? .told(body) : .refused
        }
        return verdict
    }

    private static func question(
        _ body: MessageBody, by user: UserProfile, to place: ReviewedPlace, at time: WallTime
    ) -> Question {
        var data = Question.Data(app: place.application.rawValue, from: user)
        switch place {
        case .room(let key): data.room = key.room
        case .person(let to, _): data.to = to
        }
        switch body {
        case .text(let text): data.text = text
        case .custom(let command, let message): (data.command, data.message) = (command, message)
        }
        return Question(
            timestamp: StandardPayload.timestamp(time.millisecondsSince1970), data: data)
    }

    private static func reason(_ answer: WebhookAnswer) -> String {
        switch answer {
        case .answered(200, _, _): "the answer is no verdict"
        case .answered(let status, _, _): "answered \(status)"
        case .unreachable(let why): why
        }
    }

    /// `nil` for what is no verdict.
    static func verdict(_ bytes: [UInt8], on body: MessageBody, _ format: Webhook.Format) -> ReviewVerdict? {
        switch format {
        case .standard:
            guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(bytes)) else { return nil }
            switch reply.decision {
            case "refuse": return .refused
            case "drop": return .dropped
            case "allow":
                switch body {
                case .text(let text): return .told(.text(reply.text ?? text))
                case .custom(let command, let message):
                    return .told(.custom(command: command, message: reply.message ?? message))
                }
            default: return nil
            }
        case .compatible: return CompatibleCommand.verdict(bytes, on: body)
        }
    }
}

/// What stands in callback commands and their answers.
enum CompatibleCommand {
    private struct Named: Decodable { var CallbackCommand: String }

    private struct Answer: Decodable {
        struct Element: Decodable {
            var MsgType: String
            var MsgContent: CompatiblePayload.Element.Content
        }
        var ErrorCode: Int
        var MsgBody: [Element]?
    }

    static func name(in body: [UInt8]) -> String {
        (try? JSONDecoder().decode(Named.self, from: Data(body)))?.CallbackCommand ?? ""
    }

    /// 0 tells it, in other words if it brings some; 1 refuses; 2 drops it silently. Other numbers refuse.
    static func verdict(_ bytes: [UInt8], on body: MessageBody) -> ReviewVerdict? {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else { return nil }
        switch answer.ErrorCode {
        case 0:
            guard let element = answer.MsgBody?.first else { return .told(body) }
            switch (body, element.MsgType) {
            case (.text, "TIMTextElem"): return .told(element.MsgContent.Text.map { .text($0) } ?? body)
            case (.custom(let command, _), "TIMCustomElem"):
                return .told(element.MsgContent.Data.map { .custom(command: command, message: $0) } ?? body)
            default: return .told(body)
            }
        case 2: return .dropped
        default: return .refused
        }
    }
}
