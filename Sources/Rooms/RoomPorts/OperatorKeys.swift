package import RoomEvents
package import RoomModel

/// A key by which an operator's program may call the REST API. The text that its bearer shows is not kept, only its digest.
package struct OperatorKey: Hashable, Sendable {
    /// Names the key in lists, and stands in its text.
    package var id: String
    /// `nil`: it is good for all applications.
    package var application: ApplicationID?
    /// Who people and the audit trail see.
    package var name: UserID
    package var scopes: Set<OperatorScope>
    /// SHA-256 of its secret.
    package var digest: [UInt8]
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// Milliseconds since 1970; `nil`: it is good until it is revoked.
    package var expiresAt: Int64?
    /// Whether it opens something to requests from this machine alone. No stored key says so.
    package var isForThisMachine: Bool

    package init(
        id: String, application: ApplicationID?, name: UserID, scopes: Set<OperatorScope>, digest: [UInt8],
        createdAt: Int64, expiresAt: Int64? = nil, isForThisMachine: Bool = false
    ) {
        self.id = id
        self.application = application
        self.name = name
        self.scopes = scopes
        self.digest = digest
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isForThisMachine = isForThisMachine
    }
}

/// Operators' keys; what is written is durable when the call returns.
package protocol OperatorKeyStore: Sendable {
    /// The oldest first.
    func keys() async throws(JournalFailure) -> [OperatorKey]
    /// - Returns: whether there was room for it: at most `limit` keys are kept.
    func add(_ key: OperatorKey, limit: Int) async throws(JournalFailure) -> Bool
    /// - Returns: whether there was such a key.
    func revoke(_ id: String) async throws(JournalFailure) -> Bool
}
