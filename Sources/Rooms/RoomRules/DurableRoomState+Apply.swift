package import RoomEvents
import RoomModel

/// A journal that does not fit the room it is applied to: a damaged file, or a mistake of ours.
package struct InapplicableEvent: Error, Hashable, Sendable {
    package var description: String
    package init(description: String) { self.description = description }
}

extension DurableRoomState {
    /// Applies one accepted command. Depends on nothing but its arguments; on failure the state is unchanged.
    /// `told` is called after each event with the state before the command and the state after the event.
    package mutating func apply(
        _ accepted: AcceptedCommand,
        told: (_ event: RoomEvent, _ before: DurableRoomState, _ after: DurableRoomState) -> Void = { _, _, _ in }
    ) throws(InapplicableEvent) {
        var next = self
        for event in accepted.events {
            try next.apply(event, by: accepted.by, at: accepted.time)
            told(event, self, next)
        }
        self = consume next
        progress.position += 1
        if let peak = accepted.peak { figures.peak = max(figures.peak, peak) }
        // Last and in place: the ledger is the one part that can be long, and must not be copied for each command.
        if case .created = accepted.events.first { beginning.creation = accepted.answer }
        if let answer = accepted.answer { answers.record(answer, at: accepted.time) }
    }

    private mutating func apply(_ event: RoomEvent, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        if case .created = event {
            try check(progress.phase == .unborn, event)
        } else {
            try check(progress.phase == .open, event)
        }
        if event.isNumbered { progress.seq += 1 }
        try event.apply(to: &self, by: author, at: time)
    }

    private func check(_ holds: Bool, _ event: RoomEvent) throws(InapplicableEvent) {
        guard holds else { throw InapplicableEvent(description: "\(event)") }
    }
}
