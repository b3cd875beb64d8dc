import DatagramIO
package import RoomPorts
package import Timing

/// The server's time, as rooms and sessions see it: the machine's clocks, and one queue for what is to happen later.
package struct ServerClock: TimeSource {
    private static let alarms = AlarmQueue(now: { SystemClock.now() })

    /// The moment at which the process asked for the first time, on both clocks.
    private static let start = (wall: SystemClock.wallTime(), monotonic: SystemClock.now())

    package init() {}

    package var now: Instant { SystemClock.now() }
    package var wallTime: WallTime { SystemClock.wallTime() }
    package var roomTime: WallTime {
        let start = Self.start
        return start.wall + (SystemClock.now() - start.monotonic)
    }

    @discardableResult
    package func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> RoomAlarm {
        Self.alarms.schedule(at: deadline, action)
    }
}
