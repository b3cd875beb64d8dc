internal import Ovation
internal import Platform

/// A sign-in that several components share: as published, a chat client, a voice room and a chorus of one app are one
/// user's, and here too the second of them must not push the first one out (6208).
final class Connection: Sendable {
    typealias Listener = @Sendable (OvationClient.Delivery) -> Void

    /// Who is signed in where.
    struct Key: Hashable, Sendable {
        var server: ServerAddress
        var certificate: String?
        var application: ApplicationID
        var user: UserID

        init(server: ServerAddress, certificate: String?, application: ApplicationID, user: UserID) {
            self.server = server
            self.certificate = certificate
            self.application = application
            self.user = user
        }

        /// With what a component's `login` is given; if that is none, the caller is told.
        init?(sdkAppID: Int32, userId: String, userSig: String, _ reply: ActionReply) {
            guard sdkAppID != 0, let application = UInt32(exactly: sdkAppID) else {
                reply(
                    TRTCCode.failed,
                    "sdkAppID is \(sdkAppID): give the application's number; \(GenerateTestUserSig.advice)")
                return nil
            }
            guard let user = UserID(userId, reply) else { return nil }
            guard !userSig.isEmpty else {
                reply(TRTCCode.failed, "userSig is empty; \(GenerateTestUserSig.advice)")
                return nil
            }
            do throws(OvationError) {
                self.init(
                    server: try OvationServer.named(), certificate: OvationServer.certificate,
                    application: ApplicationID(application), user: user)
            } catch {
                reply(error.outcome.code, error.outcome.message)
                return nil
            }
        }
    }

    /// One component's part in a connection.
    struct Share: Sendable {
        let connection: Connection
        fileprivate let number: Int
        /// Whether it is a room component, which takes and gives up seats. The chat client only listens.
        fileprivate let sits: Bool
        var client: OvationClient { connection.client }
    }

    private struct State {
        var next = 0
        /// In the order in which they came.
        var listeners: [(number: Int, hear: Listener)] = []
        /// Waiting for the sign-in; `nil` once it has succeeded.
        var waiting: [@Sendable (Result<Void, OvationError>) -> Void]? = []
        /// Rooms that somebody here is in, with the shares that are.
        var rooms: [RoomID: (session: RoomSession, shares: Set<Int>)] = [:]
    }

    private static let all = Mutex<[Key: Connection]>([:])

    let key: Key
    let client: OvationClient
    private let state = Mutex(State())

    private init(_ key: Key) {
        self.key = key
        client = OvationClient(
            server: key.server,
            configuration: OvationClient.Configuration(
                trustRoots: key.certificate.map { .file($0) } ?? .system, clientName: "ovation-trtc"))
        client.deliver { [weak self] in self?.hear($0) }
    }

    // MARK: - Signing in and out

    /// Signs in, or joins a sign-in of the same user, whose ticket must then be good too.
    /// - Parameter sits: as a room component, which gives up its seat when it leaves.
    static func join(
        _ key: Key, ticket: String, sits: Bool, hear: @escaping Listener,
        completion: @escaping @Sendable (Result<Share, OvationError>) -> Void
    ) {
        let (share, isNew) = all.withLock { all -> (Share, Bool) in
            if let present = all[key] { return (present.add(hear, sits: sits), false) }
            let made = Connection(key)
            all[key] = made
            return (made.add(hear, sits: sits), true)
        }
        let connection = share.connection
        connection.whenSignedIn { result in
            switch result {
            // Such a connection is nobody's any more: the next login makes another.
            case .failure(let error): completion(.failure(error))
            case .success where isNew: completion(.success(share))
            case .success:
                connection.renew(ticket) { result in
                    if case .failure = result { leave(share) }
                    completion(result.map { share })
                }
            }
        }
        if isNew { connection.signIn(ticket) }
    }

    /// Puts a newer ticket of the same user in place; nothing is interrupted.
    func renew(_ ticket: String, completion: @escaping @Sendable (Result<Void, OvationError>) -> Void) {
        Task {
            do throws(OvationError) {
                try await client.renew(ticket: ticket)
                completion(.success(()))
            } catch { completion(.failure(error)) }
        }
    }

    /// Gives a share back, which leaves its room; the last one signs out. The completion says that it is done.
    static func leave(_ share: Share, completion: @escaping @Sendable () -> Void = {}) {
        let isLast = all.withLock { all -> Bool in
            share.connection.remove(share)
            guard share.connection.state.withLock({ $0.listeners.isEmpty }) else { return false }
            share.connection.forget(in: &all)
            return true
        }
        guard isLast else {
            for session in share.connection.rooms(of: share) {
                share.connection.exit(session, share: share)
            }
            return completion()
        }
        Task {
            await share.client.signOut()
            share.client.deliver(to: nil)
            completion()
        }
    }

    private func forget(in all: inout [Key: Connection]) {
        if all[key] === self { all[key] = nil }
    }

    private func add(_ hear: @escaping Listener, sits: Bool) -> Share {
        state.withLock { state in
            state.next += 1
            state.listeners.append((state.next, hear))
            return Share(connection: self, number: state.next, sits: sits)
        }
    }

    private func remove(_ share: Share) {
        state.withLock { state in state.listeners.removeAll { $0.number == share.number } }
    }

    private func whenSignedIn(_ body: @escaping @Sendable (Result<Void, OvationError>) -> Void) {
        let isReady = state.withLock { state in
            state.waiting?.append(body)
            return state.waiting == nil
        }
        if isReady { body(.success(())) }
    }

    private func signIn(_ ticket: String) {
        Task {
            let result: Result<Void, OvationError>
            do throws(OvationError) {
                try await client.signIn(app: key.application, user: key.user, ticket: ticket)
                result = .success(())
            } catch {
                result = .failure(error)
                Self.all.withLock { forget(in: &$0) }
            }
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting ?? []
            }
            for completion in waiting { completion(result) }
        }
    }

    // MARK: - Rooms

    /// Enters a room. The entry is delivered to all shares.
    /// - Parameter isSilent: a share that wants no entry told; a room that this process is in already is then not entered again.
    func enter(
        _ room: RoomID, share: Share, isSilent: Bool,
        completion: @escaping @Sendable (Result<RoomSession, OvationError>) -> Void
    ) {
        if isSilent, let session = join(room, share) { return completion(.success(session)) }
        client.enterRoom(room) { [weak self] in completion(self?.note($0, share) ?? $0) }
    }

    func create(
        _ draft: RoomDraft, share: Share,
        completion: @escaping @Sendable (Result<RoomSession, OvationError>) -> Void
    ) {
        client.createRoom(draft) { [weak self] in completion(self?.note($0, share) ?? $0) }
    }

    /// Leaves a room at once; only the last share that is in it really does.
    /// - Parameter completion: called when nothing of the room is delivered any more.
    func exit(_ session: RoomSession, share: Share, completion: @escaping @Sendable () -> Void = {}) {
        let isUsed = state.withLock { state in
            state.rooms[session.id]?.shares.remove(share.number)
            return state.rooms[session.id]?.shares.isEmpty == false
        }
        guard !isUsed else {
            if share.sits { leaveSeat(session) }
            return completion()
        }
        forget(session)
        session.leave(completion: completion)
    }

    /// Another component of the app stays in the room, to hear its messages: whoever exits gives up the seat all the same, as soon as the
    /// server can be told.
    private func leaveSeat(_ session: RoomSession) {
        guard session.state.isPresent, session.state.mySeat != nil else { return }
        session.perform(.leaveSeat) { [weak self] result in
            if case .failure(let error) = result, error.isOfTheWay { self?.leaveSeat(session) }
        }
    }

    private func rooms(of share: Share) -> [RoomSession] {
        state.withLock { $0.rooms.values.filter { $0.shares.contains(share.number) }.map(\.session) }
    }

    /// The room, if somebody here is in it.
    func session(of room: RoomID) -> RoomSession? { state.withLock { $0.rooms[room]?.session } }

    /// The room, if this share is in it.
    func session(of room: RoomID, _ share: Share) -> RoomSession? {
        state.withLock { state in
            state.rooms[room].flatMap { $0.shares.contains(share.number) ? $0.session : nil }
        }
    }

    private func join(_ room: RoomID, _ share: Share) -> RoomSession? {
        state.withLock { state in
            state.rooms[room]?.shares.insert(share.number)
            return state.rooms[room]?.session
        }
    }

    private func note(
        _ result: Result<RoomSession, OvationError>, _ share: Share
    ) -> Result<RoomSession, OvationError> {
        if case .success(let session) = result {
            state.withLock { state in
                // A room that was left and entered again is another session.
                if state.rooms[session.id]?.session !== session { state.rooms[session.id] = (session, []) }
                state.rooms[session.id]?.shares.insert(share.number)
            }
        }
        return result
    }

    private func forget(_ session: RoomSession) {
        state.withLock { state in
            if state.rooms[session.id]?.session === session { state.rooms[session.id] = nil }
        }
    }

    // MARK: - Hearing

    /// On the client's thread, in its order.
    private func hear(_ delivery: OvationClient.Delivery) {
        switch delivery {
        case .client(.signedOut): Self.all.withLock { forget(in: &$0) }
        case .room(let session, .ended), .room(let session, .gone): forget(session)
        default: break
        }
        for listener in state.withLock({ $0.listeners }) { listener.hear(delivery) }
    }
}

extension UserID {
    /// What an app gives as a user's id; if that is none, the caller is told.
    init?(_ text: String, _ reply: ActionReply) {
        guard let id = UserID(text) else {
            reply(TRTCCode.failed, "\(text.debugDescription) is not a valid user ID: use 1 to 32 of A-Z a-z 0-9 _ -")
            return nil
        }
        self = id
    }
}
