internal import RoomModel
internal import Timing

/// A playing song on the local clock: when which position is heard.
struct SongSchedule {
    /// Milliseconds; longer is no song, the server says so too.
    static let longest: Int64 = 3_600_000

    /// When `start` is heard.
    let begins: Instant
    let start: Interval
    /// On the line, before its beginning and after its end too.
    let exact: Interval
    let duration: Interval
    let startAt: Int64

    /// `nil` while it is paused, before the clock was read, and for numbers that no clock shows.
    init?(_ play: SongPlay, _ clock: RoomClockEstimator, _ now: Instant) {
        guard let startAt = play.startAt, (0...Self.latest).contains(startAt),
            (0...Self.longest).contains(play.positionMs),
            let estimate = clock.estimate(at: now), let begins = clock.instant(ofServer: startAt * 1_000_000, near: now)
        else { return nil }
        self.startAt = startAt
        self.begins = begins
        start = .milliseconds(play.positionMs)
        duration = .milliseconds(play.song.durationMs)
        let (elapsed, overflow) = estimate.server.subtractingReportingOverflow(startAt * 1_000_000)
        guard !overflow, elapsed.magnitude < UInt64.max / 8 else { return nil }
        exact = start + Interval(nanoseconds: elapsed)
    }

    /// The next moment at which the song sounds, and what is heard then.
    func next(_ now: Instant) -> (position: Interval, heard: Instant) { now < begins ? (start, begins) : (exact, now) }

    /// What is heard: before the beginning and after the end it stands.
    var position: Interval { min(max(start, exact), duration) }

    /// The year 2200, in milliseconds; in nanoseconds it fits.
    private static let latest: Int64 = 7_258_118_400_000
}
