import Commerce
import Foundation
import RoomModel
import RoomPorts
import StoreSQLite
import Timing

// R4: gifts from 500 people to one, each a durable transfer in the store's ledger. Each person sends the next gift as soon as the one
// before is on the disk.

let people = 500
let rounds = 60
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ovation-ledger-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let store = try SQLiteStore(directory: folder.path) {
    WallTime(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9))
}
let application = ApplicationID(1_400_000_001)

func user(_ name: String) -> UserID {
    guard let user = UserID(name) else { fatalError("\(name) is no user id") }
    return user
}

let anchor = user("anchor")
let life = RoomLife(key: RoomKey(application: application, room: .number(10_000)), createdIn: 1)

@Sendable func post(_ transfer: Transfer, by poster: TransferKey.Poster, _ key: String) async throws {
    let posted = try await withCheckedThrowingContinuation { continuation in
        store.ledger.post(
            transfer, key: TransferKey(application: application, poster: poster, key: key, fingerprint: key)
        ) { continuation.resume(with: $0) }
    }
    guard case .posted = posted else { fatalError("\(key) was refused: \(posted)") }
}

let names = (0..<people).map { user("fan-\($0)") }
for name in names {
    try await post(
        Transfer(from: .shop, to: .wallet(name), coins: 1_000_000, purpose: .topUp), by: .operator, name.rawValue)
}
let before = store.commitCounts
let start = ContinuousClock.now
/// What each of somebody's gifts took, in milliseconds.
@Sendable func give(_ name: UserID) async throws -> [Double] {
    var waits: [Double] = []
    for round in 0..<rounds {
        let asked = ContinuousClock.now
        let gift = Transfer(
            from: .wallet(name), to: .earnings(anchor), coins: 10,
            purpose: .gift(to: life, detail: Array(repeating: 0x61, count: 200)))
        try await post(gift, by: .user(name), "\(round)")
        waits.append((ContinuousClock.now - asked) / .milliseconds(1))
    }
    return waits
}
let waits = try await withThrowingTaskGroup(of: [Double].self) { group in
    for name in names { group.addTask { try await give(name) } }
    var all: [Double] = []
    for try await one in group { all += one }
    return all
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
let sum = try await store.ledger.sum(of: application)
let earned = try await store.ledger.balance(of: .earnings(anchor), in: application)
let commits = store.commitCounts.commits - before.commits
guard sum == 0, earned == Int64(people * rounds * 10) else {
    fatalError("all accounts hold \(sum), the anchor \(earned)")
}
let sorted = waits.sorted()
print(
    String(
        format: "%.0f transfers/s from %d people to one, p50 %.1f ms, p99 %.1f ms; %d transfers in %d commits",
        Double(waits.count) / seconds, people, sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], waits.count,
        commits))
await store.shutDown()
