import Synchronization
package import Timing

/// Bounds how many lines of one kind a log gets: what fails for everybody fails a thousand times a second.
package final class LineLimit: Sendable {
    private struct State {
        var lines: TokenBucket
        var leftOut = 0
    }

    private let clock: any TimeSource
    private let state: Mutex<State>

    package init(_ allowance: Allowance, clock: any TimeSource) {
        self.clock = clock
        state = Mutex(State(lines: TokenBucket(allowance, now: clock.now)))
    }

    /// - Returns: what to write behind the line, which tells how many were left out before it; `nil` if this one is left out too.
    package func take() -> String? {
        state.withLock { state in
            guard state.lines.take(now: clock.now) else {
                state.leftOut += 1
                return nil
            }
            defer { state.leftOut = 0 }
            return state.leftOut == 0 ? "" : " (\(state.leftOut) lines like this one were left out)"
        }
    }
}
