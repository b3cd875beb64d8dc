import RoomModel
import RoomPorts
import SeededRandom
import Synchronization

@testable import StoreSQLite

/// A seeded stream of everything that a store is asked for, with a note in the disk's record at each acknowledgement.
struct Workload: Sendable {
    /// What somebody has been told.
    enum Acknowledgement: Sendable {
        case opened(RoomKey, epoch: UInt64)
        case written(JournalEntry)
        case ended(RoomKey)
        case saved(UserProfile)
    }

    static let application = ApplicationID(1_400_000_001)
    /// A snapshot's payload says which position it includes.
    static func snapshot(of key: RoomKey, at position: UInt64) -> [UInt8] { Array("\(key) at \(position)".utf8) }

    private final class Book: Sendable {
        let disk: FaultDisk
        let acknowledgements = Mutex<[Acknowledgement]>([])
        init(disk: FaultDisk) { self.disk = disk }

        /// Called once the caller knows; the mark's value is the index into the book.
        func note(_ acknowledgement: Acknowledgement) {
            acknowledgements.withLock { book in
                disk.mark(book.count)
                book.append(acknowledgement)
            }
        }
    }

    /// Runs the whole stream and gives back what was acknowledged, by mark.
    /// - Parameter isEager: acknowledges entries when they are submitted: the mistake that the instrument must be able to see.
    static func run(
        seed: UInt64, steps: Int, on store: SQLiteStore, disk: FaultDisk, isEager: Bool = false
    ) async throws -> [Acknowledgement] {
        var generator = SeededGenerator(seed: seed)
        let book = Book(disk: disk)
        let journal = store.journal
        let keys: [RoomKey] = [
            RoomKey(application: application, room: .number(1)), RoomKey(application: application, room: .string("1")),
            RoomKey(application: application, room: .number(7)),
            RoomKey(application: ApplicationID(9), room: .number(1)),
        ]
        var heads: [RoomKey: (epoch: UInt64, position: UInt64)] = [:]
        var passing: UInt32 = 100

        for step in 0..<steps {
            let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
            if heads[key] == nil || Int.random(in: 0..<40, using: &generator) == 0 {
                let epoch = try await journal.open(key, chatLimit: 10).epoch
                heads[key] = (epoch, heads[key]?.position ?? 0)
                book.note(.opened(key, epoch: epoch))
            }
            guard var head = heads[key] else { continue }
            // A burst; what is submitted after it shares its commits, for only some bursts are waited for.
            let burst = Int.random(in: 1...12, using: &generator)
            let waits = Int.random(in: 0..<3, using: &generator) == 0
            for index in 1...burst {
                head.position += 1
                let length = Int.random(in: 0..<10, using: &generator) == 0 ? 6_000 : 250
                let entry = JournalEntry(
                    key: key, kind: Int.random(in: 0..<3, using: &generator) == 0 ? .chat : .durable,
                    position: head.position, epoch: head.epoch,
                    payload: (0..<Int.random(in: 0...length, using: &generator)).map {
                        UInt8(truncatingIfNeeded: $0 &* step)
                    })
                if isEager { book.note(.written(entry)) }
                if waits, index == burst {
                    try await journal.append(entry)
                    if !isEager { book.note(.written(entry)) }
                } else {
                    journal.submit(entry) { result in
                        if !isEager, case .success = result { book.note(.written(entry)) }
                    }
                }
            }
            heads[key] = head
            switch Int.random(in: 0..<24, using: &generator) {
            case 0:
                journal.saveSnapshot(snapshot(of: key, at: head.position), of: key, at: head.position)
            case 1:
                passing += 1
                let ended = RoomKey(application: application, room: .number(passing))
                _ = try await journal.open(ended, chatLimit: 0)
                journal.close(ended)
                if try await !journal.openRooms().contains(ended) { book.note(.ended(ended)) }
            case 2:
                guard let user = UserID("user-\(Int.random(in: 1...3, using: &generator))") else { continue }
                let profile = UserProfile(id: user, name: "\(step)")
                try await store.accounts.save(profile, of: application)
                book.note(.saved(profile))
            default:
                break
            }
        }
        // Queued behind everything, so that the book is complete.
        _ = try await journal.openRooms()
        return book.acknowledgements.withLock { $0 }
    }
}
