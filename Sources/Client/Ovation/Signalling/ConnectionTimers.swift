internal import NIOCore

/// What a connection waits for: one timer of each kind at most, on its event loop. Setting one replaces the former of that kind.
/// A timer does not keep the connection that it wakes.
final class ConnectionTimers {
    enum Kind: Hashable {
        /// The `ReconnectionMachine` wants to go on.
        case machine
        /// The server has been silent for too long.
        case silence
        /// The server's clock is read again.
        case clock
        /// The ticket is renewed again.
        case renewal
        /// The server's pace allows the next call.
        case pace
        /// Nobody waits for that call's answer any longer.
        case call(Int64)
    }

    private let loop: any EventLoop
    private weak var connection: SignalConnection?
    private var running: [Kind: Scheduled<Void>] = [:]

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Once, before the first timer is set.
    func wake(_ connection: SignalConnection) { self.connection = connection }

    func set(_ kind: Kind, in delay: TimeAmount, _ body: @escaping (SignalConnection) -> Void) {
        cancel(kind)
        let bound = NIOLoopBound((self, body), eventLoop: loop)
        running[kind] = loop.scheduleTask(in: delay) {
            let (timers, body) = bound.value
            timers.running[kind] = nil
            if let connection = timers.connection { body(connection) }
        }
    }

    func cancel(_ kind: Kind) { running.removeValue(forKey: kind)?.cancel() }

    /// The connection has ended for good.
    func cancelAll() {
        for timer in running.values { timer.cancel() }
        running = [:]
    }
}
