import Foundation
import GRDB
import RoomEvents
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing

@testable import StoreSQLite

@Suite("Operators' keys")
struct OperatorKeyTests {
    private func key(_ id: String, _ time: Int64 = 1) -> OperatorKey {
        OperatorKey(
            id: id, application: nil, name: UserID(literal: "console"), scopes: [.moderate], digest: [1, 2],
            createdAt: time)
    }

    @Test("R01 keys are kept up to a number, revoked once, and read back in their order")
    func kept() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(try await store.operatorKeys.add(key("b", 2), limit: 2))
        #expect(try await store.operatorKeys.add(key("a"), limit: 2))
        #expect(try await !store.operatorKeys.add(key("c"), limit: 2))
        await #expect(throws: JournalFailure.self) { _ = try await store.operatorKeys.add(key("a"), limit: 9) }
        #expect(try await store.operatorKeys.keys() == [key("a"), key("b", 2)])
        #expect(try await store.operatorKeys.revoke("a"))
        #expect(try await !store.operatorKeys.revoke("a"))
        #expect(try await store.operatorKeys.keys() == [key("b", 2)])
        await store.shutDown()
    }

    @Test("R01 a scope that this version does not know opens nothing")
    func unknownScope() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        _ = try await store.operatorKeys.add(key("a"), limit: 2)
        try await store.pool.write { try $0.execute(sql: "UPDATE operator_key SET scopes = 'moderation moon:land'") }
        #expect(try await store.operatorKeys.keys().map(\.scopes) == [[.moderate]])
        await store.shutDown()
    }
}
