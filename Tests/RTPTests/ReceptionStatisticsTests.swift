import RTP
import Testing
import Timing
import Wire

@Suite struct ReceptionStatisticsTests {
    static let start = Instant(nanoseconds: 5_000_000_123)

    private func at(_ milliseconds: Int64) -> Instant { ReceptionStatisticsTests.start + .milliseconds(milliseconds) }

    @Test("An even stream has neither jitter nor loss, over DTX gaps too")
    func even() {
        var statistics = ReceptionStatistics(ssrc: SSRC(1), clockRate: 48_000)
        #expect(statistics.makeReportBlock(at: at(0)) == nil)
        var time: Int64 = 0
        for sequence in UInt64(65_500)..<66_500 {
            time += sequence % 100 == 0 ? 400 : 20
            let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: 0xffff_0000 + time * 48))
            statistics.receive(extendedSequence: sequence, timestamp: timestamp, at: at(time))
        }
        #expect(statistics.packetsLost == 0)
        #expect(statistics.packetsExpected == 1_000)
        #expect(statistics.jitter <= 1)
        let block = statistics.makeReportBlock(at: at(time))
        #expect(block?.extendedHighestSequence == 66_499)
        #expect(block?.fractionLost == 0)
        #expect(block?.lastSenderReport == 0)
        #expect(block?.delaySinceLastSenderReport == 0)
    }

    @Test("The fraction lost counts since the report before, the sum since the start")
    func loss() {
        var statistics = ReceptionStatistics(ssrc: SSRC(1), clockRate: 48_000)
        func receive(_ range: Range<UInt64>, skipping: (UInt64) -> Bool) {
            for sequence in range where !skipping(sequence) {
                statistics.receive(
                    extendedSequence: sequence, timestamp: RTPTimestamp(UInt32(sequence) * 960),
                    at: at(Int64(sequence) * 20))
            }
        }
        receive(0..<100) { $0 % 4 == 1 }
        let first = statistics.makeReportBlock(at: at(2_000))
        #expect(first?.fractionLost == 64)
        #expect(first?.cumulativeLost == 25)
        receive(100..<200) { _ in false }
        let second = statistics.makeReportBlock(at: at(4_000))
        #expect(second?.fractionLost == 0)
        #expect(second?.cumulativeLost == 25)
        // Repeats of what was lost come late: the sum goes down, the fraction is not negative.
        receive(0..<100) { $0 % 4 != 1 }
        let third = statistics.makeReportBlock(at: at(4_100))
        #expect(third?.fractionLost == 0)
        #expect(third?.cumulativeLost == 0)
        // And then packets from before the first one.
        #expect(statistics.packetsLost == 0)
    }

    @Test("Late packets from before the first make the loss negative, not huge")
    func negativeLoss() {
        var statistics = ReceptionStatistics(ssrc: SSRC(1), clockRate: 48_000)
        for sequence: UInt64 in [10, 8, 9] {
            statistics.receive(extendedSequence: sequence, timestamp: 0, at: at(0))
        }
        #expect(statistics.packetsLost == -2)
        #expect(statistics.makeReportBlock(at: at(1))?.cumulativeLost == -2)
    }

    @Test("Jitter settles at the mean change of the transit time")
    func jitter() {
        var statistics = ReceptionStatistics(ssrc: SSRC(1), clockRate: 48_000)
        for sequence in UInt64(0)..<500 {
            // Every other packet is 10 ms late: the transit changes by 480 ticks each time.
            let late: Int64 = sequence % 2 == 0 ? 0 : 10
            statistics.receive(
                extendedSequence: sequence, timestamp: RTPTimestamp(UInt32(sequence) * 960),
                at: at(Int64(sequence) * 20 + late))
        }
        #expect((475...485).contains(statistics.jitter))
        // A stream that begins anew with another timestamp is no jitter.
        statistics.receive(extendedSequence: 500, timestamp: 3_000_000_000, at: at(10_000))
        #expect((475...485).contains(statistics.jitter))
        // Nor is a repeat that comes a second late.
        statistics.receive(extendedSequence: 400, timestamp: RTPTimestamp(400 * 960), at: at(10_020))
        #expect((475...485).contains(statistics.jitter))
    }

    @Test("A report echoes the last sender report and its age, from which the sender reads the round trip")
    func roundTrip() throws {
        var statistics = ReceptionStatistics(ssrc: SSRC(1), clockRate: 48_000)
        statistics.receive(extendedSequence: 1, timestamp: 0, at: at(0))
        // Sent at NTP 0x00000001.80000000 = 1.5 s; 30 ms each way; answered after 250 ms.
        let sent: UInt64 = 0x1_8000_0000
        statistics.receiveSenderReport(ntp: sent, at: at(30))
        let made = statistics.makeReportBlock(at: at(280))
        let block = try #require(made)
        #expect(block.lastSenderReport == 0x0001_8000)
        #expect(block.delaySinceLastSenderReport == 65_536 / 4)
        let arrival = sent + (UInt64(310) << 32) / 1_000
        let trip = try #require(block.roundTrip(arrivingAt: arrival))
        #expect((59...61).contains(trip.milliseconds))
        // A hair before it can be: rounding, so zero. Long before: a lie.
        #expect(block.roundTrip(arrivingAt: arrival - (UInt64(80) << 32) / 1_000) == .zero)
        #expect(block.roundTrip(arrivingAt: sent) == nil)
        var none = block
        none.lastSenderReport = 0
        #expect(none.roundTrip(arrivingAt: arrival) == nil)
        // The age saturates instead of wrapping.
        #expect(
            statistics.makeReportBlock(at: at(0) + .seconds(100_000))?.delaySinceLastSenderReport == .max)
        #expect(statistics.makeReportBlock(at: .distantPast)?.delaySinceLastSenderReport == 0)
    }

    @Test("A packet that is late does not move a stream's reports back; a stream that begins anew does")
    func latePacket() throws {
        var clock = SendingClock(clockRate: 48_000)
        for start in [RTPTimestamp(100_000), RTPTimestamp(480)] {
            clock = SendingClock(clockRate: 48_000)
            clock.send(timestamp: start, at: at(0))
            // Across the wrap of the timestamps too.
            clock.send(timestamp: start.advanced(by: -960), at: at(50))
            #expect(clock.timestamp(at: at(50)) == start.advanced(by: 2_400))
            clock.send(timestamp: start.advanced(by: 1_920), at: at(60))
            #expect(clock.timestamp(at: at(60)) == start.advanced(by: 1_920))
        }
        clock.send(timestamp: RTPTimestamp(1 << 30), at: at(70))
        clock.send(timestamp: RTPTimestamp(5), at: at(80))
        #expect(clock.timestamp(at: at(80)) == RTPTimestamp(5))
    }

    @Test("A sending clock moves on with time; a receiving clock maps timestamps before and after its report")
    func clocks() throws {
        var sending = SendingClock(clockRate: 48_000)
        #expect(sending.timestamp(at: at(0)) == nil)
        sending.send(timestamp: RTPTimestamp(.max), at: at(0))
        #expect(sending.timestamp(at: at(0)) == RTPTimestamp(.max))
        #expect(sending.timestamp(at: at(1_000))?.distance(from: RTPTimestamp(.max)) == 48_000)

        #expect(ReceivingClock(clockRate: 0, ntp: 0, timestamp: 0) == nil)
        let receiving = try #require(ReceivingClock(clockRate: 48_000, ntp: 10 << 32, timestamp: 100))
        #expect(receiving.ntp(of: 100) == 10 << 32)
        #expect(receiving.ntp(of: RTPTimestamp(100 + 72_000)) == 11 << 32 + 1 << 31)
        #expect(receiving.ntp(of: RTPTimestamp(100 &- 24_000)) == 9 << 32 + 1 << 31)
        #expect(receiving.ntp(of: RTPTimestamp(100 &+ 0x7fff_ffff)) > 10 << 32)
    }
}
