import Synchronization

/// What all rooms of this process have done since its start.
package final class RoomCounters: Sendable {
    private let messagesTaken = Atomic<UInt64>(0)
    private let messagesRefused = Atomic<UInt64>(0)
    private let changesStored = Atomic<UInt64>(0)

    package init() {}

    /// Messages that got a number.
    package var messages: UInt64 { messagesTaken.load(ordering: .relaxed) }
    /// Messages that a budget did not let through.
    package var refused: UInt64 { messagesRefused.load(ordering: .relaxed) }
    /// Commands that changed something, messages beside.
    package var changes: UInt64 { changesStored.load(ordering: .relaxed) }

    func noteMessage() { messagesTaken.wrappingAdd(1, ordering: .relaxed) }
    func noteRefused() { messagesRefused.wrappingAdd(1, ordering: .relaxed) }
    func noteChange() { changesStored.wrappingAdd(1, ordering: .relaxed) }
}
