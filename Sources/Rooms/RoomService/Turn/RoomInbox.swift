import Commerce
import RoomPorts
import Synchronization

/// Reports from other threads to a room: the journal reports what it stored or failed to store, the media plane which cuts are in
/// force, the clock that the alarm rang. The first report after a turn asks for the next turn. Later reports wait for that turn.
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
        /// What the ledger has answered since the last turn, in its order.
        var posted: [Posting] = []
        /// What reviewers have said since the last turn.
        var reviewed: [Verdict] = []
    }

    /// What somebody makes of a message that waits.
    struct Verdict: Sendable {
        var number: UInt64
        var verdict: ReviewVerdict
    }

    /// What became of a transfer that the room asked for.
    struct Posting: Sendable {
        var number: UInt64
        /// `nil`: there is no transfer of that key.
        var result: Result<TransferOutcome?, JournalFailure>
    }

    private struct Contents: Sendable {
        var incarnation: UInt64 = 0
        var reports = Reports()
        var asked = false
        var wake: (@Sendable () -> Void)?
    }
    private let contents = Mutex(Contents())

    package init() {}

    /// Sets the closure that asks for a turn. It must return at once, and the turn must not run inside the call.
    package func connect(_ wake: @escaping @Sendable () -> Void) {
        contents.withLock { $0.wake = wake }
    }

    /// The room has been loaded again: reports about what it submitted before are ignored from now on.
    func begin(_ incarnation: UInt64) {
        contents.withLock {
            $0.incarnation = incarnation
            $0.reports.failed = nil
        }
    }

    func stored(_ position: UInt64, _ result: Result<Void, JournalFailure>, incarnation: UInt64) {
        report { contents in
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
        report { contents in
            contents.reports.confirmed.append(posting)
            return true
        }
    }

    func posted(_ number: UInt64, _ result: Result<TransferOutcome?, JournalFailure>) {
        report { contents in
            contents.reports.posted.append(Posting(number: number, result: result))
            return true
        }
    }

    func reviewed(_ number: UInt64, _ verdict: ReviewVerdict) {
        report { contents in
            contents.reports.reviewed.append(Verdict(number: number, verdict: verdict))
            return true
        }
    }

    func ring() {
        report { contents in
            contents.reports.rang = true
            return true
        }
    }

    /// The audience has caught up: what was gathered meanwhile may leave.
    func audienceReady() { report { _ in true } }

    /// Returns the reports. `confirmed`, `posted`, `reviewed` and `rang` cover the time since the last call; the others are kept.
    func take() -> Reports {
        contents.withLock { contents in
            contents.asked = false
            let reports = contents.reports
            contents.reports.confirmed.removeAll()
            contents.reports.posted.removeAll()
            contents.reports.reviewed.removeAll()
            contents.reports.rang = false
            return reports
        }
    }

    /// - Parameter change: returns whether the room needs a turn for it.
    private func report(_ change: (inout Contents) -> Bool) {
        let wake = contents.withLock { contents -> (@Sendable () -> Void)? in
            guard change(&contents), !contents.asked else { return nil }
            contents.asked = true
            return contents.wake
        }
        wake?()
    }
}
