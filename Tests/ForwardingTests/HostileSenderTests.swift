internal import RTP
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// Senders who are let in and want to hurt those who listen.
@Suite struct HostileSenderTests {
    /// RFC 3711 §3.3.1: a receiver that misses half of the numbers' range can no longer tell how often they have wrapped.
    private static let deaf = 1 << 15
    /// The longest that somebody may hear nothing before their path is closed (RFC 7675 §5.1).
    private static let outage = 30

    @Test(
        "a source whose numbers leap does not take the listeners' numbers along: half a minute without a packet, and one still knows where they are",
        arguments: [2, 50, 101, 2_999, 3_000, 3_001, 40_000] as [UInt64])
    func leaps(by step: UInt64) {
        let stage = AudioStage(slots: 1)
        let (attacker, listener) = (MemberID(rawValue: 1), MemberID(rawValue: 2))
        var now = Instant(nanoseconds: 0)
        stage.assign(slot: 0, to: attacker, muted: false, at: now) { _, _, _ in }
        stage.fanout.setListener(listener, handle: 7, lines: [.line(0, of: listener)])
        var numbers: [UInt64] = []
        var starts = 0
        var input: UInt64 = 1_000
        // As many packets as a worker lets through.
        let perSecond = 600
        for packet in 0..<perSecond * Self.outage {
            let header = RTPHeader.opus(ssrc: 9, sequence: input, timestamp: UInt32(packet * 80))
            [UInt8](repeating: 1, count: 40).withUnsafeBytes { payload in
                stage.forward(
                    from: attacker, header, extendedSequence: input, level: nil, payload: payload, at: now
                ) { _, header, _ in
                    numbers.append(header.sequence)
                    if header.startsSource { starts += 1 }
                }
            }
            input += step
            now = now + Interval(nanoseconds: 1_000_000_000 / Int64(perSecond))
        }
        let range = Int((numbers.max() ?? 0) - (numbers.min() ?? 0))
        #expect(range < Self.deaf, "\(range) numbers in \(Self.outage) s")
        // Each start of a source costs a report to every listener.
        #expect(starts <= Self.outage * 5 + 2, "\(starts) starts")
        #expect(!numbers.isEmpty)
    }

    @Test(
        "an honest source with gaps as networks make them is forwarded whole, gaps and all",
        arguments: [UInt64(1), 2, 3])
    func honest(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stage = AudioStage(slots: 1)
        let (speaker, listener) = (MemberID(rawValue: 1), MemberID(rawValue: 2))
        var now = Instant(nanoseconds: 0)
        stage.assign(slot: 0, to: speaker, muted: false, at: now) { _, _, _ in }
        stage.fanout.setListener(listener, handle: 7, lines: [.line(0, of: listener)])
        var heard: [UInt64] = []
        var sent: [UInt64] = []
        var input: UInt64 = 0
        for _ in 0..<4_000 {
            // 20 % loss, now and then a burst of 80 packets.
            input += Int.random(in: 0..<400, using: &random) == 0 ? 80 : 1
            now = now + .milliseconds(5)
            guard Int.random(in: 0..<5, using: &random) > 0 else { continue }
            sent.append(input)
            let header = RTPHeader.opus(ssrc: 9, sequence: input, timestamp: UInt32(input * 240))
            [UInt8](repeating: 1, count: 40).withUnsafeBytes { payload in
                stage.forward(
                    from: speaker, header, extendedSequence: input, level: nil, payload: payload, at: now
                ) { _, header, _ in heard.append(header.sequence) }
            }
        }
        #expect(heard.count == sent.count)
        #expect(zip(heard, heard.dropFirst()).map { $1 - $0 } == zip(sent, sent.dropFirst()).map { $1 - $0 })
    }

    @Test("who is cut is told of with the number up to which nothing may be heard, and only if there was something")
    func cuts() {
        let stage = AudioStage(slots: 2, hasMix: true)
        let speaker = MemberID(rawValue: 1)
        let now = Instant(nanoseconds: 0)
        let tap = NotingTap()
        stage.add(tap)
        stage.assign(slot: 1, to: speaker, muted: false, at: now) { _, _, _ in }
        #expect(tap.cuts.isEmpty && stage.lastCuts.areInForce)
        for number in 0..<5 {
            let header = RTPHeader.opus(ssrc: 9, sequence: UInt64(number), timestamp: UInt32(number * 960))
            [UInt8](repeating: 1, count: 40).withUnsafeBytes { payload in
                stage.forward(
                    from: speaker, header, extendedSequence: UInt64(number), level: nil, payload: payload, at: now
                ) { _, _, _ in }
                #expect(tap.heard.last?.sequence == UInt64(number))
            }
        }
        stage.assign(slot: 1, to: speaker, muted: true, at: now) { _, _, _ in }
        #expect(tap.cuts.map(\.slot) == [1] && tap.cuts.map(\.before) == [5])
        #expect(
            tap.heard.count == 8 && tap.heard.suffix(3).allSatisfy(\.isFiller), "silence comes before the cut is told")
        #expect(!stage.lastCuts.areInForce)
        tap.inForce = 1
        #expect(stage.lastCuts.areInForce)
        stage.assign(slot: 1, to: nil, muted: false, at: now) { _, _, _ in }
        #expect(tap.cuts.count == 1, "it was silent already")
    }
}
