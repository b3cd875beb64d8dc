import RoomModel
import RoomPorts
import Synchronization

/// Where the journal of each open room stands: the fence that refuses gaps, repeats and replaced room instances without asking the
/// database. Only this process writes the file (`DirectoryLock`), so what stands here is what stands there.
///
/// Used on the writer only; the lock makes that visible to the compiler and is never contended.
final class RoomHeads: Sendable {
    struct Head: Sendable, Hashable {
        /// The row of the room's current life.
        var room: Int64
        var epoch: UInt64
        /// The last position written.
        var position: UInt64
    }

    private struct State: Sendable {
        var committed: [RoomKey: Head] = [:]
        /// What the running transaction has changed; `nil` inside: the room has ended.
        var staged: [RoomKey: Head?] = [:]
    }

    private let state = Mutex(State())

    /// As the running transaction sees it; `nil` for a room that has not been opened since the start, or has ended.
    func head(of key: RoomKey) -> Head? {
        state.withLock { state in
            if let staged = state.staged[key] { return staged }
            return state.committed[key]
        }
    }

    /// Takes effect when the running transaction commits.
    func stage(_ head: Head?, for key: RoomKey) {
        state.withLock { $0.staged[key] = .some(head) }
    }

    /// Ends the transaction.
    func settle(committed: Bool) {
        state.withLock { state in
            if committed {
                for (key, head) in state.staged { state.committed[key] = head }
            }
            state.staged.removeAll(keepingCapacity: true)
        }
    }
}
