import Logging
import RoomModel
import RoomPorts
import RoomService
import Timing

/// What happens inside rooms that an operator should read. A disk that is full fails every room each second, so of lines about the journal
/// some are left out, and counted.
final class RoomReports: Sendable {
    static let journalLines = Allowance(burst: 10, perSecond: 0.1)

    private let logger: Logger
    private let lines: LineLimit

    init(_ logger: Logger, clock: any TimeSource) {
        self.logger = logger
        lines = LineLimit(Self.journalLines, clock: clock)
    }

    func report(_ report: RoomReport) {
        switch report {
        case .journalFailed(let key, let failure):
            guard let more = lines.take() else { return }
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
}
