import Foundation
package import RoomModel
package import RoomPorts
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

/// What the gateway knows of operators' programs.
package struct OperatorSettings: Sendable {
    package var stores: OperatorStores
    package var catalogues: GiftCatalogues
    package var webhooks: any WebhookControl
    package var words: any WordControl
    package var condition: ServerCondition
    /// From where on new applications get the next free number.
    package var firstApplication: ApplicationID
    /// Takes an application as it is now into force.
    package var applicationChanged: @Sendable (RoomPorts.Application) -> Void

    package init(
        stores: OperatorStores, catalogues: GiftCatalogues, webhooks: any WebhookControl,
        words: any WordControl, condition: ServerCondition, firstApplication: ApplicationID,
        applicationChanged: @escaping @Sendable (RoomPorts.Application) -> Void
    ) {
        self.stores = stores
        self.catalogues = catalogues
        self.webhooks = webhooks
        self.words = words
        self.condition = condition
        self.firstApplication = firstApplication
        self.applicationChanged = applicationChanged
    }
}
