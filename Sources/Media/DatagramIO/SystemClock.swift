internal import CNet
package import Timing

/// The clocks of this machine. Only the edges read them; the cores get time passed in.
package enum SystemClock {
    package static func now() -> Instant { Instant(nanoseconds: cnet_monotonic()) }
    package static func wallTime() -> WallTime { WallTime(nanoseconds: cnet_realtime()) }
}
