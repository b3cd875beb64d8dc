internal import NIOCore
internal import NIOPosix
internal import Platform
public import RoomModel
package import SignalProtocol
package import Timing

/// A client of an Ovation server: signs in, shows the directory, creates and enters rooms.
///
/// ```swift
/// let client = OvationClient(server: try ServerAddress("http://localhost:8080"))
/// try await client.signIn(name: "Alice")
/// let room = try await client.createRoom(RoomDraft(name: "Evening salon"))
/// try await room.takeSeat(0)
/// for try await event in room.events { print(event) }
/// ```
///
/// Once signed in, the client reconnects automatically after a lost connection: at once, then after 0.5 s, 1 s … 10 s. The room, the seat
/// and the event numbers continue where they were. Calls wait for the connection until their timeout.
/// One client is signed in as one user at a time. A room that was entered keeps its client.
public final class OvationClient: Sendable {
    /// The certificates that a server must be signed by. Its name must match too.
    @nonexhaustive public enum TrustRoots: Sendable, Hashable {
        /// The certificates that this machine trusts.
        case system
        /// A file in PEM form, such as the certificate that `ovation serve --lan` writes.
        case file(String)
        /// The text of certificates in PEM form.
        case pem(String)
    }

    /// Whether rooms have sound.
    @nonexhaustive public enum Audio: Sendable, Hashable {
        /// The media path is opened when a room is entered.
        case automatic
        /// There is no media path. For programs that only follow rooms.
        case off
    }

    /// How a client behaves.
    public struct Configuration: Sendable {
        /// How long a call waits for its answer. Then it fails with `timeout`, or with `offline` if there was no connection.
        public var callTimeout: Duration
        /// Which certificates are trusted for `https:` and `wss:`.
        public var trustRoots: TrustRoots
        /// Whether rooms have sound.
        public var audio: Audio
        /// Name of the program for the server's log, one word.
        public var clientName: String
        /// Version of the program for the server's log.
        public var clientVersion: String
        /// Fetches a new ticket for the user who is signed in, usually from the application's own server. The client calls it before
        /// the ticket expires, and when the server refuses an old one.
        public var renewTicket: (@Sendable () async throws -> String)?
        /// What this client's clock shows at a moment of the machine's, for benchmarks that make it wrong (`RoomClock`).
        package var skew: (@Sendable (Instant) -> Instant)?
        /// Sound goes by TCP alone, for whoever wants to know whether that way is open.
        package var usesTCP = false

        /// Creates a configuration; the defaults suit most programs.
        public init(
            callTimeout: Duration = .seconds(15), trustRoots: TrustRoots = .system, audio: Audio = .automatic,
            clientName: String = "ovation-swift", clientVersion: String = "1",
            renewTicket: (@Sendable () async throws -> String)? = nil
        ) {
            self.callTimeout = callTimeout
            self.trustRoots = trustRoots
            self.audio = audio
            self.clientName = clientName
            self.clientVersion = clientVersion
            self.renewTicket = renewTicket
        }
    }

    /// The server's address.
    public let server: ServerAddress
    /// The client's configuration.
    public let configuration: Configuration

    let outlet: ClientOutlet
    private let session: ClientSession

    /// Creates a client. It connects when somebody signs in.
    public init(server: ServerAddress, configuration: Configuration = Configuration()) {
        self.server = server
        self.configuration = configuration
        outlet = ClientOutlet(
            server: server, callTimeout: TimeAmount(configuration.callTimeout),
            hasAudio: configuration.audio == .automatic, trustRoots: configuration.trustRoots, skew: configuration.skew,
            usesTCP: configuration.usesTCP)
        session = ClientSession(outlet, trustRoots: configuration.trustRoots)
        outlet.client = self
    }

    deinit {
        session.drop()
        outlet.state.finish()
        outlet.events.finish()
    }

    /// Who is signed in, and the state of the connection.
    public var state: ClientState { outlet.state.value }

    /// The state now and after each change.
    public var changes: StateChanges<ClientState> { outlet.state.subscribe() }

    /// Events of the connection and the session from now on; see `EventStream`.
    public var events: EventStream<Event> { outlet.events.subscribe() }

    /// Events of the connection and the session, with what happened before.
    public func events(replay: EventReplay) -> EventStream<Event> { outlet.events.subscribe(replay) }

    /// The server's clock.
    public var clock: RoomClock { outlet.clock }

    // MARK: - Signing in

    /// Signs in with a ticket (UserSig) that the application's server made for this user.
    ///
    /// If the server cannot be reached, the call fails at once (`server_unreachable`); the caller decides whether to try again.
    /// If a user is signed in with this client already, that user is signed out first.
    /// - Parameters:
    ///   - name: shown to others. `nil` keeps the stored name.
    ///   - avatar: an `https:`, `http:` or relative URL.
    @discardableResult
    public func signIn(
        app: ApplicationID, user: UserID, ticket: String, name: String? = nil, avatar: String? = nil
    ) async throws(OvationError) -> UserProfile {
        try await session.begin(
            SignalConnection.Credentials(
                application: app, user: user, ticket: ticket, name: name, avatar: avatar,
                renewTicket: configuration.renewTicket, client: client))
    }

    /// Signs in under a name, with a ticket from the server itself. Development servers and servers that admit guests give out such
    /// tickets. The client renews the ticket automatically.
    /// - Throws: `sign_in_unavailable`, `name_taken`, `guests_limited`, and what signing in throws.
    @discardableResult
    public func signIn(name: String) async throws(OvationError) -> UserProfile {
        let guest = try await TicketClient(server: server, trustRoots: configuration.trustRoots).guest(name)
        return try await session.begin(
            SignalConnection.Credentials(
                application: guest.given.app, user: guest.given.user, ticket: guest.given.ticket,
                name: guest.given.name, avatar: nil, renewTicket: configuration.renewTicket ?? guest.renew,
                client: client))
    }

    private var client: SessionOpening.Client {
        SessionOpening.Client(name: configuration.clientName, version: configuration.clientVersion)
    }

    /// Replaces the ticket with a new one of the same user. The seat is kept. Only needed without `Configuration.renewTicket`.
    public func renew(ticket: String) async throws(OvationError) {
        let _: Void = try await signedInLine().ask { connection, _, completion in
            connection.signIn.useTicket(ticket, completion: completion)
        }
    }

    /// Leaves the room and closes the connection. Does nothing when nobody is signed in.
    public func signOut() async { await session.end() }

    /// Reconnects at once instead of waiting for the next attempt. Call it when the network is known to be back.
    public func reconnectNow() { session.retryNow() }

    // MARK: - Calls

    func signedInLine() throws(OvationError) -> SignalConnectionHandle { try session.present() }

    func ask(_ body: Call.Body) async throws(OvationError) -> CallAnswer {
        try await outlet.ask(body, over: try signedInLine())
    }

    var http: ClientHTTP {
        ClientHTTP(server: server, trustRoots: configuration.trustRoots) { [self] () async throws(OvationError) in
            try await signedInLine().ask { $2(.success($0.signIn.authorization)) }
        }
    }
}

// MARK: - In one order (V08)

extension OvationClient {
    /// Something that happened, in the order in which it did.
    package enum Delivery: Sendable {
        case client(OvationClient.Event)
        case room(RoomSession, RoomSession.Event)
    }

    /// Everything that happens, one after the other, on an internal thread of the client: the handler must not block, and calls
    /// nothing that waits. Completions of `perform`, `enterRoom` and `createRoom` run on the same thread in the same order.
    /// `nil` takes the handler away.
    package func deliver(to handler: (@Sendable (Delivery) -> Void)?) { outlet.deliver(to: handler) }

    /// Asks without waiting. The completion runs once, in the order of deliveries, before the events that the call caused.
    package func perform(
        _ body: Call.Body, timeout: Duration? = nil,
        completion: @escaping @Sendable (Result<CallAnswer, OvationError>) -> Void
    ) {
        let timeout = timeout.map(TimeAmount.init) ?? outlet.callTimeout
        inOrder(completion) { $0.perform(body, timeout: timeout, completion: completion) }
    }

    /// Creates without waiting. The entry is delivered right after the completion: the room, the list of seats, everybody seated.
    package func createRoom(
        _ draft: RoomDraft, completion: @escaping @Sendable (Result<RoomSession, OvationError>) -> Void
    ) {
        let timeout = outlet.callTimeout
        let creation = draft.creation
        inOrder(completion) {
            $0.create(
                creation, key: IdempotencyKey.fresh(), privateMapKey: draft.privateMapKey, timeout: timeout,
                completion: completion)
        }
    }

    /// Enters without waiting; else like `createRoom`.
    package func enterRoom(
        _ id: RoomID, completion: @escaping @Sendable (Result<RoomSession, OvationError>) -> Void
    ) {
        let timeout = outlet.callTimeout
        inOrder(completion) { $0.enter(id, timeout: timeout, completion: completion) }
    }

    private func inOrder<Value: Sendable>(
        _ completion: @escaping @Sendable (Result<Value, OvationError>) -> Void,
        _ body: @escaping @Sendable (SignalConnection) -> Void
    ) {
        do throws(OvationError) { try signedInLine().run(body) } catch { completion(.failure(error)) }
    }
}
