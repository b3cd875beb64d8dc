import Foundation
import HTTPTypes

/// What a released page loads beyond its first script, by language and by what it shows: told in the page itself, so that the browser asks
/// for it at once and not when the script that wants it has run. `scripts/pages` writes it.
struct AnnouncedModules: Sendable, Hashable, Decodable {
    /// Paths inside the web root, by the language's name.
    private var languages: [String: [String]]
    /// The same, by the page.
    private var pages: [String: [String]]

    static let path = "built/routes.json"
    /// Where they go in a page.
    static let place = "<!--preload-->"
    /// More wishes than a browser has.
    private static let mostWishes = 32

    /// What a page may go on to show.
    enum Place: String, Sendable {
        case lobby
        case room
        /// Viewers of one go straight in.
        case live
    }

    /// - Parameter language: as `Accept-Language` has it.
    func html(for place: Place, language: String) -> String {
        let now = languages[Self.language(language)] ?? []
        let soon = pages[place.rawValue] ?? []
        return
            (now.map { "<link rel=\"modulepreload\" href=\"/\($0)\">" }
            + soon.map { "<link rel=\"modulepreload\" href=\"/\($0)\" fetchpriority=\"low\">" })
            .joined(separator: "\n    ")
    }

    /// As `preferredLanguage` in Web/lib/i18n.js chooses. A wrong guess costs a file that nobody reads: what somebody has chosen in the
    /// settings is known to the page alone.
    private static func language(_ header: String) -> String {
        for wish in header.split(separator: ",").prefix(mostWishes) {
            let tag = wish.drop { $0 == " " }.lowercased()
            if tag.hasPrefix("ko") { return "ko" }
            if tag.hasPrefix("zh") { return "zh-Hans" }
            if tag.hasPrefix("en") { return "en" }
        }
        return "en"
    }
}
