package import HTTP
package import RoomModel
package import RoomPorts
import RoomService
import Synchronization
package import Timing

/// A user of an application.
struct PersonKey: Hashable, Sendable {
    var application: ApplicationID
    var user: UserID
}

/// Who is signed in. One user has one session, or several where the application allows it (A04).
package final class SessionRegistry: Sendable {
    private struct State {
        var nextToken: UInt64 = 1
        var bySecret: [String: Session] = [:]
        var byToken: [SessionToken: Session] = [:]
        var byUser: [PersonKey: [Session]] = [:]
        /// Who is signed in under a name, in small letters: sign-ins by name ask, and thousands may be there.
        var byName: [NameKey: Set<SessionToken>] = [:]
        /// Names between the check and the session that has them: one for each sign-in or change under way.
        var reserved: [NameKey: UserID] = [:]
        var names: [SessionToken: NameKey] = [:]
    }

    private struct NameKey: Hashable {
        var application: ApplicationID
        var name: String
    }

    /// What a sign-in led to.
    package struct Opened {
        package var session: Session
        package var resumed: Bool
        /// Sessions that are over now, with the connections to tell.
        var replaced: [(session: Session, connection: SocketConnection?)]
        /// The connection that spoke for a resumed session until now, if it still stood.
        var displaced: SocketConnection?
    }

    private let state = Mutex(State())
    private let ownsNameOf: @Sendable (UserID) -> Bool

    /// - Parameter ownsNameOf: whether this server called that user by a name that nobody else may have at the same time: it made the
    ///   user. What users of the operator's own are called the operator decides.
    package init(ownsNameOf: @escaping @Sendable (UserID) -> Bool) { self.ownsNameOf = ownsNameOf }

    /// Signs a user in, or lets the connection take a session over.
    package func open(
        application: Application, profile: UserProfile, ticketMaker: TicketMaker? = nil, resume secret: String?,
        connection: SocketConnection
    ) -> Opened {
        let user = PersonKey(application: application.id, user: profile.id)
        return state.withLock { state in
            if let secret, let session = state.bySecret[secret], session.user == profile.id,
                session.application == application.id
            {
                let displaced = session.withState { session -> SocketConnection? in
                    defer {
                        session.connection = connection
                        session.lostAt = nil
                        session.profile = profile
                        session.ticketNumber += 1
                        session.ticketMaker = ticketMaker
                    }
                    return session.connection
                }
                Self.name(session, profile.name, in: &state)
                return Opened(session: session, resumed: true, replaced: [], displaced: displaced)
            }
            let earlier = application.settings.secondSession == .replaces ? state.byUser[user] ?? [] : []
            for session in earlier { Self.forget(session, in: &state) }
            let session = Session(
                token: SessionToken(rawValue: state.nextToken), secret: Secret.make(), application: application.id,
                profile: profile, ticketMaker: ticketMaker, connection: connection)
            state.nextToken += 1
            state.bySecret[session.secret] = session
            state.byToken[session.token] = session
            Self.name(session, profile.name, in: &state)
            state.byUser[user, default: []].append(session)
            let replaced = earlier.map { session in
                (
                    session: session,
                    connection: session.withState { state -> SocketConnection? in
                        defer { state.connection = nil }
                        return state.connection
                    }
                )
            }
            return Opened(session: session, resumed: false, replaced: replaced, displaced: nil)
        }
    }

    /// The connection is gone. The session waits for another, unless one has already taken it over.
    /// - Returns: whether the session has now no connection.
    func lose(_ session: Session, connection: SocketConnection, now: Instant) -> Bool {
        session.withState { state in
            guard state.connection === connection else { return false }
            state.connection = nil
            state.lostAt = now
            return true
        }
    }

    /// Signs a person out wherever they have a session. Returns once nothing of those is heard or sent any more.
    package func signOut(_ user: UserID, in application: ApplicationID, why reason: SocketCloseReason) async {
        let held = state.withLock { state in
            let held = state.byUser[PersonKey(application: application, user: user)] ?? []
            for session in held { Self.forget(session, in: &state) }
            return held
        }
        for session in held {
            let connection = session.withState { state -> SocketConnection? in
                defer { state.connection = nil }
                return state.connection
            }
            await session.leaveRoom(why: .left)
            connection?.close(reason)
        }
    }

    /// Ends what tickets of other keys gave a right to, as when a ticket runs out: the sessions wait for a new one. Returns once nothing of
    /// them is heard or sent any more.
    package func endTickets(of application: ApplicationID, notMadeBy makers: Set<TicketMaker>, now: Instant) async {
        let held = state.withLock { state in
            state.bySecret.values.filter { session in
                session.application == application
                    && session.withState { $0.ticketMaker.map { !makers.contains($0) } ?? false }
            }
        }
        for session in held {
            let ended = session.withState { state -> SocketConnection?? in
                // A newer ticket has come meanwhile.
                guard let maker = state.ticketMaker, !makers.contains(maker) else { return nil }
                defer {
                    if state.connection != nil { state.lostAt = now }
                    state.connection = nil
                    state.ticketMaker = nil
                }
                return .some(state.connection)
            }
            guard let connection = ended else { continue }
            await session.leaveRoom(why: .expired)
            connection?.close(.ticketExpired)
        }
    }

    /// A person's sessions, with and without a connection.
    package func all(of user: UserID, in application: ApplicationID) -> [Session] {
        state.withLock { $0.byUser[PersonKey(application: application, user: user)] ?? [] }
    }

    /// Signs out.
    package func close(_ session: Session) {
        state.withLock { Self.forget(session, in: &$0) }
        session.withState { $0.connection = nil }
    }

    /// Forgets sessions that lost their connection before `deadline` and are in no room; returns how many.
    @discardableResult
    package func expire(lostBefore deadline: Instant) -> Int {
        state.withLock { state in
            let expired = state.bySecret.values.filter { session in
                session.withState { ($0.lostAt.map { $0 < deadline } ?? false) && $0.place == nil }
            }
            for session in expired { Self.forget(session, in: &state) }
            return expired.count
        }
    }

    /// Keeps a name for a user until `releaseName`, so that two who ask in the same moment do not both get it. Whoever this server has not
    /// made may have any.
    /// - Returns: whether the user may have it.
    func reserveName(_ name: String, for user: UserID, in application: ApplicationID) -> Bool {
        guard ownsNameOf(user) else { return true }
        let key = NameKey(application: application, name: ReadableName.key(name))
        return state.withLock { state in
            if let other = state.reserved[key], other != user { return false }
            guard !Self.isInUse(key, besides: user, in: state) else { return false }
            state.reserved[key] = user
            return true
        }
    }

    /// The session has the name, or the attempt has failed.
    func releaseName(_ name: String, for user: UserID, in application: ApplicationID) {
        let key = NameKey(application: application, name: ReadableName.key(name))
        state.withLock { if $0.reserved[key] == user { $0.reserved[key] = nil } }
    }

    /// Whether somebody else than `user` is signed in under that name; capitals and what is not seen do not matter.
    package func isNameInUse(_ name: String, in application: ApplicationID, besides user: UserID?) -> Bool {
        let key = NameKey(application: application, name: ReadableName.key(name))
        return state.withLock { state in
            (state.reserved[key].map { $0 != user } ?? false) || Self.isInUse(key, besides: user, in: state)
        }
    }

    private static func isInUse(_ key: NameKey, besides user: UserID?, in state: borrowing State) -> Bool {
        (state.byName[key] ?? []).contains { token in
            guard let session = state.byToken[token], session.user != user else { return false }
            return session.withState { $0.connection != nil }
        }
    }

    /// A session's profile has another name.
    package func note(_ profile: UserProfile, of session: Session) {
        state.withLock { state in
            session.withState { $0.profile = profile }
            guard state.bySecret[session.secret] != nil else { return }
            Self.name(session, profile.name, in: &state)
        }
    }

    private static func name(_ session: Session, _ name: String?, in state: inout State) {
        if let former = state.names.removeValue(forKey: session.token) {
            state.byName[former]?.remove(session.token)
            if state.byName[former]?.isEmpty == true { state.byName[former] = nil }
        }
        guard let name else { return }
        let key = NameKey(application: session.application, name: ReadableName.key(name))
        state.names[session.token] = key
        state.byName[key, default: []].insert(session.token)
    }

    /// The connections that stand, of one person.
    package func connections(of user: UserID, in application: ApplicationID) -> [SocketConnection] {
        state.withLock { state in
            (state.byUser[PersonKey(application: application, user: user)] ?? []).compactMap { session in
                session.withState { $0.connection }
            }
        }
    }

    /// Sessions, with and without a connection.
    package var count: Int { state.withLock { $0.bySecret.count } }

    /// People who have a session.
    package var users: Int { state.withLock { $0.byUser.count } }

    /// Names that somebody has: one for each at most.
    package var namesInUse: Int { state.withLock { $0.byName.count } }

    private static func forget(_ session: Session, in state: inout State) {
        state.bySecret[session.secret] = nil
        state.byToken[session.token] = nil
        name(session, nil, in: &state)
        let user = PersonKey(application: session.application, user: session.user)
        state.byUser[user]?.removeAll { $0 === session }
        if state.byUser[user]?.isEmpty ?? false { state.byUser[user] = nil }
    }

    /// For what is in a room without a session here; never given twice.
    package func takeToken() -> SessionToken {
        state.withLock { state in
            defer { state.nextToken += 1 }
            return SessionToken(rawValue: state.nextToken)
        }
    }
}

/// Something that only its bearer knows.
package enum Secret {
    /// 128 random bits, as 32 hexadecimal digits.
    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
