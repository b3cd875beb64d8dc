/// How languages are named (BCP 47), as far as names need it: a language, maybe a script, maybe a region, each in its usual letters.
package enum LanguageTag {
    /// Whether it is one such as "ko", "pt-BR" or "zh-Hans". Letters of another case are another key of a table, so they are none.
    package static func isSound(_ tag: String) -> Bool {
        guard tag.utf8.count <= bytes else { return false }
        var parts = tag.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let language = parts.popFirst(), (2...3).contains(language.utf8.count), language.utf8.allSatisfy(isSmall)
        else { return false }
        if let script = parts.first, script.utf8.count == 4, script.utf8.first.map(isCapital) == true,
            script.utf8.dropFirst().allSatisfy(isSmall)
        {
            parts.removeFirst()
        }
        if let region = parts.first {
            let isRegion =
                region.utf8.count == 2 && region.utf8.allSatisfy(isCapital)
                || region.utf8.count == 3 && region.utf8.allSatisfy(isDigit)
            guard isRegion else { return false }
            parts.removeFirst()
        }
        return parts.isEmpty
    }

    /// "zho-Hans-156" is the longest.
    private static let bytes = 12

    private static func isSmall(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
