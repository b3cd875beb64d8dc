package import RoomModel
package import RoomPorts
import Synchronization

package final class MemoryOperatorKeys: OperatorKeyStore {
    private let held: Mutex<[OperatorKey]>
    package init(_ keys: [OperatorKey] = []) { held = Mutex(keys) }

    package func keys() async throws(JournalFailure) -> [OperatorKey] { held.withLock { $0 } }

    package func add(_ key: OperatorKey, limit: Int) async throws(JournalFailure) -> Bool {
        held.withLock { keys in
            guard keys.count < limit else { return false }
            keys.append(key)
            return true
        }
    }

    package func revoke(_ id: String) async throws(JournalFailure) -> Bool {
        held.withLock { keys in
            let count = keys.count
            keys.removeAll { $0.id == id }
            return keys.count < count
        }
    }
}
