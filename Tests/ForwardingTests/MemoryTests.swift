import BandwidthEstimation
import CAllocationCount
import Codecs
import RTP
import Testing
import Timing
import Wire

@testable import Forwarding

/// What takes memory by hand gives all of it back.
@Suite(.enabled(if: allocation_count_is_available())) struct MemoryTests {
    /// How many pieces of memory ten rounds leave behind.
    private func left(_ round: () -> Void) -> Int64 {
        // What is made once for all, and kept.
        round()
        let before = allocation_balance()
        for _ in 0..<10 { round() }
        return allocation_balance() - before
    }

    @Test("a history of packets, a ring of packets and a feed of the mixer leave nothing behind")
    func nothingLeft() {
        let payload: [UInt8] = [1, 2, 3]
        payload.withUnsafeBytes { payload in
            #expect(
                left {
                    let history = PacketHistory()
                    history.store(SlotPacket(sequence: 1, timestamp: 2, marker: false), payload: payload)
                } == 0)
            #expect(
                left {
                    let ring = PacketRing<Int>(packets: 4, bytes: 64)
                    _ = ring.push(1, payload)
                } == 0)
        }
        #expect(left { _ = MixFeed(wakeMixer: {}, wakeStage: {}) } == 0)
        #expect(left { _ = BranchLink(wakeBranch: {}, wakeStage: {}) } == 0)
        payload.withUnsafeBytes { payload in
            #expect(
                left {
                    let history = LayerHistory()
                    for sequence in 0..<100 as Range<UInt64> {
                        history.store(
                            LayerPacket(sequence: sequence, timestamp: 0, marker: false, payload: nil),
                            payload: payload, at: Instant(nanoseconds: 0))
                    }
                } == 0)
        }
        // The instrument sees what is left.
        #expect(left { _ = UnsafeMutablePointer<Int>.allocate(capacity: 4) } == 10)
    }

    private final class CountingTap: StageTap {
        let hearsMix = true
        var bytes = 0
        func hear(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer) { bytes += payload.count }
        func cut(slot: Int, before sequence: UInt64) -> UInt64 { 0 }
        func isInForce(_ cut: UInt64) -> Bool { true }
    }

    @Test("nor does a crowd's sound, packets of which leave together")
    func crowd() {
        let speakers = (1...4).map { MemberID(rawValue: $0) }
        let audio = AudioStage(slots: 4, crowd: 30)
        let start = Instant(nanoseconds: 1_000_000_000)
        var sent = 0
        let send: AudioStage.Send = { _, packet, payload in sent += payload.count - Int(packet.padding) }
        for (slot, speaker) in speakers.enumerated() {
            audio.assign(slot: slot, to: speaker, muted: false, at: start, send: send)
        }
        for number in 11...50 as ClosedRange<UInt64> {
            let listener = MemberID(rawValue: number)
            audio.fanout.setListener(listener, handle: Int(number), lines: (0..<4).map { .line($0, of: listener) })
        }
        let payload = [UInt8](repeating: 0x11, count: 200)
        var (now, together) = (start, 0)
        var number: UInt64 = 100
        func rounds(_ count: Int) {
            for _ in 0..<count {
                number += 1
                now = now + .milliseconds(20)
                for slot in 0..<4 {
                    let sound = SourcePacket(
                        ssrc: SSRC(UInt32(slot) + 6), sequence: number, timestamp: UInt32(number) &* 960, marker: false,
                        arrival: now)
                    payload.withUnsafeBytes {
                        let part = UnsafeRawBufferPointer(rebasing: $0[..<(100 + slot * 5)])
                        audio.forward(sound, from: speakers[slot], payload: part, send: send)
                    }
                }
                if audio.fanout.due < .distantFuture { together += 1 }
                audio.fanout.deliverWaiting(send: send)
            }
        }
        rounds(400)
        let (before, sentBefore, togetherBefore) = (allocation_count(), sent, together)
        rounds(400)
        #expect(allocation_count() - before == 0, "\(allocation_count() - before)")
        #expect(sent - sentBefore == 400 * 40 * (100 + 105 + 110 + 115))
        #expect(together - togetherBefore == 400)
    }

    @Test("in the steady state, forwarding a packet takes no memory: sound with a tap, and pictures")
    func steadyState() {
        let speaker = MemberID(rawValue: 1)
        let listeners = (2...40).map { MemberID(rawValue: $0) }
        var now = Instant(nanoseconds: 1_000_000_000)
        let audio = AudioStage(slots: 2)
        let tap = CountingTap()
        audio.add(tap)
        let video = VideoStage(slots: 2)
        var sent = 0
        let send: AudioStage.Send = { _, _, payload in sent += payload.count }
        let ask: VideoStage.Ask = { _, _ in }
        audio.assign(slot: 0, to: speaker, muted: false, at: now, send: send)
        video.assign(slot: 0, to: speaker, isCut: false)
        for (handle, listener) in listeners.enumerated() {
            audio.fanout.setListener(listener, handle: handle, lines: [.line(0, of: listener)])
            let line = ViewerLine(
                slot: 0, ssrc: SSRC(UInt32(handle) + 900), stream: 1, format: .vp8, firstSequence: 1, firstTimestamp: 1)
            video.setViewer(PictureViewer(listener, handle: handle), lines: [line], at: now, send: send, ask: ask)
        }
        let payload = [UInt8](repeating: 0x11, count: 900)
        var key: [UInt8] = [0x90, 0x80, 0x05, 0]
        key += payload
        var number: UInt64 = 100
        func round() {
            number += 1
            now = now + .milliseconds(20)
            let picture = PicturePacket(
                ssrc: SSRC(5), layer: 0, sequence: number, timestamp: UInt32(number) &* 1_800, marker: true,
                format: .vp8, arrival: now)
            key[2] = UInt8(number & 0x7f)
            key[3] = number % 50 == 0 ? 0 : 1
            key.withUnsafeBytes { video.forward(picture, from: speaker, payload: $0, send: send, ask: ask) }
            video.deliver(at: now, send: send)
            let sound = SourcePacket(
                ssrc: SSRC(6), sequence: number, timestamp: UInt32(number) &* 960, marker: false, arrival: now)
            payload.withUnsafeBytes {
                let part = UnsafeRawBufferPointer(rebasing: $0[..<120])
                audio.forward(sound, from: speaker, payload: part, send: send)
            }
        }
        for _ in 0..<400 { round() }
        let (before, sentBefore) = (allocation_count(), sent)
        for _ in 0..<400 { round() }
        #expect(allocation_count() - before == 0, "\(allocation_count() - before)")
        #expect(tap.bytes == 800 * 120)
        #expect(sent - sentBefore == 400 * (39 * 901 + 39 * 120))
    }

    @Test("in the steady state, packets that leave at a line's pace take no memory either, whether they wait or not")
    func paced() {
        var now = Instant(nanoseconds: 1_000_000_000)
        let camera = MemberID(rawValue: 1)
        let video = VideoStage(slots: 1)
        let bandwidth = SendBandwidth(firstNumber: 1, at: now)
        let viewer = PictureViewer(MemberID(rawValue: 2), handle: 0, bandwidth: bandwidth)
        var sent = 0
        let send: VideoStage.Send = { _, packet, payload in
            sent += 1
            _ = bandwidth.number(payload.count, stream: packet.stream, sequence: packet.sequence, at: now)
        }
        let exits = PictureViewer.Exits(send: send, again: send, fill: { _, _, _ in }, ask: { _, _ in })
        video.assign(slot: 0, to: camera, isCut: false)
        video.setViewer(
            viewer,
            lines: [
                ViewerLine(slot: 0, ssrc: SSRC(9), stream: 1, format: .vp8, firstSequence: 1, firstTimestamp: 1)
            ], at: now, send: send, ask: exits.ask)
        var number: UInt64 = 10
        var payload = [UInt8](repeating: 0x11, count: 400)
        // Two packets at once, of which the second often waits.
        func round() {
            now = now + .milliseconds(30)
            for _ in 0..<2 {
                number += 1
                payload[0] = 0x10
                payload[1] = number % 100 == 0 ? 0 : 1
                let picture = PicturePacket(
                    ssrc: SSRC(5), layer: 0, sequence: number, timestamp: UInt32(number) &* 1_800, marker: true,
                    format: .vp8, arrival: now)
                payload.withUnsafeBytes {
                    video.forward(picture, from: camera, payload: $0, send: send, ask: exits.ask)
                }
            }
            video.deliver(at: now, send: send)
            now = now + .milliseconds(10)
            viewer.sendWaiting(at: now, exits)
        }
        for _ in 0..<300 { round() }
        let (before, sentBefore) = (allocation_count(), sent)
        for _ in 0..<300 { round() }
        let (taken, gone) = (allocation_count() - before, sent - sentBefore)
        #expect(taken == 0, "\(taken)")
        #expect(gone > 500)
    }
}
