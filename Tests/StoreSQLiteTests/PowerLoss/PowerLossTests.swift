import Foundation
import GRDB
import RoomModel
import RoomPorts
import SeededRandom
import Testing
import Timing

@testable import StoreSQLite

/// The power is cut at random moments of a recorded run, and the store is opened over what is left. Rounds and seed come from
/// `OVATION_POWER_ROUNDS` and `OVATION_SEED`, for longer runs.
@Suite("Power loss")
struct PowerLossTests {
    private static let rounds = ProcessInfo.processInfo.environment["OVATION_POWER_ROUNDS"].flatMap(Int.init) ?? 40
    private static let seed = ProcessInfo.processInfo.environment["OVATION_SEED"].flatMap(UInt64.init) ?? 20_260_711

    /// A finished run: what the disk saw, and who was told what.
    private struct Run {
        var records: [FaultDisk.Record]
        var acknowledgements: [Workload.Acknowledgement]
    }

    /// Chat is never pruned, so that each message that was acknowledged can be asked for.
    private static let settings = StoreSettings(chatKept: 100_000)

    private func record(
        seed: UInt64, steps: Int, isEager: Bool = false, weaken: (SQLiteStore) throws -> Void = { _ in }
    ) async throws -> Run {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch, recording: true)
        let store = try SQLiteStore(directory: scratch.path, settings: Self.settings, now: fixedNow)
        try weaken(store)
        let acknowledgements = try await Workload.run(
            seed: seed, steps: steps, on: store, disk: disk, isEager: isEager)
        await store.shutDown()
        return Run(records: disk.records, acknowledgements: acknowledgements)
    }

    /// Cuts the run once and gives back what the audit has to say.
    private func lose(_ run: Run, at cut: Int, mood: Survivors.Mood, using generator: inout SeededGenerator)
        async throws -> [String]
    {
        let place = try Scratch()
        for (name, bytes) in Survivors.files(of: run.records, cut: cut, mood: mood, using: &generator) {
            try Data(bytes).write(to: URL(fileURLWithPath: place.path + "/" + name))
        }
        let known = run.records[..<cut].compactMap { record -> Workload.Acknowledgement? in
            if case .mark(let index) = record { run.acknowledgements[index] } else { nil }
        }
        var audit = Audit()
        let store = try SQLiteStore(directory: place.path, settings: Self.settings, now: fixedNow)
        do {
            try await audit.examine(store, acknowledged: known, all: run.acknowledgements)
        } catch {
            await store.shutDown()
            throw error
        }
        let damage = try await store.pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        await store.shutDown()
        return audit.findings + (damage == "ok" ? [] : ["damaged: \(damage ?? "no answer")"])
    }

    /// Moments that are worth a loss: right after an acknowledgement, in the middle of a checkpoint, and anywhere.
    private func cut(_ run: Run, round: Int, using generator: inout SeededGenerator) -> Int {
        let moments: [Int] =
            switch round % 3 {
            case 0: run.records.indices.filter { if case .mark = run.records[$0] { true } else { false } }
            case 1:
                run.records.indices.filter {
                    if case .write(let name, _, _) = run.records[$0] { !name.hasSuffix("-wal") } else { false }
                }
            default: []
            }
        let moment =
            moments.randomElement(using: &generator) ?? Int.random(in: 0..<run.records.count, using: &generator)
        return moment + 1
    }

    private func findings(of run: Run, seed: UInt64, rounds: Int) async throws -> [String] {
        var generator = SeededGenerator(seed: seed)
        var findings: [String] = []
        for round in 0..<rounds {
            let cut = cut(run, round: round, using: &generator)
            let mood = Survivors.Mood.allCases[Int.random(in: 0..<4, using: &generator)]
            let found = try await lose(run, at: cut, mood: mood, using: &generator)
            findings += found.map { "seed \(seed), round \(round), \(mood) at \(cut) of \(run.records.count): \($0)" }
        }
        return findings
    }

    @Test(
        "whenever the power fails, nothing that was acknowledged is lost, and nothing is there that was never written")
    func nothingAcknowledgedIsLost() async throws {
        let run = try await record(seed: Self.seed, steps: 320)
        // The run has what it needs to be a test: checkpoints into the file, many commits, every kind of acknowledgement.
        let checkpoints = run.records.indices.count {
            if case .sync(let name, _) = run.records[$0] { name == SQLiteStore.fileName } else { false }
        }
        #expect(checkpoints >= 2)
        #expect(run.acknowledgements.count > 1_500)
        let found = try await findings(of: run, seed: Self.seed, rounds: Self.rounds)
        #expect(found == [], "seed \(Self.seed)")
    }

    @Test("the instrument sees a commit that is acknowledged without an fsync (synchronous=NORMAL)")
    func seesMissingSync() async throws {
        let run = try await record(seed: Self.seed, steps: 60) { store in
            try store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        }
        let found = try await findings(of: run, seed: Self.seed, rounds: 12)
        #expect(found.contains { $0.hasSuffix("is lost") })
    }

    @Test("the instrument sees an acknowledgement that comes before its commit")
    func seesEarlyAcknowledgement() async throws {
        let run = try await record(seed: Self.seed, steps: 60, isEager: true)
        let found = try await findings(of: run, seed: Self.seed, rounds: 12)
        #expect(found.contains { $0.hasSuffix("is lost") })
    }

    @Test("the power may fail at any moment of the first start and of an upgrade: the next start goes through")
    func startAndUpgrade() async throws {
        let scratch = try Scratch()
        let next = Schema(
            migrations: Schema.current.migrations + [
                Migration(
                    version: Schema.current.version + 1,
                    sql: """
                        ALTER TABLE entry ADD COLUMN author TEXT;
                        UPDATE entry SET author = 'somebody';
                        """)
            ])
        let key = RoomKey(application: Workload.application, room: .number(1))
        let disk = try FaultDisk(scratch, recording: true)
        let old = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let epoch = try await old.journal.open(key, chatLimit: 0).epoch
        for position in 1...UInt64(40) {
            try await old.journal.append(
                JournalEntry(
                    key: key, kind: .durable, position: position, epoch: epoch,
                    payload: [UInt8](repeating: UInt8(position), count: 300)))
        }
        disk.mark(0)
        await old.shutDown()
        let new = try SQLiteStore(directory: scratch.path, settings: StoreSettings(), schema: next, now: fixedNow)
        await new.shutDown()

        var generator = SeededGenerator(seed: Self.seed)
        let records = disk.records
        let filled = records.firstIndex { if case .mark = $0 { true } else { false } } ?? records.count
        // The first start is short and the upgrade too: as many cuts in each as in the writing between them.
        for round in 0..<Self.rounds {
            let cut =
                round.isMultiple(of: 2)
                ? Int.random(in: 0...min(60, filled), using: &generator)
                : Int.random(in: filled...records.count, using: &generator)
            let place = try Scratch()
            let mood = Survivors.Mood.allCases[Int.random(in: 0..<4, using: &generator)]
            for (name, bytes) in Survivors.files(of: records, cut: cut, mood: mood, using: &generator) {
                try Data(bytes).write(to: URL(fileURLWithPath: place.path + "/" + name))
            }
            let store = try SQLiteStore(
                directory: place.path, settings: StoreSettings(), schema: next, now: fixedNow)
            let count = try await store.journal.open(key, chatLimit: 0).entries.count
            #expect(cut <= filled || count == 40, "seed \(Self.seed), round \(round), \(mood) at \(cut)")
            let damage = try await store.pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
            #expect(damage == "ok", "seed \(Self.seed), round \(round), \(mood) at \(cut)")
            await store.shutDown()
        }
    }
}
