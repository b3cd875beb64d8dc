package import AudioGraph
package import MediaCodecs
package import Timing

/// Turns what a microphone captures into frames for the wire: volume, effects, music on top, meter, Opus.
///
/// Timestamps count captured frames, so that silence that is not sent leaves its gap. Sans I/O; used by one thread at a
/// time; takes its memory once.
package final class VoiceSender {
    /// After the last sound so much silence goes out, in frames of sound: it carries the end of the fade, and leaves nothing in
    /// the receiver's codec of which concealment could make a hum.
    static let silenceSent = 4_800
    /// A hole in the capture times larger than this is a pause of the device, not its estimate's wavering.
    static let pause = Interval.milliseconds(60)
    /// Stereo all the way; the encoder mixes where it is to be mono.
    static let channels = 2

    package enum Processing {
        /// The voice alone, before effects.
        case captured(AudioBuffer)
        /// The voice alone, with its effects: what the singer hears of itself.
        case voice(AudioBuffer)
        /// Voice and music as they will be sent.
        case sent(AudioBuffer)
    }

    /// Linear, ramped; how loud the microphone is.
    package var volume: Float = 1 { didSet { setGain() } }
    /// Nothing of the microphone is sent; music is.
    package var isMuted = false { didSet { setGain() } }
    /// Applied in this order. Changed only between blocks.
    package var processors: [any AudioProcessor] = []
    /// Whether the device computes the times of its blocks.
    package var hasExactTimes = false
    private var meter = LevelMeter()
    /// Of what is captured and not sent.
    private var mutedMeter = LevelMeter()
    /// How loud the microphone is, muted or not, with the music on top: 0…100.
    package var loudness: UInt8 { max(meter.loudness, mutedMeter.loudness) }
    /// Frames per packet.
    package var frameSize: Int { encoder.frameSize }

    private var encoder: OpusEncoding
    private let gain = Gain()
    private let limiter = Limiter(channels: channels, lookAhead: 0)
    private let work = AudioBuffer(channels: channels, capacity: maximumBlockFrames)
    private let queue = SampleQueue(channels: channels, capacity: 8 * maximumBlockFrames)
    private let frame = AudioBuffer(channels: channels, capacity: 3 * maximumBlockFrames)
    private let packet = UnsafeMutableRawBufferPointer.allocate(
        byteCount: OpusEncoding.maximumPacketBytes, alignment: 16)

    private var timestamp: UInt32 = 0
    private var isAfterSilence = true
    private var silence = 0
    /// When the sample after the last captured one is expected.
    private var expected: Instant?

    package init(encoder: OpusEncoding) { self.encoder = encoder }

    deinit { packet.deallocate() }

    /// Another quality or frame length, from the next frame on. The sound that waits is kept.
    package func setEncoder(_ encoder: OpusEncoding) {
        encoder.lossPercent = self.encoder.lossPercent
        self.encoder = encoder
    }

    /// The share of our packets that gets lost, in percent: how much is spent on bearing it.
    package var lossPercent: Int {
        get { encoder.lossPercent }
        set { if encoder.lossPercent != newValue { encoder.lossPercent = newValue } }
    }

    private func setGain() { gain.target = isMuted ? 0 : volume }

    /// Takes a block of at most 20 ms that was captured from `captured` on. `music` is as long and is mixed in behind the
    /// effects; `tap` sees the sound in between; `emit` gets each frame that is to be sent, whose payload is valid during
    /// the call.
    package func process(
        _ block: AudioBuffer, music: AudioBuffer?, captured: Instant, songPosition: UInt32? = nil,
        tap: (Processing) -> Void = { _ in }, emit: (OutgoingFrame, UnsafeRawBufferPointer) -> Void
    ) {
        let frames = min(block.frameCount, maximumBlockFrames)
        skipPause(before: captured, of: frames)
        work.copy(from: block)
        if isMuted { mutedMeter.measure(work) } else { mutedMeter.heard(.silence, frames: frames) }
        let wasAudible = gain.current > 0
        gain.process(work)
        tap(.captured(work))
        for index in processors.indices { processors[index].process(work) }
        tap(.voice(work))
        if let music {
            work.add(music)
            limiter.process(work)
        }
        meter.measure(work)
        tap(.sent(work))

        let isSilent = isMuted && !wasAudible && gain.current == 0 && music == nil && meter.level.attenuation >= 127
        queue.append(work)
        expected = captured + Self.interval(frames)
        let ahead = queue.count - frames
        var start = captured + Interval(nanoseconds: -Self.interval(ahead).nanoseconds)
        while queue.count >= frameSize {
            frame.frameCount = frameSize
            queue.take(into: frame)
            let offset = Self.ticks(start - captured)
            send(
                captured: start, songPosition: songPosition.map { $0 &+ UInt32(truncatingIfNeeded: offset) },
                isSilent: isSilent, emit: emit)
            start = start + Self.interval(frameSize)
        }
    }

    private func send(
        captured: Instant, songPosition: UInt32?, isSilent: Bool, emit: (OutgoingFrame, UnsafeRawBufferPointer) -> Void
    ) {
        defer { timestamp &+= UInt32(frameSize) }
        silence = isSilent ? silence + frameSize : 0
        guard silence <= Self.silenceSent, let length = try? encoder.encode(frame, into: packet), length > 2
        else {
            isAfterSilence = true
            return
        }
        var outgoing = OutgoingFrame(
            timestamp: timestamp, marker: isAfterSilence, level: SoundLevel(of: frame).attenuation, captured: captured,
            songPosition: songPosition)
        // Frames that short have no copy of their own in the codec (RFC 6716 §2.1.7), and no repeat comes in time.
        outgoing.carriesCopy = encoder.use == .duet
        isAfterSilence = false
        emit(outgoing, UnsafeRawBufferPointer(rebasing: packet[..<length]))
    }

    /// Where the device paused, time went on. Were the timestamps to stand still, all that follows would seem to come late, and listeners
    /// would leave some of it out.
    private func skipPause(before captured: Instant, of length: Int) {
        guard let expected else { return }
        // Of exact times whole blocks are missing, and less than half of one is a clock of its own pace.
        let limit = hasExactTimes ? Self.interval(length / 2) : Self.pause
        guard captured - expected > limit else { return }
        timestamp &+= UInt32(truncatingIfNeeded: Self.ticks(captured - expected))
        timestamp &+= UInt32(queue.count)
        queue.removeAll()
        for processor in processors { processor.reset() }
        // After a short hole the same person goes on; the listener need not learn anew how far away they are.
        if captured - expected > Self.pause { isAfterSilence = true }
    }

    private static func interval(_ frames: Int) -> Interval {
        Interval(nanoseconds: Int64(frames) * 1_000_000_000 / Int64(AudioRate.standard))
    }

    private static func ticks(_ interval: Interval) -> Int64 {
        Int64(interval.seconds * Double(AudioRate.standard))
    }
}
