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

    /// Behind a name so much is looked at: enough to see that it goes on as an address does.
    private static let mostPath = 64
    /// The longest way to write an address of IPv6.
    private static let mostAddress = 45

    private typealias Scalars = ArraySlice<Unicode.Scalar>

    /// The work grows with the length of the text: names are read once, and what follows each of them as far as the limits above.
    static func hasLink(_ text: String) -> Bool {
        // Full-width letters and dots look like a link too, and are opened as one; so is one with something unseen in it, or an accent.
        let seen = text.unicodeScalars.lazy.filter {
            !VisibleText.isUnseen($0) && StreamSafeText.marks(in: $0.value) == 0
        }.map(VisibleText.narrow)
        let plain = Array(String(String.UnicodeScalarView(seen)).lowercased().unicodeScalars)
        var index = 0
        while index < plain.count {
            if isNamePart(plain[index]) {
                let end = plain[index...].firstIndex { !isNamePart($0) } ?? plain.count
                let labels = plain[index..<end].trimmed.split(separator: ".", omittingEmptySubsequences: false)
                if isName(labels) || leadsOn(labels, to: plain[end...].prefix(mostPath + 1)) { return true }
                index = end
            } else if plain[index...].starts(with: "://".unicodeScalars) || isAddress(plain[index...]) {
                return true
            } else {
                index += 1
            }
        }
        return false
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "." || scalar == "-" || isASCIIWord(scalar) }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    private static func isASCIIWord(_ scalar: Unicode.Scalar) -> Bool { isASCIILetter(scalar) || isDigit(scalar) }

    private static func isASCIILetter(_ scalar: Unicode.Scalar) -> Bool { ("a"..."z").contains(scalar) }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func text(_ scalars: Scalars) -> String { String(String.UnicodeScalarView(scalars)) }

    /// `example.com`, `www.example`, `a.b.kr`.
    private static func isName(_ labels: [Scalars]) -> Bool {
        guard labels.count >= 2, let last = labels.last, !labels.contains(where: \.isEmpty) else { return false }
        if text(labels[0].prefix(4)) == "www" { return true }
        // Korean and Chinese sentences go on without a space: 봐example.com으로.
        return endings.contains(text(last.prefix(while: isASCIILetter).prefix(8)))
    }

    /// `192.0.2.1/x`, `192.0.2.1:8080`, `shop.example/buy`, `shop.example?id=1`: an address of any ending, by what follows it.
    private static func leadsOn(_ labels: [Scalars], to rest: Scalars) -> Bool {
        guard let next = rest.first else { return false }
        let path = rest.dropFirst().prefix { !$0.properties.isWhitespace }
        let port = path.prefix(while: isDigit)
        if isIPv4(labels) {
            // Versions and networks are numbers to their end: 1.2.3.4/1.2.3.5, 10.0.0.0/8.
            let isNumber = path.allSatisfy { $0 == "." || $0.properties.numericType != nil }
            return next == "/" && !(isNumber && !path.isEmpty) || next == ":" && port.count >= 2
        }
        guard isHost(labels) else { return false }
        switch next {
        case "/": return path.first.map { isNamePart($0) && $0 != "." || "_~%@?#".unicodeScalars.contains($0) } ?? false
        case ":": return (2...5).contains(port.count) && path.dropFirst(port.count).first == "/"
        case "?":
            let name = path.prefix { isASCIIWord($0) || $0 == "_" }
            return !name.isEmpty && path.dropFirst(name.count).first == "="
        default: return false
        }
    }

    private static func isIPv4(_ labels: [Scalars]) -> Bool {
        labels.count == 4
            && labels.allSatisfy { $0.count <= 3 && $0.allSatisfy(isDigit) && UInt8(text($0)) != nil }
    }

    private static func isHost(_ labels: [Scalars]) -> Bool {
        guard labels.count >= 2, let last = labels.last, !labels.contains(where: \.isEmpty), last.count >= 2,
            last.allSatisfy(isASCIILetter) || last.starts(with: "xn--".unicodeScalars),
            !files.contains(text(last.prefix(8)))
        else { return false }
        // J.Cole/Drake.
        guard labels.dropLast().contains(where: { $0.count >= 2 }) else { return false }
        return labels.count > 2 || !titles.contains(text(labels[0].prefix(8)))
    }

    /// RFC 3986 §3.2.2: an address of IPv6 in brackets, and what leads on from it.
    private static func isAddress(_ scalars: Scalars) -> Bool {
        guard scalars.first == "[" else { return false }
        let inside = scalars.dropFirst().prefix(mostAddress).prefix {
            isDigit($0) || ("a"..."f").contains($0) || $0 == ":" || $0 == "."
        }
        let behind = scalars.dropFirst(1 + inside.count).prefix(3)
        guard inside.count(where: { $0 == ":" }) >= 2, behind.first == "]", let next = behind.dropFirst().first else {
            return false
        }
        return next == "/" || next == ":" && behind.last.map(isDigit) == true && behind.count == 3
    }
}

extension ArraySlice<Unicode.Scalar> {
    /// Without the dots around it.
    fileprivate var trimmed: ArraySlice<Unicode.Scalar> {
        guard let last = lastIndex(where: { $0 != "." }) else { return [] }
        return self[...last].drop { $0 == "." }
    }
}
