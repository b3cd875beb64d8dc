import Foundation
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol
import Synchronization
import Timing

/// What operators' programs do outside of rooms stands in the audit trail, and what their keys did not reach to.
final class OperatorTrail: Sendable {
    /// Refusals that are noted: more says nothing new of who tries.
    private static let refusals = Allowance(burst: 20, perSecond: 0.2)

    private let audit: any AuditTrail
    private let clock: any TimeSource
    private let refused: Mutex<TokenBucket>

    init(_ audit: any AuditTrail, clock: any TimeSource) {
        self.audit = audit
        self.clock = clock
        refused = Mutex(TokenBucket(Self.refusals, now: clock.now))
    }

    /// - Parameter action: what it is for, as the trail names it.
    func check(_ scope: OperatorScope, _ access: OperatorAccess, _ action: String) throws(Refusal) {
        guard !access.caller.scopes.contains(scope) else { return }
        let error = RoomError.scopeMissing(scope)
        if refused.withLock({ $0.take(now: clock.now) }) { note(access, action, outcome: error.code.name) }
        throw Refusal(error)
    }

    func note(
        _ access: OperatorAccess, _ action: String, target: UserID? = nil, detail: [String: String] = [:],
        reason: String? = nil, outcome: String = "done"
    ) {
        audit.note(
            AuditLine(
                application: access.application, room: nil, actor: access.caller.name, role: .operator, way: .rest,
                action: action, target: target, detail: String(decoding: SignalText.encode(detail), as: UTF8.self),
                reason: reason, outcome: outcome, time: clock.wallTime.millisecondsSince1970))
    }
}
