internal import AudioGraph
internal import Forwarding
internal import MediaCodecs
internal import Timing

/// One singer in the mix: takes packets as they come and gives sound for places on the room's line.
///
/// Nothing is decided before it must be: a block is read where the singer's clock, with all that has come meanwhile, says
/// that it belongs. Small changes of that are followed by reading a little faster or slower, large ones by a cross-fade.
final class Voice {
    /// Beyond this a voice is moved at once instead of slowly; 10 ms.
    private static let jump = 480.0
    /// What a voice is off is made up for within half a second.
    private static let pull = 24_000.0
    /// At most by this much, in parts per million: 9 cents, which nobody hears in a voice.
    private static let correctionLimit = 5_000.0
    /// After so much silence a voice is laid aside until it is heard again; 1 s.
    private static let silenceUntilIdle = 48_000

    private(set) var singer: MemberID
    private(set) var isIdle = true
    private(set) var latePackets: UInt64 = 0
    private(set) var jumps: UInt64 = 0
    private var clock = SingerClock()
    private let sound: VocalSound
    private var reader = Voice.newReader()
    private var spare = Voice.newReader()
    /// The timestamp of the reader's first frame, and of the next one that it gets.
    private var base: Int64 = 0
    private var fed: Int64 = 0
    /// The newest timestamp, without wraps.
    private var newest: Int64?
    /// The timestamp that is heard next.
    private var wanted = -Double.infinity
    /// The voice is cut: its next block is the last one, and ends within `fadeFrames`.
    private var isFading = false
    /// 5 ms: no click.
    private static let fadeFrames = 240
    private let scratch = AudioBuffer(channels: 2, capacity: 2 * maximumBlockFrames)
    private let faded = AudioBuffer(channels: 2, capacity: maximumBlockFrames)

    init(singer: MemberID) throws(CodecError) {
        self.singer = singer
        sound = try VocalSound()
    }

    private static func newReader() -> Resampler { Resampler(channels: 2, ratio: 1, quality: .live) }

    var concealedFrames: UInt64 { sound.concealedFrames }
    var brokenPackets: UInt64 { sound.brokenPackets }

    var latency: Interval {
        get { Interval(nanoseconds: Int64(clock.latency * 1e9 / Double(AudioRate.standard))) }
        set { clock.latency = RoomLine.frames(newValue) }
    }

    // MARK: Packets

    /// `arrival` and `places` (where the packet may belong by the position that it states) on the room's line.
    func receive(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer, arrival: Double, places: [Double]) {
        guard let frames = OpusDecoding.frameCount(of: payload), frames > 0 else { return }
        if packet.startsSource {
            singer = packet.producer
            let latency = clock.latency
            clock = SingerClock()
            clock.latency = latency
        }
        let timestamp = extended(packet.timestamp)
        clock.add(
            timestamp: timestamp, frames: frames, arrival: arrival, roundTrip: packet.roundTrip, places: places)
        let end = timestamp + Int64(frames)
        guard isIdle ? Double(end) > wanted : end > sound.end else {
            latePackets &+= 1
            return
        }
        sound.store.insert(sequence: packet.sequence, timestamp: timestamp, frames: frames, payload: payload)
    }

    /// What came with lower numbers than that is not heard any more, but for what it takes to fade out.
    func cut(before sequence: UInt64) {
        sound.store.removeAll(before: sequence)
        if !isIdle { isFading = true }
    }

    func forgetStatedPositions() { clock.forgetStated() }

    private func extended(_ timestamp: UInt32) -> Int64 {
        guard let last = newest else {
            newest = Int64(timestamp)
            return Int64(timestamp)
        }
        let extended = last + Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last)))
        newest = max(last, extended)
        return extended
    }

    // MARK: Sound

    /// Adds what is heard from `place` on to the block.
    func mix(into target: AudioBuffer, at place: Int, using block: AudioBuffer) {
        guard let newest, let offset = clock.offset(at: wanted.isFinite ? wanted : Double(newest)) else { return }
        wanted = Double(place) - offset
        defer { wanted += Double(target.frameCount) }
        guard wanted.magnitude < 1e15 else { return }
        if isIdle {
            guard let first = sound.store.first(endingAfter: wanted),
                Double(first.timestamp) < wanted + Double(target.frameCount)
            else { return }
            isIdle = false
            begin(at: wanted)
            sound.restart(at: base)
        }
        block.frameCount = target.frameCount
        guard !isFading else { return fadeOut(into: target, block) }
        let error = wanted - Double(base) - reader.position
        if abs(error) > Self.jump {
            move(to: wanted, block)
        } else {
            reader.correction = max(-Self.correctionLimit, min(Self.correctionLimit, error / Self.pull * 1e6))
            fill(block)
        }
        target.add(block)
        if sound.silence > Self.silenceUntilIdle { isIdle = true }
    }

    private func fadeOut(into target: AudioBuffer, _ block: AudioBuffer) {
        fill(block)
        for channel in 0..<block.channels {
            let samples = block[channel]
            for frame in 0..<block.frameCount {
                samples[frame] *= max(0, 1 - Float(frame) / Float(Self.fadeFrames))
            }
        }
        target.add(block)
        isFading = false
        isIdle = true
    }

    /// Whether something is waiting to be heard, or heard.
    var hasSound: Bool { !isIdle || sound.store.first(endingAfter: wanted) != nil }

    private func begin(at timestamp: Double) {
        base = Int64(timestamp.rounded(.down))
        fed = base
        reader.reset()
        reader.correction = 0
    }

    private func fill(_ block: AudioBuffer) {
        var needed = reader.inputNeeded(for: block.frameCount)
        sound.decode(until: fed + Int64(needed))
        while needed > 0 {
            scratch.frameCount = min(needed, scratch.capacity)
            sound.read(scratch, from: fed)
            let taken = reader.push(scratch)
            guard taken > 0 else { break }
            fed += Int64(taken)
            needed -= taken
        }
        _ = reader.pull(block)
    }

    /// Fades from where the voice was over to where it belongs, within the block.
    private func move(to timestamp: Double, _ block: AudioBuffer) {
        jumps &+= 1
        faded.frameCount = block.frameCount
        fill(faded)
        swap(&reader, &spare)
        begin(at: timestamp)
        if base - sound.end > Int64(VocalSound.ringFrames / 2) { sound.restart(at: base) }
        fill(block)
        crossFade(from: faded, to: block)
    }
}

/// Leaves in `block` what goes from the one sound over to the other within its length.
func crossFade(from former: AudioBuffer, to block: AudioBuffer) {
    let step = 1 / Float(max(1, block.frameCount))
    for channel in 0..<block.channels {
        let (old, new) = (former[channel], block[channel])
        for frame in 0..<min(block.frameCount, former.frameCount) {
            let share = Float(frame) * step
            new[frame] = old[frame] * (1 - share) + new[frame] * share
        }
    }
}
