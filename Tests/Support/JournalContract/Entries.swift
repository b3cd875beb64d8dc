package import RoomModel
package import RoomPorts
import Synchronization

extension RoomKey {
    /// Keys for tests: a number of one application.
    package static func numbered(_ number: UInt32, of application: UInt32 = 1_400_000_001) -> RoomKey {
        RoomKey(application: ApplicationID(application), room: .number(number))
    }

    package static func named(_ name: String, of application: UInt32 = 1_400_000_001) -> RoomKey {
        RoomKey(application: ApplicationID(application), room: .string(name))
    }
}

extension JournalEntry {
    /// An entry whose payload says what it is, so that a mixed-up one is noticed.
    package static func sample(
        _ key: RoomKey, _ position: UInt64, epoch: UInt64, _ kind: Kind = .durable, salt: String = ""
    ) -> JournalEntry {
        JournalEntry(
            key: key, kind: kind, position: position, epoch: epoch,
            payload: Array("\(key) \(kind) \(position) in \(epoch) \(salt)".utf8))
    }
}

/// What came back, in the order in which it came.
final class Outcomes: Sendable {
    struct Outcome: Sendable, Equatable {
        var key: RoomKey
        var position: UInt64
        var failure: JournalFailure?
    }
    private let state = Mutex<(outcomes: [Outcome], waiter: (count: Int, resume: @Sendable () -> Void)?)>(([], nil))

    func note(_ entry: JournalEntry, _ result: Result<Void, JournalFailure>) {
        var failure: JournalFailure?
        if case .failure(let found) = result { failure = found }
        let outcome = Outcome(key: entry.key, position: entry.position, failure: failure)
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            state.outcomes.append(outcome)
            guard let waiter = state.waiter, state.outcomes.count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.resume
        }
        resume?()
    }

    /// The outcomes, once there are `count` of them. One caller at a time.
    func first(_ count: Int) async -> [Outcome] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.outcomes.count >= count { return true }
                state.waiter = (count, { continuation.resume() })
                return false
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { $0.outcomes }
    }
}

extension RoomJournal {
    /// Submits all at once and waits for all.
    func append(_ entries: [JournalEntry]) async -> [Outcomes.Outcome] {
        let outcomes = Outcomes()
        for entry in entries {
            submit(entry) { outcomes.note(entry, $0) }
        }
        return await outcomes.first(entries.count)
    }

    func append(_ entry: JournalEntry) async -> JournalFailure? { await append([entry]).first?.failure }

    /// Submits all, waits, and throws unless all were accepted in order.
    func accept(_ entries: [JournalEntry], file: StaticString = #fileID, line: UInt = #line) async throws {
        let found = await append(entries)
        let expected = entries.map { Outcomes.Outcome(key: $0.key, position: $0.position, failure: nil) }
        try require(found, is: expected, file: file, line: line)
    }
}
