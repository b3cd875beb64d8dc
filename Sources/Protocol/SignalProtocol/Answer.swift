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
        var frame = FrameText()
        frame.add(id: id)
        frame.add("result", result)
        return frame.finish()
    }

    /// The answer to `room.enter`.
    package static func entered(_ id: CallID, _ entry: RoomEntry) -> [UInt8] {
        guard case .snapshot(let snapshot) = entry, let text = snapshot.sharedText else {
            return success(id, RoomEntered(entry))
        }
        let (shared, personal) = (text.bytes { encode(snapshot.shared) }, encode(snapshot.personal))
        var frame = FrameText(capacity: shared.count + personal.count + 128)
        frame.add(id: id)
        frame.add("result") { bytes in
            bytes += #"{"resumed":false,"snapshot":"#.utf8
            // Two objects become one. Neither is empty, and no key is in both.
            bytes += shared.dropLast()
            bytes += ",".utf8
            bytes += personal.dropFirst()
            bytes += "}".utf8
        }
        return frame.finish()
    }

    package static func failure(_ id: CallID?, _ refusal: Refusal) -> [UInt8] {
        var frame = FrameText()
        frame.add(id: id)
        frame.add("error", refusal)
        return frame.finish()
    }

    package static func failure(_ id: CallID?, _ error: RoomError) -> [UInt8] {
        failure(id, Refusal(error))
    }

    /// `session.closed`: the last that a client hears before the close frame.
    package static func sessionClosed(_ end: SessionEnd) -> [UInt8] {
        FrameText.notification("session.closed", end)
    }

    /// `session.expiring`: the ticket runs out; renew it.
    package static func sessionExpiring(inSeconds seconds: Int64) -> [UInt8] {
        FrameText.notification("session.expiring", ["expiresInSeconds": seconds])
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

/// The text of a frame, a JSON-RPC 2.0 object (§4, §5). The outermost object is written here and not by an encoder, which would take as long
/// for its few names as for what they hold, and put them in any order: a reader wants to know what a frame is before it reads the rest.
struct FrameText {
    private var bytes: [UInt8] = []

    init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
        bytes += #"{"jsonrpc":"2.0""#.utf8
    }

    static func notification<Params: Encodable>(_ method: StaticString, _ params: Params) -> [UInt8] {
        var frame = FrameText()
        frame.add("method", name: method)
        frame.add("params", params)
        return frame.finish()
    }

    mutating func add<Value: Encodable>(_ name: StaticString, _ value: Value) {
        begin(name)
        bytes += SignalText.encode(value)
    }

    /// JSON-RPC 2.0 §5: `null` when the id could not be read.
    mutating func add(id: CallID?) {
        begin("id")
        switch id {
        case .number(let number): bytes += String(number).utf8
        case .string(let text): bytes += SignalText.encode(text)
        case nil: bytes += "null".utf8
        }
    }

    /// A text of ours, in which nothing has to be escaped.
    mutating func add(_ name: StaticString, name value: StaticString) {
        begin(name)
        append("\"")
        append(value)
        append("\"")
    }

    /// Whatever is JSON once it is written.
    mutating func add(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        begin(name)
        write(&bytes)
    }

    consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func begin(_ name: StaticString) {
        append(",\"")
        append(name)
        append("\":")
    }

    private mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes += $0 } }
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
