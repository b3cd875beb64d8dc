import JournalContract
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing

/// The journal that these tests run on keeps the promises that the real ones keep.
private final class MemorySubject: JournalUnderTest {
    private let memory = MemoryJournal()
    var journal: any RoomJournal { memory }
    var restrictions: any StandingRestrictions { memory.restrictions }
    func audited(_ application: ApplicationID) async throws -> [AuditLine] {
        memory.audit.lines.filter { $0.application == application }
    }
    func restart() async throws { memory.crash() }
    func failCommits(_ failing: Bool) async -> Bool {
        if failing { memory.fail(.full) } else { memory.heal() }
        return true
    }
}

@Test("the journal in memory keeps every promise of the port", arguments: journalPromises)
func memoryJournal(_ promise: JournalPromise) async throws {
    try await promise.check(MemorySubject())
}
