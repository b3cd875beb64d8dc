import Texts

/// Finds links in what people write. It knows addresses with a scheme or `www.`, and names under the endings that people use most: other
/// words with a dot between them are no links.
enum ChatLinks {
    private static let endings: Set<String> = [
        "com", "net", "org", "io", "co", "me", "tv", "gg", "cc", "ly", "to", "xyz", "app", "dev", "link", "live",
        "shop", "site",
        "online", "store", "club", "top", "vip", "info", "biz", "kr", "cn", "jp", "tw", "hk", "uk", "de", "fr", "ru",
        "us",
    ]

    /// Files that people talk of: `node.js/react`.
    private static let files: Set<String> = [
        "js", "ts", "py", "css", "html", "htm", "json", "xml", "txt", "pdf", "doc", "docx", "csv", "png", "jpg", "jpeg",
        "gif", "svg", "wav", "flac", "ogg", "mov", "exe", "apk", "java", "cpp", "swift", "php", "asp", "jsx", "tsx",
        "vue",
    ]
    /// What stands before a name without a space: `Mr.Kim/Ms.Lee`.
    private static let titles: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "vs", "feat", "ft", "prod", "no", "vol", "pt", "ep", "op", "nr",
    ]

    static func hasLink(_ text: String) -> Bool {
        // Full-width letters and dots look like a link too, and are opened as one; so is one with something unseen in it.
        let seen = text.unicodeScalars.lazy.filter { !VisibleText.isUnseen($0) }.map(VisibleText.narrow)
        let plain = String(String.UnicodeScalarView(seen)).lowercased()
        if plain.contains("://") { return true }
        var rest = plain[...]
        while let start = rest.firstIndex(where: isNamePart) {
            let end = rest[start...].firstIndex { !isNamePart($0) } ?? rest.endIndex
            let labels = rest[start..<end].trimmed { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
            rest = rest[end...]
            if isName(labels) || leadsOn(labels, to: rest) { return true }
        }
        // RFC 3986 §3.2.2: an address of IPv6 in brackets.
        return plain.contains(/\[[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*\](\/|:[0-9])/)
    }

    private static func isNamePart(_ character: Character) -> Bool {
        character == "." || character == "-" || character.isLetter || character.isNumber
    }

    /// `example.com`, `www.example`, `a.b.kr`.
    private static func isName(_ labels: [Substring]) -> Bool {
        guard labels.count >= 2, let last = labels.last, !labels.contains("") else { return false }
        if labels[0] == "www" { return true }
        // Korean and Chinese sentences go on without a space: 봐example.com으로.
        let ascii = last.prefix { $0.isASCII && $0.isLetter }
        return endings.contains(String(ascii))
    }

    /// `192.0.2.1/x`, `192.0.2.1:8080`, `shop.example/buy`, `shop.example?id=1`: an address of any ending, by what follows it.
    private static func leadsOn(_ labels: [Substring], to rest: Substring) -> Bool {
        guard let next = rest.first else { return false }
        let path = rest.dropFirst().prefix { !$0.isWhitespace }
        let port = path.prefix { $0.isASCII && $0.isNumber }
        if isIPv4(labels) {
            // Versions and networks are numbers to their end: 1.2.3.4/1.2.3.5, 10.0.0.0/8.
            let isNumber = path.allSatisfy { $0.isNumber || $0 == "." }
            return next == "/" && !(isNumber && !path.isEmpty) || next == ":" && port.count >= 2
        }
        guard isHost(labels) else { return false }
        switch next {
        case "/": return path.first.map { isNamePart($0) && $0 != "." || "_~%@?#".contains($0) } ?? false
        case ":": return (2...5).contains(port.count) && path.dropFirst(port.count).first == "/"
        case "?": return path.contains(/^[a-z0-9_]+=/)
        default: return false
        }
    }

    private static func isIPv4(_ labels: [Substring]) -> Bool {
        labels.count == 4
            && labels.allSatisfy {
                $0.count <= 3 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil
            }
    }

    private static func isHost(_ labels: [Substring]) -> Bool {
        guard labels.count >= 2, let last = labels.last, !labels.contains(""), last.count >= 2,
            last.allSatisfy({ $0.isASCII && $0.isLetter }) || last.hasPrefix("xn--"), !files.contains(String(last))
        else { return false }
        // J.Cole/Drake.
        guard labels.dropLast().contains(where: { $0.count >= 2 }) else { return false }
        return labels.count > 2 || !titles.contains(String(labels[0]))
    }
}

extension Substring {
    fileprivate func trimmed(where goes: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !goes($0) }) else { return "" }
        return self[...last].drop(while: goes)
    }
}
