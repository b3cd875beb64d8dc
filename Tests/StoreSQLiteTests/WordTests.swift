import RoomModel
import RoomPorts
import Testing

@testable import StoreSQLite

/// G06: the words of applications, on the disk.
@Suite struct WordTests {
    @Test("G06-S an application has only so many words, and one too many changes nothing")
    func bounded() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let app = ApplicationID(1)
        #expect(try await store.words.change(app, adding: ["a", "b"], removing: [], most: 2))
        #expect(try await !store.words.change(app, adding: ["c", "d"], removing: ["a"], most: 2))
        #expect(try await store.words.words(of: app, after: nil, limit: 9) == ["a", "b"])
        #expect(try await store.words.change(app, adding: ["c", "b"], removing: ["a"], most: 2))
        #expect(try await store.words.words(of: app, after: nil, limit: 9) == ["b", "c"])
        #expect(try await store.words.change(ApplicationID(2), adding: ["x", "y"], removing: [], most: 2))
        await store.shutDown()
    }
}
