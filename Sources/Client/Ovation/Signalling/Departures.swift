internal import NIOCore
internal import RoomModel
internal import SignalProtocol

/// Rooms that were left here, and whose server has not answered yet. On the connection's event loop.
final class Departures {
    /// By then the server has long given up whoever did not come back.
    private static let patience = TimeAmount.hours(1)
    /// After a time in which too many calls wait already.
    private static let pause = TimeAmount.seconds(1)

    /// What waits until the server knows of all of them.
    private struct Waiting {
        let token: CallToken?
        let limit: Scheduled<Void>
        let body: (Result<Void, OvationError>) -> Void
    }

    private weak let connection: SignalConnection?
    private var open = 0
    private var number = 0
    private var waiting: [Int: Waiting] = [:]
    /// How often which room is being entered: whoever is on the way into a room is not led out of it by a departure of before.
    private var entries: [RoomID: Int] = [:]

    init(_ connection: SignalConnection) { self.connection = connection }

    var areOpen: Bool { open > 0 }

    /// Somebody waits to get into the room.
    func isAwaited(_ room: RoomID) -> Bool { entries[room] != nil }

    func noteEntry(_ room: RoomID) { entries[room, default: 0] += 1 }

    func noteEntered(_ room: RoomID) {
        guard let count = entries[room] else { return }
        entries[room] = count > 1 ? count - 1 : nil
    }

    /// Tells the server, now or when the connection is back.
    /// - Parameter wayBack: of whoever left without a connection. A server that has started anew meanwhile keeps their seat for them, but
    ///   does not know that they are there: then the room is entered to be left.
    func tell(_ room: RoomID, wayBack: WayBack? = nil) {
        open += 1
        ask(room, wayBack)
    }

    /// With what a room is entered again.
    struct WayBack {
        var privateMapKey: String?
    }

    /// Runs something once the server knows of all of them, or with `timeout` at a deadline.
    /// - Parameter token: with which `cancel` finds it.
    func whenSettled(
        until deadline: NIODeadline, token: CallToken?, _ body: @escaping (Result<Void, OvationError>) -> Void
    ) {
        guard areOpen, let loop = connection?.loop else { return body(.success(())) }
        if token?.isCancelled == true { return body(.failure(OvationError(.cancelled))) }
        number += 1
        let bound = NIOLoopBound((self, number), eventLoop: loop)
        let limit = loop.scheduleTask(deadline: deadline) {
            let (departures, number) = bound.value
            departures.end(number, .failure(OvationError(.timeout, "the room that was left is still being left")))
        }
        waiting[number] = Waiting(token: token, limit: limit, body: body)
    }

    /// Nobody waits any more. False if nobody did.
    func cancel(_ token: CallToken) -> Bool {
        guard let found = waiting.first(where: { $0.value.token === token }) else { return false }
        end(found.key, .failure(OvationError(.cancelled)))
        return true
    }

    private func end(_ number: Int, _ result: Result<Void, OvationError>) {
        guard let ended = waiting.removeValue(forKey: number) else { return }
        ended.limit.cancel()
        ended.body(result)
    }

    private func ask(_ room: RoomID, _ wayBack: WayBack?) {
        // With a key the call is repeated on the next connection if this one breaks.
        let call = Call.Body.rooms(.command(room, .exitRoom, key: IdempotencyKey.fresh()))
        connection?.perform(call, timeout: Self.patience) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error) where error.code == .tooManyCalls: askLater(room, wayBack)
            case .failure(let error) where error.code == .notInRoom && wayBack != nil: enter(room, wayBack)
            case .success, .failure: settle()
            }
        }
    }

    private func enter(_ room: RoomID, _ wayBack: WayBack?) {
        guard !isWantedBack(room) else { return settle() }
        let call = Call.Body.rooms(.enterRoom(EnterRoom(room, since: nil, privateMapKey: wayBack?.privateMapKey)))
        connection?.perform(call, timeout: Self.patience) { [weak self] result in
            guard let self else { return }
            if case .success = result, !isWantedBack(room) { ask(room, nil) } else { settle() }
        }
    }

    /// Whoever left is back, or on the way.
    private func isWantedBack(_ room: RoomID) -> Bool { isAwaited(room) || connection?.followers[room] != nil }

    private func settle() {
        open -= 1
        guard !areOpen else { return }
        for number in waiting.keys.sorted() { end(number, .success(())) }
    }

    private func askLater(_ room: RoomID, _ wayBack: WayBack?) {
        guard let loop = connection?.loop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Self.pause) {
            let departures = bound.value
            if departures.isWantedBack(room) { departures.settle() } else { departures.ask(room, wayBack) }
        }
    }
}
