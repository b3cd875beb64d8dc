import RoomPorts
import Synchronization

/// Where other threads leave word for a room: the journal that something is stored or failed, the media plane that a
/// cut is in force. The first word after a turn asks for the next turn; more words before it join it.
package final class RoomInbox: Sendable {
    struct Reports: Sendable {
        /// Everything up to this position is on the disk.
        var stored: UInt64 = 0
        /// The first entry that could not be stored.
        var failed: (position: UInt64, failure: JournalFailure)?
        /// Cuts that are in force since the last turn, by the number of their posting.
        var confirmed: [UInt64] = []
        /// The clock's alarm has rung since the last turn.
        var rang = false
    }

    private struct Contents: Sendable {
        var incarnation: UInt64 = 0
        var reports = Reports()
        var asked = false
        var wake: (@Sendable () -> Void)?
    }
    private let contents = Mutex(Contents())

    package init() {}

    /// Says how to ask for a turn: it must return at once, and the turn must come later, not inside the call.
    package func connect(_ wake: @escaping @Sendable () -> Void) {
        contents.withLock { $0.wake = wake }
    }

    /// A room that has been loaded anew does not listen to what its former self submitted.
    func begin(_ incarnation: UInt64, stored: UInt64) {
        contents.withLock {
            $0.incarnation = incarnation
            $0.reports.stored = stored
            $0.reports.failed = nil
        }
    }

    func stored(_ position: UInt64, _ result: Result<Void, JournalFailure>, incarnation: UInt64) {
        leave { contents in
            guard contents.incarnation == incarnation else { return false }
            switch result {
            case .success:
                guard contents.reports.failed == nil else { return false }
                contents.reports.stored = max(contents.reports.stored, position)
            case .failure(let failure):
                guard contents.reports.failed == nil else { return false }
                contents.reports.failed = (position, failure)
            }
            return true
        }
    }

    func confirmed(_ posting: UInt64) {
        leave { contents in
            contents.reports.confirmed.append(posting)
            return true
        }
    }

    func ring() {
        leave { contents in
            contents.reports.rang = true
            return true
        }
    }

    /// What has been reported; `confirmed` and `rang` since the last call, the rest for good.
    func take() -> Reports {
        contents.withLock { contents in
            contents.asked = false
            let reports = contents.reports
            contents.reports.confirmed.removeAll()
            contents.reports.rang = false
            return reports
        }
    }

    private func leave(_ word: (inout Contents) -> Bool) {
        let wake = contents.withLock { contents -> (@Sendable () -> Void)? in
            guard word(&contents), !contents.asked else { return nil }
            contents.asked = true
            return contents.wake
        }
        wake?()
    }
}
