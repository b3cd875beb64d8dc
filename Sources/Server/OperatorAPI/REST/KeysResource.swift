import Digests
import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol
import Timing

/// The keys of operators' programs. A key makes and drops keys that reach no further than itself.
struct KeysResource: Sendable {
    enum Operation: Sendable, Hashable { case readOwn, list, create, revoke }

    private struct Entry: Encodable {
        var id: String
        /// Absent: all applications.
        var app: UInt32?
        var name: UserID
        var scopes: [String]
        var createdAt: Int64
        var expiresAt: Int64?
        /// The key's text, and by what it signs calls of the room API. They are told this once.
        var key: String?
        var secret: String?

        init(_ entry: OperatorKey, key: String? = nil, secret: String? = nil) {
            id = entry.id
            app = entry.application?.rawValue
            name = entry.name
            scopes = entry.scopes.map(\.rawValue).sorted()
            createdAt = entry.createdAt
            expiresAt = entry.expiresAt
            self.key = key
            self.secret = secret
        }
    }

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))
    private static let days = 1...36_500

    let store: any OperatorKeyStore
    let operators: OperatorSignIn
    let signIn: SignIn
    let clock: any TimeSource

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        // Whoever shows it may know what it is good for.
        case .readOwn: return HTTPReply.json(Entry(access.key))
        case .list:
            try trail.check(.manageKeys, access, "listKeys")
            let seen = try await keys().filter { access.reaches($0.application) }
            return HTTPReply.json(["keys": seen.map { Entry($0) }])
        case .create:
            try trail.check(.manageKeys, access, "createKey")
            return try await create(parameters, access.key, trail)
        case .revoke:
            try trail.check(.manageKeys, access, "revokeKey")
            return try await revoke(parameters, access.key, trail)
        }
    }

    private func create(
        _ parameters: RESTParameters, _ maker: OperatorKey, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        let name = try parameters.user("name")
        var scopes: Set<OperatorScope> = []
        for text in try parameters.texts("scopes") ?? [] {
            guard let scope = OperatorScope(rawValue: text) else {
                throw Refusal(.invalid("scopes", "there is no scope \(text.prefix(40))"))
            }
            scopes.insert(scope)
        }
        guard !scopes.isEmpty else { throw Refusal(.invalid("scopes", "a key has one scope or more")) }
        let application = try parameters.application() ?? maker.application
        if let application { _ = try await signIn.application(application) }
        let now = clock.wallTime.millisecondsSince1970
        var end = maker.expiresAt
        if parameters.has("days") {
            let days = try parameters.whole("days")
            guard Self.days.contains(Int(clamping: days)) else {
                throw Refusal(.invalid("days", "days are 1…\(Self.days.upperBound)"))
            }
            end = min(now + days * 86_400_000, maker.expiresAt ?? .max)
        }
        let text = OperatorKeyText()
        let made = OperatorKey(
            id: text.id, application: application, name: name, scopes: scopes, digest: text.digest, createdAt: now,
            expiresAt: end)
        try Self.check(maker, reaches: made)
        let kept: Bool
        do throws(JournalFailure) { kept = try await store.add(made, limit: OperatorKey.limit) } catch {
            throw Self.unavailable
        }
        guard kept else {
            throw Refusal(
                RoomError(.permissionDenied, "there are \(OperatorKey.limit) keys already: drop what nobody uses"))
        }
        operators.forget()
        note(made, by: maker, "createKey", trail)
        return HTTPReply.json(
            Entry(made, key: text.text, secret: TC3Signature.secret(digest: made.digest)), status: .created)
    }

    private func revoke(
        _ parameters: RESTParameters, _ maker: OperatorKey, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        let id = try parameters.text("id") ?? ""
        guard let found = try await keys().first(where: { $0.id == id }),
            maker.application == nil || found.application == maker.application
        else { return Self.unknown }
        try Self.check(maker, reaches: found)
        let revoked: Bool
        do throws(JournalFailure) { revoked = try await store.revoke(id) } catch { throw Self.unavailable }
        operators.forget()
        guard revoked else { return Self.unknown }
        note(found, by: maker, "revokeKey", trail)
        return HTTPReply.json(Answer.Empty())
    }

    private static func check(_ maker: OperatorKey, reaches other: OperatorKey) throws(Refusal) {
        guard maker.application == nil || other.application == maker.application else {
            throw OperatorSignIn.otherApplication
        }
        if let scope = other.scopes.subtracting(maker.scopes).map(\.rawValue).min() {
            throw Refusal(
                RoomError(
                    .permissionDenied, "a key makes and drops keys with no more scopes than its own: \(scope)",
                    reason: "scope"))
        }
    }

    private static let unknown = HTTPReply.failure(
        code: 404, name: "not_found", message: "there is no such key", status: .notFound)

    private func keys() async throws(Refusal) -> [OperatorKey] {
        do throws(JournalFailure) { return try await store.keys() } catch { throw Self.unavailable }
    }

    private func note(_ key: OperatorKey, by maker: OperatorKey, _ action: String, _ trail: OperatorTrail) {
        trail.note(
            OperatorAccess(maker, key.application ?? .server), action,
            detail: key.audited)
    }
}
