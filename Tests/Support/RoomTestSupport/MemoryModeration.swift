import RoomModel
package import RoomPorts
import Synchronization

/// What moderation keeps, of a test.
package final class MemoryAudit: AuditTrail {
    private let noted = Mutex<[AuditLine]>([])
    package init() {}
    package var lines: [AuditLine] { noted.withLock { $0 } }
    package func note(_ line: AuditLine) { noted.withLock { $0.append(line) } }
}

package final class MemoryReports: ReportBox {
    private let state = Mutex<(reports: [Report], failure: JournalFailure?)>(([], nil))
    package init() {}
    package var reports: [Report] { state.withLock { $0.reports } }
    package func fail(_ failure: JournalFailure?) { state.withLock { $0.failure = failure } }

    package func post(_ report: Report, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil { state.reports.append(report) }
            return state.failure
        }
        done(failure.map { .failure($0) } ?? .success(()))
    }
}

extension ModerationStores {
    package static func inMemory() -> ModerationStores {
        ModerationStores(restrictions: MemoryRestrictions(), audit: MemoryAudit(), reports: MemoryReports())
    }
}
