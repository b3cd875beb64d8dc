import Foundation
import RoomModel
import RoomPorts
import SignalProtocol
import StoreSQLite
import Texts
import Timing

/// The audit trail and people's reports: what `ovation audit` and `ovation report` do. Both are read while the server runs.
package struct RecordsAdmin: Sendable {
    private let data: String
    private let application: ApplicationID

    package init(data: String, application: UInt32) {
        self.data = data
        self.application = ApplicationID(application)
    }

    /// One line for a person, the newest first: number, time, who, what, whom, outcome, details, reason.
    /// - Parameter user: whoever did it, or whom it was done to.
    package func audit(limit: Int, before: Int64?, room: String?, user: String?) throws -> [String] {
        var query = AuditQuery(before: before, limit: limit)
        if let room {
            guard let id = RoomSlug.id(room) else { throw ConfigurationFailure("no room can have the id \(room)") }
            query.room = id
        }
        if let user {
            guard let id = UserID.author(user) else { throw ConfigurationFailure("nobody can have the id \(user)") }
            query.user = id
        }
        return try records().audit(of: application, query).map { noted in
            let line = noted.line
            return [
                "\(noted.id)", Self.time(line.time), "\(line.actor?.rawValue ?? "-") (\(line.role.rawValue))",
                line.room?.description ?? "-", line.action, line.target?.rawValue ?? "-", line.outcome,
                TerminalText.escaped(line.detail),
                line.reason.map(Self.quoted) ?? "",
            ].joined(separator: "\t")
        }
    }

    /// The oldest first: number, time, room, who reported whom, cause, words, what the server saw, how it was settled.
    package func reports(limit: Int, after: Int64, all: Bool) throws -> [String] {
        try records().reports(of: application, all: all, after: after, limit: limit).map { noted in
            let report = noted.report
            let settled = noted.settled.map { "settled \(Self.time($0.time)) by \($0.by): \(Self.quoted($0.words))" }
            return [
                "\(noted.id)", Self.time(report.time), report.room.description,
                "\(report.reporter) reports \(report.user)", report.cause.rawValue,
                report.words.map(Self.quoted) ?? "-", TerminalText.escaped(report.evidence), settled ?? "",
            ].joined(separator: "\t")
        }
    }

    /// Notes that somebody has looked at a report. The server must not run.
    package func settle(_ id: Int64, by: String, words: String) async throws {
        let time = ServerClock().wallTime.millisecondsSince1970
        let settled = try await StoppedStore.with(data) { store in
            let settled = try await store.records.settle(
                id, of: application, NotedReport.Settlement(by: by, time: time, words: words))
            if settled {
                CommandTrail(store: store, application: application)
                    .note("settleReport", detail: ["report": "\(id)"], reason: words.isEmpty ? nil : words)
            }
            return settled
        }
        guard settled else { throw ConfigurationFailure("there is no report \(id) that waits") }
    }

    private func records() throws -> StoreRecords {
        do throws(StoreFailure) { return try StoreRecords(directory: data) } catch {
            throw ConfigurationFailure("\(error). --data chooses another directory")
        }
    }

    private static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }

    /// On one line, whatever somebody wrote; a terminal takes no orders from it.
    private static func quoted(_ text: String) -> String { "\"\(TerminalText.escaped(text))\"" }
}
