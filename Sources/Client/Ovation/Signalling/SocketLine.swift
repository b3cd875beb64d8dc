internal import NIOCore
internal import SignalProtocol

/// A connection's sockets, one after the other: which is the present one, and whether it still says anything. On the connection's
/// event loop.
final class SocketLine {
    /// Without a byte for so long the connection is dead, whatever the socket says; the server pings every 5 s.
    static let silenceLimit = TimeAmount.seconds(10)

    private let loop: any EventLoop
    private let timers: ConnectionTimers
    private let opener: SocketOpener
    private(set) var socket: (any SignalSocket)?
    /// Grows with each socket, so that a late event of an old one is known.
    private(set) var generation = 0
    /// What the server gave as its reason before it closes the socket.
    var farewell: OvationError?
    private var lastHeard: NIODeadline

    init(_ loop: any EventLoop, timers: ConnectionTimers, opener: @escaping SocketOpener) {
        self.loop = loop
        self.timers = timers
        self.opener = opener
        lastHeard = loop.now
    }

    /// Opens the next socket. `hear` is told of this one alone.
    func open(_ hear: @escaping (SocketEvent) -> Void) {
        generation += 1
        let mine = generation
        farewell = nil
        opener(loop) { [weak self] event in
            guard let self, mine == generation else {
                if case .opened(let socket) = event { socket.close() }
                return
            }
            note(event)
            hear(event)
        }
    }

    private func note(_ event: SocketEvent) {
        lastHeard = loop.now
        switch event {
        case .opened(let socket):
            self.socket = socket
            watchSilence()
        case .closed: socket = nil
        case .text, .heard, .writable, .failed: break
        }
    }

    /// Nothing of the present socket is heard any more.
    func drop() {
        generation += 1
        timers.cancel(.silence)
        socket?.close()
        socket = nil
    }

    private func watchSilence() {
        let left = lastHeard + Self.silenceLimit - loop.now
        timers.set(.silence, in: max(left, .milliseconds(1))) { $0.line.checkSilence($0) }
    }

    private func checkSilence(_ connection: SignalConnection) {
        guard socket != nil else { return }
        guard loop.now - lastHeard >= Self.silenceLimit else { return watchSilence() }
        connection.serverFellSilent()
    }
}
