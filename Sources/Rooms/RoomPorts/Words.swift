package import RoomModel

/// Words that an application's texts may not have, beside those of the server's file.
package protocol WordStore: Sendable {
    /// In their order, after that one.
    func words(of application: ApplicationID, after word: String?, limit: Int) async throws(JournalFailure) -> [String]
    func count(of application: ApplicationID) async throws(JournalFailure) -> Int
    /// - Returns: whether there was room: an application has at most `most`.
    func change(
        _ application: ApplicationID, adding: [String], removing: [String], most: Int
    ) async throws(JournalFailure) -> Bool
}

package enum WordFault: Error, Sendable, Hashable {
    case unavailable
    /// What is wrong with a word.
    case invalid(String)
    case tooMany(Int)
}

/// The words in use, as operators change them.
package protocol WordControl: Sendable {
    func list(
        of application: ApplicationID, after word: String?, limit: Int
    ) async throws(WordFault) -> (words: [String], count: Int)
    /// In force when it returns; says how many there are.
    func change(
        _ application: ApplicationID, adding: [String], removing: [String]
    ) async throws(WordFault) -> Int
    /// What of the text would be stopped, by the application's words or the server's file.
    func stopped(in text: String, of application: ApplicationID) -> String?
}
