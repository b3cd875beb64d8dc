package import Commerce
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

package final class MemoryGifts: GiftStore {
    private let held = Mutex<[ApplicationID: [Gift]]>([:])
    package init() {}

    package func gifts(of application: ApplicationID) async throws(JournalFailure) -> GiftCatalogue {
        GiftCatalogue(held.withLock { $0[application] ?? [] })
    }

    package func save(_ gift: Gift, of application: ApplicationID) async throws(JournalFailure) {
        held.withLock {
            $0[application, default: []] = $0[application, default: []].filter { $0.id != gift.id } + [gift]
        }
    }

    package func remove(_ gift: String, of application: ApplicationID) async throws(JournalFailure) -> Bool {
        held.withLock { held in
            let former = held[application] ?? []
            held[application] = former.filter { $0.id != gift }
            return held[application]?.count != former.count
        }
    }
}

package struct NoRecords: OperatorRecords {
    package init() {}

    package func audit(
        of application: ApplicationID, _ query: AuditQuery
    ) async throws(JournalFailure) -> [NotedLine] { [] }

    package func reports(
        of application: ApplicationID, all: Bool, after id: Int64, limit: Int
    ) async throws(JournalFailure) -> [NotedReport] { [] }

    package func restrictions(
        of application: ApplicationID, _ kind: RestrictionKind?, at time: Int64, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [NotedRestriction] { [] }

    package func settle(
        _ id: Int64, of application: ApplicationID, _ settlement: NotedReport.Settlement
    ) async throws(JournalFailure) -> Bool { false }
}

/// No webhooks.
package struct NoWebhookControl: WebhookControl {
    package init() {}
    package func list(of application: ApplicationID) async throws(WebhookFault) -> [WebhookStatus] { [] }
    package func add(_ draft: WebhookDraft, to application: ApplicationID) async throws(WebhookFault) -> Webhook {
        throw .unavailable
    }
    package func change(
        _ id: WebhookID, of application: ApplicationID, _ draft: WebhookDraft
    ) async throws(WebhookFault) -> Webhook { throw .unknown }
    package func remove(_ id: WebhookID, of application: ApplicationID) async throws(WebhookFault) { throw .unknown }
    package func dead(
        _ id: WebhookID, of application: ApplicationID, before: Int64?, limit: Int
    ) async throws(WebhookFault) -> [DeadNews] { throw .unknown }
    package func replay(
        _ id: WebhookID, of application: ApplicationID, number: Int64?
    ) async throws(WebhookFault) -> Int { throw .unknown }
    package func test(_ id: WebhookID, of application: ApplicationID) async throws(WebhookFault) -> String? {
        throw .unknown
    }
}

/// Nobody is known.
package struct NothingKnown: PersonalData {
    package init() {}
    package func erase(_ user: UserID, of application: ApplicationID) async throws(JournalFailure) -> Int { 0 }
    package func copies() -> [String] { [] }
}

/// No words.
package struct NoWords: WordControl {
    package init() {}
    package func list(
        of application: ApplicationID, after word: String?, limit: Int
    ) async throws(WordFault) -> (words: [String], count: Int) { (words: [], count: 0) }
    package func change(
        _ application: ApplicationID, adding: [String], removing: [String]
    ) async throws(WordFault) -> Int { throw .unavailable }
    package func stopped(in text: String, of application: ApplicationID) -> String? { nil }
}

extension OperatorStores {
    package static func inMemory() -> OperatorStores {
        OperatorStores(
            accounts: MemoryAccounts(), personalData: NothingKnown(), keys: MemoryOperatorKeys(), gifts: MemoryGifts(),
            records: NoRecords(),
            audit: MemoryAudit(), restrictions: MemoryRestrictions())
    }
}
