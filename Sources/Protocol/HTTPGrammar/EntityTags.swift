/// The entity tags that a client names in `If-Match`, `If-None-Match` or `If-Range` (RFC 9110 §8.8.3, §13.1).
package enum EntityTags: Hashable, Sendable {
    /// `*`: whatever there is.
    case any
    case some([Tag])

    package struct Tag: Hashable, Sendable {
        package var isWeak: Bool
        /// Between the quotation marks.
        package var opaque: [UInt8]

        package init(isWeak: Bool, opaque: [UInt8]) {
            self.isWeak = isWeak
            self.opaque = opaque
        }
    }

    /// More than any client knows of one address.
    private static let limit = 64

    /// - Parameter header: all its lines, with commas between them.
    /// - Returns: `nil` for what is no such list.
    package init?(_ header: String) {
        var rest = Array(header.utf8)[...]
        func skip() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }
        skip()
        if rest.first == UInt8(ascii: "*") {
            rest = rest.dropFirst()
            skip()
            guard rest.isEmpty else { return nil }
            self = .any
            return
        }
        var tags: [Tag] = []
        while true {
            // A list may have empty elements (RFC 9110 §5.6.1).
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { break }
            let isWeak = rest.starts(with: Array("W/".utf8))
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.popFirst() == UInt8(ascii: "\""), tags.count < Self.limit,
                let end = rest.firstIndex(of: UInt8(ascii: "\"")),
                rest[..<end].allSatisfy({ $0 == 0x21 || (0x23...0x7e).contains($0) || $0 >= 0x80 })
            else { return nil }
            tags.append(Tag(isWeak: isWeak, opaque: Array(rest[..<end])))
            rest = rest[(end + 1)...]
            skip()
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        guard !tags.isEmpty else { return nil }
        self = .some(tags)
    }

    /// Whether `tag` is named, as `If-Match` and `If-Range` compare: a weak tag is equal to none (RFC 9110 §8.8.3.2).
    /// - Parameter tag: ours, with its quotation marks; strong.
    package func matchesStrongly(_ tag: String) -> Bool { contains(tag) { !$0.isWeak } }

    /// Whether `tag` is named, as `If-None-Match` compares. Gateways that compress weaken the tags of what passes them.
    package func matchesWeakly(_ tag: String) -> Bool { contains(tag) { _ in true } }

    private func contains(_ tag: String, _ counts: (Tag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .some(let tags):
            tags.contains { counts($0) && tag.utf8.dropFirst().dropLast().elementsEqual($0.opaque) }
        }
    }
}
