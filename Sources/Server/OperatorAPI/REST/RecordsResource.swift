import Foundation
import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol
import Timing

/// The audit trail, and what people report.
struct RecordsResource: Sendable {
    enum Operation: Sendable, Hashable { case listAudit, listReports, settleReport }

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))
    private static let wordsLimit = 500

    let records: any OperatorRecords
    let signIn: SignIn
    let clock: any TimeSource

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .listAudit: return try await listAudit(parameters, access, trail)
        case .listReports: return try await listReports(parameters, access, trail)
        case .settleReport: return try await settle(parameters, access, trail)
        }
    }

    private func listAudit(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        try trail.check(.readAudit, access, "readAudit")
        let limit = try parameters.number("limit", in: RESTParameters.page, default: 50)
        let query = AuditQuery(
            room: try parameters.roomAsked(), user: try parameters.author(),
            before: try parameters.cursor(), limit: limit)
        let found: [NotedLine]
        do throws(JournalFailure) { found = try await records.audit(of: access.application, query) } catch {
            throw Self.unavailable
        }
        return HTTPReply.json(
            AuditPage(lines: found.map(AuditPage.Line.init), cursor: found.count == limit ? found.last?.id : nil))
    }

    private func listReports(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        try trail.check(.handleReports, access, "readReports")
        let limit = try parameters.number("limit", in: RESTParameters.page, default: 50)
        let all = try parameters.flag("all")
        let cursor = try parameters.cursor()
        let found: [NotedReport]
        do throws(JournalFailure) {
            found = try await records.reports(
                of: access.application, all: all, after: cursor ?? 0, limit: limit)
        } catch { throw Self.unavailable }
        // As they are called now: a report has the id alone, so that whoever is erased is named by nothing in it.
        let reporters = Array(Set(found.map(\.report.reporter)))
        let profiles = try await signIn.profiles(reporters, in: access.application)
        let names = Dictionary(profiles.map { ($0.id, $0.name) }) { first, _ in first }
        return HTTPReply.json(
            ReportsPage(
                reports: found.map { ReportsPage.Line($0, reporterName: names[$0.report.reporter]) },
                cursor: found.count == limit ? found.last?.id : nil))
    }

    private func settle(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        try trail.check(.handleReports, access, "settleReport")
        let id = try parameters.whole("report")
        let words = try parameters.text("words") ?? ""
        guard words.count <= Self.wordsLimit, words.utf8.count <= 4 * Self.wordsLimit else {
            throw Refusal(.invalid("words", "a settlement has up to \(Self.wordsLimit) characters"))
        }
        let settlement = NotedReport.Settlement(
            by: access.caller.name.rawValue, time: clock.wallTime.millisecondsSince1970, words: words)
        let settled: Bool
        do throws(JournalFailure) {
            settled = try await records.settle(id, of: access.application, settlement)
        } catch { throw Self.unavailable }
        guard settled else {
            return HTTPReply.failure(
                code: 404, name: "not_found", message: "there is no report of that number that waits",
                status: .notFound)
        }
        trail.note(access, "settleReport", detail: ["report": "\(id)"], reason: words.isEmpty ? nil : words)
        return HTTPReply.json(Answer.Empty())
    }
}

/// JSON that stands in the store already, checked once more before it goes on.
private struct StoredJSON: Encodable {
    var text: String

    func encode(to encoder: any Encoder) throws {
        let value = (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .object([:])
        try value.encode(to: encoder)
    }
}

private enum JSONValue: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .bool(flag)
        } else if let whole = try? value.decode(Int64.self) {
            self = .integer(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .integer(let whole): try container.encode(whole)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let fields): try container.encode(fields)
        }
    }
}

private struct AuditPage: Encodable {
    struct Line: Encodable {
        var id: Int64
        var time: Int64
        var actor: UserID?
        var role: String
        var way: String
        var room: RoomID?
        var action: String
        var target: UserID?
        var detail: StoredJSON
        var reason: String?
        var outcome: String

        init(_ noted: NotedLine) {
            let line = noted.line
            (id, time, actor, role) = (noted.id, line.time, line.actor, line.role.rawValue)
            (way, room, action, target) = (line.way.rawValue, line.room, line.action, line.target)
            (detail, reason, outcome) = (StoredJSON(text: line.detail), line.reason, line.outcome)
        }
    }

    var lines: [Line]
    /// Absent on the last page.
    var cursor: Int64?
}

private struct ReportsPage: Encodable {
    struct Line: Encodable {
        struct Settled: Encodable {
            var by: String
            var time: Int64
            var words: String
        }

        var id: Int64
        var time: Int64
        var room: RoomID
        var reporter: UserID
        /// Absent for one who has never said a name.
        var reporterName: String?
        var user: UserID
        var cause: ReportCause
        var words: String?
        var evidence: StoredJSON
        var settled: Settled?

        init(_ noted: NotedReport, reporterName: String?) {
            let report = noted.report
            (id, time, room, reporter) = (noted.id, report.time, report.room, report.reporter)
            self.reporterName = reporterName.flatMap { $0.isEmpty ? nil : $0 }
            (user, cause, words) = (report.user, report.cause, report.words)
            evidence = StoredJSON(text: report.evidence)
            settled = noted.settled.map { Settled(by: $0.by, time: $0.time, words: $0.words) }
        }
    }

    var reports: [Line]
    /// Absent on the last page.
    var cursor: Int64?
}
