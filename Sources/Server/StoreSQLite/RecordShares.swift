import GRDB
import RoomModel
import RoomPorts
import Synchronization

/// Who fills a table that all applications share. One that is full loses rows of the application that has most of them, and none of the
/// others'.
final class RecordShares: Sendable {
    private let most: Int
    private let counts: Mutex<[Int64: Int]>

    /// - Parameter table: with a column `application`.
    init(_ pool: any DatabaseReader, table: String, most: Int) throws(StoreFailure) {
        self.most = most
        do {
            counts = Mutex(
                try pool.read { db in
                    let rows = try Row.fetchAll(
                        db, sql: "SELECT application, count(*) FROM \(table) GROUP BY application")
                    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, $0[1] as Int) })
                })
        } catch { throw StoreFailure(error, path: pool.path) }
    }

    /// Rows have come or gone, and that is on the disk.
    func change(_ application: Int64, by count: Int) {
        counts.withLock { counts in
            let now = max(0, (counts[application] ?? 0) + count)
            counts[application] = now == 0 ? nil : now
        }
    }

    func count(_ application: Int64) -> Int { counts.withLock { $0[application] ?? 0 } }

    /// Whose rows are to go when one more of that application comes; `nil`: there is room.
    func giver(to application: Int64) -> Int64? {
        counts.withLock { counts in
            guard counts.values.reduce(0, +) >= most else { return nil }
            let largest = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
            // Among equals whoever comes gives.
            if let own = counts[application], own >= largest?.value ?? 0 { return application }
            return largest?.key
        }
    }
}
