import Dispatch
import Foundation
package import RoomPorts
package import Timing

/// The machine's clocks: the one place where the server reads them.
package struct SystemClock: RoomClock {
    private static let queue = DispatchQueue(label: "ovation.clock", qos: .userInitiated)

    /// The moment at which the process asked for the first time, on both clocks.
    private static let start = (wall: read(CLOCK_REALTIME), monotonic: read(CLOCK_MONOTONIC))

    package init() {}

    package var now: Instant { Instant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }
    package var wallTime: WallTime { WallTime(nanoseconds: Self.read(CLOCK_REALTIME)) }
    package var roomTime: WallTime {
        let start = Self.start
        return WallTime(nanoseconds: start.wall + (Self.read(CLOCK_MONOTONIC) - start.monotonic))
    }

    package func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) {
        let wait = max(0, min((deadline - now).nanoseconds, Self.longest))
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait)), execute: action)
    }

    /// A year; Dispatch counts in a signed 64-bit number of its own.
    private static let longest: Int64 = 365 * 86_400 * 1_000_000_000

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
