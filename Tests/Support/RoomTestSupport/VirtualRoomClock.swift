package import RoomPorts
import Synchronization
package import Timing

/// A clock that moves when a test says so: an hour of a room's life in a moment, and the same every time.
package final class VirtualRoomClock: TimeSource {
    private struct Alarm {
        var time: Instant
        var serial: Int
        var action: @Sendable () -> Void
    }
    private struct Hands {
        var now: Instant
        var wall: WallTime
        var alarms: [Alarm] = []
        var serial = 0
    }
    private let hands: Mutex<Hands>

    package init(wall: WallTime = WallTime(secondsSince1970: 1_795_000_000)) {
        hands = Mutex(Hands(now: Instant(nanoseconds: 1_000_000_000), wall: wall))
    }

    package var now: Instant { hands.withLock { $0.now } }
    package var wallTime: WallTime { hands.withLock { $0.wall } }

    @discardableResult
    package func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> RoomAlarm {
        let serial = hands.withLock { hands in
            hands.serial += 1
            hands.alarms.append(Alarm(time: deadline, serial: hands.serial, action: action))
            return hands.serial
        }
        return RoomAlarm { [weak self] in self?.cancel(serial) }
    }

    private func cancel(_ serial: Int) { hands.withLock { $0.alarms.removeAll { $0.serial == serial } } }

    /// How many alarms wait.
    package var alarmCount: Int { hands.withLock { $0.alarms.count } }

    /// When the next alarm is due.
    package var nextAlarm: Instant? { hands.withLock { $0.alarms.map(\.time).min() } }

    /// Lets time pass, running what comes due in order; the time is that of the alarm while it runs. Between alarms
    /// `settle` lets the rooms do what the alarms asked for.
    package func advance(by interval: Interval, settle: () -> Void = {}) {
        let end = now + interval
        while let action = step(to: end) {
            action()
            settle()
        }
    }

    package func advance(by interval: Interval, settle: () async -> Void) async {
        let end = now + interval
        while let action = step(to: end) {
            action()
            await settle()
        }
    }

    /// Somebody sets the clock on the wall; the monotonic time does not notice.
    package func setWall(_ time: WallTime) { hands.withLock { $0.wall = time } }

    /// Moves to the next alarm and takes it out, or to the end.
    private func step(to end: Instant) -> (@Sendable () -> Void)? {
        hands.withLock { hands in
            let next = hands.alarms.indices.min { a, b in
                let (a, b) = (hands.alarms[a], hands.alarms[b])
                return (a.time, a.serial) < (b.time, b.serial)
            }
            guard let next, hands.alarms[next].time <= end else {
                hands.wall = hands.wall + (end - hands.now)
                hands.now = end
                return nil
            }
            let alarm = hands.alarms.remove(at: next)
            if alarm.time > hands.now {
                hands.wall = hands.wall + (alarm.time - hands.now)
                hands.now = alarm.time
            }
            return alarm.action
        }
    }
}
