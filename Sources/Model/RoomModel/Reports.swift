/// What somebody reports about another person.
@nonexhaustive public enum ReportCause: String, Codable, Hashable, Sendable, CaseIterable {
    /// Advertising, or the same again and again.
    case spam
    /// Insults, threats, hatred.
    case abuse
    /// Nakedness or sex.
    case nudity
    /// Violence, against oneself too.
    case violence
    /// Deceit, to get money or secrets.
    case fraud
    /// Somebody who may be a child, or is treated as none should be.
    case minor
    /// Something else.
    case other
}

/// What somebody tells the operator about a person in a room.
package struct ReportDraft: Hashable, Sendable {
    package var user: UserID
    package var cause: ReportCause
    /// Up to 200 characters.
    package var words: String?
    /// The number of a message of that person, which goes along.
    package var message: UInt64?

    package init(_ user: UserID, cause: ReportCause, words: String? = nil, message: UInt64? = nil) {
        self.user = user
        self.cause = cause
        self.words = words
        self.message = message
    }

    package var texts: [SaidText] { words.map { [SaidText(.reportWords, $0, "words")] } ?? [] }
}
