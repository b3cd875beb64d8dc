import Dispatch
package import RoomModel
package import RoomPorts
import Synchronization
import Timing
import WordLists

/// The words of applications, which stop a text as those of the server's file do.
package final class ApplicationWords: WordControl {
    private static let page = 10_000

    /// The file's words and an application's own.
    private struct Both: TextFilter {
        var file: WordList?
        var own: WordFilter?

        func stopped(in text: String) -> String? { file?.stopped(in: text) ?? own?.stopped(in: text) }
    }

    private let store: any WordStore
    private let file: WordList?
    private let filters = Mutex<[ApplicationID: WordFilter]>([:])
    private let changes = SerialWork()
    /// Thousands of words take a while to be prepared, and hold nobody up.
    private let queue = DispatchQueue(label: "ovation.words.applications")

    package init(store: any WordStore, file: WordList?) {
        self.store = store
        self.file = file
    }

    /// Before rooms are opened.
    package func load(_ applications: [ApplicationID]) async throws(JournalFailure) {
        for application in applications { try await reload(application) }
    }

    /// `nil`: nothing is stopped.
    package func filter(of application: ApplicationID) -> (any TextFilter)? {
        let own = filters.withLock { $0[application] }
        return file == nil && own == nil ? nil : Both(file: file, own: own)
    }

    package func stopped(in text: String, of application: ApplicationID) -> String? {
        filter(of: application)?.stopped(in: text)
    }

    package func list(
        of application: ApplicationID, after word: String?, limit: Int
    ) async throws(WordFault) -> (words: [String], count: Int) {
        do throws(JournalFailure) {
            return (
                words: try await store.words(of: application, after: word, limit: limit),
                count: try await store.count(of: application)
            )
        } catch { throw .unavailable }
    }

    package func change(
        _ application: ApplicationID, adding: [String], removing: [String]
    ) async throws(WordFault) -> Int {
        for word in adding {
            guard WordFilter.wordCharacters.contains(word.count), word.utf8.count <= 512 else {
                throw .invalid("a word has up to 64 characters: \(word.prefix(80))")
            }
            guard WordFilter.canFind(word) else { throw .invalid("there is no letter in \"\(word)\"") }
        }
        let result = await changes.run { [self] () async -> Result<Int, WordFault> in
            do throws(JournalFailure) {
                guard
                    try await store.change(
                        application, adding: adding, removing: removing, most: WordFilter.most)
                else { return .failure(.tooMany(WordFilter.most)) }
                try await reload(application)
                return .success(filters.withLock { $0[application]?.count } ?? 0)
            } catch { return .failure(.unavailable) }
        }
        return try result.get()
    }

    private func reload(_ application: ApplicationID) async throws(JournalFailure) {
        var words: [String] = []
        while true {
            let more = try await store.words(of: application, after: words.last, limit: Self.page)
            words += more
            if more.count < Self.page { break }
        }
        let all = words
        let filter: WordFilter? =
            all.isEmpty
            ? nil
            : await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: WordFilter(all)) }
            }
        filters.withLock { $0[application] = filter }
    }
}
