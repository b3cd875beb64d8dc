import RoomModel
import RoomRules
import Testing

@Suite struct AnswerLedgerTests {
    @Test("somebody who changes things all the time under keys does not make the ledger grow")
    func bounded() throws {
        var ledger = AnswerLedger()
        let users = try (0..<3).map { try #require(UserID("user-\($0)")) }
        for number in 0..<50_000 {
            let answer = KeyedAnswer(
                user: users[number % 3], key: "k\(number)", fingerprint: UInt64(number), result: .done)
            ledger.record(answer, at: Int64(number))
        }
        #expect(ledger.places < 3_000)
        // The newest 64 of each are there, the ones before are not.
        let newest = try #require(IdempotencyKey("k49999"))
        #expect(ledger.answer(to: newest, of: users[49_999 % 3], now: 50_000)?.fingerprint == 49_999)
        let last = 49_999 - 3 * 63
        #expect(ledger.answer(to: try #require(IdempotencyKey("k\(last)")), of: users[last % 3], now: 50_000) != nil)
        let gone = 49_999 - 3 * 64
        #expect(ledger.answer(to: try #require(IdempotencyKey("k\(gone)")), of: users[gone % 3], now: 50_000) == nil)
        // Ten minutes later nothing is.
        let later = 50_000 + AnswerLedger.lifetimeMs
        ledger.record(KeyedAnswer(user: users[0], key: "new", fingerprint: 1, result: .done), at: later)
        #expect(ledger.answer(to: newest, of: users[49_999 % 3], now: later) == nil)
    }
}
