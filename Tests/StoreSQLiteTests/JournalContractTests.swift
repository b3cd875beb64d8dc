import JournalContract
import Testing

@Suite("The journal on SQLite keeps the port's promises")
struct JournalContractTests {
    @Test("SQLite:", arguments: journalPromises)
    func promise(_ promise: JournalPromise) async throws {
        let subject = try SQLiteSubject()
        do {
            try await promise.check(subject)
        } catch {
            await subject.shutDown()
            throw error
        }
        await subject.shutDown()
    }
}
