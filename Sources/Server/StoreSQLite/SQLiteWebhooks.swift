import Foundation
import GRDB
package import RoomModel
package import RoomPorts
import Synchronization
import Timing

/// Webhooks, and what waits for them.
package final class SQLiteWebhooks: WebhookStore {
    private let commit: GroupCommit
    /// What waits for a receiver that is not there, or was given up, is nobody's news any more after a week.
    static let keptFor = Interval.seconds(7 * 86_400)

    private let arrived = Mutex<@Sendable (Set<WebhookLane>) -> Void>({ _ in })
    private let aged = Mutex(Callback<[WebhookID: AgedNews]> { _ in })

    init(commit: GroupCommit) { self.commit = commit }

    package func onArrival(_ arrived: @escaping @Sendable (Set<WebhookLane>) -> Void) {
        self.arrived.withLock { $0 = arrived }
    }

    /// They are on the disk. Called on the writer.
    func tellArrival(of news: [OutgoingNews]) {
        guard !news.isEmpty else { return }
        let arrived = arrived.withLock { $0 }
        arrived(Set(news.map(\.lane)))
    }

    /// - Parameter room: the life of a room whose entry carries them.
    static func insert(_ news: [OutgoingNews], of room: Int64?, _ db: Database) throws {
        for one in news {
            // A webhook that is gone by now has no row to point to, and nobody to tell.
            try db.cachedStatement(
                sql: """
                    INSERT INTO webhook_news (webhook, lane, type, payload, happened_at, room)
                    SELECT id, ?, ?, ?, ?, ? FROM webhook WHERE id = ?
                    """
            ).execute(arguments: [
                one.lane.lane, one.type, Data(one.payload), one.time, room, one.lane.webhook.rawValue,
            ])
        }
    }

    package func webhooks() async throws(JournalFailure) -> [Webhook] {
        try await commit.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, application, url, format, purpose, types, secret, off_reason, created_at FROM webhook
                    ORDER BY id
                    """
            ).map { try Webhook(row: $0) }
        }
    }

    package func add(_ webhook: Webhook) async throws(JournalFailure) -> WebhookID {
        try await commit.run { db in
            try db.execute(
                sql: """
                    INSERT INTO webhook (application, url, format, purpose, types, secret, off_reason, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [webhook.application.rawValue] + Self.columns(webhook) + [webhook.createdAt])
            return WebhookID(db.lastInsertedRowID)
        }
    }

    package func save(_ webhook: Webhook) async throws(JournalFailure) {
        try await commit.run { db in
            try db.execute(
                sql: """
                    UPDATE webhook SET url = ?, format = ?, purpose = ?, types = ?, secret = ?, off_reason = ?
                    WHERE id = ?
                    """,
                arguments: Self.columns(webhook) + [webhook.id.rawValue])
        }
    }

    private static func columns(_ webhook: Webhook) -> StatementArguments {
        let (purpose, types): (String, String) =
            switch webhook.use {
            case .events(let types): ("events", types.joined(separator: " "))
            case .review(let fallback): ("review", fallback.rawValue)
            }
        let off: String? = if case .off(let reason) = webhook.state { reason } else { nil }
        return [webhook.url, webhook.format.rawValue, purpose, types, webhook.secret, off]
    }

    package func remove(_ id: WebhookID) async throws(JournalFailure) {
        try await commit.run { db in
            try db.execute(sql: "DELETE FROM webhook WHERE id = ?", arguments: [id.rawValue])
        }
    }

    // MARK: What waits

    package func post(_ news: [OutgoingNews]) {
        guard !news.isEmpty else { return }
        commit.submit(bytes: news.reduce(0) { $0 + $1.payload.count }) { db in
            try Self.insert(news, of: nil, db)
        } done: { [self] result in
            if case .success = result { tellArrival(of: news) }
        }
    }

    package func lanes() async throws(JournalFailure) -> [WebhookLane] {
        try await commit.read { db in
            try Row.fetchAll(db, sql: "SELECT DISTINCT webhook, lane FROM webhook_news WHERE given_up IS NULL")
                .map { WebhookLane(webhook: WebhookID($0[0]), lane: $0[1]) }
        }
    }

    package func waiting(in lane: WebhookLane, limit: Int) async throws(JournalFailure) -> [WaitingNews] {
        try await commit.read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT id, type, payload, happened_at, attempts FROM webhook_news
                        WHERE webhook = ? AND lane = ? AND given_up IS NULL ORDER BY id LIMIT ?
                        """),
                arguments: [lane.webhook.rawValue, lane.lane, limit]
            ).map { row in
                WaitingNews(
                    id: row[0],
                    news: OutgoingNews(lane: lane, type: row[1], payload: Array(row[2] as Data), time: row[3]),
                    attempts: row[4])
            }
        }
    }

    package func settle(
        _ id: Int64, _ outcome: NewsOutcome, deadKept: Int
    ) async throws(JournalFailure) {
        try await commit.run { db in
            switch outcome {
            case .delivered:
                try db.cachedStatement(sql: "DELETE FROM webhook_news WHERE id = ?").execute(arguments: [id])
            case .refused:
                try db.cachedStatement(sql: "UPDATE webhook_news SET attempts = attempts + 1 WHERE id = ?")
                    .execute(arguments: [id])
            case .dead(let reason):
                try db.cachedStatement(sql: "UPDATE webhook_news SET given_up = ? WHERE id = ?")
                    .execute(arguments: [reason, id])
                try db.cachedStatement(
                    sql: """
                        DELETE FROM webhook_news WHERE id IN (
                            SELECT id FROM webhook_news
                            WHERE webhook = (SELECT webhook FROM webhook_news WHERE id = ?) AND given_up IS NOT NULL
                            ORDER BY id DESC LIMIT -1 OFFSET ?)
                        """
                ).execute(arguments: [id, deadKept])
            }
        }
    }

    package func counts(of id: WebhookID) async throws(JournalFailure) -> (waiting: Int, dead: Int) {
        try await commit.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*) FILTER (WHERE given_up IS NULL), count(*) FILTER (WHERE given_up IS NOT NULL)
                    FROM webhook_news WHERE webhook = ?
                    """, arguments: [id.rawValue])
            return (waiting: row?[0] ?? 0, dead: row?[1] ?? 0)
        }
    }

    package func bytes(of id: WebhookID) async throws(JournalFailure) -> Int {
        try await commit.read { db in
            try Int.fetchOne(
                db, sql: "SELECT sum(length(payload)) FROM webhook_news WHERE webhook = ?", arguments: [id.rawValue])
                ?? 0
        }
    }

    package func forgetDead(
        of application: ApplicationID, above bytes: Int
    ) async throws(JournalFailure) -> [WebhookID: Int] {
        let gone = try await commit.run { db in
            try Row.fetchAll(
                db,
                sql: """
                    DELETE FROM webhook_news WHERE id IN (
                        SELECT id FROM (
                            SELECT news.id AS id, sum(length(news.payload)) OVER (ORDER BY news.id DESC) AS held
                            FROM webhook_news AS news JOIN webhook ON webhook.id = news.webhook
                            WHERE webhook.application = ? AND news.given_up IS NOT NULL)
                        WHERE held > ?)
                    RETURNING webhook, length(payload)
                    """, arguments: [application.rawValue, bytes]
            ).map { (WebhookID($0[0]), $0[1] as Int) }
        }
        return Dictionary(gone) { $0 + $1 }
    }

    package func onAge(_ gone: @escaping @Sendable ([WebhookID: AgedNews]) -> Void) {
        aged.withLock { $0 = Callback(gone) }
    }

    /// Deletes what happened before that, in milliseconds since 1970, a step at a time.
    func prune(before oldest: Int64) {
        commit.prune { db, limit in
            try Row.fetchAll(
                db,
                sql: """
                    DELETE FROM webhook_news WHERE id IN (
                        SELECT id FROM (SELECT id, happened_at FROM webhook_news ORDER BY id LIMIT ?)
                        WHERE happened_at < ?)
                    RETURNING webhook, length(payload), given_up IS NULL
                    """, arguments: [limit, oldest]
            ).map { (id: WebhookID($0[0]), bytes: $0[1] as Int, isWaiting: $0[2] as Bool) }
        } deleted: { [self] gone in
            var sums: [WebhookID: AgedNews] = [:]
            for one in gone {
                sums[one.id, default: AgedNews()].bytes += one.bytes
                if one.isWaiting { sums[one.id]?.waiting += 1 }
            }
            let tell = aged.withLock { $0 }
            if !sums.isEmpty { tell(sums) }
        }
    }

    package func dead(of id: WebhookID, before: Int64?, limit: Int) async throws(JournalFailure) -> [DeadNews] {
        try await commit.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, type, happened_at, given_up FROM webhook_news
                    WHERE webhook = ? AND given_up IS NOT NULL AND id < ? ORDER BY id DESC LIMIT ?
                    """, arguments: [id.rawValue, before ?? .max, limit]
            ).map { DeadNews(id: $0[0], type: $0[1], time: $0[2], reason: $0[3]) }
        }
    }

    package func replay(_ id: WebhookID, number: Int64?) async throws(JournalFailure) -> [WebhookLane] {
        let lanes = try await commit.run { db in
            try Row.fetchAll(
                db,
                sql: """
                    UPDATE webhook_news SET given_up = NULL, attempts = 0
                    WHERE webhook = ? AND given_up IS NOT NULL AND (? IS NULL OR id = ?) RETURNING lane
                    """, arguments: [id.rawValue, number, number]
            ).map { WebhookLane(webhook: id, lane: $0[0]) }
        }
        let arrived = arrived.withLock { $0 }
        if !lanes.isEmpty { arrived(Set(lanes)) }
        return lanes
    }
}

extension Webhook {
    fileprivate init(row: Row) throws {
        let id: Int64 = row[0]
        guard let format = Format(rawValue: row[3]) else { throw JournalFailure.failed("webhook \(id) cannot be read") }
        let types: String = row[5]
        let use: Use
        switch row[4] as String {
        case "events": use = .events(types.split(separator: " ").map(String.init))
        case "review":
            guard let fallback = Fallback(rawValue: types) else {
                throw JournalFailure.failed("webhook \(id) cannot be read")
            }
            use = .review(fallback)
        default: throw JournalFailure.failed("webhook \(id) cannot be read")
        }
        self.init(
            id: WebhookID(id), application: ApplicationID(row[1]), url: row[2], format: format, use: use,
            secret: row[6],
            state: (row[7] as String?).map { .off(reason: $0) } ?? .on, createdAt: row[8])
    }
}
