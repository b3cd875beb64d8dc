import RTP
import SeededRandom
import Testing
import Timing
import Wire

@testable import BandwidthEstimation

/// A line of a fixed rate in front of a receiver that tells of arrivals every 50 ms, as `TransportFeedbackBuilder` does.
private struct SteadyLine {
    let bandwidth: SendBandwidth
    var now = Instant(nanoseconds: 5_000_000_000)
    /// Bits a second.
    var rate: Double
    let way = Interval.milliseconds(20)
    /// Nothing that is sent arrives.
    var isDead = false
    private var free = Instant.distantPast
    private var flying: [(number: UInt16, arrival: Instant)] = []
    private var builder = TransportFeedbackBuilder()
    private var nextMessage: Instant

    init(rate: Double, firstNumber: UInt16 = 65_000) {
        self.rate = rate
        bandwidth = SendBandwidth(firstNumber: firstNumber, at: now)
        nextMessage = now + .milliseconds(50)
    }

    /// Sends at `sending` bits a second for a while; probes leave beside it.
    mutating func run(sending: Double, for length: Interval) {
        let end = now + length
        var owed = 0.0
        while now < end {
            now = now + .milliseconds(1)
            owed += sending / 8 / 1_000
            while owed >= 1_200 {
                owed -= 1_200
                send(1_200)
            }
            bandwidth.advance(to: now)
            while bandwidth.probeDue(at: now) > 0 { send(1_000) }
            hear()
        }
    }

    private mutating func send(_ length: Int) {
        let number = bandwidth.number(length, stream: 0, sequence: 0, at: now)
        if isDead { return }
        free = max(free, now) + Interval(seconds: Double(length + 28) * 8 / rate)
        flying.append((number, free + way))
    }

    private mutating func hear() {
        while let first = flying.first, first.arrival <= now {
            flying.removeFirst()
            builder.note(SequenceNumber16(first.number), at: first.arrival.nanoseconds)
        }
        guard nextMessage <= now else { return }
        nextMessage = now + .milliseconds(50)
        SendBandwidthTests.message(&builder) { bandwidth.receive($0, at: now + way) }
    }
}

@Suite struct SendBandwidthTests {
    static func message(_ builder: inout TransportFeedbackBuilder, _ body: (TransportFeedback) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 1_400, alignment: 8) { buffer in
            var writer = RTCPWriter(into: buffer)
            guard builder.write(sender: SSRC(1), media: SSRC(2), into: &writer) else { return }
            var compound = RTCPCompound(UnsafeRawBufferPointer(rebasing: buffer[..<writer.count]))
            while let packet = compound.next() {
                if case .transportFeedback(_, _, let message) = packet { body(message) }
            }
        }
    }

    @Test("L11-S what was lost on the way that a viewer had before says nothing of the new one")
    func otherWay() {
        var line = SteadyLine(rate: 3_000_000)
        line.bandwidth.setWishes(wanted: 2_500_000, isShort: true, at: line.now)
        line.run(sending: 400_000, for: .seconds(5))
        line.isDead = true
        line.run(sending: 400_000, for: .seconds(2))
        line.isDead = false
        line.bandwidth.reset(at: line.now)
        line.run(sending: 200_000, for: .seconds(1))
        // Otherwise all pictures are paused for seconds, since more than a third was lost.
        #expect(line.bandwidth.estimate >= BandwidthEstimator.start, "\(line.bandwidth.estimate)")
        line.run(sending: 200_000, for: .seconds(3))
        #expect(line.bandwidth.estimate > 2_000_000, "\(line.bandwidth.estimate)")
    }

    @Test("probes find what a line carries when more is wanted than is sent, over the wrap of numbers too")
    func probes() {
        var line = SteadyLine(rate: 3_000_000)
        line.bandwidth.setWishes(wanted: 2_500_000, isShort: true, at: line.now)
        line.run(sending: 200_000, for: .seconds(12))
        #expect((2_000_000...3_150_000).contains(line.bandwidth.estimate), "\(line.bandwidth.estimate)")
        // Nobody wants more: no probe, and what is known stays.
        line.bandwidth.setWishes(wanted: 200_000, isShort: false, at: line.now)
        line.run(sending: 200_000, for: .seconds(5))
        #expect(!line.bandwidth.isProbing && line.bandwidth.estimate > 2_000_000)
    }

    @Test("a line that carries less than is sent is found within a second, and is not overestimated after that")
    func fall() {
        var line = SteadyLine(rate: 3_000_000)
        line.bandwidth.setWishes(wanted: 2_500_000, isShort: true, at: line.now)
        line.run(sending: 1_500_000, for: .seconds(10))
        #expect(line.bandwidth.estimate > 2_000_000)
        line.rate = 600_000
        line.run(sending: 1_500_000, for: .milliseconds(900))
        #expect((350_000...600_000).contains(line.bandwidth.estimate), "\(line.bandwidth.estimate)")
        #expect(line.bandwidth.queue > .milliseconds(100))
        line.run(sending: 150_000, for: .seconds(12))
        #expect(line.bandwidth.estimate < 700_000 && line.bandwidth.queue < .milliseconds(30))
    }

    @Test("what is sent without numbers is left aside: sound counts against what pictures may take")
    func unnumbered() {
        let now = Instant(nanoseconds: 1_000_000_000)
        let bandwidth = SendBandwidth(firstNumber: 1, at: now)
        for step in 0..<50 as Range<Int64> {
            bandwidth.noteUnnumbered(172, isPaced: false, at: now + .milliseconds(20 * step))
        }
        #expect(bandwidth.available(at: now + .milliseconds(990)) == bandwidth.estimate - 50 * 200 * 8)
        // After a second of silence it counts no more.
        #expect(bandwidth.available(at: now + .seconds(3)) == bandwidth.estimate)
    }

    @Test("packets leave at the pace of the line: a portion at once, then as time passes")
    func pace() {
        var now = Instant(nanoseconds: 1_000_000_000)
        let bandwidth = SendBandwidth(firstNumber: 1, at: now)
        bandwidth.setWishes(wanted: 1_000_000, isShort: true, at: now)
        var sent = 0
        let end = now + .seconds(2)
        while now < end {
            while bandwidth.mayLeave(at: now) {
                _ = bandwidth.number(972, stream: 0, sequence: 0, at: now)
                sent += 1_000
            }
            #expect(bandwidth.nextLeave > now, "nobody is driven for nothing")
            now = max(now + .microseconds(1), bandwidth.nextLeave)
        }
        // 1.1 times 300 kbit/s for two seconds.
        #expect((80_000...88_000).contains(sent), "\(sent)")
    }

    @Test("a receiver that only says how much it takes is believed; who tells of arrivals is not asked for that")
    func stated() {
        var line = SteadyLine(rate: 3_000_000)
        line.bandwidth.receive(statedMaximum: 700_000, at: line.now)
        #expect(line.bandwidth.estimate == 700_000)
        line.bandwidth.receive(statedMaximum: .infinity, at: line.now)
        line.bandwidth.receive(statedMaximum: 0, at: line.now)
        #expect(line.bandwidth.estimate == 50_000)
        line.run(sending: 200_000, for: .seconds(1))
        let known = line.bandwidth.estimate
        line.bandwidth.receive(statedMaximum: 9_000_000, at: line.now)
        #expect(line.bandwidth.estimate == known)
    }

    @Test("silence halves the estimate again and again; half of what was known is tried when something is heard again")
    func silence() {
        var line = SteadyLine(rate: 3_000_000)
        line.bandwidth.setWishes(wanted: 2_500_000, isShort: true, at: line.now)
        line.run(sending: 1_000_000, for: .seconds(10))
        let before = line.bandwidth.estimate
        _ = line.bandwidth.number(1_000, stream: 0, sequence: 0, at: line.now)
        for _ in 0..<40 {
            line.now = line.now + .milliseconds(100)
            line.bandwidth.advance(to: line.now)
        }
        #expect(line.bandwidth.estimate <= before / 16)
        line.run(sending: 100_000, for: .milliseconds(200))
        #expect(line.bandwidth.estimate >= before / 2)
    }

    @Test("a packet counts once: told twice, told as lost and then as received, or never sent")
    func once() {
        let now = Instant(nanoseconds: 1_000_000_000)
        var log = TransportLog(first: 65_535)
        defer { log.deallocate() }
        let content = TransportLog.Content(sequence: 7, stream: 3)
        #expect(log.add(100, content, at: now) == 65_535 && log.add(200, content, at: now) == 0)
        #expect(log.settle(65_535, isReceived: false)?.entry.bytes == 100)
        #expect(log.settle(65_535, isReceived: false) == nil)
        let found = log.settle(65_535, isReceived: true)
        #expect(found?.wasLost == true && found?.index == 65_535 && found?.entry.content.sequence == 7)
        #expect(log.settle(65_535, isReceived: true) == nil && log.settle(0, isReceived: true)?.index == 65_536)
        #expect(log.settle(1, isReceived: true) == nil)
        // Its place was needed.
        for _ in 0..<TransportLog.capacity { _ = log.add(1, content, at: now) }
        #expect(log.settle(0, isReceived: true) == nil)
        _ = log.add(1, content, at: now)
        log.takeBack()
        #expect(log.settle(UInt16(truncatingIfNeeded: log.next), isReceived: true) == nil)
    }

    @Test("what is lost is told once, and not what a full line has thrown away")
    func lost() {
        let now = Instant(nanoseconds: 1_000_000_000)
        let bandwidth = SendBandwidth(firstNumber: 10, at: now)
        var builder = TransportFeedbackBuilder()
        for number in 0..<40 as Range<Int64> {
            let sent = now + .milliseconds(number * 10)
            let given = bandwidth.number(500, stream: 2, sequence: UInt64(100 + number), at: sent)
            if number != 5, number != 7 {
                builder.note(SequenceNumber16(given), at: (sent + .milliseconds(20)).nanoseconds)
            }
        }
        Self.message(&builder) { bandwidth.receive($0, at: now + .milliseconds(500)) }
        let lost = bandwidth.takeLost()
        #expect(lost.map(\.sequence.rawValue) == [105, 107] && lost.allSatisfy { $0.stream == 2 })
        #expect(bandwidth.takeLost().isEmpty)
        for number in 40..<80 as Range<Int64> {
            let sent = now + .milliseconds(number * 10)
            let given = bandwidth.number(500, stream: 2, sequence: UInt64(100 + number), at: sent)
            if number % 2 == 0 { builder.note(SequenceNumber16(given), at: (sent + .milliseconds(20)).nanoseconds) }
        }
        Self.message(&builder) { bandwidth.receive($0, at: now + .milliseconds(900)) }
        #expect(bandwidth.takeLost().isEmpty, "half is lost: the line is full")
    }

    @Test(
        "whatever a receiver claims, nothing traps, and rates stay numbers within bounds",
        arguments: 1...20 as ClosedRange<UInt64>)
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var now = Instant(nanoseconds: Int64(random.next() % (1 << 50)))
        let bandwidth = SendBandwidth(firstNumber: UInt16(truncatingIfNeeded: random.next()), at: now)
        for _ in 0..<400 {
            now = now + .milliseconds(Int64(random.next() % 60))
            if random.chance(0.1) { now = now + .seconds(Int64(random.next() % 100)) }
            if random.chance(0.2) {
                let wanted = random.chance(0.1) ? Double.greatestFiniteMagnitude : Double(random.next() % 9_000_000)
                bandwidth.setWishes(wanted: wanted, isShort: random.chance(0.5), at: now)
            }
            for _ in 0..<random.next() % 20 {
                _ = bandwidth.number(Int(random.next() % 1_500), stream: 1, sequence: random.next(), at: now)
            }
            var body = (0..<Int(random.next() % 200 + 8)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if random.chance(0.7) {
                // Of what was sent lately, with runs of everything.
                let base = UInt16(truncatingIfNeeded: random.next() % 400)
                body.replaceSubrange(0..<4, with: [UInt8(base >> 8), UInt8(base & 255), 0, UInt8(random.next() % 200)])
            }
            var packet: [UInt8] = [0x8f, 205, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2] + body
            while packet.count % 4 != 0 { packet.append(0) }
            let words = packet.count / 4 - 1
            packet[2] = UInt8(words >> 8)
            packet[3] = UInt8(words & 255)
            packet.withUnsafeBytes { bytes in
                var compound = RTCPCompound(bytes)
                while let next = compound.next() {
                    if case .transportFeedback(_, _, let message) = next { bandwidth.receive(message, at: now) }
                }
            }
            bandwidth.advance(to: now)
            _ = bandwidth.takeLost()
            #expect((50_000...25_100_000).contains(bandwidth.estimate), "\(bandwidth.estimate)")
            #expect(bandwidth.available(at: now).isFinite && bandwidth.probeDue(at: now) < 1 << 24)
            _ = bandwidth.mayLeave(at: now)
        }
    }

    @Test("a message that claims something of more packets than are remembered is not read to its end")
    func bounded() {
        let now = Instant(nanoseconds: 1_000_000_000)
        let bandwidth = SendBandwidth(firstNumber: 0, at: now)
        for number in 0..<3_000 as Range<UInt64> {
            _ = bandwidth.number(100, stream: 1, sequence: number, at: now)
        }
        // A run of 8,191 packets that have not come: the remembered ones are the last thousand of 3,000.
        let packet: [UInt8] = [
            0x8f, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0x1f, 0xff, 0, 0, 1, 0, 0x1f, 0xff, 0, 0,
        ]
        var statuses = 0
        packet.withUnsafeBytes { bytes in
            var compound = RTCPCompound(bytes)
            while let next = compound.next() {
                guard case .transportFeedback(_, _, let message) = next else { continue }
                statuses = message.reduce(0) { count, _ in count + 1 }
                bandwidth.receive(message, at: now + .milliseconds(100))
            }
        }
        #expect(statuses == 8_191 && bandwidth.takeLost().isEmpty)
    }
}
