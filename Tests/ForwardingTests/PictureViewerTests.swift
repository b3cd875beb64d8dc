internal import BandwidthEstimation
internal import Codecs
internal import RTP
internal import Testing
internal import Timing

@testable internal import Forwarding

/// Viewers whose lines decide when packets leave.
@Suite struct PictureViewerTests {
    private final class Room {
        let stage = VideoStage(slots: 2)
        var now = Instant(nanoseconds: 1_000_000_000)
        var sent: [(slot: Int, sequence: UInt64, at: Instant)] = []
        var bytes = 0
        var asked = 0
        var waiting = 0
        var filled = 0
        /// What leaves does not count: the way is not open, or has no repeats.
        var isDeaf = false
        let bandwidth: SendBandwidth
        let viewer: PictureViewer
        private var numbers: [UInt64] = [100, 100]

        init() {
            bandwidth = SendBandwidth(firstNumber: 1, at: now)
            viewer = PictureViewer(MemberID(rawValue: 9), handle: 3, bandwidth: bandwidth)
            stage.onWaiting = { [unowned self] _ in waiting += 1 }
            for slot in 0..<2 { stage.assign(slot: slot, to: MemberID(rawValue: UInt64(slot) + 1), isCut: false) }
            bandwidth.setWishes(wanted: 1_000_000, isShort: true, at: now)
            stage.setViewer(
                viewer,
                lines: (0..<2).map {
                    ViewerLine(
                        slot: $0, ssrc: SSRC(UInt32($0) + 50), stream: $0, format: .vp8, firstSequence: 0,
                        firstTimestamp: 0)
                }, at: now, send: exits.send, ask: exits.ask)
        }

        lazy var exits = PictureViewer.Exits(
            send: { [unowned self] _, packet, payload in
                _ = bandwidth.number(payload.count, stream: packet.stream, sequence: packet.sequence, at: now)
                sent.append((packet.stream, packet.sequence, now))
                bytes += payload.count
            },
            again: { [unowned self] _, _, payload in
                filled += 1
                if !isDeaf { _ = bandwidth.number(payload.count, stream: nil, sequence: 0, at: now) }
            },
            fill: { [unowned self] _, _, length in
                filled += 1
                if !isDeaf { _ = bandwidth.number(length, stream: nil, sequence: 0, at: now) }
            }, ask: { [unowned self] _, _ in asked += 1 })

        /// A frame of so many packets of 1,000 bytes.
        func film(_ slot: Int, packets: Int, layer: Int = 0, isKeyFrame: Bool = false, width: UInt16 = 0) {
            for part in 0..<packets {
                var payload = [UInt8](repeating: 7, count: 1_000)
                payload.replaceSubrange(0..<3, with: [part == 0 ? 0x10 : 0, isKeyFrame && part == 0 ? 0 : 1, 0])
                if width > 0 {
                    let side = [UInt8(width & 0xff), UInt8(width >> 8)]
                    payload.replaceSubrange(4..<11, with: [0x9d, 0x01, 0x2a] + side + side)
                }
                let packet = PicturePacket(
                    ssrc: SSRC(UInt32(slot) + 1 + UInt32(layer) * 10), layer: layer,
                    sequence: numbers[slot] + UInt64(layer) * 1_000_000,
                    timestamp: UInt32(now.nanoseconds / 11_111), marker: part == packets - 1, format: .vp8,
                    arrival: now)
                numbers[slot] += 1
                payload.withUnsafeBytes {
                    stage.forward(
                        packet, from: MemberID(rawValue: UInt64(slot) + 1), payload: $0, send: exits.send,
                        ask: exits.ask)
                }
            }
            stage.deliver(at: now, send: exits.send)
        }

        func drive(for length: Interval) {
            let end = now + length
            while viewer.nextDeadline(at: now) <= end {
                now = max(now, viewer.nextDeadline(at: now))
                viewer.advance(to: now, exits)
            }
            now = end
        }
    }

    @Test("L11-S what the line cannot take at once waits, and leaves in the order in which it came")
    func waits() {
        let room = Room()
        room.film(0, packets: 10, isKeyFrame: true)
        let atOnce = room.sent.count
        #expect((1...3).contains(atOnce) && room.waiting == 1, "told once")
        room.film(1, packets: 5, isKeyFrame: true)
        #expect(room.sent.count == atOnce, "nobody overtakes")
        room.drive(for: .milliseconds(800))
        #expect(room.sent.map(\.slot) == Array(repeating: 0, count: 10) + Array(repeating: 1, count: 5))
        let apart = zip(room.sent, room.sent.dropFirst()).map { ($1.at - $0.at).milliseconds }
        #expect(apart.max() ?? 0 < 60)
        // Nothing waits any more: the next packet leaves as it comes.
        room.film(0, packets: 1)
        #expect(room.sent.count == 16 && room.sent.last?.at == room.now)
    }

    @Test("L11-S a picture that is a second behind goes on at the newest key frame, or asks for one")
    func behind() {
        let room = Room()
        room.film(0, packets: 60, isKeyFrame: true)
        let before = room.sent.count
        room.now = room.now + .milliseconds(1_200)
        room.viewer.advance(to: room.now, room.exits)
        #expect(room.stage.stats.skipped == 1 && room.asked == 1)
        room.drive(for: .milliseconds(300))
        #expect(room.sent.count == before)
        room.film(0, packets: 2, isKeyFrame: true)
        room.drive(for: .milliseconds(300))
        // Its numbers go on, with one left out: the frame before was not whole.
        #expect(room.sent.count == before + 2 && room.sent[before].sequence == UInt64(before) + 1)
    }

    @Test("L11-S while a better layer is wanted than fits, probes are filled with what was sent before")
    func fills() {
        let room = Room()
        for _ in 0..<30 {
            room.film(0, packets: 1, isKeyFrame: true)
            room.drive(for: .milliseconds(100))
        }
        #expect(room.filled == 0, "all that is wanted fits")
        for _ in 0..<60 {
            room.film(0, packets: 1, isKeyFrame: true)
            room.film(0, packets: 20, layer: 1)
            room.drive(for: .milliseconds(100))
        }
        #expect(room.filled > 5)
    }

    @Test("L11-S a camera that lists its largest layer first is seen by who chooses nothing, and goes on to be seen")
    func largestFirst() {
        let room = Room()
        for second in 0..<10 {
            let (packets, bytes) = (room.sent.count, room.bytes)
            for tenth in 0..<10 {
                room.film(0, packets: 25, isKeyFrame: tenth == 0, width: 1_280)
                room.film(0, packets: 8, layer: 1, isKeyFrame: tenth == 0, width: 640)
                room.film(0, packets: 2, layer: 2, isKeyFrame: tenth == 0, width: 320)
                room.drive(for: .milliseconds(100))
            }
            // Nobody tells of arrivals, so the line is taken for a narrow one: it carries the smallest layer.
            guard second > 0 else { continue }
            #expect(room.sent.count - packets == 20 && room.bytes - bytes > 19_000, "second \(second)")
        }
        #expect(room.stage.stats.skipped == 0)
    }

    @Test("L11-S a viewer is told what it gets once that has stayed for two seconds, and why it is less than it wants")
    func news() {
        let room = Room()
        typealias Gets = PictureViewer.Gets
        func film(_ seconds: Int, layers: Int) -> [[Gets]] {
            var told: [[Gets]] = []
            for _ in 0..<seconds * 10 {
                for layer in 0..<layers { room.film(0, packets: layer == 0 ? 1 : 40, layer: layer, isKeyFrame: true) }
                room.drive(for: .milliseconds(100))
                if let news = room.viewer.takeNews(at: room.now) { told.append(news) }
            }
            return told
        }
        func gets(_ layer: Int, _ lack: Gets.Lack? = nil) -> [[Gets]] {
            [[Gets(stage: room.stage, slot: 0, layer: layer, lack: lack)]]
        }
        #expect(film(1, layers: 1).isEmpty, "it may still change")
        #expect(film(3, layers: 1) == gets(0), "all there is")
        // Nobody tells of arrivals here, so the line stays as narrow as it is taken for at first.
        #expect(film(5, layers: 2) == gets(0, .line))
        #expect(film(5, layers: 2).isEmpty, "nothing new")
        // Silence, of which nothing is known but that it is one.
        #expect(film(5, layers: 0) == gets(-1, .sender))
        room.stage.assign(slot: 0, to: nil, isCut: false)
        #expect(film(5, layers: 0) == [[]])
    }

    @Test("L11-S a producer hears at once of a higher layer that somebody wants, and of a lower one after ten seconds")
    func wishes() {
        let room = Room()
        var told: [(slot: Int, layer: Int)] = []
        room.stage.onWish = { member, wish in told.append((Int(member.rawValue) - 1, wish.layer)) }
        func film(_ seconds: Int) {
            for _ in 0..<seconds * 2 {
                room.film(0, packets: 1, isKeyFrame: true)
                room.drive(for: .milliseconds(500))
            }
        }
        func limit(_ layer: Int) {
            room.stage.limit(
                room.viewer.member, slot: 0, toLayer: layer, at: room.now, send: room.exits.send, ask: room.exits.ask)
        }
        film(15)
        #expect(told.map(\.layer) == [2] && told[0].slot == 0, "a new source is told, and nothing more")
        limit(0)
        film(5)
        #expect(told.count == 1, "not yet")
        limit(2)
        film(7)
        #expect(told.count == 1, "wanted again in time")
        limit(-1)
        film(12)
        #expect(told.map(\.layer) == [2, 0], "the lowest is always wanted")
        limit(1)
        #expect(told.map(\.layer) == [2, 0, 1], "at once")
        // On another seat it sends no more than it was told here: it is told anew.
        room.stage.assign(slot: 0, to: nil, isCut: false)
        room.stage.assign(slot: 0, to: MemberID(rawValue: 1), isCut: false)
        film(1)
        #expect(told.map(\.layer) == [2, 0, 1, 2])
        // Who watches nothing but their own picture asks nothing of themselves.
        room.stage.removeViewer(room.viewer.member)
        film(12)
        #expect(told.map(\.layer) == [2, 0, 1, 2, 0])
    }

    @Test("L11-S a viewer that leaves, or whose line says nothing, does not hold anybody up")
    func without() {
        let room = Room()
        let other = PictureViewer(MemberID(rawValue: 10), handle: 4)
        var seen = 0
        room.stage.setViewer(
            other,
            lines: [
                ViewerLine(slot: 0, ssrc: SSRC(70), stream: 9, format: .vp8, firstSequence: 0, firstTimestamp: 0)
            ], at: room.now, send: room.exits.send, ask: room.exits.ask)
        room.film(0, packets: 10, isKeyFrame: true)
        seen = room.sent.filter { $0.slot == 9 }.count
        #expect(seen == 10 && other.nextDeadline(at: room.now) == .distantFuture)
        room.stage.removeViewer(room.viewer.member)
        #expect(room.viewer.nextDeadline(at: room.now) == .distantFuture)
        room.viewer.advance(to: room.now + .seconds(1), room.exits)
        room.stage.removeViewer(other.member)
        room.film(0, packets: 1)
        #expect(room.sent.filter { $0.slot == 9 }.count == seen)
    }

    @Test("A probe of which nothing can leave is given up, and tried again in its time; it holds nobody up")
    func deafProbe() {
        let room = Room()
        func film() {
            for _ in 0..<60 {
                room.film(0, packets: 1, isKeyFrame: true)
                room.film(0, packets: 20, layer: 1)
                room.drive(for: .milliseconds(100))
            }
        }
        room.isDeaf = true
        film()
        #expect((1...4).contains(room.filled), "\(room.filled)")
        room.isDeaf = false
        film()
        #expect(room.filled > 9)
    }
}
