internal import Timing

/// The present, as all parts of one worker see it: read at the beginning of a turn, and again with each datagram, since one packet may go
/// to a thousand listeners.
final class WorkerTime {
    private let clock: @Sendable () -> Instant
    private(set) var now: Instant

    init(_ clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
        now = clock()
    }

    @discardableResult
    func refresh() -> Instant {
        now = clock()
        return now
    }

    /// The clock itself, for what measures a piece of work.
    func read() -> Instant { clock() }
}
