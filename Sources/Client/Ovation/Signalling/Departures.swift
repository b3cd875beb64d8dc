internal import NIOCore
internal import RoomModel
internal import SignalProtocol

/// Rooms that were left here, and whose server has not answered yet. On the connection's event loop.
final class Departures {
    /// By then the server has long given up whoever did not come back.
    private static let patience = TimeAmount.hours(1)
    /// After a time in which too many calls wait already.
    private static let pause = TimeAmount.seconds(1)

    private weak let connection: SignalConnection?
    private var open = 0
    private var waiting: [() -> Void] = []

    init(_ connection: SignalConnection) { self.connection = connection }

    var areOpen: Bool { open > 0 }

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

    /// Runs something once the server knows of all of them.
    func whenSettled(_ body: @escaping () -> Void) { if areOpen { waiting.append(body) } else { body() } }

    private func ask(_ room: RoomID, _ wayBack: WayBack?) {
        // With a key the call is repeated on the next connection if this one breaks.
        let call = Call.Body.rooms(.command(room, .exitRoom, key: RoomSession.freshKey()))
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
        let call = Call.Body.rooms(.enterRoom(EnterRoom(room, since: nil, privateMapKey: wayBack?.privateMapKey)))
        connection?.perform(call, timeout: Self.patience) { [weak self] result in
            if case .success = result { self?.ask(room, nil) } else { self?.settle() }
        }
    }

    private func settle() {
        open -= 1
        guard !areOpen else { return }
        let ready = waiting
        waiting = []
        for body in ready { body() }
    }

    private func askLater(_ room: RoomID, _ wayBack: WayBack?) {
        guard let loop = connection?.loop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Self.pause) { bound.value.ask(room, wayBack) }
    }
}
