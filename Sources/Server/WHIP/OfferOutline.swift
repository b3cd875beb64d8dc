/// What the gateway must know of a session description, or of a fragment of one (RFC 8840 §9): its sections and its ICE credentials. The media
/// plane reads the whole.
struct OfferOutline: Equatable {
    struct Section: Equatable {
        /// "audio", "video", …
        var kind: String
        /// 0: the section is refused.
        var port: String
        var mid: String?
        /// `nil`: sendrecv (RFC 8866 §6.7).
        var direction: String?

        var sends: Bool { direction == nil || direction == "sendrecv" || direction == "sendonly" }
        var receives: Bool { direction == nil || direction == "sendrecv" || direction == "recvonly" }
    }

    private(set) var sections: [Section] = []
    /// The first that are named.
    private(set) var ufrag: String?
    private(set) var password: String?
    /// The lines `a=candidate:…` of the first section that has any.
    private(set) var candidates: [String] = []

    /// Lines that mean nothing here are passed over.
    init(_ text: String) {
        var candidateSection: Int?
        for line in Self.lines(of: text) {
            if line.hasPrefix("m=") {
                let words = line.dropFirst(2).split(separator: " ", maxSplits: 2)
                sections.append(
                    Section(
                        kind: words.first.map(String.init) ?? "", port: words.dropFirst().first.map(String.init) ?? ""))
            } else if let value = Self.value("a=ice-ufrag:", of: line) {
                if ufrag == nil { ufrag = value }
            } else if let value = Self.value("a=ice-pwd:", of: line) {
                if password == nil { password = value }
            } else if line.hasPrefix("a=candidate:") {
                if candidateSection == nil { candidateSection = sections.count }
                if candidateSection == sections.count { candidates.append(String(line)) }
            } else if let last = sections.indices.last {
                if let value = Self.value("a=mid:", of: line) { sections[last].mid = value }
                for direction in ["sendrecv", "sendonly", "recvonly", "inactive"] where line == "a=\(direction)" {
                    sections[last].direction = direction
                }
            }
        }
    }

    /// The same description with other ICE credentials, as an offer that restarts ICE has them (RFC 8839 §4.4.1.1.1).
    static func restarted(_ text: String, ufrag: String, password: String) -> String {
        lines(of: text).map { line in
            line.hasPrefix("a=ice-ufrag:")
                ? "a=ice-ufrag:\(ufrag)" : line.hasPrefix("a=ice-pwd:") ? "a=ice-pwd:\(password)" : String(line)
        }.joined(separator: "\r\n") + "\r\n"
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline)
    }

    private static func value(_ prefix: String, of line: Substring) -> String? {
        line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : nil
    }
}
