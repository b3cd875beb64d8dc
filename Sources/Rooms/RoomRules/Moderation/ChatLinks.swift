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

    static func hasLink(_ text: String) -> Bool {
        // Full-width letters and dots look like a link too, and are opened as one; so is one with something unseen in it.
        let seen = text.unicodeScalars.lazy.filter { !VisibleText.isUnseen($0) }.map(VisibleText.narrow)
        let plain = String(String.UnicodeScalarView(seen)).lowercased()
        if plain.contains("://") { return true }
        return plain.split(whereSeparator: { !isNamePart($0) }).contains(where: isName)
    }

    private static func isNamePart(_ character: Character) -> Bool {
        character == "." || character == "-" || character.isLetter || character.isNumber
    }

    /// `example.com`, `www.example`, `a.b.kr`.
    private static func isName(_ word: Substring) -> Bool {
        let labels = word.split(separator: ".")
        guard labels.count >= 2, let last = labels.last else { return false }
        if labels[0] == "www" { return true }
        // Korean and Chinese sentences go on without a space: 봐example.com으로.
        let ascii = last.prefix { $0.isASCII && $0.isLetter }
        return endings.contains(String(ascii))
    }
}
