import RoomPorts
import Timing

/// The one alarm that wakes a room for the earliest of its deadlines.
struct WakingAlarm {
    private let clock: any TimeSource
    private let inbox: RoomInbox
    private var alarm: RoomAlarm?
    /// When it rings.
    private var armed = Instant.distantFuture

    init(clock: any TimeSource, inbox: RoomInbox) {
        self.clock = clock
        self.inbox = inbox
    }

    /// One at a time: an earlier one takes the place of a later one.
    mutating func arm(for earliest: Instant) {
        guard earliest < armed else { return }
        alarm?.cancel()
        armed = earliest
        alarm = clock.schedule(at: armed) { [inbox] in inbox.ring() }
    }

    /// One that has rung is set anew at the end of the turn if there is anything left to wait for, even if it rang a little
    /// early. One that was replaced while it rang leaves the newer one alone.
    mutating func noteRung() {
        if armed <= clock.now || alarm == nil { armed = .distantFuture }
    }

    mutating func end() {
        alarm?.cancel()
        alarm = nil
        armed = .distantFuture
    }
}
