package import RoomModel
package import RoomPorts
import Synchronization

/// Restrictions of a test, without a disk.
package final class MemoryRestrictions: StandingRestrictions {
    private let list = Mutex(RestrictionList())
    package init() {}

    package func restriction(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) -> Restriction? {
        list.withLock { $0[RestrictionKey(kind, of: user, from: scope, in: application)] }
    }

    package func count(from scope: RestrictionScope, in application: ApplicationID, at time: Int64) -> Int {
        list.withLock { $0.count(from: scope, in: application, at: time) }
    }

    package func change(
        _ change: StandingChange, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        note(change)
        done(.success(()))
    }

    /// What is on the disk holds.
    package func note(_ change: StandingChange) { list.withLock { $0.apply(change, at: 0) } }

    package func set(_ restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID) {
        note(StandingChange(beginning: restriction, from: scope, in: application))
    }

    package func forgetWords(of user: UserID, in application: ApplicationID) {
        list.withLock { $0.forgetWords(of: user, in: application) }
    }
}
