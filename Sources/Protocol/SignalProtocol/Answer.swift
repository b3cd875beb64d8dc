import Foundation
package import RoomModel

/// What the server sends that is addressed to one client: answers to calls, and notifications about the session itself.
/// Each function makes the whole text of a frame.
package enum Answer {
    /// `{}` as a result.
    package struct Empty: Codable, Sendable, Hashable {
        package init() {}
    }

    package static func success<Result: Encodable>(_ id: CallID, _ result: Result) -> [UInt8] {
        encode(Success(id: id, result: result))
    }

    /// The answer to `room.enter`.
    package static func entered(_ id: CallID, _ entry: RoomEntry) -> [UInt8] {
        guard case .snapshot(let snapshot) = entry, let text = snapshot.sharedText else {
            return success(id, RoomEntered(entry))
        }
        let (shared, personal) = (text.bytes { encode(snapshot.shared) }, encode(snapshot.personal))
        var answer: [UInt8] = []
        answer.reserveCapacity(shared.count + personal.count + 128)
        answer += #"{"jsonrpc":"2.0","id":"#.utf8
        answer += encode(id)
        answer += #","result":{"resumed":false,"snapshot":"#.utf8
        // Two objects become one. Neither is empty, and no key is in both.
        answer += shared[..<(shared.count - 1)]
        answer += ",".utf8
        answer += personal[1...]
        answer += "}}".utf8
        return answer
    }

    package static func failure(_ id: CallID?, _ refusal: Refusal) -> [UInt8] {
        encode(Failure(id: id, error: refusal))
    }

    package static func failure(_ id: CallID?, _ error: RoomError) -> [UInt8] {
        failure(id, Refusal(error))
    }

    /// `session.closed`: the last that a client hears before the close frame.
    package static func sessionClosed(_ end: SessionEnd) -> [UInt8] {
        encode(Notification(method: "session.closed", params: end))
    }

    /// `session.expiring`: the ticket runs out; renew it.
    package static func sessionExpiring(inSeconds seconds: Int64) -> [UInt8] {
        encode(Notification(method: "session.expiring", params: ["expiresInSeconds": seconds]))
    }

    private struct Success<Result: Encodable>: Encodable {
        let jsonrpc = "2.0"
        var id: CallID
        var result: Result
    }

    private struct Failure: Encodable {
        let jsonrpc = "2.0"
        var id: CallID?
        var error: Refusal

        enum CodingKeys: String, CodingKey { case jsonrpc, id, error }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(jsonrpc, forKey: .jsonrpc)
            // JSON-RPC 2.0 §5: null when the id could not be read.
            try container.encode(id, forKey: .id)
            try container.encode(error, forKey: .error)
        }
    }

    /// Why a session is over.
    package struct SessionEnd: Encodable, Sendable {
        package struct Details: Encodable, Hashable, Sendable {
            /// When it is worth trying again.
            package var retryAfterMs: Int?
            /// What the operator said.
            package var reason: String?

            package init(retryAfterMs: Int?, reason: String?) {
                self.retryAfterMs = retryAfterMs
                self.reason = reason
            }
        }

        package var code: Int
        package var name: String
        package var message: String
        package var data: Details?

        package init(code: Int, name: String, message: String, data: Details? = nil) {
            self.code = code
            self.name = name
            self.message = message
            self.data = data
        }
    }

    private static func encode<T: Encodable>(_ value: T) -> [UInt8] { SignalText.encode(value) }
}

struct Notification<Params: Encodable>: Encodable {
    let jsonrpc = "2.0"
    var method: String
    var params: Params
}

/// A refused call: `{code, message, data: {name, …}}`.
package struct Refusal: Error, Sendable, Hashable, Encodable {
    package var error: RoomError
    /// With `ticket_not_yet_valid`: by how much the clocks differ.
    package var skewSeconds: Int64?
    /// With `internal`: where our log tells more.
    package var incident: String?

    package init(_ error: RoomError, skewSeconds: Int64? = nil, incident: String? = nil) {
        self.error = error
        self.skewSeconds = skewSeconds
        self.incident = incident
    }

    private enum Keys: String, CodingKey { case code, message, data }
    private enum DataKeys: String, CodingKey { case name, retryAfterMs, field, reason, skewSeconds, incident }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(error.code.number, forKey: .code)
        try container.encode(error.message, forKey: .message)
        var data = container.nestedContainer(keyedBy: DataKeys.self, forKey: .data)
        try data.encode(error.code.name, forKey: .name)
        try data.encodeIfPresent(error.retryAfterMs, forKey: .retryAfterMs)
        try data.encodeIfPresent(error.field, forKey: .field)
        try data.encodeIfPresent(error.reason, forKey: .reason)
        try data.encodeIfPresent(skewSeconds, forKey: .skewSeconds)
        try data.encodeIfPresent(incident, forKey: .incident)
    }
}

/// JSON as we write it.
package enum SignalText {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return encoder
    }()

    /// Our own values always encode: they hold no floating-point number and no key that is not text.
    package static func encode<T: Encodable>(_ value: T) -> [UInt8] {
        do { return Array(try encoder.encode(value)) } catch {
            preconditionFailure("a protocol value does not encode: \(error)")
        }
    }
}
