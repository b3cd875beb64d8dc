internal import NIOCore
internal import RoomModel
internal import SignalProtocol
internal import Timing

// Rooms within a connection: entering, and commands with their effects.

extension SignalConnection {
    typealias Entered = (Result<RoomSession, OvationError>) -> Void

    /// After the completion the entry is told: the room, the list of seats, everybody seated (V03).
    func enter(
        _ room: RoomID, privateMapKey: String? = nil, timeout: TimeAmount, token: CallToken? = nil,
        completion: @escaping Entered
    ) {
        let call = Call.Body.rooms(.enterRoom(EnterRoom(room, since: nil, privateMapKey: privateMapKey)))
        departures.noteEntry(room)
        begin(call, by: privateMapKey, until: loop.now + timeout, token: token) { [weak self] result in
            self?.departures.noteEntered(room)
            completion(result)
        }
    }

    func create(
        _ creation: RoomCreation, key: IdempotencyKey?, privateMapKey: String? = nil, timeout: TimeAmount,
        token: CallToken? = nil, completion: @escaping Entered
    ) {
        let call = Call.Body.rooms(.createRoom(CreateRoom(creation, key: key, privateMapKey: privateMapKey)))
        begin(call, by: privateMapKey, until: loop.now + timeout, token: token, completion)
    }

    private func begin(
        _ call: Call.Body, by privateMapKey: String?, until deadline: NIODeadline, token: CallToken?,
        _ completion: @escaping Entered
    ) {
        let wasLeaving = departures.areOpen
        perform(call, timeout: deadline - loop.now, token: token) { [weak self] result in
            guard let self else { return completion(.failure(OvationError(.signedOut))) }
            // The server was still busy with the room that was left before, or that was entered unheard.
            if wasLeaving || departures.areOpen, case .failure(let error) = result, error.code == .inAnotherRoom {
                return departures.whenSettled(until: deadline, token: token) { [weak self] settled in
                    guard let self else { return completion(.failure(OvationError(.signedOut))) }
                    if case .failure(let error) = settled { return completion(.failure(error)) }
                    begin(call, by: privateMapKey, until: deadline, token: token, completion)
                }
            }
            begin(result, by: privateMapKey, completion)
        }
    }

    private func begin(
        _ result: Result<CallAnswer, OvationError>, by privateMapKey: String?, _ completion: Entered
    ) {
        let snapshot: RoomSnapshot
        switch result {
        case .success(.created(let created)): snapshot = created
        case .success(.entered(.snapshot(let entered))): snapshot = entered
        case .success: return completion(.failure(OvationError(.invalidAnswer)))
        case .failure(let error): return completion(.failure(error))
        }
        guard snapshot.info.kind.isKnown else {
            leaveUnseen(snapshot.room)
            return completion(
                .failure(
                    OvationError(
                        .roomKindUnknown, "rooms of the kind \(snapshot.info.kind.rawValue) need a newer version")))
        }
        if let known = followers[snapshot.room], known.isPresent {
            return known.enterAgain(snapshot, by: privateMapKey) { completion(.success($0)) }
        }
        let session = RoomSession(
            RoomParts(RoomState(snapshot), outlet), line: SignalConnectionHandle(self), outlet: outlet)
        let follower = RoomFollower(session, by: privateMapKey, in: self)
        follow(follower, as: snapshot.room)
        completion(.success(session))
        follower.tellEntry(snapshot)
    }

    /// Leaves a room: on this side at once, whatever the connection is like; the server is told as soon as it can be.
    func leave(_ session: RoomSession) {
        guard let follower = followers[session.id], follower.isOf(session) else { return }
        let wayBack = isReady ? nil : follower.wayBack
        follower.end(.left)
        departures.tell(session.id, wayBack: wayBack)
    }

    /// Leaves a room that nobody here knows of having entered.
    func leaveUnseen(_ room: RoomID) { departures.tell(room) }

    /// Asks the room for something.
    /// - Parameter isSeen: the completion waits until the room's state shows what the command did (or the time is over: then it
    ///   did it all the same). Without, the completion runs at the answer, before the events that the command caused.
    func command(
        _ command: RoomCommand, in room: RoomID, key: IdempotencyKey?, timeout: TimeAmount, isSeen: Bool,
        token: CallToken? = nil, completion: @escaping (Result<CommandResult, OvationError>) -> Void
    ) {
        let deadline = loop.now + timeout
        perform(.rooms(.command(room, command, key: key)), timeout: timeout, token: token) { [weak self] result in
            guard let self else { return completion(.failure(OvationError(.signedOut))) }
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(.command(let outcome)):
                followers[room]?.note(command, outcome.result)
                guard isSeen, let follower = followers[room] else { return completion(.success(outcome.result)) }
                var chat: UInt64 = 0
                if case .sent(let number, _) = outcome.result { chat = number }
                follower.whenSeen(seq: outcome.seq ?? 0, chat: chat, until: deadline, token: token) {
                    completion(.success(outcome.result))
                }
            case .success: completion(.failure(OvationError(.invalidAnswer)))
            }
        }
    }
}

extension OvationError {
    /// Whether it ends one's stay in a room, and nothing else.
    package var endsStay: Bool {
        let codes: [Code] = [
            .roomNotFound, .roomClosed, .permissionDenied, .inAnotherRoom, .roomFull, .banned, .bannedForGood,
            .roomKeyFailed,
        ]
        return codes.contains(code)
    }
}

/// A connection as it is held outside of its event loop.
struct SignalConnectionHandle: Sendable {
    let loop: any EventLoop
    private let connection: NIOLoopBound<SignalConnection>

    /// On the connection's event loop.
    init(_ connection: SignalConnection) {
        loop = connection.loop
        self.connection = NIOLoopBound(connection, eventLoop: connection.loop)
    }

    /// Runs something in the connection's order.
    func run(_ body: @escaping @Sendable (SignalConnection) -> Void) {
        loop.execute { [connection] in body(connection.value) }
    }

    /// Asks and waits. Cancelling the task ends the wait, not what was asked.
    func ask<Value: Sendable>(
        _ body:
            @escaping @Sendable (
                SignalConnection, CallToken, @escaping @Sendable (Result<Value, OvationError>) -> Void
            ) -> Void
    ) async throws(OvationError) -> Value {
        let token = CallToken()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                run { body($0, token) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            token.cancel()
            run { $0.cancel(token) }
        }
        return try result.get()
    }
}

extension TimeAmount {
    init(_ duration: Duration) { self = .nanoseconds(Interval(duration).nanoseconds) }
}
