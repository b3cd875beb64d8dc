import Foundation
import JournalContract
import RoomModel
import RoomPorts
import Synchronization
import Testing

@testable import StoreSQLite

/// Figures, not a verdict: run with `OVATION_BENCH=1 swift test -c release --filter GroupCommitBenchmark`.
@Suite("Benchmark of the group commit", .enabled(if: ProcessInfo.processInfo.environment["OVATION_BENCH"] != nil))
struct GroupCommitBenchmark {
    /// One configuration: so many rooms, each with one command in flight, as rooms wait for their own answers.
    @Test("commands per second, fsyncs, and time until acknowledged", arguments: [1, 10, 100, 1_000])
    func throughput(rooms: Int) async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let journal = store.journal
        var epochs: [RoomKey: UInt64] = [:]
        for room in 1...rooms {
            epochs[.numbered(UInt32(room))] = try await journal.open(.numbered(UInt32(room)), chatLimit: 0).epoch
        }
        let perRoom = max(20, min(2_000, 40_000 / rooms))
        let payload = [UInt8](repeating: 0x61, count: 300)
        let clock = ContinuousClock()
        let (before, syncs, start) = (store.commitCounts, disk.syncs, clock.now)
        let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
            for (key, epoch) in epochs {
                group.addTask {
                    var latencies: [Duration] = []
                    for position in 1...UInt64(perRoom) {
                        let submitted = clock.now
                        try await journal.append(
                            JournalEntry(
                                key: key, kind: .durable, position: position, epoch: epoch, payload: payload))
                        latencies.append(clock.now - submitted)
                    }
                    return latencies
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let seconds = Double((clock.now - start) / .milliseconds(1)) / 1_000
        let commits = store.commitCounts.commits - before.commits
        func milliseconds(_ share: Double) -> String {
            String(format: "%.2f", latencies[Int(Double(latencies.count - 1) * share)] / .milliseconds(1))
        }
        print(
            """
            \(rooms) rooms: \(Int(Double(latencies.count) / seconds)) commands/s, \(commits) commits, \
            \(disk.syncs - syncs) fsyncs, p50 \(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, \
            slowest \(milliseconds(1)) ms
            """)
        await store.shutDown()
    }

    @Test("time until 1,000 rooms with 50 entries each are open again")
    func reopening() async throws {
        let scratch = try Scratch()
        let rooms = (1...1_000).map { RoomKey.numbered(UInt32($0)) }
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        for key in rooms {
            let epoch = try await store.journal.open(key, chatLimit: 0).epoch
            for position in 1...UInt64(50) { store.journal.submit(.sample(key, position, epoch: epoch)) { _ in } }
        }
        await store.shutDown()
        let clock = ContinuousClock()
        let start = clock.now
        let next = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let opened = clock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for key in try await next.journal.openRooms() {
                group.addTask { try await next.journal.open(key, chatLimit: 50).entries.count }
            }
            return try await group.reduce(0, +)
        }
        let done = clock.now
        print("file open after \(opened - start), \(count) entries of \(rooms.count) rooms after \(done - start)")
        await next.shutDown()
    }
}
