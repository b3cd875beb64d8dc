import HTTPTypes
import Hummingbird

/// The languages of the pages, by their names.
enum PageLanguage: String, Sendable {
    case english = "en"
    case korean = "ko"
    case chinese = "zh-Hans"

    /// More wishes than a browser has.
    private static let mostWishes = 32

    /// As `preferredLanguage` in Web/lib/i18n.js chooses, by what the browser says: what somebody has chosen in the settings is known to the
    /// pages alone.
    init(of request: Request) {
        self.init(accepted: request.headers[values: .acceptLanguage].joined(separator: ","))
    }

    /// - Parameter accepted: as `Accept-Language` has it.
    init(accepted: String) {
        for wish in accepted.split(separator: ",").prefix(Self.mostWishes) {
            let tag = wish.drop { $0 == " " }.lowercased()
            for (beginning, language) in [("ko", Self.korean), ("zh", .chinese), ("en", .english)]
            where tag.hasPrefix(beginning) {
                self = language
                return
            }
        }
        self = .english
    }
}
