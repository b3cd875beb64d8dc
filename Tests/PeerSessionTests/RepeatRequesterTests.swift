import Testing
import Timing
import Wire

@testable import PeerSession

/// When a hole in a stream is asked for (RFC 4585 §6.2.1).
@Suite struct RepeatRequesterTests {
    private let start = Instant(nanoseconds: 5_000_000_000)
    private let roundTrip = Interval.milliseconds(80)

    private func numbers(_ requester: inout RepeatRequester, at time: Instant) -> [UInt16] {
        requester.requests(at: time, roundTrip: roundTrip).map(\.rawValue)
    }

    @Test(
        "a hole is asked for after the time that reordering takes, again after a round trip and a bit, and then given up"
    )
    func asking() {
        var requester = RepeatRequester(.sound)
        requester.receive(65_534, at: start)
        #expect(requester.nextDeadline == .distantFuture)
        requester.receive(65_537, at: start)
        #expect(requester.nextDeadline == start + RepeatPolicy.sound.reorderTolerance)
        #expect(numbers(&requester, at: start + .milliseconds(19)).isEmpty)
        var asked: [Int64] = []
        var time = start
        while requester.nextDeadline < .distantFuture, asked.count < 20 {
            #expect(requester.nextDeadline > time)
            time = requester.nextDeadline
            let found = numbers(&requester, at: time)
            if !found.isEmpty {
                #expect(found == [65_535, 0], "numbers go round")
                asked.append((time - start).nanoseconds / 1_000_000)
            }
        }
        // Every 90 ms, and not after 400.
        #expect(asked == [20, 110, 200, 290, 380])
        #expect(numbers(&requester, at: time + .seconds(1)).isEmpty)
    }

    @Test("what came after all is not asked for, and nothing is waited for when all of it did")
    func filled() {
        var requester = RepeatRequester(.sound)
        requester.receive(10, at: start)
        requester.receive(13, at: start)
        requester.receive(11, at: start + .milliseconds(5))
        #expect(requester.nextDeadline == start + RepeatPolicy.sound.reorderTolerance)
        #expect(numbers(&requester, at: start + .milliseconds(20)) == [12])
        requester.receive(12, at: start + .milliseconds(30))
        #expect(requester.nextDeadline == .distantFuture)
        requester.receive(12, at: start + .milliseconds(31))
        #expect(requester.nextDeadline == .distantFuture && numbers(&requester, at: start + .seconds(1)).isEmpty)
    }

    @Test("of many holes the newest are asked for, and after an outage none")
    func outage() {
        var requester = RepeatRequester(.sound)
        requester.receive(0, at: start)
        for number in 1...50 { requester.receive(UInt64(number * 3), at: start) }
        let due = numbers(&requester, at: start + .milliseconds(20))
        #expect(due.count == RepeatPolicy.sound.maximumMissing && due.last == 149 && due == due.sorted())
        requester.receive(1_000, at: start + .milliseconds(21))
        #expect(requester.nextDeadline == .distantFuture)
        #expect(numbers(&requester, at: start + .seconds(1)).isEmpty)
    }

    @Test("a hole that is never filled is asked for so many times at most, however short the way is")
    func often() {
        var requester = RepeatRequester(.sound)
        requester.receive(1, at: start)
        requester.receive(3, at: start)
        var asked = 0
        for millisecond in 0..<1_000 {
            let found = requester.requests(at: start + .milliseconds(Int64(millisecond)), roundTrip: .milliseconds(1))
            asked += found.count
        }
        #expect(asked == RepeatPolicy.sound.maximumRequests && requester.nextDeadline == .distantFuture)
    }
}
