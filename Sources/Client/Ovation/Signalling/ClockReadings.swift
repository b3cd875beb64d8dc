internal import NIOCore
internal import SignalProtocol
internal import Timing

/// Reads the server's clock again and again while a connection stands. On the connection's event loop.
final class ClockReadings {
    /// Between readings. The first ones are quick.
    static let wait = TimeAmount.seconds(5)
    static let quickWait = TimeAmount.milliseconds(200)
    static let quickReadings = 12
    /// Once a song is set: its start is off by half of what the quickest question and the quickest answer were held up differently,
    /// which over a line with 20 ms of jitter each way is some 1.5 ms after a dozen readings, 5 ms for one start in twenty, and half a
    /// millisecond after forty.
    static let songWait = TimeAmount.milliseconds(100)
    static let songReadings = 30
    /// And while one sings, so that it stays there.
    static let singingWait = TimeAmount.milliseconds(400)
    /// How long an answer is waited for.
    static let patience = TimeAmount.seconds(8)

    private unowned let connection: SignalConnection
    private var quickReadingsLeft = 0

    init(_ connection: SignalConnection) { self.connection = connection }

    /// The connection has become ready.
    func begin() {
        quickReadingsLeft = Self.quickReadings
        read()
    }

    /// Soon everything depends on the server's clock.
    func hurry() {
        guard connection.isReady else { return }
        quickReadingsLeft = Self.songReadings
        read()
    }

    /// Until the connection is ready again.
    func pause() { connection.timers.cancel(.clock) }

    private func read() {
        connection.timers.cancel(.clock)
        let asked = connection.now
        connection.perform(.readClock, timeout: Self.patience) { [weak connection] result in
            guard let connection, case .success(.clock(let reading)) = result else { return }
            let clock = connection.outlet.clock
            clock.add(reading, sent: clock.local(asked), received: clock.local(connection.now))
            connection.publish { $0.roundTrip = clock.roundTrip }
        }
        let isSinging = connection.followers.values.contains(where: \.isSinging)
        let usual = isSinging ? Self.singingWait : Self.wait
        let quick = isSinging ? Self.songWait : Self.quickWait
        let wait = quickReadingsLeft > 0 ? quick : usual
        quickReadingsLeft = max(0, quickReadingsLeft - 1)
        connection.timers.set(.clock, in: wait) { if $0.isReady { $0.clock.read() } }
    }
}
