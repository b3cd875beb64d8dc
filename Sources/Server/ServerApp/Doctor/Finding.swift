/// What a look at a server, or at the machine that it runs on, found.
package struct Finding: Sendable, Hashable, Codable {
    package enum Grade: String, Sendable, Hashable, Codable {
        case fine = "ok"
        /// Some people, or one day all of them, will not get through.
        case warning
        /// Nobody gets through, or the server does not start.
        case problem
    }

    package var grade: Grade
    /// What was looked at, in a word or two.
    package var subject: String
    package var sentence: String
    /// What to do; nil where all is well.
    package var advice: String?

    package static func fine(_ subject: String, _ sentence: String) -> Finding {
        Finding(grade: .fine, subject: subject, sentence: sentence)
    }

    package static func warning(_ subject: String, _ sentence: String, _ advice: String) -> Finding {
        Finding(grade: .warning, subject: subject, sentence: sentence, advice: advice)
    }

    package static func problem(_ subject: String, _ sentence: String, _ advice: String) -> Finding {
        Finding(grade: .problem, subject: subject, sentence: sentence, advice: advice)
    }
}
