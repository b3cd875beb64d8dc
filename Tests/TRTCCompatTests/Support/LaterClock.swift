import RoomPorts
import ServerApp
import Timing

/// The time some hours from now, for a server that comes back after a long night.
struct LaterClock: RoomPorts.TimeSource {
    let hours: Int64
    private let clock = ServerClock()

    init(hours: Int64) { self.hours = hours }

    var now: Instant { clock.now }
    var wallTime: WallTime { later(clock.wallTime) }
    var roomTime: WallTime { later(clock.roomTime) }

    @discardableResult
    func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> RoomAlarm {
        clock.schedule(at: deadline, action)
    }

    private func later(_ time: WallTime) -> WallTime {
        WallTime(nanoseconds: time.nanoseconds + hours * 3_600_000_000_000)
    }
}
