internal import Foundation
internal import NIOCore
internal import RoomModel
internal import SignalProtocol
internal import Timing

/// A signed-in connection to the server that survives the loss of its sockets: carries out what the `ReconnectionMachine` says,
/// sends calls, hands answers and news out.
///
/// It lives on one event loop and is touched nowhere else, so everything that it tells (answers and events) is in one order: a
/// call's completion runs before the events that the call caused (V08).
final class SignalConnection {
    /// Without a byte for so long the connection is dead, whatever the socket says; the server pings every 5 s.
    static let silenceLimit = TimeAmount.seconds(10)
    struct Credentials: Sendable {
        var application: ApplicationID
        var user: UserID
        var ticket: String
        var name: String?
        var avatar: String?
        /// Fetches a new ticket for the same user.
        var renewTicket: (@Sendable () async throws -> String)?
        /// Name and version of the client for the server's log.
        var client: String
    }

    let loop: any EventLoop
    let outlet: ClientOutlet
    private(set) var machine: ReconnectionMachine
    private let open: SocketOpener
    var credentials: Credentials
    /// With which this session is resumed.
    var secret: String?
    private var socket: (any SignalSocket)?
    /// Grows with each socket, so that a late event of an old one is known.
    private(set) var generation = 0
    private var farewell: OvationError?
    private var ledger = CallLedger()
    var pacer: CallPacer
    let timers: ConnectionTimers
    private var tokens: [ObjectIdentifier: Int64] = [:]
    private(set) var followers: [RoomID: RoomFollower] = [:]
    var isRenewing = false
    var quickReadingsLeft = 0
    private var lastHeard: NIODeadline
    private var openings: [(Result<UserProfile, OvationError>) -> Void] = []

    init(
        loop: any EventLoop, outlet: ClientOutlet, credentials: Credentials, seed: UInt64,
        open: @escaping SocketOpener
    ) {
        self.loop = loop
        self.outlet = outlet
        self.credentials = credentials
        self.open = open
        lastHeard = loop.now
        pacer = CallPacer(now: Instant(loop.now))
        machine = ReconnectionMachine(canRenewTicket: credentials.renewTicket != nil, seed: seed)
        timers = ConnectionTimers(loop)
        timers.wake(self)
    }

    var now: Instant { Instant(loop.now) }

    var isReady: Bool { if case .ready = machine.phase { true } else { false } }

    // MARK: - From outside

    /// Connects and signs in; the completion is called once, when ready or refused.
    func start(_ completion: @escaping (Result<UserProfile, OvationError>) -> Void) {
        if case .closed(let error) = machine.phase { return completion(.failure(error)) }
        openings.append(completion)
        publish { $0.phase = .connecting }
        handle(.start)
    }

    /// Ends it for good.
    func stop(_ error: OvationError) { handle(.stop(error)) }

    /// Tries at once instead of waiting for the next try.
    func retryNow() { handle(.retryNow) }

    /// Asks the server. The completion is called exactly once.
    /// - Parameter token: with which `cancel` finds the call.
    func perform(
        _ body: Call.Body, timeout: TimeAmount, token: CallToken? = nil, isHandshake: Bool = false,
        completion: @escaping CallLedger.Completion
    ) {
        if case .closed(let error) = machine.phase { return completion(.failure(error)) }
        if token?.isCancelled == true { return completion(.failure(OvationError(.cancelled))) }
        guard let number = ledger.add(body, isHandshake: isHandshake, completion: completion) else {
            return completion(.failure(OvationError(.tooManyCalls)))
        }
        if let token { tokens[ObjectIdentifier(token)] = number }
        timers.set(.call(number), in: timeout) { $0.timedOut(number) }
        flush()
    }

    /// Nobody waits for that answer any more. What was asked may still happen.
    func cancel(_ token: CallToken) {
        guard let number = tokens[ObjectIdentifier(token)], let entry = giveUp(number) else {
            // Answered already: then only the effect is waited for.
            for follower in followers.values { follower.callOff(token) }
            return
        }
        entry.completion(.failure(OvationError(.cancelled)))
    }

    /// Puts a new ticket in place, which the application fetched by itself.
    func useTicket(_ ticket: String, completion: @escaping (Result<Void, OvationError>) -> Void) {
        credentials.ticket = ticket
        guard isReady else {
            handle(.ticketGiven)
            return completion(.success(()))
        }
        perform(.renewSession(ticket: ticket), timeout: .seconds(10)) { [outlet] result in
            completion(result.map { _ in () })
            if case .success = result { outlet.tell(.ticketRenewed) }
        }
    }

    /// With which HTTP requests are made as who is signed in (Documentation/protocol.md §9).
    var authorization: String { "Bearer \(credentials.application):\(credentials.user.rawValue):\(credentials.ticket)" }

    /// A changed profile is also what the next sign-in says.
    func note(_ profile: UserProfile) {
        credentials.name = profile.name
        credentials.avatar = profile.avatar
        publish { $0.user = profile }
    }

    // MARK: - Rooms

    func follow(_ follower: RoomFollower, as room: RoomID) { followers[room] = follower }

    func unfollow(_ room: RoomID) { followers[room] = nil }

    // MARK: - The machine

    func handle(_ input: ReconnectionMachine.Input) {
        let wasReady = machine.hasBeenReady
        for action in machine.handle(input, at: now) { carryOut(action, wasReady: wasReady) }
        armMachine()
    }

    private func armMachine() {
        guard let deadline = machine.nextDeadline else { return timers.cancel(.machine) }
        timers.set(.machine, in: .nanoseconds(max(0, (deadline - now).nanoseconds))) { $0.handle(.deadline) }
    }

    private func carryOut(_ action: ReconnectionMachine.Action, wasReady: Bool) {
        switch action {
        case .openSocket: openSocket()
        case .dropSocket: dropSocket()
        case .signIn: signIn()
        case .resumeRooms: resumeRooms()
        case .ready: becomeReady(again: wasReady)
        case .lost(let error, let retryAt):
            let wait = retryAt.map { Duration($0 - now) }
            publish {
                if wasReady || $0.isSignedIn { $0.phase = .reconnecting(error, tryingAgainIn: wait) }
            }
        case .renewTicket: fetchTicket { $0.handle(.ticketFetched($1)) }
        case .close(let error): close(error)
        }
    }

    private func openSocket() {
        generation += 1
        let mine = generation
        farewell = nil
        if machine.hasBeenReady, case .reconnecting(let error, _) = outlet.state.value.phase {
            publish { $0.phase = .reconnecting(error, tryingAgainIn: nil) }
        }
        open(loop) { [weak self] event in
            guard let self, mine == generation else {
                if case .opened(let socket) = event { socket.close() }
                return
            }
            hear(event)
        }
    }

    private func dropSocket() {
        generation += 1
        timers.cancel(.silence)
        timers.cancel(.clock)
        socket?.close()
        socket = nil
        // The machine's next phase is set already: what is refused here may ask again, and then waits.
        for entry in ledger.socketLost() {
            settle(entry)
            entry.completion(.failure(OvationError(.connectionLost, "no answer to \(entry.method.rawValue)")))
        }
        for follower in followers.values { follower.connectionLost() }
    }

    private func close(_ error: OvationError) {
        timers.cancelAll()
        for entry in ledger.removeAll() {
            settle(entry)
            entry.completion(.failure(error))
        }
        let gone = followers
        followers = [:]
        for follower in gone.values { follower.end(.gone(error)) }
        let hadSession = outlet.state.value.isSignedIn
        publish { $0 = ClientState(phase: .signedOut(error), user: nil, limits: $0.limits, roundTrip: nil) }
        answerOpenings(.failure(error))
        if hadSession { outlet.tell(.signedOut(error)) }
    }

    private func becomeReady(again: Bool) {
        publish { $0.phase = .ready }
        quickReadingsLeft = Self.quickClockReadings
        readClock()
        for follower in followers.values where again { follower.connectionRestored() }
        if again { outlet.tell(.connectionRestored) }
        if let user = outlet.state.value.user { answerOpenings(.success(user)) }
        flush()
    }

    private func answerOpenings(_ result: Result<UserProfile, OvationError>) {
        let waiting = openings
        openings = []
        for completion in waiting { completion(result) }
    }

    // MARK: - The socket

    private func hear(_ event: SocketEvent) {
        lastHeard = loop.now
        switch event {
        case .opened(let socket):
            self.socket = socket
            pacer = CallPacer(now: now)
            watchSilence()
            handle(.socketOpened)
        case .text(let text):
            guard let message = ServerMessage.decode(Data(text.readableBytesView), expected: ledger.expected) else {
                return  // A server of ours sends JSON-RPC alone; a stranger's text is no reason to fall over.
            }
            hear(message)
        case .heard: break
        case .writable: flush()
        case .closed(let code):
            socket = nil
            tellLoss(farewell ?? OvationError(.connectionLost)) {
                handle(.socketClosed(code: code, farewell: farewell))
            }
        case .failed(let error): tellLoss(error) { handle(.handshakeFailed(error)) }
        }
    }

    private func hear(_ message: ServerMessage) {
        switch message {
        case .answer(let number, let result):
            guard let entry = forget(number) else { return }
            entry.completion(result.mapError { OvationError($0) })
        case .news(let room, let epoch, let events): followers[room]?.hear(events, epoch: epoch)
        case .sessionClosed(let refusal): farewell = OvationError(refusal)
        case .sessionExpiring(let seconds):
            outlet.tell(.ticketExpiring(in: .seconds(max(0, seconds))))
            renewOnTheWay()
        case .complaint, .unknown: break
        }
    }

    /// A loss of a ready connection is told after the calls that it broke have been answered.
    private func tellLoss(_ error: OvationError, _ body: () -> Void) {
        let wasReady = isReady
        body()
        if wasReady, case .closed = machine.phase { return }
        if wasReady { outlet.tell(.connectionLost(error)) }
    }

    private func watchSilence() {
        let left = lastHeard + Self.silenceLimit - loop.now
        timers.set(.silence, in: max(left, .milliseconds(1))) { connection in
            guard connection.socket != nil else { return }
            if connection.loop.now - connection.lastHeard >= Self.silenceLimit {
                connection.tellLoss(OvationError(.connectionLost, "the server stopped responding")) {
                    connection.handle(.silent)
                }
            } else {
                connection.watchSilence()
            }
        }
    }

    /// Sends what may go, as far as the network takes it (`writable` goes on) and the server's pace allows.
    private func flush() {
        timers.cancel(.pace)
        while let socket, socket.isWritable {
            let next = ledger.hasNext(isReady: isReady)
            if next.handshake {
                pacer.spend()
            } else if !next.call {
                return
            } else if let wait = pacer.take(at: now) {
                return timers.set(.pace, in: .nanoseconds(wait.nanoseconds)) { $0.flush() }
            }
            guard let text = ledger.next(isReady: isReady) else { return }
            socket.send(text)
        }
    }

    // MARK: - Calls

    private func timedOut(_ number: Int64) {
        guard let entry = giveUp(number) else { return }
        let name: OvationError.Name = entry.wasSent ? .timeout : .offline
        entry.completion(.failure(OvationError(name, "no answer to \(entry.method.rawValue)")))
    }

    private func forget(_ number: Int64) -> CallLedger.Entry? {
        guard let entry = ledger.remove(number) else { return nil }
        settle(entry)
        return entry
    }

    /// Nobody waits for it any more. Whoever has entered a room unheard leaves it, or no other could be entered.
    private func giveUp(_ number: Int64) -> CallLedger.Entry? {
        let method = ledger.expected[number]
        guard method == .roomEnter || method == .roomCreate, ledger.isOnSocket(number) else { return forget(number) }
        let given = ledger.abandon(number) { [weak self] result in
            guard let self, let room = result.roomEntered, followers[room] == nil else { return }
            perform(.rooms(.command(room, .exitRoom, key: nil)), timeout: Self.clockPatience) { _ in }
        }
        if let given { settle(given) }
        return given
    }

    private func settle(_ entry: CallLedger.Entry) {
        timers.cancel(.call(entry.number))
        if !tokens.isEmpty { tokens = tokens.filter { $0.value != entry.number } }
    }

    // MARK: - Tools

    func publish(_ change: (inout ClientState) -> Void) {
        var state = outlet.state.value
        change(&state)
        outlet.state.set(state)
    }
}

extension Result<CallAnswer, OvationError> {
    fileprivate var roomEntered: RoomID? {
        switch self {
        case .success(.created(let snapshot)), .success(.entered(.snapshot(let snapshot))): snapshot.room
        default: nil
        }
    }
}

extension Instant {
    init(_ deadline: NIODeadline) { self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds)) }
}
