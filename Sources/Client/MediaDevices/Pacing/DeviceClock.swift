internal import DatagramIO
internal import Glibc
package import Timing

/// What devices without hardware take for time. A test brings its own, which needs no waiting.
package protocol DeviceClock: Sendable {
    func now() -> Instant
    /// Blocks the calling thread until then.
    func wait(until deadline: Instant)
}

/// The monotonic clock of this machine.
package struct SystemDeviceClock: DeviceClock {
    package init() {}

    package func now() -> Instant { SystemClock.now() }

    package func wait(until deadline: Instant) {
        let nanoseconds = max(0, deadline.nanoseconds)
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
