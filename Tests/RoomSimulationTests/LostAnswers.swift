import Commerce
import RoomModel
import RoomPorts
import RoomService
import Synchronization

/// Whether the answers of the disk get lost at present: who waits is told that it has failed, and it is stored.
final class LostAnswers: Sendable {
    let areLost = Mutex(false)

    func told<Value>(_ result: Result<Value, JournalFailure>) -> Result<Value, JournalFailure> {
        areLost.withLock { $0 } ? .failure(.failed("the answer is lost")) : result
    }
}

struct AnsweringJournal: RoomJournal {
    let journal: any RoomJournal
    let answers: LostAnswers

    func submit(_ entry: JournalEntry, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        journal.submit(entry) { [answers] in done(answers.told($0)) }
    }

    func saveSnapshot(_ payload: [UInt8], of key: RoomKey, at position: UInt64) {
        journal.saveSnapshot(payload, of: key, at: position)
    }

    func open(_ key: RoomKey, chatLimit: Int) async throws(JournalFailure) -> RoomHistory {
        try await journal.open(key, chatLimit: chatLimit)
    }

    func close(_ key: RoomKey) { journal.close(key) }
    func openRooms() async throws(JournalFailure) -> [RoomKey] { try await journal.openRooms() }
    func exists(_ key: RoomKey) async throws(JournalFailure) -> Bool { try await journal.exists(key) }
}

struct AnsweringLedger: Ledger {
    let ledger: any Ledger
    let answers: LostAnswers

    func post(
        _ transfer: Transfer, key: TransferKey,
        done: @escaping @Sendable (Result<TransferOutcome, JournalFailure>) -> Void
    ) { ledger.post(transfer, key: key) { [answers] in done(answers.told($0)) } }

    func find(_ key: TransferKey, done: @escaping @Sendable (Result<TransferOutcome?, JournalFailure>) -> Void) {
        ledger.find(key) { [answers] in done(answers.told($0)) }
    }

    func balance(of account: LedgerAccount, in application: ApplicationID) async throws(JournalFailure) -> Int64 {
        try await ledger.balance(of: account, in: application)
    }

    func statement(
        of account: LedgerAccount, in application: ApplicationID, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [PostedTransfer] {
        try await ledger.statement(of: account, in: application, before: id, limit: limit)
    }

    func gifts(to room: RoomLife, after id: Int64) async throws(JournalFailure) -> [PostedTransfer] {
        try await ledger.gifts(to: room, after: id)
    }

    func sum(of application: ApplicationID) async throws(JournalFailure) -> Int64 {
        try await ledger.sum(of: application)
    }
}

struct AnsweringReports: ReportBox {
    let reports: any ReportBox
    let answers: LostAnswers

    func post(_ report: Report, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        reports.post(report) { [answers] in done(answers.told($0)) }
    }
}

/// What the store keeps of rooms, as the server reads it when it erases somebody. No webhook waits here.
struct KeptPayloads: StoredPayloads {
    func command(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) throws -> [UInt8] {
        try StoredRooms.command(payload, erasing: user, isEnded: isEnded)
    }

    func snapshot(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) throws -> [UInt8] {
        try StoredRooms.snapshot(payload, erasing: user, isEnded: isEnded)
    }

    func news(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] { payload }
}
