import Testing
import Timing

@testable import Ovation

@Suite struct NetworkQualityTests {
    private func counts(_ received: UInt64, _ missing: UInt64 = 0, roundTrip: Int64 = 20) -> NetworkObserver.Counts {
        var counts = NetworkObserver.Counts()
        counts.isConnected = true
        counts.received = received
        counts.missing = missing
        counts.roundTrip = .milliseconds(roundTrip)
        return counts
    }

    @Test("D07-K quality goes by what happened lately: loss, round trip and wait, each alone enough to lower it")
    func judged() {
        var observer = NetworkObserver()
        func take(_ counts: NetworkObserver.Counts) -> Bool { observer.take(counts) }
        #expect(!take(NetworkObserver.Counts()) && observer.reading.quality == .unknown)
        #expect(take(counts(400)) && observer.reading.quality == .excellent)
        #expect(take(counts(797, 3)) && observer.reading.quality == .good)
        #expect(take(counts(1_187, 13)) && observer.reading.quality == .poor)
        #expect(
            observer.take(counts(1_587, 13)) && observer.reading.quality == .excellent, "what was lost before is over")
        #expect(!take(counts(1_987, 3)), "holes that were filled late are none")
        #expect(take(counts(2_387, 3, roundTrip: 500)) && observer.reading.quality == .bad)
        #expect(take(counts(2_787, 3, roundTrip: 2_000)) && observer.reading.quality == .veryBad)
        var sent = counts(3_187, 3)
        sent.lossSent = 0.04
        #expect(take(sent) && observer.reading.quality == .poor)
        var waiting = counts(3_587, 3)
        waiting.wait = .milliseconds(60)
        #expect(take(waiting) && observer.reading.quality == .good)
        #expect(take(NetworkObserver.Counts()) && observer.reading.quality == .down)
        #expect(take(counts(40)) && observer.reading.quality == .excellent, "another path counts from nothing")
    }

    @Test("D07-K a few packets say nothing about loss; a way longer than the limit is too far for a tight duet")
    func limits() {
        var observer = NetworkObserver()
        _ = observer.take(counts(5, 5, roundTrip: 29))
        #expect(observer.reading.quality == .excellent && !observer.reading.isTooFarForTightDuet)
        _ = observer.take(counts(400, 5, roundTrip: 31))
        #expect(observer.reading.quality == .excellent && observer.reading.isTooFarForTightDuet)
        _ = observer.take(counts(700, 105, roundTrip: 5))
        #expect(observer.reading.quality == .veryBad && observer.reading.isTooFarForTightDuet)
    }
}
