internal import AudioGraph
internal import MediaCodecs

/// What a singer sang, decoded in order as far as it is needed: a gap is concealed for a moment and then silent. The
/// latest stretch can be read at any timestamp.
final class VocalSound {
    /// 680 ms; a power of two. More than a clock ever jumps without a new beginning.
    static let ringFrames = 32_768
    /// What is invented fades within this; 60 ms. Longer, a voice sounds like a machine.
    private static let concealed = 2_880
    /// 10 ms at a time.
    private static let concealedAtOnce = 480
    /// After silence sound comes in over 5 ms.
    private static let rampFrames = 240

    let store = VocalStore()
    /// The timestamp up to which everything is decoded.
    private(set) var end: Int64 = 0
    /// Frames of silence in a row, up to the end.
    private(set) var silence = 0
    private var start: Int64 = 0
    private var nextSequence: UInt64 = 0
    private var invented = 0
    private var ramp = 0
    private let decoder: OpusDecoding
    private let block = AudioBuffer(channels: 2, capacity: OpusDecoding.maximumFrames)
    private let ring: UnsafeMutablePointer<Float>
    private(set) var concealedFrames: UInt64 = 0
    private(set) var brokenPackets: UInt64 = 0

    init() throws(CodecError) {
        decoder = try OpusDecoding(channels: 2)
        ring = .allocate(capacity: 2 * Self.ringFrames)
        ring.initialize(repeating: 0, count: 2 * Self.ringFrames)
    }

    deinit { ring.deallocate() }

    /// Begins anew at that timestamp, after silence.
    func restart(at timestamp: Int64) {
        start = timestamp
        end = timestamp
        silence = 0
        invented = Self.concealed
        ramp = 0
        nextSequence = store.first(endingAfter: Double(timestamp))?.sequence ?? nextSequence
        ring.update(repeating: 0, count: 2 * Self.ringFrames)
        decoder.reset()
    }

    /// Decodes what there is up to `timestamp`; what is not there is concealed.
    func decode(until timestamp: Int64) {
        while end < timestamp {
            guard let packet = store.first(from: nextSequence) else {
                fill(min(Self.concealedAtOnce, Self.quanta(timestamp - end)))
                continue
            }
            let gap = packet.timestamp - end
            if gap > 0 {
                let isLost = packet.sequence > nextSequence && gap <= Int64(packet.frames)
                if isLost, conceal(before: packet, frames: Int(gap)) { continue }
                fill(Int(min(gap, Int64(min(Self.concealedAtOnce, Self.quanta(timestamp - end))))))
                continue
            }
            nextSequence = packet.sequence + 1
            guard packet.end > end else { continue }
            do {
                let frames = try decoder.decode(packet.payload, into: block)
                let late = Int(end - packet.timestamp)
                guard frames > late else { continue }
                invented = 0
                write(from: late, frames: frames - late)
            } catch {
                brokenPackets &+= 1
            }
        }
    }

    /// Frames from that timestamp on, as far as they are known; silence elsewhere.
    func read(_ target: AudioBuffer, from timestamp: Int64) {
        for channel in 0..<2 {
            let plane = ring + channel * Self.ringFrames
            let samples = target[channel]
            for frame in 0..<target.frameCount {
                let place = timestamp + Int64(frame)
                let isKnown = place >= start && place < end && place >= end - Int64(Self.ringFrames)
                samples[frame] = isKnown ? plane[Int(place) & (Self.ringFrames - 1)] : 0
            }
        }
    }

    private static func quanta(_ frames: Int64) -> Int {
        let quantum = Int64(OpusDecoding.frameQuantum)
        return Int(min(Int64(concealedAtOnce), (frames + quantum - 1) / quantum * quantum))
    }

    /// From the coarse copy in the packet after it, if there is one.
    private func conceal(before packet: VocalStore.Packet, frames: Int) -> Bool {
        guard frames.isMultiple(of: OpusDecoding.frameQuantum), OpusDecoding.hasRedundancy(packet.payload) else {
            return false
        }
        block.frameCount = frames
        guard (try? decoder.decode(packet.payload, fec: true, into: block)) == frames else { return false }
        concealedFrames &+= UInt64(frames)
        write(from: 0, frames: frames)
        return true
    }

    private func fill(_ frames: Int) {
        block.frameCount = Self.quanta(Int64(frames))
        guard invented < Self.concealed, (try? decoder.decode(nil, into: block)) != nil else {
            block.frameCount = frames
            block.clear()
            let before = silence
            write(from: 0, frames: frames)
            silence = before + frames
            ramp = 0
            return
        }
        let gain = Float(Self.concealed - invented) / Float(Self.concealed)
        let step = 1 / Float(Self.concealed)
        for channel in 0..<2 {
            let samples = block[channel]
            for frame in 0..<frames { samples[frame] *= max(0, gain - step * Float(frame)) }
        }
        invented += frames
        concealedFrames &+= UInt64(frames)
        write(from: 0, frames: frames)
    }

    private func write(from first: Int, frames: Int) {
        for channel in 0..<2 {
            let plane = ring + channel * Self.ringFrames
            let samples = block[channel]
            for frame in 0..<frames {
                var sample = samples[first + frame]
                if ramp + frame < Self.rampFrames { sample *= Float(ramp + frame) / Float(Self.rampFrames) }
                plane[Int(end + Int64(frame)) & (Self.ringFrames - 1)] = sample
            }
        }
        ramp = min(Self.rampFrames, ramp + frames)
        end += Int64(frames)
        silence = 0
    }
}
