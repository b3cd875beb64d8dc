import Logging
import RoomModel
import RoomPorts
import StoreSQLite
import Webhooks

/// Webhooks of a server that is not running: what `ovation webhook` does.
package struct WebhookAdmin: Sendable {
    package static let formats = Webhook.Format.allCases.map(\.rawValue)
    package static let fallbacks = Webhook.Fallback.allCases.map(\.rawValue)

    private let data: String
    private let application: ApplicationID

    package init(data: String, application: UInt32) {
        self.data = data
        self.application = ApplicationID(application)
    }

    /// One line each, with tabs between: number, format, what for, on or off, how much waits, how much was given up, url.
    package func list() async throws -> [String] {
        try await managing { service, _ in
            try await service.list(of: application).map { status in
                let webhook = status.webhook
                let use =
                    switch webhook.use {
                    case .events(let types): types.isEmpty ? "all events" : types.joined(separator: " ")
                    case .review(let fallback): "review, else \(fallback.rawValue)"
                    }
                let state = if case .off(let reason) = webhook.state { "off: \(reason)" } else { "on" }
                return [
                    "\(webhook.id.rawValue)", webhook.format.rawValue, use, state, "\(status.waiting)",
                    "\(status.dead)", webhook.url,
                ].joined(separator: "\t")
            }
        }
    }

    /// - Returns: its number, and the secret by which requests are signed.
    package func add(
        url: String, format: String?, events: [String], reviewElse: String?
    ) async throws -> (id: Int64, secret: String) {
        var draft = WebhookDraft(
            url: url, format: format.flatMap { Webhook.Format(rawValue: $0) }, use: .events(events))
        if let fallback = reviewElse.flatMap({ Webhook.Fallback(rawValue: $0) }) { draft.use = .review(fallback) }
        let wanted = draft
        return try await managing { service, trail in
            let made = try await service.add(wanted, to: application)
            Self.note(made.id, "addWebhook", made.url, trail)
            return (made.id.rawValue, made.secret)
        }
    }

    package func remove(_ id: Int64) async throws {
        try await managing { service, trail in
            try await service.remove(WebhookID(id), of: application)
            Self.note(WebhookID(id), "removeWebhook", "", trail)
        }
    }

    package func set(_ id: Int64, on: Bool) async throws {
        try await managing { service, trail in
            let changed = try await service.change(WebhookID(id), of: application, WebhookDraft(isOn: on))
            Self.note(WebhookID(id), "changeWebhook", changed.url, trail)
        }
    }

    /// One line each, the newest first: number, when it happened, type, why it was given up.
    package func dead(_ id: Int64, limit: Int) async throws -> [String] {
        try await managing { service, _ in
            try await service.dead(WebhookID(id), of: application, before: nil, limit: limit).map {
                "\($0.id)\t\($0.time)\t\($0.type)\t\($0.reason)"
            }
        }
    }

    /// - Returns: how many wait again.
    package func replay(_ id: Int64) async throws -> Int {
        try await managing { service, trail in
            let count = try await service.replay(WebhookID(id), of: application, number: nil)
            Self.note(WebhookID(id), "replay", "\(count)", trail)
            return count
        }
    }

    private static func note(_ id: WebhookID, _ action: String, _ what: String, _ trail: CommandTrail) {
        trail.note(action, detail: ["webhook": "\(id.rawValue)", "what": what])
    }

    private func managing<Value: Sendable>(
        _ body: (WebhookService, CommandTrail) async throws -> Value
    ) async throws -> Value {
        try await StoppedStore.with(data) { store in
            guard try await store.accounts.application(application) != nil else {
                throw ConfigurationFailure("there is no application \(application.rawValue) (see: ovation app list)")
            }
            let clock = ServerClock()
            let client = HTTPWebhookClient(allowPrivate: false, clock: clock)
            let service = WebhookService(
                store: store.webhooks, client: client, reviewClient: client, clock: clock,
                logger: Logger(label: "ovation"))
            try await service.load()
            let trail = CommandTrail(store: store, application: application)
            do { return try await body(service, trail) } catch let fault as WebhookFault {
                switch fault {
                case .unknown: throw ConfigurationFailure("there is no such webhook (see: ovation webhook list)")
                case .unavailable: throw ConfigurationFailure("the store cannot be read or written")
                case .invalid(_, let what), .refused(let what): throw ConfigurationFailure(what)
                }
            }
        }
    }
}
