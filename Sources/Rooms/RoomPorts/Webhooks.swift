package import RoomModel

/// Names a webhook; given by the store.
package struct WebhookID: Hashable, Sendable {
    package var rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// Where an operator wants to hear of an application.
package struct Webhook: Sendable, Hashable {
    /// What is sent.
    package enum Format: String, Sendable, CaseIterable {
        /// By the Standard Webhooks specification, with the events of the wire protocol.
        case standard
        /// The published callback commands (references.md).
        case compatible
    }

    package enum Fallback: String, Sendable, CaseIterable { case allow, refuse }

    package enum Use: Sendable, Hashable {
        /// What has happened. The types that are wanted, `seat.*` for all of a kind; none: all.
        case events([String])
        /// Each message that somebody writes, before anybody gets it; what counts where no answer comes in time.
        case review(Fallback)
    }

    package enum State: Sendable, Hashable {
        case on
        /// It gets nothing, and what waits goes on waiting; who has switched it off.
        case off(reason: String)
    }

    package var id: WebhookID
    package var application: ApplicationID
    package var url: String
    package var format: Format
    package var use: Use
    /// By which requests are signed.
    package var secret: String
    package var state: State
    /// Milliseconds since 1970.
    package var createdAt: Int64

    package init(
        id: WebhookID, application: ApplicationID, url: String, format: Format, use: Use, secret: String,
        state: State = .on, createdAt: Int64
    ) {
        self.id = id
        self.application = application
        self.url = url
        self.format = format
        self.use = use
        self.secret = secret
        self.state = state
        self.createdAt = createdAt
    }
}

/// Where news wait: all of one room in one lane, in which one follows the other.
package struct WebhookLane: Hashable, Sendable {
    /// As many rooms are told of side by side. A room that a receiver does not take holds up those of its lane.
    package static let count = 64

    package var webhook: WebhookID
    package var lane: Int

    package init(webhook: WebhookID, lane: Int) {
        self.webhook = webhook
        self.lane = lane
    }
}

/// Something that a webhook is to be told.
package struct OutgoingNews: Sendable, Hashable {
    package var lane: WebhookLane
    /// Such as `seat.taken`.
    package var type: String
    /// The body of the request.
    package var payload: [UInt8]
    /// Milliseconds since 1970.
    package var time: Int64

    package init(lane: WebhookLane, type: String, payload: [UInt8], time: Int64) {
        self.lane = lane
        self.type = type
        self.payload = payload
        self.time = time
    }
}

/// What waits, with its number.
package struct WaitingNews: Sendable, Hashable {
    package var id: Int64
    package var news: OutgoingNews
    /// How often the receiver has answered and not taken it.
    package var attempts: Int

    package init(id: Int64, news: OutgoingNews, attempts: Int) {
        self.id = id
        self.news = news
        self.attempts = attempts
    }
}

/// What nobody tries to deliver any more.
package struct DeadNews: Sendable, Hashable {
    package var id: Int64
    package var type: String
    /// Milliseconds since 1970: when it happened.
    package var time: Int64
    /// Why it was given up.
    package var reason: String

    package init(id: Int64, type: String, time: Int64, reason: String) {
        self.id = id
        self.type = type
        self.time = time
        self.reason = reason
    }
}

/// What was kept for so long that nobody needs it any more.
package struct AgedNews: Sendable, Hashable {
    package var waiting = 0
    package var bytes = 0

    package init(waiting: Int = 0, bytes: Int = 0) {
        self.waiting = waiting
        self.bytes = bytes
    }
}

/// What became of an attempt.
package enum NewsOutcome: Sendable, Hashable {
    case delivered
    /// It stays where it is.
    case refused
    case dead(reason: String)
}

/// Webhooks and what waits for them; what is written is durable when the call returns.
package protocol WebhookStore: Sendable {
    func webhooks() async throws(JournalFailure) -> [Webhook]
    /// Adds it, under a number that no other one ever has.
    func add(_ webhook: Webhook) async throws(JournalFailure) -> WebhookID
    /// Changes all of it but its application.
    func save(_ webhook: Webhook) async throws(JournalFailure)
    /// With everything that waits for it.
    func remove(_ id: WebhookID) async throws(JournalFailure)

    /// News that no journal carries. Never waits for the disk.
    func post(_ news: [OutgoingNews])
    /// Lanes in which something waits.
    func lanes() async throws(JournalFailure) -> [WebhookLane]
    /// The first of a lane, in their order.
    func waiting(in lane: WebhookLane, limit: Int) async throws(JournalFailure) -> [WaitingNews]
    /// - Parameter deadKept: how many of those that were given up are kept, the newest.
    func settle(_ id: Int64, _ outcome: NewsOutcome, deadKept: Int) async throws(JournalFailure)
    /// How much waits, and how much was given up.
    func counts(of id: WebhookID) async throws(JournalFailure) -> (waiting: Int, dead: Int)
    /// The bytes of both.
    func bytes(of id: WebhookID) async throws(JournalFailure) -> Int
    /// Forgets the oldest of what an application has given up, so that no more than that many bytes of it are left.
    /// - Returns: the bytes that went, by webhook.
    func forgetDead(of application: ApplicationID, above bytes: Int) async throws(JournalFailure) -> [WebhookID: Int]
    /// Calls `gone`, on any thread, when something was too old to be kept: how many bytes of which webhook, and how many of them waited.
    func onAge(_ gone: @escaping @Sendable ([WebhookID: AgedNews]) -> Void)
    /// Those that were given up, the newest first, before the one of that number.
    func dead(of id: WebhookID, before: Int64?, limit: Int) async throws(JournalFailure) -> [DeadNews]
    /// Lets those that were given up wait again, or those of that number; says how many.
    func replay(_ id: WebhookID, number: Int64?) async throws(JournalFailure) -> [WebhookLane]
    /// Calls `arrived`, on any thread, when something is on the disk that waits in these lanes.
    func onArrival(_ arrived: @escaping @Sendable (Set<WebhookLane>) -> Void)
}

/// Makes of a room's news what its application's webhooks are told. Called in the room's turn: it waits for nothing.
package protocol WebhookSink: Sendable {
    /// What is to be stored with the journal entry that tells of them.
    /// - Parameter created: the room, if it begins with them.
    func outgoing(_ news: [RoomNewsEvent], created: RoomInfo?, of room: RoomKey, at time: Int64) -> [OutgoingNews]
    /// Somebody came or went, which no journal tells.
    func post(_ news: PassingNews, of room: RoomKey, at time: Int64)
}

/// What a reviewer makes of a message.
package enum ReviewVerdict: Sendable, Hashable {
    /// It is told, in these words.
    case told(MessageBody)
    case refused
    /// Its sender is answered as if it had been told.
    case dropped
}

/// Where a message that is under review is to go.
package enum ReviewedPlace: Sendable, Hashable {
    case room(RoomKey)
    /// A signal.
    case person(UserID, ApplicationID)

    package var application: ApplicationID {
        switch self {
        case .room(let key): key.application
        case .person(_, let application): application
        }
    }
}

/// Looks at messages before they are told.
package protocol MessageReview: Sendable {
    /// Whether somebody reviews messages of that application now.
    func isOn(in application: ApplicationID) -> Bool
    /// Takes as long as the reviewer needs, or the time that it is given.
    func review(_ body: MessageBody, by user: UserProfile, to place: ReviewedPlace) async -> ReviewVerdict
}

/// Nobody is told, and nobody reviews.
package struct NoWebhooks: WebhookSink, MessageReview {
    package init() {}
    package func outgoing(
        _ news: [RoomNewsEvent], created: RoomInfo?, of room: RoomKey, at time: Int64
    ) -> [OutgoingNews] { [] }
    package func post(_ news: PassingNews, of room: RoomKey, at time: Int64) {}
    package func isOn(in application: ApplicationID) -> Bool { false }
    package func review(_ body: MessageBody, by user: UserProfile, to place: ReviewedPlace) async -> ReviewVerdict {
        .told(body)
    }
}

/// A webhook as its operator sees it.
package struct WebhookStatus: Sendable, Hashable {
    package var webhook: Webhook
    package var waiting: Int
    /// Given up.
    package var dead: Int
    /// Not kept since the start, since too much waited already, or for too long.
    package var lost: Int
    /// Of what waits and what was given up.
    package var bytes: Int

    package init(webhook: Webhook, waiting: Int, dead: Int, lost: Int, bytes: Int) {
        self.webhook = webhook
        self.waiting = waiting
        self.dead = dead
        self.lost = lost
        self.bytes = bytes
    }
}

/// What an operator wants of a webhook; `nil` leaves a thing as it is.
package struct WebhookDraft: Sendable, Hashable {
    package var url: String?
    package var format: Webhook.Format?
    package var use: Webhook.Use?
    package var isOn: Bool?

    package init(
        url: String? = nil, format: Webhook.Format? = nil, use: Webhook.Use? = nil, isOn: Bool? = nil
    ) {
        self.url = url
        self.format = format
        self.use = use
        self.isOn = isOn
    }
}

package enum WebhookFault: Error, Sendable, Hashable {
    case unknown
    case unavailable
    /// What is wrong with which field.
    case invalid(field: String, String)
    case refused(String)
}

/// Webhooks of a server that runs.
package protocol WebhookControl: Sendable {
    func list(of application: ApplicationID) async throws(WebhookFault) -> [WebhookStatus]
    func add(_ draft: WebhookDraft, to application: ApplicationID) async throws(WebhookFault) -> Webhook
    func change(
        _ id: WebhookID, of application: ApplicationID, _ draft: WebhookDraft
    ) async throws(WebhookFault) -> Webhook
    func remove(_ id: WebhookID, of application: ApplicationID) async throws(WebhookFault)
    /// Those that were given up, the newest first.
    func dead(
        _ id: WebhookID, of application: ApplicationID, before: Int64?, limit: Int
    ) async throws(WebhookFault) -> [DeadNews]
    /// Lets one of them wait again, or all; says how many.
    func replay(_ id: WebhookID, of application: ApplicationID, number: Int64?) async throws(WebhookFault) -> Int
    /// Sends something that says nothing, now; what came of it, in words. `nil`: it was taken.
    func test(_ id: WebhookID, of application: ApplicationID) async throws(WebhookFault) -> String?
}
