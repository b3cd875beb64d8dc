import RoomPorts
import Testing
import Timing

@testable import ServerApp

@Suite struct AlarmQueueTests {
    private static let hour = Interval.seconds(3_600)

    @Test("alarms ring in the order of their times, and one that was cancelled does not")
    func order() async {
        let clock = ServerClock()
        let queue = AlarmQueue(now: { clock.now })
        let (rung, ring) = AsyncStream.makeStream(of: Int.self)
        let start = clock.now
        var alarms = [3, 1, 4, 2, 5].map { number in
            queue.schedule(at: start + .milliseconds(Int64(number))) { ring.yield(number) }
        }
        alarms.removeAll()
        queue.schedule(at: start + .microseconds(2_500)) { ring.yield(99) }.cancel()
        _ = queue.schedule(at: start + .milliseconds(6)) { ring.finish() }
        var heard: [Int] = []
        for await number in rung { heard.append(number) }
        #expect(heard == [1, 2, 3, 4, 5])
        #expect(queue.counts.waiting == 0)
    }

    @Test("a cancelled alarm is gone with all that it holds, however far its time")
    func cancelling() {
        let queue = AlarmQueue(now: { Instant(nanoseconds: 0) })
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let object = Held()
            held = object
            let alarm = queue.schedule(at: Instant(nanoseconds: 0) + Self.hour) { _ = object }
            alarm.cancel()
        }
        #expect(held == nil)
        let kept = queue.schedule(at: Instant(nanoseconds: 0) + Self.hour) {}
        for _ in 0..<10_000 { queue.schedule(at: Instant(nanoseconds: 0) + Self.hour * 2) {}.cancel() }
        #expect(queue.counts.waiting == 1)
        #expect(queue.counts.places < 200)
        kept.cancel()
    }
}
