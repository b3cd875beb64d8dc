internal import AudioGraph
internal import Timing

/// The room's time, counted in frames of 48 kHz: everything that is mixed has its place on it. A position of the song is a
/// place here too, as long as the song plays.
struct RoomLine {
    /// Place 0.
    let origin: Instant

    static func frames(_ interval: Interval) -> Double {
        Double(interval.nanoseconds) * (Double(AudioRate.standard) / 1e9)
    }

    /// Clamped to what leaves room to calculate: some hundred years.
    func place(_ instant: Instant) -> Double { max(-1e14, min(1e14, Self.frames(instant - origin))) }

    func instant(_ place: Int) -> Instant {
        origin + Interval(nanoseconds: Int64((Double(place) * (1e9 / Double(AudioRate.standard))).rounded(.up)))
    }
}
