package import RoomPorts
import Synchronization
package import Timing

/// What the server carried at a moment, or on the average since the moment before.
package struct ServerSample: Sendable, Hashable, Encodable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// In rooms of all applications; somebody in two counts twice.
    package var people: Int
    package var rooms: Int
    /// Media that was sent by UDP, in bits a second.
    package var mediaBits: Double
    /// Share of its time that the busiest media worker forwards, 0 to 1.
    package var load: Double

    package init(time: Int64, people: Int, rooms: Int, mediaBits: Double, load: Double) {
        self.time = time
        self.people = people
        self.rooms = rooms
        self.mediaBits = mediaBits
        self.load = load
    }
}

/// What the server carried in the last hour, for operators who have no metrics of their own (R04).
package final class ServerHistory: Sendable {
    package static let interval = Interval.seconds(15)
    /// An hour of them.
    package static let most = 240

    /// What is counted, and what has been counted since the start.
    package struct Reading: Sendable {
        package var people: Int
        package var rooms: Int
        package var mediaBytes: UInt64
        package var load: Double

        package init(people: Int, rooms: Int, mediaBytes: UInt64, load: Double) {
            self.people = people
            self.rooms = rooms
            self.mediaBytes = mediaBytes
            self.load = load
        }
    }

    private struct State {
        var samples: [ServerSample] = []
        var former: (bytes: UInt64, at: Instant)?
        var alarm: RoomAlarm?
        var isStopped = false
    }

    private let clock: any TimeSource
    private let read: @Sendable () async -> Reading
    private let state = Mutex(State())

    package init(clock: any TimeSource, read: @escaping @Sendable () async -> Reading) {
        self.clock = clock
        self.read = read
    }

    /// Takes a sample now, and one in each interval from now on.
    package func start() async {
        await take()
        let alarm = clock.schedule(at: clock.now + Self.interval) { [weak self] in
            Task { await self?.start() }
        }
        state.withLock { state in
            if state.isStopped { alarm.cancel() } else { state.alarm = alarm }
        }
    }

    package func take() async { note(await read()) }

    package func stop() {
        state.withLock { state in
            state.isStopped = true
            state.alarm?.cancel()
        }
    }

    /// Those of the last hour, the oldest first, and what is now.
    package func samples() async -> [ServerSample] {
        let reading = await read()
        return state.withLock { state in state.samples + [sample(reading, state.former)] }
    }

    private func note(_ reading: Reading) {
        state.withLock { state in
            state.samples.append(sample(reading, state.former))
            if state.samples.count > Self.most { state.samples.removeFirst(state.samples.count - Self.most) }
            state.former = (reading.mediaBytes, clock.now)
        }
    }

    private func sample(_ reading: Reading, _ former: (bytes: UInt64, at: Instant)?) -> ServerSample {
        var bits = 0.0
        if let former, clock.now > former.at, reading.mediaBytes >= former.bytes {
            bits = Double(reading.mediaBytes - former.bytes) * 8 / (clock.now - former.at).seconds
        }
        return ServerSample(
            time: clock.wallTime.millisecondsSince1970, people: reading.people, rooms: reading.rooms,
            mediaBits: bits.rounded(), load: reading.load)
    }
}
