import Foundation
import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol

/// Where an operator wants to hear of an application (R02).
struct WebhooksResource: Sendable {
    enum Operation: Sendable, Hashable { case list, add, change, remove, listDead, replay, test }

    private struct Entry: Encodable {
        var id: Int64
        var url: String
        var format: String
        /// `events` or `review`.
        var use: String
        /// Of events: the types; empty: all.
        var events: [String]?
        /// Of a review: what counts where no answer comes.
        var fallback: String?
        var on: Bool
        /// Who or what has switched it off.
        var reason: String?
        var createdAt: Int64
        var waiting: Int?
        var dead: Int?
        var lost: Int?
        var bytes: Int?
        /// By which requests are signed. Told when it is made.
        var secret: String?

        init(_ webhook: Webhook, secret: String? = nil) {
            (id, url, format, createdAt) = (
                webhook.id.rawValue, webhook.url, webhook.format.rawValue, webhook.createdAt
            )
            switch webhook.use {
            case .events(let types): (use, events) = ("events", types)
            case .review(let fallback): (use, self.fallback) = ("review", fallback.rawValue)
            }
            switch webhook.state {
            case .on: on = true
            case .off(let reason): (on, self.reason) = (false, reason)
            }
            self.secret = secret
        }

        init(_ status: WebhookStatus) {
            self.init(status.webhook)
            (waiting, dead, lost) = (status.waiting, status.dead, status.lost)
            bytes = status.bytes
        }
    }

    private struct Dead: Encodable {
        var id: Int64
        var type: String
        var time: Int64
        var reason: String
    }

    private struct DeadPage: Encodable {
        var dead: [Dead]
        /// Absent on the last page.
        var cursor: Int64?
    }

    private struct Tested: Encodable {
        var taken: Bool
        var reason: String?
    }

    private enum Use: String, CaseIterable { case events, review }

    let manager: any WebhookControl

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        let application = access.application
        switch operation {
        case .list:
            try trail.check(.manageWebhooks, access, "listWebhooks")
            let list = try await managing { () async throws(WebhookFault) in try await manager.list(of: application) }
            return HTTPReply.json(["webhooks": (list ?? []).map { Entry($0) }])
        case .add:
            try trail.check(.manageWebhooks, access, "addWebhook")
            let draft = try Self.draft(parameters)
            let added = try await managing { () async throws(WebhookFault) in
                try await manager.add(draft, to: application)
            }
            guard let made = added else { return Self.unknown }
            note(made.id, access, "addWebhook", made.url, trail)
            return HTTPReply.json(Entry(made, secret: made.secret), status: .created)
        case .change:
            try trail.check(.manageWebhooks, access, "changeWebhook")
            let (id, draft) = (try Self.id(parameters), try Self.draft(parameters))
            let found = try await managing { () async throws(WebhookFault) in
                try await manager.change(id, of: application, draft)
            }
            guard let changed = found else { return Self.unknown }
            note(id, access, "changeWebhook", changed.url, trail)
            return HTTPReply.json(Entry(changed))
        case .remove:
            try trail.check(.manageWebhooks, access, "removeWebhook")
            let id = try Self.id(parameters)
            let removed: Void? = try await managing { () async throws(WebhookFault) in
                try await manager.remove(id, of: application)
            }
            guard removed != nil else { return Self.unknown }
            note(id, access, "removeWebhook", "", trail)
            return HTTPReply.json(Answer.Empty())
        case .listDead:
            try trail.check(.manageWebhooks, access, "listDead")
            guard let page = try await dead(parameters, access) else { return Self.unknown }
            return HTTPReply.json(page)
        case .replay:
            try trail.check(.manageWebhooks, access, "replay")
            let id = try Self.id(parameters)
            let number = parameters.has("number") ? try parameters.whole("number") : nil
            let found = try await managing { () async throws(WebhookFault) in
                try await manager.replay(id, of: application, number: number)
            }
            guard let count = found else { return Self.unknown }
            note(id, access, "replay", "\(count)", trail)
            return HTTPReply.json(["count": count])
        case .test:
            try trail.check(.manageWebhooks, access, "testWebhook")
            let id = try Self.id(parameters)
            let found = try await managing { () async throws(WebhookFault) in
                try await manager.test(id, of: application)
            }
            guard case .some(let reason) = found else { return Self.unknown }
            return HTTPReply.json(Tested(taken: reason == nil, reason: reason))
        }
    }

    private func dead(_ parameters: RESTParameters, _ access: OperatorAccess) async throws(Refusal) -> DeadPage? {
        let id = try Self.id(parameters)
        let limit = try parameters.number("limit", in: RESTParameters.page, default: 50)
        let cursor = try parameters.cursor()
        let found = try await managing { () async throws(WebhookFault) in
            try await manager.dead(id, of: access.application, before: cursor, limit: limit)
        }
        guard let found else { return nil }
        return DeadPage(
            dead: found.map { Dead(id: $0.id, type: $0.type, time: $0.time, reason: $0.reason) },
            cursor: found.count == limit ? found.last?.id : nil)
    }

    private func note(
        _ id: WebhookID, _ access: OperatorAccess, _ action: String, _ what: String, _ trail: OperatorTrail
    ) {
        trail.note(access, action, detail: ["webhook": "\(id.rawValue)", "what": what])
    }

    private static func id(_ parameters: RESTParameters) throws(Refusal) -> WebhookID {
        WebhookID(try parameters.whole("webhook"))
    }

    private static func draft(_ parameters: RESTParameters) throws(Refusal) -> WebhookDraft {
        var draft = WebhookDraft(
            url: try parameters.text("url"), format: try parameters.choice("format", Webhook.Format.self))
        let (types, fallback) = (
            try parameters.texts("events"), try parameters.choice("fallback", Webhook.Fallback.self)
        )
        switch try parameters.choice("use", Use.self) {
        case .review: draft.use = .review(fallback ?? .allow)
        case .events: draft.use = .events(types ?? [])
        case nil:
            if let types { draft.use = .events(types) }
            if let fallback { draft.use = .review(fallback) }
        }
        if parameters.has("on") { draft.isOn = try parameters.flag("on") }
        return draft
    }

    private static let unknown = HTTPReply.failure(
        code: 404, name: "not_found", message: "there is no such webhook", status: .notFound)

    /// - Returns: `nil` if there is no such webhook.
    private func managing<Value: Sendable>(
        _ body: () async throws(WebhookFault) -> Value
    ) async throws(Refusal) -> Value? {
        do throws(WebhookFault) { return try await body() } catch {
            switch error {
            case .unknown: return nil
            case .unavailable: throw Refusal(RoomError(.unavailable, retryAfterMs: 500))
            case .invalid(let field, let what): throw Refusal(.invalid(field, what))
            case .refused(let what): throw Refusal(RoomError(.permissionDenied, what))
            }
        }
    }
}
