import Foundation
import HTTPTypes
import Hummingbird
import RoomModel
import RoomPorts
import SignalProtocol
import Synchronization
import Timing

/// What a request may do, by the key that it brings.
struct OperatorAccess: Sendable {
    let caller: Operator
    let application: ApplicationID
}

/// Finds out which operator a request comes from.
final class OperatorSignIn: Sendable {
    /// How long the keys are remembered, so that one that is revoked opens nothing within seconds.
    private static let memory = Interval.seconds(2)

    private let store: any OperatorKeyStore
    private let signIn: SignIn
    private let clock: any TimeSource
    private let remembered = Mutex<(keys: [String: OperatorKey], until: Instant)?>(nil)

    init(store: any OperatorKeyStore, signIn: SignIn, clock: any TimeSource) {
        self.store = store
        self.signIn = signIn
        self.clock = clock
    }

    /// - Throws: `not_signed_in` with the reason `missing`, `unknown` or `expired`; `permission_denied` with the reason `app`;
    ///   `app_unknown`.
    func access(_ request: Request) async throws(Refusal) -> OperatorAccess {
        let key = try await key(request)
        let asked = try Self.application(request)
        if let own = key.application, let asked, own != asked {
            throw Refusal(RoomError(.permissionDenied, "the key is for another application", reason: "app"))
        }
        guard let application = key.application ?? asked else {
            throw Refusal(.invalid("app", "this key is good for all applications: say which one, by ?app="))
        }
        // A typing error is told as one.
        _ = try await signIn.application(application)
        return OperatorAccess(caller: Operator(key.name, scopes: key.scopes), application: application)
    }

    /// Somebody as they are known, or by their id.
    func profile(of user: UserID, in application: ApplicationID) async throws(Refusal) -> UserProfile {
        try await signIn.profiles([user], in: application).first?.brief ?? UserProfile(id: user)
    }

    private func key(_ request: Request) async throws(Refusal) -> OperatorKey {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.stranger("send the key as Authorization: Bearer ovk_…", "missing")
        }
        guard let text = OperatorKeyText(parts[1]), let key = try await keys()[text.id], text.opens(key) else {
            throw Self.stranger("there is no such key (see: ovation key list)", "unknown")
        }
        if isOver(key) { throw Self.stranger("the key is out of date", "expired") }
        return key
    }

    /// The key of that name, unless it is out of date. Whoever names it has yet to prove that they hold it.
    func key(id: String) async throws(Refusal) -> OperatorKey? {
        guard let key = try await keys()[id], !isOver(key) else { return nil }
        return key
    }

    private func isOver(_ key: OperatorKey) -> Bool {
        key.expiresAt.map { $0 <= clock.wallTime.millisecondsSince1970 } ?? false
    }

    private func keys() async throws(Refusal) -> [String: OperatorKey] {
        let now = clock.now
        if let known = remembered.withLock({ $0 }), known.until > now { return known.keys }
        let found: [OperatorKey]
        do throws(JournalFailure) { found = try await store.keys() } catch {
            throw Refusal(RoomError(.unavailable, retryAfterMs: 1_000))
        }
        let keys = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        remembered.withLock { $0 = (keys, now + Self.memory) }
        return keys
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
