internal import NIOCore
internal import RoomModel
internal import SignalProtocol

/// Who a connection signs in, and with what: says it first on each new socket, and puts newer tickets in place. On the connection's
/// event loop.
final class ConnectionSignIn {
    /// How long the server may take to look at a ticket.
    private static let patience = TimeAmount.seconds(10)

    private(set) var credentials: SignalConnection.Credentials
    /// With which this session is resumed.
    private var secret: String?
    /// A ticket that the application has given and that the server has not seen: it counts once it was good.
    private var offered: OfferedTicket?
    private weak var connection: SignalConnection?

    init(_ credentials: SignalConnection.Credentials) { self.credentials = credentials }

    /// Once, before anything is said.
    func wake(_ connection: SignalConnection) { self.connection = connection }

    /// With which HTTP requests are made as who is signed in (Documentation/build/protocol.md §9).
    var authorization: String { "Bearer \(credentials.application):\(credentials.user.rawValue):\(credentials.ticket)" }

    /// A changed profile is also what the next sign-in says.
    func note(_ profile: UserProfile) {
        credentials.name = profile.name
        credentials.avatar = profile.avatar
        connection?.publish { $0.user = profile }
    }

    // MARK: - On a new socket

    func begin() {
        let opening = SessionOpening(
            application: credentials.application, user: credentials.user,
            ticket: offered?.ticket ?? credentials.ticket,
            name: credentials.name, avatar: credentials.avatar, resume: secret, client: credentials.client)
        connection?.perform(.openSession(opening), timeout: Self.patience, isHandshake: true) { [weak self] result in
            guard let self, let connection else { return }
            switch result {
            case .success(.session(let opened)):
                secret = opened.session
                settle(.success(()))
                connection.noteSession(opened)
            case .success: connection.handle(.handshakeFailed(OvationError(.invalidAnswer)))
            // The socket's end is heard by itself.
            case .failure(let error) where error.code == .connectionLost: break
            case .failure(let error) where error.isOfTicket && offered != nil:
                settle(.failure(error))
                // The former one may be good still.
                connection.handle(.handshakeFailed(OvationError(.connectionLost)))
            case .failure(let error): connection.handle(.handshakeFailed(error))
            }
        }
    }

    // MARK: - Tickets

    /// Asks the application for a new ticket, and puts it in place.
    func fetchTicket(_ done: @escaping (SignalConnection, OvationError?) -> Void) {
        guard let connection else { return }
        guard let renew = credentials.renewTicket else { return done(connection, OvationError(.signInUnavailable)) }
        let loop = connection.loop
        let bound = NIOLoopBound((self, connection, done), eventLoop: loop)
        Task {  // ends with the application's answer
            let result: Result<String, OvationError>
            do { result = .success(try await renew()) } catch { result = .failure(OvationError.of(error)) }
            loop.execute {
                let (signIn, connection, done) = bound.value
                switch result {
                case .success(let ticket):
                    signIn.credentials.ticket = ticket
                    done(connection, nil)
                case .failure(let error): done(connection, error)
                }
            }
        }
    }

    /// Puts a new ticket in place, which the application fetched by itself, if the server takes it. A refused one changes nothing.
    func useTicket(_ ticket: String, completion: @escaping (Result<Void, OvationError>) -> Void) {
        guard let connection else { return completion(.failure(OvationError(.signedOut))) }
        if case .closed(let error) = connection.machine.phase { return completion(.failure(error)) }
        guard connection.isReady else {
            // The next sign-in shows whether it is good.
            offered = OfferedTicket(ticket: ticket, completions: (offered?.completions ?? []) + [completion])
            return connection.handle(.ticketGiven)
        }
        connection.perform(.renewSession(RenewSession(ticket: ticket)), timeout: Self.patience) { [weak self] result in
            if case .success = result { self?.credentials.ticket = ticket }
            completion(result.map { _ in () })
            if case .success = result { self?.connection?.outlet.tell(.ticketRenewed) }
        }
    }

    /// The server has judged the ticket that was offered, or nobody will.
    func settle(_ result: Result<Void, OvationError>) {
        guard let settled = offered else { return }
        offered = nil
        if case .success = result { credentials.ticket = settled.ticket }
        for completion in settled.completions { completion(result) }
    }
}
