import NIOHPACK

/// A request of HTTP/2 that is none (RFC 9113 §8.1.1): its stream ends with PROTOCOL_ERROR. The connection hears of it as an event, since
/// each such stream costs work and leaves room for another.
package struct MalformedMessage: Error, Sendable {
    package init() {}
}

/// What RFC 9113 §8 asks of header blocks. The library's own checks are switched off: they compare texts that nobody has judged yet. Here
/// all is read byte by byte, so that it can come before the judgement of texts (decision 0037).
enum HeaderBlock {
    /// Pseudo-header fields stand once each, before the others: a method with a scheme and a path, or what CONNECT asks for (§8.3.1, §8.5).
    static func checkRequest(_ headers: HPACKHeaders) throws(MalformedMessage) {
        try checkFields(headers)
        let pseudo = headers.prefix { isPseudo($0.name) }.map(\.name)
        guard headers.dropFirst(pseudo.count).allSatisfy({ !isPseudo($0.name) }) else { throw MalformedMessage() }
        guard let method = headers.first(name: ":method")?.utf8, isToken(method) else { throw MalformedMessage() }
        // Without SETTINGS_ENABLE_CONNECT_PROTOCOL there is no `:protocol` (RFC 8441 §3).
        let isConnect = method.elementsEqual("CONNECT".utf8)
        let needed = isConnect ? [":authority", ":method"] : [":method", ":path", ":scheme"]
        let found = pseudo.sorted()
        guard found == needed || !isConnect && found == [":authority"] + needed else { throw MalformedMessage() }
        guard isConnect || isPath(headers.first(name: ":path")?.utf8, of: method) else { throw MalformedMessage() }
    }

    /// Without the blanks around values, which belong to none (RFC 9110 §5.5). No client may send them here (§8.2.1); some do, over HTTP/1.1
    /// nobody refuses them, and whoever is refused cannot read why. A pseudo-header field keeps its own, and is malformed by them.
    static func withoutBlanks(_ headers: HPACKHeaders) -> HPACKHeaders {
        guard headers.contains(where: { hasBlanks($0.value.utf8) && !isPseudo($0.name) }) else { return headers }
        var bare = HPACKHeaders()
        for (name, value, indexing) in headers {
            bare.add(name: name, value: isPseudo(name) ? value : withoutBlanks(value), indexing: indexing)
        }
        return bare
    }

    /// They have no pseudo-header fields (§8.1).
    static func checkTrailers(_ headers: HPACKHeaders) throws(MalformedMessage) {
        try checkFields(headers)
        guard headers.allSatisfy({ !isPseudo($0.name) }) else { throw MalformedMessage() }
    }

    /// Names of fields that speak of a connection of HTTP/1.1 (§8.2.2).
    static let ofConnections = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

    private static func checkFields(_ headers: HPACKHeaders) throws(MalformedMessage) {
        for (name, value, _) in headers {
            let bare = isPseudo(name) ? name.utf8.dropFirst() : name.utf8[...]
            guard isToken(bare), !bare.contains(where: isCapital), isValue(value.utf8) else { throw MalformedMessage() }
            guard !isPseudo(name) || !hasBlanks(value.utf8) else { throw MalformedMessage() }
            // Nothing but ASCII is left.
            guard !ofConnections.contains(name) else { throw MalformedMessage() }
            guard name != "te" || value.utf8.elementsEqual("trailers".utf8) else { throw MalformedMessage() }
        }
    }

    private static func isPseudo(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }

    /// RFC 9110 §5.6.2.
    private static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x30...0x39, 0x41...0x5a, 0x5e...0x7a, 0x7c, 0x7e: true
                default: false
                }
            }
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }

    /// Without ends of lines and zeros (§8.2.1).
    private static func isValue(_ bytes: String.UTF8View) -> Bool {
        !bytes.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func hasBlanks(_ value: String.UTF8View) -> Bool {
        value.first.map(isBlank) == true || value.last.map(isBlank) == true
    }

    private static func withoutBlanks(_ value: String) -> String {
        let bytes = value.utf8.drop(while: isBlank)
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(bytes[...last]))
    }

    private static func isPath(_ path: String.UTF8View?, of method: String.UTF8View) -> Bool {
        guard let path else { return false }
        return path.first == UInt8(ascii: "/")
            || path.elementsEqual("*".utf8) && method.elementsEqual("OPTIONS".utf8)
    }
}

/// What is still to come of a body, where its head states the length (RFC 9113 §8.1.1).
struct StatedLength {
    /// Nil where none is stated.
    private var rest: Int?

    /// A length is stated once, as over HTTP/1.1.
    init(_ headers: HPACKHeaders) throws(MalformedMessage) {
        let stated = headers["content-length"]
        guard let text = stated.first else { return }
        guard stated.count == 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text) else {
            throw MalformedMessage()
        }
        rest = length
    }

    mutating func take(_ bytes: Int, isLast: Bool) throws(MalformedMessage) {
        guard let due = rest else { return }
        guard bytes <= due, !isLast || bytes == due else { throw MalformedMessage() }
        rest = due - bytes
    }
}
