import Foundation
package import HTTP
import HTTPTypes
package import Hummingbird
import RoomEvents
package import RoomModel
package import RoomPorts
package import SignalProtocol
import Synchronization
import Timing

/// What a request may do, by the key that it brings.
struct OperatorAccess: Sendable {
    let key: OperatorKey
    let application: ApplicationID

    init(_ key: OperatorKey, _ application: ApplicationID) {
        self.key = key
        self.application = application
    }

    var caller: Operator { Operator(UserID.program(key.name), scopes: key.scopes) }

    /// Whether the key is good in that application.
    func reaches(_ application: ApplicationID?) -> Bool { key.application == nil || key.application == application }
}

/// Finds out which operator a request comes from.
package final class OperatorSignIn: Sendable {
    /// How long the keys are remembered, so that one that is revoked opens nothing within seconds.
    private static let memory = Interval.seconds(2)

    private let store: any OperatorKeyStore
    private let signIn: SignIn
    private let clock: any TimeSource
    private struct Memory {
        var keys: (byID: [String: OperatorKey], until: Instant)?
        /// Counts changes: what was read before one is not remembered after it.
        var changes = 0
    }

    private let remembered = Mutex(Memory())

    package init(store: any OperatorKeyStore, signIn: SignIn, clock: any TimeSource) {
        self.store = store
        self.signIn = signIn
        self.clock = clock
    }

    /// What the key may do in the application that the request is for.
    /// - Throws: `permission_denied` with the reason `app`; `app_unknown`.
    /// - Parameter orServer: whether what concerns the whole server can be asked for, as application 0.
    func access(
        _ request: Request, by key: OperatorKey, orServer: Bool = false
    ) async throws(Refusal) -> OperatorAccess {
        let asked = try Self.application(request)
        if let own = key.application, let asked, own != asked { throw Self.otherApplication }
        guard let application = key.application ?? asked else {
            throw Refusal(.invalid("app", "this key is good for all applications: say which one, by ?app="))
        }
        if orServer, application == .server { return OperatorAccess(key, .server) }
        // A typing error is told as one.
        _ = try await signIn.application(application)
        return OperatorAccess(key, application)
    }

    static let otherApplication = Refusal(
        RoomError(.permissionDenied, "the key is for another application", reason: "app"))

    /// Somebody as they are known, or by their id.
    package func profile(of user: UserID, in application: ApplicationID) async throws(Refusal) -> UserProfile {
        try await signIn.profiles([user], in: application).first?.brief ?? UserProfile(id: user)
    }

    /// The key that the request shows.
    /// - Throws: `not_signed_in` with the reason `missing`, `unknown` or `expired`.
    package func key(_ request: Request, from address: ClientAddress) async throws(Refusal) -> OperatorKey {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.stranger("send the key as Authorization: Bearer ovk_…", "missing")
        }
        guard let text = OperatorKeyText(parts[1]), let key = try await keys()[text.id], text.opens(key),
            address.isLoopback || !key.isForThisMachine
        else {
            throw Self.stranger("there is no such key (see: ovation key list)", "unknown")
        }
        if isOver(key) { throw Self.stranger("the key is out of date", "expired") }
        return key
    }

    /// The key of that name, unless it is out of date. Whoever names it has yet to prove that they hold it. A key for this machine alone
    /// signs nothing.
    package func key(id: String) async throws(Refusal) -> OperatorKey? {
        guard let key = try await keys()[id], !isOver(key), !key.isForThisMachine else { return nil }
        return key
    }

    private func isOver(_ key: OperatorKey) -> Bool {
        key.expiresAt.map { $0 <= clock.wallTime.millisecondsSince1970 } ?? false
    }

    private func keys() async throws(Refusal) -> [String: OperatorKey] {
        let now = clock.now
        let (known, changes) = remembered.withLock { ($0.keys, $0.changes) }
        if let known, known.until > now { return known.byID }
        let found: [OperatorKey]
        do throws(JournalFailure) { found = try await store.keys() } catch {
            throw Refusal(RoomError(.unavailable, retryAfterMs: 1_000))
        }
        let keys = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        remembered.withLock { if $0.changes == changes { $0.keys = (keys, now + Self.memory) } }
        return keys
    }

    /// Keys were made or dropped.
    package func forget() {
        remembered.withLock {
            $0.keys = nil
            $0.changes += 1
        }
    }

    private static func application(_ request: Request) throws(Refusal) -> ApplicationID? {
        guard let text = request.uri.queryParameters["app"] else { return nil }
        guard let number = UInt32(text) else { throw Refusal(.invalid("app", "app is the number of an application")) }
        return ApplicationID(number)
    }

    private static func stranger(_ message: String, _ reason: String) -> Refusal {
        Refusal(RoomError(.notSignedIn, message, reason: reason))
    }
}
