import Foundation

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
    /// What a page may go on to show.
    enum Place: String, Sendable {
        case lobby
        case room
        /// Viewers of one go straight in.
        case live
    }

    func html(for place: Place, language: PageLanguage) -> String {
        let now = languages[language.rawValue] ?? []
        let soon = pages[place.rawValue] ?? []
        return
            (now.map { "<link rel=\"modulepreload\" href=\"/\($0)\">" }
            + soon.map { "<link rel=\"modulepreload\" href=\"/\($0)\" fetchpriority=\"low\">" })
            .joined(separator: "\n    ")
    }
}
