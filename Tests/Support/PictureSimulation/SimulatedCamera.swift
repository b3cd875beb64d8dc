import Codecs
import Forwarding
import RTP
import SeededRandom
import Timing

/// Somebody who sends a picture in layers, 30 frames a second; a key frame is six times as large, and comes 60 ms after it was asked for,
/// for all layers.
final class SimulatedCamera {
    static let frame = Interval(nanoseconds: 33_333_333)
    private static let keyFrame = 6.0
    private static let answer = Interval.milliseconds(60)
    private static let shortestRequest = Interval.milliseconds(300)
    static let payloadBytes = 1_100

    let member: MemberID
    private let rates: [Double]
    private var random: SeededGenerator
    private var sequences: [UInt64]
    private var pictures: [UInt16]
    private var frames: UInt32 = 0
    private(set) var nextFrame: Instant
    private var keyFrameDue: Instant?
    private var lastRequest = Instant.distantPast
    private(set) var keyFrames = 0

    init(_ member: MemberID, rates: [Double], seed: UInt64, at now: Instant) {
        self.member = member
        self.rates = rates
        var random = SeededGenerator(seed: seed)
        sequences = rates.map { _ in UInt64(random.next() % 60_000) }
        pictures = rates.map { _ in UInt16(random.next() % 0x7fff) }
        nextFrame = now + Interval(nanoseconds: Int64(random.next() % UInt64(Self.frame.nanoseconds)))
        self.random = random
        keyFrameDue = now
    }

    func ssrc(_ layer: Int) -> SSRC { SSRC(UInt32(member.rawValue) * 100 + UInt32(layer)) }

    func askForKeyFrame(at now: Instant) {
        guard now - lastRequest >= Self.shortestRequest else { return }
        lastRequest = now
        keyFrameDue = now + Self.answer
    }

    /// The next frame's packets of all layers.
    func film(at now: Instant, _ body: (PicturePacket, UnsafeRawBufferPointer) -> Void) {
        let isKeyFrame = keyFrameDue.map { $0 <= now } ?? false
        if isKeyFrame {
            keyFrameDue = nil
            keyFrames += 1
        }
        nextFrame = nextFrame + Self.frame
        for layer in rates.indices {
            let usual = rates[layer] / 8 * Self.frame.seconds
            // With key frames now and then, the rate is kept by what lies between.
            let spread = 0.8 + 0.4 * Double(random.next() % 1_000) / 1_000
            var left = max(40, Int(isKeyFrame ? usual * Self.keyFrame : usual * spread))
            let picture = pictures[layer] & 0x7fff
            pictures[layer] &+= 1
            var isFirst = true
            while left > 0 {
                let size = min(left, Self.payloadBytes)
                left -= size
                var payload = [UInt8](repeating: 0x5a, count: size + 5)
                payload.replaceSubrange(
                    0..<5,
                    with: [
                        isFirst ? 0x90 : 0x80, 0x80, 0x80 | UInt8(picture >> 8), UInt8(picture & 0xff),
                        isFirst && !isKeyFrame ? 1 : 0,
                    ])
                payload[5] = UInt8(layer)
                let packet = PicturePacket(
                    ssrc: ssrc(layer), layer: layer, sequence: sequences[layer], timestamp: frames &* 3_000,
                    marker: left == 0, format: .vp8, arrival: now)
                payload.withUnsafeBytes { body(packet, $0) }
                sequences[layer] += 1
                isFirst = false
            }
        }
        frames &+= 1
    }
}
