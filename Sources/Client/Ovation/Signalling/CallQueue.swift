internal import NIOCore
internal import RoomModel
internal import SignalProtocol
internal import Timing

/// The calls of a connection from being asked to being answered: in which order and at what pace they go, and for how long
/// their answers are waited for. On the connection's event loop.
final class CallQueue {
    private let loop: any EventLoop
    private let timers: ConnectionTimers
    private var ledger = CallLedger()
    private var pacer: CallPacer
    private var tokens: [ObjectIdentifier: Int64] = [:]
    /// How many sockets have been lost.
    private var losses = 0
    /// Called with a room that was entered after its caller had stopped waiting.
    var enteredUnheard: (RoomID) -> Void = { _ in }

    init(_ loop: any EventLoop, timers: ConnectionTimers) {
        self.loop = loop
        self.timers = timers
        pacer = CallPacer(now: Instant(loop.now))
    }

    /// The methods of the calls that the present socket has, by number.
    var expected: [Int64: Method] { ledger.expected }

    // MARK: - Asking

    /// Takes a call on. False if there are too many; its completion is not called then.
    /// - Parameter token: with which `cancel` finds it.
    func add(
        _ body: Call.Body, timeout: TimeAmount, token: CallToken?, isHandshake: Bool,
        completion: @escaping CallLedger.Completion
    ) -> Bool {
        guard let number = ledger.add(body, isHandshake: isHandshake, completion: completion) else { return false }
        if let token { tokens[ObjectIdentifier(token)] = number }
        timers.set(.call(number), in: timeout) { $0.calls.timedOut(number) }
        return true
    }

    /// Nobody waits for that answer any more. False if it was answered already.
    func cancel(_ token: CallToken) -> Bool {
        guard let number = tokens[ObjectIdentifier(token)], let entry = giveUp(number) else { return false }
        entry.completion(.failure(OvationError(.cancelled)))
        return true
    }

    private func timedOut(_ number: Int64) {
        guard let entry = giveUp(number) else { return }
        let code: OvationError.Code = entry.wasSent ? .timeout : .offline
        entry.completion(.failure(OvationError(code, "no answer to \(entry.method.rawValue)")))
    }

    /// Nobody waits for it any more. Whoever has entered a room unheard leaves it, or no other could be entered.
    private func giveUp(_ number: Int64) -> CallLedger.Entry? {
        let method = ledger.expected[number]
        guard method == .call(.roomEnter) || method == .call(.roomCreate), ledger.isOnSocket(number) else {
            return forget(number)
        }
        let given = ledger.abandon(number) { [weak self] result in
            if let self, let room = result.roomEntered { enteredUnheard(room) }
        }
        if let given { settle(given) }
        return given
    }

    // MARK: - Sending

    /// A new socket: the server counts anew.
    func beginSocket() { pacer = CallPacer(now: Instant(loop.now)) }

    /// The server has stated its limits.
    func limit(atOnce: Int, perSecond: Int) { pacer.limit(atOnce: atOnce, perSecond: perSecond) }

    /// Sends what may go, as far as the network takes it (`writable` goes on) and the server's pace allows.
    /// - Parameter isReady: signed in; before that only the handshake goes.
    func flush(to socket: any SignalSocket, isReady: Bool) {
        // A write may find the socket dead, and its loss is heard before the write returns: what waits then is for the next socket.
        let present = losses
        while losses == present, socket.isWritable {
            let next = ledger.hasNext(isReady: isReady)
            if next.handshake {
                pacer.spend()
            } else if !next.call {
                return
            } else if let wait = pacer.take(at: Instant(loop.now)) {
                return timers.set(.pace, in: .nanoseconds(wait.nanoseconds)) { $0.flush() }
            }
            guard let text = ledger.next(isReady: isReady) else { return }
            socket.send(text)
        }
    }

    // MARK: - Ending

    func answer(_ number: Int64, _ result: Result<CallAnswer, ServerRefusal>) {
        forget(number)?.completion(result.mapError { OvationError($0) })
    }

    /// The socket is gone. What can be repeated goes first on the next one; the rest fails.
    func socketLost() {
        losses += 1
        for entry in ledger.socketLost() {
            settle(entry)
            entry.completion(.failure(OvationError(.connectionLost, "no answer to \(entry.method.rawValue)")))
        }
    }

    /// The connection is over.
    func end(_ error: OvationError) {
        for entry in ledger.removeAll() {
            settle(entry)
            entry.completion(.failure(error))
        }
    }

    private func forget(_ number: Int64) -> CallLedger.Entry? {
        guard let entry = ledger.remove(number) else { return nil }
        settle(entry)
        return entry
    }

    private func settle(_ entry: CallLedger.Entry) {
        timers.cancel(.call(entry.number))
        if !tokens.isEmpty { tokens = tokens.filter { $0.value != entry.number } }
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
