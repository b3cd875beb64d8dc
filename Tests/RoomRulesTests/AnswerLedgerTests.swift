import Foundation
import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
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

    @Test(
        "E07-S programs and people have keys of their own; what an earlier release kept under a name is a repeat for both"
    )
    func spaces() throws {
        let shop = UserID(literal: "shop")
        let program = Caller.operator(Operator(UserID.program(shop), scopes: []))
        let person = Caller.person(UserProfile(id: shop))
        let keys = try ["old", "person", "program"].map { try #require(IdempotencyKey($0)) }
        // As it stands in the folders of that release.
        let old = #"[{"answer":{"fingerprint":7,"key":"old","result":{},"user":"shop"},"time":1}]"#
        var ledger = try JSONDecoder().decode(AnswerLedger.self, from: Data(old.utf8))
        for (number, caller) in [person, program].enumerated() {
            ledger.record(
                KeyedAnswer(
                    user: caller.keeper, key: keys[number + 1].rawValue, fingerprint: UInt64(number), result: .done),
                at: 2)
        }
        func found(_ ledger: AnswerLedger, _ caller: Caller) -> [UInt64?] {
            keys.map { ledger.answer(to: $0, of: caller, now: 3)?.fingerprint }
        }
        let stored = try JSONDecoder().decode(AnswerLedger.self, from: try JSONEncoder().encode(ledger))
        #expect(stored == ledger)
        for ledger in [ledger, stored] {
            #expect(found(ledger, person) == [7, 0, nil])
            #expect(found(ledger, program) == [7, nil, 1])
        }
    }
}
