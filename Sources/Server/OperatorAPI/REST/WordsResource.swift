import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol

/// Words that texts of an application may not have (G03).
struct WordsResource: Sendable {
    enum Operation: Sendable, Hashable { case list, change, check }

    /// Of one call: some hundred kilobytes.
    private static let most = 10_000

    private struct Page: Encodable {
        var words: [String]
        var count: Int
        /// Absent on the last page.
        var cursor: String?
    }

    private struct Checked: Encodable { var stopped: String? }

    let control: any WordControl

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .list:
            try trail.check(.manageWords, access, "listWords")
            let limit = try parameters.number("limit", in: RESTParameters.page, default: 100)
            let cursor = try parameters.text("cursor")
            let page: (words: [String], count: Int)
            do throws(WordFault) {
                page = try await control.list(of: access.application, after: cursor, limit: limit)
            } catch { throw Self.refusal(error) }
            return HTTPReply.json(
                Page(
                    words: page.words, count: page.count,
                    cursor: page.words.count == limit ? page.words.last : nil))
        case .change:
            try trail.check(.manageWords, access, "changeWords")
            let (adding, removing) = (try parameters.texts("add") ?? [], try parameters.texts("remove") ?? [])
            guard adding.count <= Self.most, removing.count <= Self.most else {
                throw Refusal(.invalid("add", "a call adds and removes up to \(Self.most) words"))
            }
            let count: Int
            do throws(WordFault) {
                count = try await control.change(access.application, adding: adding, removing: removing)
            } catch { throw Self.refusal(error) }
            trail.note(
                access, "changeWords", detail: ["added": "\(adding.count)", "removed": "\(removing.count)"])
            return HTTPReply.json(["count": count])
        case .check:
            try trail.check(.manageWords, access, "checkText")
            let text = try parameters.text("text") ?? ""
            return HTTPReply.json(Checked(stopped: control.stopped(in: text, of: access.application)))
        }
    }

    private static func refusal(_ fault: WordFault) -> Refusal {
        switch fault {
        case .unavailable: Refusal(RoomError(.unavailable, retryAfterMs: 500))
        case .invalid(let what): Refusal(.invalid("add", what))
        case .tooMany(let most): Refusal(RoomError(.permissionDenied, "an application has at most \(most) words"))
        }
    }
}
