/// Time for people, tickets and NTP: nanoseconds since 1970-01-01 UTC. It may jump; nothing is scheduled by it. Arithmetic saturates.
package struct WallTime: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    package init(secondsSince1970 seconds: Int64) { self.nanoseconds = seconds.saturatingTimes(1_000_000_000) }
    package init(millisecondsSince1970 milliseconds: Int64) {
        self.nanoseconds = milliseconds.saturatingTimes(1_000_000)
    }

    package var secondsSince1970: Int64 { nanoseconds / 1_000_000_000 }
    package var millisecondsSince1970: Int64 { nanoseconds / 1_000_000 }

    package static func < (a: WallTime, b: WallTime) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: WallTime, b: Interval) -> WallTime {
        WallTime(nanoseconds: a.nanoseconds.saturatingPlus(b.nanoseconds))
    }
    package static func - (a: WallTime, b: WallTime) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturatingMinus(b.nanoseconds))
    }
}
