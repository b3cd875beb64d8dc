import Digests
import OperatorAPI
import RoomEvents
import RoomModel
import RoomPorts
import StoreSQLite
import Timing

/// Operators' keys of a server that is not running: what `ovation key` does.
package struct OperatorKeyAdmin: Sendable {
    /// A key as the operator sees it.
    package struct Entry: Sendable, Hashable {
        package var id: String
        /// `nil`: all applications.
        package var application: UInt32?
        package var name: String
        package var scopes: [String]
        /// Milliseconds since 1970.
        package var createdAt: Int64
        /// `nil`: until it is revoked.
        package var expiresAt: Int64?
    }

    /// What a key may do, as it is written on the command line.
    package static let scopes = OperatorScope.allCases.map(\.rawValue)

    /// On the command line: all of them, as this version knows them.
    package static let everyScope = "all"

    private let data: String

    package init(data: String) { self.data = data }

    /// - Parameters:
    ///   - application: `nil`: all of them.
    ///   - days: for how long; `nil`: until it is revoked.
    /// - Returns: the key's text, and the secret by which its bearer signs calls of the room API; they are told this once.
    package func create(
        name: String, application: UInt32?, scopes: [String], days: Int?
    ) async throws -> (text: String, secret: String, entry: Entry) {
        guard let name = UserID(name) else {
            throw ConfigurationFailure("a key's name has 1…32 of A-Z a-z 0-9 _ -")
        }
        var wanted: Set<OperatorScope> = []
        for scope in scopes.flatMap({ $0 == Self.everyScope ? Self.scopes : [$0] }) {
            guard let known = OperatorScope(rawValue: scope) else {
                throw ConfigurationFailure(
                    "there is no scope '\(scope)'; there are \(Self.scopes.joined(separator: ", ")), "
                        + "and \(Self.everyScope) for all of them")
            }
            wanted.insert(known)
        }
        let text = OperatorKeyText()
        let now = ServerClock().wallTime.millisecondsSince1970
        let key = OperatorKey(
            id: text.id, application: application.map { ApplicationID($0) }, name: name, scopes: wanted,
            digest: text.digest, createdAt: now, expiresAt: days.map { now + Int64($0) * 86_400_000 })
        try await StoppedStore.with(data) { store in
            if let application, try await store.accounts.application(ApplicationID(application)) == nil {
                throw ConfigurationFailure("there is no application \(application) (see: ovation app list)")
            }
            guard try await store.operatorKeys.add(key, limit: OperatorKey.limit) else {
                throw ConfigurationFailure(
                    "there are \(OperatorKey.limit) keys already: 'ovation key revoke' drops what nobody uses")
            }
            CommandTrail(store: store, application: key.application ?? .server).note("createKey", detail: key.audited)
        }
        return (text.text, TC3Signature.secret(digest: key.digest), Entry(key))
    }

    /// The oldest first.
    package func list() async throws -> [Entry] {
        try await StoppedStore.with(data) { try await $0.operatorKeys.keys().map(Entry.init) }
    }

    /// The key opens nothing from the next start on.
    package func revoke(_ id: String) async throws {
        try await StoppedStore.with(data) { store in
            guard let key = try await store.operatorKeys.keys().first(where: { $0.id == id }),
                try await store.operatorKeys.revoke(id)
            else { throw ConfigurationFailure("there is no key \(id) (see: ovation key list)") }
            CommandTrail(store: store, application: key.application ?? .server).note("revokeKey", detail: key.audited)
        }
    }
}

extension OperatorKeyAdmin.Entry {
    fileprivate init(_ key: OperatorKey) {
        self.init(
            id: key.id, application: key.application?.rawValue, name: key.name.rawValue,
            scopes: key.scopes.map(\.rawValue).sorted(), createdAt: key.createdAt, expiresAt: key.expiresAt)
    }
}
