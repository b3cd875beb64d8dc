import Logging
import RoomModel
import RoomPorts
import RoomService
import Synchronization
import Timing

/// What happens inside rooms that an operator should read. A disk that is full fails every room each second, so of lines about the journal
/// some are left out, and counted.
final class RoomReports: Sendable {
    static let journalLines = Allowance(burst: 10, perSecond: 0.1)

    private struct State {
        var lines: TokenBucket
        var leftOut = 0
    }

    private let logger: Logger
    private let clock: any TimeSource
    private let state: Mutex<State>

    init(_ logger: Logger, clock: any TimeSource) {
        self.logger = logger
        self.clock = clock
        state = Mutex(State(lines: TokenBucket(Self.journalLines, now: clock.now)))
    }

    func report(_ report: RoomReport) {
        switch report {
        case .journalFailed(let key, let failure):
            guard let leftOut = takeLine() else { return }
            let more = leftOut == 0 ? "" : " (\(leftOut) lines like this one were left out)"
            logger.error("the journal of room \(key.room) of application \(key.application) failed: \(failure)\(more)")
        case .damaged(let key, let what):
            logger.error("room \(key.room) of application \(key.application) cannot be read and stays closed: \(what)")
        case .inapplicable(let key, let what):
            logger.error(
                "a decision in room \(key.room) of application \(key.application) could not be applied: \(what)")
        case .cutUnconfirmed(let key):
            logger.warning(
                "the media plane did not confirm a cut in room \(key.room) of application \(key.application) in time")
        }
    }

    /// - Returns: how many were left out before this one; `nil` if this one is left out too.
    private func takeLine() -> Int? {
        state.withLock { state in
            guard state.lines.take(now: clock.now) else {
                state.leftOut += 1
                return nil
            }
            defer { state.leftOut = 0 }
            return state.leftOut
        }
    }
}
