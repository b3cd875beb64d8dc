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
    struct Credentials: Sendable {
        var application: ApplicationID
        var user: UserID
        var ticket: String
        var name: String?
        var avatar: String?
        /// Fetches a new ticket for the same user.
        var renewTicket: (@Sendable () async throws -> String)?
        /// Name and version of the client for the server's log.
        var client: SessionOpening.Client
    }

    let loop: any EventLoop
    let outlet: ClientOutlet
    private(set) var machine: ReconnectionMachine
    let signIn: ConnectionSignIn
    let timers: ConnectionTimers
    let line: SocketLine
    let calls: CallQueue
    private(set) lazy var tickets = TicketRenewal(self)
    private(set) lazy var clock = ClockReadings(self)
    private(set) lazy var departures = Departures(self)
    private(set) var followers: [RoomID: RoomFollower] = [:]
    private var openings: [(Result<UserProfile, OvationError>) -> Void] = []

    init(
        loop: any EventLoop, outlet: ClientOutlet, credentials: Credentials, seed: UInt64,
        open: @escaping SocketOpener
    ) {
        self.loop = loop
        self.outlet = outlet
        signIn = ConnectionSignIn(credentials)
        machine = ReconnectionMachine(canRenewTicket: credentials.renewTicket != nil, seed: seed)
        timers = ConnectionTimers(loop)
        line = SocketLine(loop, timers: timers, opener: open)
        calls = CallQueue(loop, timers: timers)
        timers.wake(self)
        signIn.wake(self)
        calls.enteredUnheard = { [weak self] room in
            guard let self, followers[room] == nil, !departures.isAwaited(room) else { return }
            leaveUnseen(room)
        }
    }

    var now: Instant { Instant(loop.now) }

    var isReady: Bool { if case .ready = machine.phase { true } else { false } }

    var isClosed: Bool { if case .closed = machine.phase { true } else { false } }

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

    /// Signs out and ends it for good. Whatever the server says, this side is done.
    func signOut(_ done: @escaping () -> Void) {
        let end: () -> Void = { [self] in
            stop(OvationError(.signedOut))
            done()
        }
        guard isReady else { return end() }
        // Ahead of whatever waits: nobody wants its answers any more.
        perform(.closeSession, timeout: .seconds(2), isHandshake: true) { _ in end() }
    }

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
        guard
            calls.add(body, timeout: timeout, token: token, isHandshake: isHandshake, completion: completion)
        else { return completion(.failure(OvationError(.tooManyCalls))) }
        flush()
    }

    /// Nobody waits for that answer any more. What was asked may still happen.
    func cancel(_ token: CallToken) {
        guard !calls.cancel(token), !departures.cancel(token) else { return }
        // Answered already: then only the effect is waited for.
        for follower in followers.values { follower.callOff(token) }
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
        case .signIn: signIn.begin()
        case .resumeRooms: resumeRooms()
        case .ready: becomeReady(again: wasReady)
        case .lost(let error, let retryAt):
            let wait = retryAt.map { Duration($0 - now) }
            publish {
                if wasReady || $0.isSignedIn { $0.phase = .reconnecting(error, tryingAgainIn: wait) }
            }
        case .renewTicket: signIn.fetchTicket { $0.handle(.ticketFetched($1)) }
        case .close(let error): close(error)
        }
    }

    private func openSocket() {
        if machine.hasBeenReady, case .reconnecting(let error, _) = outlet.state.value.phase {
            publish { $0.phase = .reconnecting(error, tryingAgainIn: nil) }
        }
        line.open { [weak self] in self?.hear($0) }
    }

    private func dropSocket() {
        line.drop()
        clock.pause()
        // The machine's next phase is set already: what is refused here may ask again, and then waits.
        calls.socketLost()
        for follower in followers.values { follower.connectionLost() }
    }

    private func close(_ error: OvationError) {
        timers.cancelAll()
        calls.end(error)
        let gone = followers
        followers = [:]
        for follower in gone.values { follower.end(.gone(error)) }
        let hadSession = outlet.state.value.isSignedIn
        publish { $0 = ClientState(phase: .signedOut(error), user: nil, limits: $0.limits, roundTrip: nil) }
        answerOpenings(.failure(error))
        signIn.settle(.failure(error))
        if hadSession { outlet.tell(.signedOut(error)) }
    }

    private func becomeReady(again: Bool) {
        publish { $0.phase = .ready }
        clock.begin()
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
        switch event {
        case .opened:
            calls.beginSocket()
            handle(.socketOpened)
        case .text(let text):
            guard let message = ServerMessage.decode(Data(text.readableBytesView), expected: calls.expected) else {
                return  // A server of ours sends JSON-RPC alone; a stranger's text is no reason to fall over.
            }
            hear(message)
        case .heard: break
        case .writable: flush()
        case .closed(let code):
            tellLoss(line.farewell ?? OvationError(.connectionLost)) {
                handle(.socketClosed(code: code, farewell: line.farewell))
            }
        case .failed(let error): tellLoss(error) { handle(.handshakeFailed(error)) }
        }
    }

    private func hear(_ message: ServerMessage) {
        switch message {
        case .answer(let number, let result): calls.answer(number, result)
        case .news(let room, let epoch, let events): followers[room]?.hear(events, epoch: epoch)
        case .invited(let room, let news): outlet.tell(.invitation(news, room))
        case .signal(let signal): outlet.tell(.signal(signal))
        case .removed(let room, let restriction): followers[room]?.remove(restriction)
        case .sessionClosed(let refusal): line.farewell = OvationError(refusal)
        case .sessionExpiring(let seconds):
            outlet.tell(.ticketExpiring(in: .seconds(max(0, seconds))))
            tickets.renew()
        case .complaint, .unknown: break
        }
    }

    /// A loss of a ready connection is told after the calls that it broke have been answered.
    private func tellLoss(_ error: OvationError, _ body: () -> Void) {
        let wasReady = isReady
        body()
        if wasReady, !isClosed { outlet.tell(.connectionLost(error)) }
    }

    func serverFellSilent() {
        tellLoss(OvationError(.connectionLost, "the server stopped responding")) { handle(.silent) }
    }

    /// Sends the calls that may go now.
    func flush() {
        timers.cancel(.pace)
        if let socket = line.socket { calls.flush(to: socket, isReady: isReady) }
    }

    // MARK: - Tools

    func publish(_ change: (inout ClientState) -> Void) {
        var state = outlet.state.value
        change(&state)
        outlet.state.set(state)
    }
}

extension Instant {
    init(_ deadline: NIODeadline) { self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds)) }
}
