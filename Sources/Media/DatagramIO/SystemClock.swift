internal import CNet
package import Timing

/// The clocks of this machine. Only the edges read them; the cores get time passed in.
package enum SystemClock {
    package static func now() -> Instant { Instant(nanoseconds: cnet_monotonic()) }
    package static func wallTime() -> WallTime { WallTime(nanoseconds: cnet_realtime()) }

    /// Whether something keeps the wall clock right; nil where the system does not say.
    package static var isSynchronised: Bool? {
        let answer = cnet_clock_synchronised()
        return answer < 0 ? nil : answer == 1
    }
}
