import CZlib
import Foundation
import Texts

/// The outer form of a ticket: JSON, zlib (RFC 1950), base64 with `*`, `-` and `_` for `+`, `/` and `=`.
public enum TicketText {
    /// A ticket is 200–400 characters; the longest that we make (a full userbuf) stays below this.
    public static let maximumBytes = 4096
    /// What a ticket may inflate to. A text of `maximumBytes` could otherwise become 4 MB.
    static let maximumInflatedBytes = 8192
    /// A privateMapKey of a 64-byte room is 125 bytes; the rest is room for operators' own use.
    public static let maximumUserbufBytes = 1024

    static func encode(_ ticket: Ticket) -> String {
        // Written by hand, in the order of the published generators. No value here needs escaping:
        // user ids and base64 have no such characters.
        var json = "{\"TLS.ver\":\"2.0\",\"TLS.identifier\":\"\(ticket.user)\",\"TLS.sdkappid\":\(ticket.application)"
        json += ",\"TLS.expire\":\(ticket.lifetime),\"TLS.time\":\(ticket.issuedAt)"
        if let userbuf = ticket.userbuf { json += ",\"TLS.userbuf\":\"\(Base64.encode(userbuf))\"" }
        json += ",\"TLS.sig\":\"\(ticket.signature)\"}"
        return String(Base64.encode(deflate(Array(json.utf8))).map(toTicketAlphabet))
    }

    static func decode(_ text: String) throws(TicketFailure) -> Ticket {
        // Copied out of a terminal or a file, a ticket brings the end of its line along.
        let bytes = trimmed(Array(text.utf8))
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= maximumBytes else { throw .malformed("too long") }
        guard let packed = Base64.decode(String(decoding: bytes.map(fromTicketAlphabet), as: UTF8.self)) else {
            throw .malformed("base64")
        }
        guard let json = inflate(packed) else { throw .malformed("zlib") }
        // Nobody has signed it yet: its names and values are looked up and compared.
        guard StreamSafeText.isJSONText(json), StreamSafeText.holds(json, in: .json) else { throw .malformed("json") }
        let fields: Fields
        do { fields = try JSONDecoder().decode(Fields.self, from: Data(json)) } catch { throw .malformed("json") }
        guard Ticket.isUserID(fields.identifier) else { throw .malformed("identifier") }
        guard let application = UInt32(exactly: fields.application.value) else { throw .malformed("sdkappid") }
        guard fields.time.value >= 0, fields.expire.value >= 0 else { throw .malformed("time") }
        var userbuf: [UInt8]?
        if let encoded = fields.userbuf {
            guard let decoded = Base64.decode(encoded), decoded.count <= maximumUserbufBytes else {
                throw .malformed("userbuf")
            }
            userbuf = decoded
        }
        return Ticket(
            application: application, user: fields.identifier, issuedAt: fields.time.value,
            lifetime: fields.expire.value, userbuf: userbuf, signature: fields.signature)
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
        return bytes[...last].drop(while: isSpace)
    }

    private struct Fields: Decodable {
        var identifier: String
        var application: LenientInteger
        var time: LenientInteger
        var expire: LenientInteger
        var userbuf: String?
        var signature: String

        enum CodingKeys: String, CodingKey {
            case identifier = "TLS.identifier"
            case application = "TLS.sdkappid"
            case time = "TLS.time"
            case expire = "TLS.expire"
            case userbuf = "TLS.userbuf"
            case signature = "TLS.sig"
        }
    }

    /// A number that some generators write as a string.
    private struct LenientInteger: Decodable {
        var value: Int64

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self) {
                value = number
            } else if let number = Int64(try container.decode(String.self)) {
                value = number
            } else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an integer")
            }
        }
    }

    private static func toTicketAlphabet(_ character: Character) -> Character {
        switch character {
        case "+": "*"
        case "/": "-"
        case "=": "_"
        default: character
        }
    }

    private static func fromTicketAlphabet(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "*"): UInt8(ascii: "+")
        case UInt8(ascii: "-"): UInt8(ascii: "/")
        case UInt8(ascii: "_"): UInt8(ascii: "=")
        default: byte
        }
    }

    /// zlib's one-call inflate writes at most the capacity it is given, so a bomb stops at the limit.
    private static func inflate(_ source: [UInt8]) -> [UInt8]? {
        var inflated = false
        let output = [UInt8](unsafeUninitializedCapacity: maximumInflatedBytes) { buffer, count in
            var length = uLongf(maximumInflatedBytes)
            inflated = uncompress(buffer.baseAddress, &length, source, uLong(source.count)) == Z_OK
            count = inflated ? Int(length) : 0
        }
        return inflated ? output : nil
    }

    private static func deflate(_ source: [UInt8]) -> [UInt8] {
        let capacity = Int(compressBound(uLong(source.count)))
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var length = uLongf(capacity)
            // Cannot fail: the capacity is zlib's own bound and the level is valid; an allocation failure ends the process anyway.
            let result = compress2(buffer.baseAddress, &length, source, uLong(source.count), Z_DEFAULT_COMPRESSION)
            count = result == Z_OK ? Int(length) : 0
        }
    }
}

/// Standard base64 (RFC 4648 §4) of byte arrays.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
}
