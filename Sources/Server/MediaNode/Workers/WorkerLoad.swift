internal import Synchronization
internal import Timing

/// How much of its time a worker spends on forwarding and sending, over the last second: whether it can take on more listeners. What
/// handshakes cost is not in it: they pass, and many who enter at once must not be turned away for it.
final class WorkerLoad {
    /// What is left above it is for those who are there: repeats, reports, a moment in which more people speak.
    static let limit = 0.85
    /// From here on sound waits for other sound in smaller rooms too. That about halves the load, so it ends well below the half.
    private static let (busy, calm) = (0.2, 0.08)
    private static let window = Interval.seconds(1)
    /// No piece of work takes longer, whatever the clock says: a machine that was asleep was not busy.
    private static let longestWork = Interval.milliseconds(250)

    private var windowStart: Instant
    private var work = Interval.zero
    /// Of the last whole window, 0…1.
    private(set) var share = 0.0

    /// There is much to do: see `busy`.
    private(set) var isBusy = false

    private let gauge: LoadGauge

    /// - Parameter gauge: by which others see it.
    init(at now: Instant, shownBy gauge: LoadGauge = LoadGauge()) {
        windowStart = now
        self.gauge = gauge
    }

    /// Nobody new is taken on.
    var isOver: Bool { share > Self.limit }

    /// - Parameter isFull: there is no place for anybody.
    func show(isFull: Bool) { gauge.set(isFull ? 1 : share) }

    func note(workFrom start: Instant, to end: Instant) {
        work = work + min(max(end - start, .zero), Self.longestWork)
        advance(to: end)
    }

    /// A worker that has nothing to do lets time pass too.
    func advance(to now: Instant) {
        let length = now - windowStart
        guard length >= Self.window else { return }
        share = work.seconds / length.seconds
        isBusy = share > (isBusy ? Self.calm : Self.busy)
        work = .zero
        windowStart = now
    }
}

/// A worker's load as others see it.
final class LoadGauge: Sendable {
    /// In millionths.
    private let share = Atomic(0)

    func set(_ share: Double) { self.share.store(Int(share * 1_000_000), ordering: .relaxed) }
    var value: Double { Double(share.load(ordering: .relaxed)) / 1_000_000 }
}
