import RoomModel
import RoomPorts
import RoomRules
import Testing

@testable import RoomService

@Suite struct KeyedCreationTests {
    private func name(_ key: String) -> KeyedCreations.Name {
        KeyedCreations.Name(application: ApplicationID(1), user: .owner, key: key)
    }

    private func room(_ number: UInt32) -> RoomKey { RoomKey(application: ApplicationID(1), room: .number(number)) }

    @Test("V01-S a creation is known by its key for ten minutes, unless its room was never stored")
    func lifetime() {
        var creations = KeyedCreations()
        creations.note(name("a"), of: room(1), 7, at: 0)
        creations.note(name("b"), of: room(2), 8, at: 1_000)
        #expect(creations.creation(name("a"), now: AnswerLedger.lifetimeMs - 1)?.room == room(1))
        #expect(creations.creation(name("a"), now: AnswerLedger.lifetimeMs) == nil)
        #expect(creations.creation(name("b"), now: AnswerLedger.lifetimeMs)?.fingerprint == 8)
        creations.forget(room(2))
        #expect(creations.creation(name("b"), now: AnswerLedger.lifetimeMs) == nil)
        // Under the same key a later attempt lives its own time.
        creations.note(name("b"), of: room(3), 9, at: AnswerLedger.lifetimeMs)
        #expect(creations.creation(name("b"), now: AnswerLedger.lifetimeMs + 1_000)?.room == room(3))
        #expect(creations.creation(name("b"), now: 2 * AnswerLedger.lifetimeMs) == nil)
    }
}
