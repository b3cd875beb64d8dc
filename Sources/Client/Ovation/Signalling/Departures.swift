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
    func tell(_ room: RoomID) {
        open += 1
        ask(room)
    }

    /// Runs something once the server knows of all of them.
    func whenSettled(_ body: @escaping () -> Void) { if areOpen { waiting.append(body) } else { body() } }

    private func ask(_ room: RoomID) {
        // With a key the call is repeated on the next connection if this one breaks.
        let call = Call.Body.rooms(.command(room, .exitRoom, key: RoomSession.freshKey()))
        connection?.perform(call, timeout: Self.patience) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result, error.code == .tooManyCalls { return askLater(room) }
            open -= 1
            guard !areOpen else { return }
            let ready = waiting
            waiting = []
            for body in ready { body() }
        }
    }

    private func askLater(_ room: RoomID) {
        guard let loop = connection?.loop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Self.pause) { bound.value.ask(room) }
    }
}
