internal import CLibAV
internal import Timing

/// Ends the reading of a file or an address from any thread, even while it waits for the network; for good.
///
/// The pointer never changes, and what it points to is atomic: hence `Sendable` although Swift cannot see it.
package final class ReadCancellation: @unchecked Sendable {
    let token: OpaquePointer?

    package init() { token = clibav_guard_create() }

    deinit { if let token { clibav_guard_destroy(token) } }

    package func cancel() { if let token { clibav_guard_cancel(token) } }

    package var isCancelled: Bool { token.map { clibav_guard_is_cancelled($0) } ?? false }

    /// From now on the next operation may take this long.
    func arm(_ limit: Interval) { if let token { clibav_guard_arm(token, limit.nanoseconds) } }

    var isLate: Bool { token.map { clibav_guard_is_late($0) } ?? false }
}
