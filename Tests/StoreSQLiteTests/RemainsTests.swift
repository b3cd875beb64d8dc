import Foundation
import GRDB
import RoomModel
import RoomPorts
import Testing

@testable import StoreSQLite

/// What is left in the file of rows that were written over.
@Suite struct RemainsTests {
    private static let mark = Data("Qvz".utf8)

    /// Rows of many lengths, in no order, each written over: SQLite moves them within their pages, and moves what is beside them.
    private func fill(_ store: SQLiteStore) async throws {
        _ = try await store.commit.run { db in
            try db.execute(
                sql:
                    "CREATE TABLE filled (room INTEGER, seq INTEGER, payload BLOB, PRIMARY KEY (room, seq)) WITHOUT ROWID"
            )
            var state: UInt64 = 5
            func random(_ bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % bound
            }
            for number in 0..<3_000 {
                let payload =
                    Data(repeating: 0, count: 0) + (0..<1 + random(30)).flatMap { _ in Data("Qvz\(number)".utf8) }
                try db.execute(
                    sql: "INSERT INTO filled VALUES (?, ?, ?)", arguments: [random(20), number, payload])
            }
            try db.execute(sql: "UPDATE filled SET payload = zeroblob(5)")
        }
        try await store.commit.emptyLog()
    }

    private func traces(_ store: SQLiteStore) throws -> Int {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        var (count, rest) = (0, bytes.startIndex..<bytes.endIndex)
        while let found = bytes.range(of: Self.mark, in: rest) {
            count += 1
            rest = found.upperBound..<bytes.endIndex
        }
        return count
    }

    @Test("R09-S where rows were moved within a page nothing is left of them after an erasure")
    func erased() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        try await fill(store)
        try #require(try traces(store) > 0, "SQLite clears such places by itself: there is nothing to test")
        _ = try await store.personalData.erase(#require(UserID("mina")), of: ApplicationID(1))
        #expect(try traces(store) == 0)
        #expect(store.personalData.copies() == [])
        await store.shutDown()
    }

    @Test(
        "R09-S a file that is too large to be written anew beside people's calls is named, and written anew at the next start"
    )
    func later() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        try await fill(store)
        _ = try await store.commit.run { db in
            try db.execute(sql: "CREATE TABLE large (payload BLOB)")
            try db.execute(sql: "INSERT INTO large VALUES (zeroblob(?))", arguments: [Remains.largestAtOnce])
        }
        _ = try await store.personalData.erase(#require(UserID("mina")), of: ApplicationID(1))
        #expect(store.personalData.copies() == [store.path])
        await store.shutDown()
        let again = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(try traces(again) == 0)
        #expect(again.personalData.copies() == [])
        await again.shutDown()
    }
}
