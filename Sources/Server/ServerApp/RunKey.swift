import Gateway
import OperatorAPI
import RoomEvents
import RoomModel
import RoomPorts
import Synchronization
import Timing

/// A key for one run of a server that is tried out: whoever reads its terminal is its operator. It is in the memory of the process alone, so
/// it ends with the run, and no file and no line of a log has it.
final class RunKey: OperatorKeyStore {
    /// By which people and the audit trail know what was done with it.
    static let name = UserID("dev")

    /// What its bearer shows.
    let text: String
    private let stored: any OperatorKeyStore
    /// `nil` once somebody has revoked it.
    private let key: Mutex<OperatorKey?>

    init?(beside stored: any OperatorKeyStore, clock: any TimeSource) {
        guard let name = Self.name else { return nil }
        let text = OperatorKeyText()
        self.stored = stored
        self.text = text.text
        key = Mutex(
            OperatorKey(
                id: text.id, application: nil, name: name, scopes: Set(OperatorScope.allCases), digest: text.digest,
                createdAt: clock.wallTime.millisecondsSince1970, isForThisMachine: true))
    }

    /// The console's address with the key in its fragment, which browsers send to no server.
    func consoleLink(of url: String) -> String { "\(url)/console/#key=\(text)" }

    func keys() async throws(JournalFailure) -> [OperatorKey] {
        let stored = try await stored.keys()
        return stored + [key.withLock { $0 }].compactMap { $0 }
    }

    func add(_ key: OperatorKey, limit: Int) async throws(JournalFailure) -> Bool {
        try await stored.add(key, limit: limit)
    }

    func revoke(_ id: String) async throws(JournalFailure) -> Bool {
        let isOwn = key.withLock { key in
            guard key?.id == id else { return false }
            key = nil
            return true
        }
        return isOwn ? true : try await stored.revoke(id)
    }
}
