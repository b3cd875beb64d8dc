internal import Codecs
internal import RTP
internal import SeededRandom
internal import Testing
internal import Timing

@testable internal import Forwarding

/// A viewer's sound and pictures of one anchor, by what the viewer's reports say.
@Suite struct LipSyncTests {
    private let anchor = MemberID(rawValue: 1)
    private let viewer = MemberID(rawValue: 2)

    private final class Reports {
        /// By stream: 0 is sound, 1 the picture.
        var clocks: [Int: CaptureClock] = [:]
        /// The newest packet's timestamp by stream.
        var newest: [Int: UInt32] = [:]
    }

    @Test(
        "sound and picture of one anchor stay within 20 ms of each other for ten minutes, over switches of layers, with a clock that is wrong by 100 ppm",
        arguments: 1...6 as ClosedRange<UInt64>)
    func together(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let drift = (seed % 2 == 0 ? 1.0 : -1.0) * 100 / 1_000_000
        let audio = AudioStage(slots: 1)
        let video = VideoStage(slots: 1)
        let reports = Reports()
        audio.fanout.onClock = { _, _, clock in reports.clocks[0] = clock }
        video.onClock = { _, _, clock in reports.clocks[1] = clock }
        audio.fanout.setListener(viewer, handle: 7, lines: [.line(0, of: viewer)])
        var wanted: SSRC?
        let hear: AudioStage.Send = { _, packet, _ in reports.newest[0] = packet.timestamp }
        let see: VideoStage.Send = { _, packet, _ in reports.newest[1] = packet.timestamp }
        let ask: VideoStage.Ask = { wanted = $1 }
        audio.assign(slot: 0, to: anchor, muted: false, at: Instant(nanoseconds: 0), send: hear)
        video.assign(slot: 0, to: anchor, isCut: false)
        video.setViewer(
            PictureViewer(viewer, handle: 7),
            lines: [ViewerLine(slot: 0, ssrc: SSRC(9), stream: 1, format: .vp8, firstSequence: 3, firstTimestamp: 77)],
            at: Instant(nanoseconds: 0), send: see, ask: ask)

        let bases = (0..<4).map { _ in UInt32.random(in: 0...(.max), using: &random) }
        var numbers = [UInt64](repeating: 500, count: 4)
        var worst: Int64 = 0
        // A frame each 40 ms of the anchor's clock: two packets of sound, one of each of three layers.
        for frame in 0..<15_000 as Range<Int64> {
            let theirs = frame * 40_000_000
            let captured = Instant(nanoseconds: 1_000_000_000 + Int64(Double(theirs) * (1 - drift)))
            for part in 0..<2 as Range<Int64> {
                let packet = SourcePacket(
                    ssrc: SSRC(100), sequence: numbers[3],
                    timestamp: bases[3] &+ UInt32(truncatingIfNeeded: (theirs + part * 20_000_000) * 48 / 1_000_000),
                    marker: false, arrival: captured + .milliseconds(part * 20 + 20))
                numbers[3] += 1
                [UInt8](repeating: 1, count: 20).withUnsafeBytes {
                    audio.forward(packet, from: anchor, payload: $0, send: hear)
                }
            }
            // Pictures take longer, and longer at one time than at another.
            let arrival = captured + .milliseconds(60 + Int64.random(in: 0...40, using: &random))
            for layer in 0..<3 {
                let isKeyFrame = wanted == SSRC(UInt32(layer))
                if isKeyFrame { wanted = nil }
                let packet = PicturePacket(
                    ssrc: SSRC(UInt32(layer)), layer: layer, sequence: numbers[layer],
                    timestamp: bases[layer] &+ UInt32(truncatingIfNeeded: theirs * 90 / 1_000_000), marker: true,
                    format: .vp8, arrival: arrival)
                numbers[layer] += 1
                [0x10, isKeyFrame ? 0 : 1, 5].withUnsafeBytes {
                    video.forward(packet, from: anchor, payload: $0, send: see, ask: ask)
                }
            }
            video.deliver(at: arrival, send: see)
            if frame % 25 == 24 {
                // Reports of a clock that is followed: what it says is off by as much for all streams.
                let made = captured + .milliseconds(20 + Int64.random(in: -3...3, using: &random))
                audio.note(
                    CaptureClock(
                        clockRate: 48_000, instant: made,
                        timestamp: bases[3] &+ UInt32(truncatingIfNeeded: theirs * 48 / 1_000_000)),
                    of: SSRC(100), from: anchor)
                for layer in 0..<3 {
                    video.note(
                        CaptureClock(
                            clockRate: 90_000, instant: made,
                            timestamp: bases[layer] &+ UInt32(truncatingIfNeeded: theirs * 90 / 1_000_000)),
                        of: SSRC(UInt32(layer)), from: anchor)
                }
            }
            if frame % 500 == 250 {
                video.limit(
                    viewer, slot: 0, toLayer: Int.random(in: 0...2, using: &random), at: arrival, send: see, ask: ask)
            }
            guard frame > 100, let sound = reports.clocks[0], let picture = reports.clocks[1],
                let heard = reports.newest[0], let seen = reports.newest[1]
            else { continue }
            // The newest packet of sound is 20 ms younger than the frame.
            let apart = (picture.instant(of: seen) - sound.instant(of: heard)).milliseconds + 20
            worst = max(worst, abs(apart))
        }
        #expect(reports.clocks.count == 2 && worst <= 20, "\(worst) ms apart")
    }

    @Test("a source that begins anew, or of which no report has come, has no clock: the time of sending counts")
    func unknown() {
        let audio = AudioStage(slots: 1)
        var told: [CaptureClock?] = []
        audio.fanout.onClock = { _, _, clock in told.append(clock) }
        audio.fanout.setListener(viewer, handle: 7, lines: [.line(0, of: viewer)])
        let now = Instant(nanoseconds: 0)
        audio.assign(slot: 0, to: anchor, muted: false, at: now) { _, _, _ in }
        func speak(_ ssrc: UInt32, _ sequence: UInt64, at now: Instant) {
            [UInt8](repeating: 1, count: 20).withUnsafeBytes {
                audio.forward(
                    SourcePacket(ssrc: SSRC(ssrc), sequence: sequence, timestamp: 0, marker: false, arrival: now),
                    from: anchor, payload: $0
                ) { _, _, _ in }
            }
        }
        speak(5, 10, at: now)
        #expect(told == [nil])
        audio.note(CaptureClock(clockRate: 48_000, instant: now, timestamp: 9), of: SSRC(6), from: anchor)
        audio.note(CaptureClock(clockRate: 48_000, instant: now, timestamp: 9), of: SSRC(5), from: viewer)
        #expect(told == [nil], "another stream, another's report")
        audio.note(CaptureClock(clockRate: 48_000, instant: now, timestamp: 9), of: SSRC(5), from: anchor)
        #expect(told.count == 2 && told[1]?.timestamp == 5_009)
        speak(6, 1, at: now + .seconds(2))
        #expect(told.count == 3 && told[2] == nil)
    }

    @Test("a clock tells timestamps of instants and instants of timestamps, over the wrap too")
    func clock() {
        let clock = CaptureClock(clockRate: 90_000, instant: Instant(nanoseconds: 7_000_000_000), timestamp: .max - 10)
        let later = clock.instant + .milliseconds(50)
        #expect(clock.timestamp(at: later) == UInt32.max &- 10 &+ 4_500)
        #expect(abs((clock.instant(of: clock.timestamp(at: later)) - later).nanoseconds) < 20_000)
        #expect(clock.shifted(by: 11).timestamp == 0)
        #expect(CaptureClock(clockRate: 0, instant: later, timestamp: 1).instant(of: 5) > later)
    }
}
