import MediaDevices
import Synchronization
import Timing

/// A clock that jumps to wherever someone waits for, so that devices run as fast as they can; and that may jump too far, as when
/// a thread does not get to run.
final class VirtualClock: DeviceClock {
    private struct State {
        var now: Instant
        var waits = 0
    }

    private let state: Mutex<State>
    private let stall: @Sendable (Int) -> Interval

    /// `stall`: how late the n-th wait ends.
    init(start: Instant = Instant(nanoseconds: 1_000), stall: @escaping @Sendable (Int) -> Interval = { _ in .zero }) {
        state = Mutex(State(now: start))
        self.stall = stall
    }

    func now() -> Instant { state.withLock { $0.now } }

    func wait(until deadline: Instant) {
        state.withLock { state in
            state.now = max(state.now, deadline) + stall(state.waits)
            state.waits += 1
        }
    }
}
