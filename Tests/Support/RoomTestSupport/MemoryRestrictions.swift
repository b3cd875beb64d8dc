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

    package func set(
        _ restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        list.withLock {
            $0[RestrictionKey(restriction.kind, of: restriction.user, from: scope, in: application)] = restriction
        }
        done(.success(()))
    }

    package func lift(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void
    ) {
        list.withLock { $0[RestrictionKey(kind, of: user, from: scope, in: application)] = nil }
        done(.success(()))
    }

    package func forgetWords(of user: UserID, in application: ApplicationID) {
        list.withLock { $0.forgetWords(of: user, in: application) }
    }
}
