internal import AudioGraph
internal import MediaCodecs

/// Makes the sound of one stream in one piece: from its packets, and where there is none, from what came before. Its `head` is how far
/// sound has been made, real or invented, in the stream's media time.
struct StreamDecoder {
    static let quantum = OpusDecoding.frameQuantum
    /// Without a packet for this long, the stream rests: nothing is decoded or played until one comes.
    private static let restFrames = 48_000
    /// A gap longer than this is silence whose length may be changed unnoticed.
    private static let silenceFrames = 2_400
    /// Invented at a time.
    private static let concealmentFrames = 960
    /// From here on, invented sound fades; from there on, there is none.
    private static let fadeStart = 4_800
    private static let fadedFrames = 14_400
    /// Where sound is left out, so much on either side fades: 2.5 ms.
    private static let seamFrames = 120
    /// A packet of 120 ms, a block and what the converter looks ahead.
    private static let queueFrames = 8_192

    /// What became of the stream's time, in frames.
    struct Counts {
        var decoded: UInt64 = 0
        var concealed: UInt64 = 0
        var recovered: UInt64 = 0
        /// Packets that the codec does not understand.
        var broken: UInt64 = 0
    }

    /// What has been made and was not played yet.
    let queue: SampleQueue
    private let decoder: any FrameDecoder
    private let scratch: AudioBuffer
    private(set) var counts = Counts()
    private(set) var head: Int64 = 0
    /// Of the last packet.
    private(set) var frameSize = 960
    /// Frames invented since the last packet.
    private(set) var inventedRun = 0
    /// How many of them count as concealed: if it turns out that nothing was sent, none.
    private var concealedRun = 0
    /// The sender told of silence.
    private var isLastSilent = false
    /// Of the silence since the last packet, the length has been changed.
    private var isSilenceTaken = false
    /// Sound was left out before what is decoded next.
    private var isAfterSeam = false

    init(_ decoder: any FrameDecoder) {
        self.decoder = decoder
        queue = SampleQueue(channels: decoder.channels, capacity: Self.queueFrames)
        scratch = AudioBuffer(channels: decoder.channels, capacity: OpusDecoding.maximumFrames)
    }

    /// Where that begins which is played next.
    var playedUpTo: Int64 { head - Int64(queue.count) }
    /// Nothing has come for so long that nobody waits for more.
    var hasRunOut: Bool { inventedRun >= Self.restFrames }

    /// The stream begins at that time, after silence.
    mutating func begin(at time: Int64) {
        head = time
        inventedRun = Self.restFrames
        isLastSilent = true
        isSilenceTaken = true
    }

    mutating func rest() {
        // Whoever says nothing for so long has stopped speaking; that is no loss.
        takeBackConcealment()
        queue.removeAll()
        inventedRun = 0
        isLastSilent = false
        isAfterSeam = false
    }

    /// What comes next belongs to another time.
    mutating func move(to time: Int64) { head = time }

    /// Whether it is silent now, so that nobody hears if that lasts longer or shorter. Asked for once in each silence.
    mutating func takeSilence() -> Bool {
        guard !isSilenceTaken, isLastSilent || inventedRun >= Self.silenceFrames else { return false }
        isSilenceTaken = true
        return true
    }

    // MARK: From packets

    mutating func decode(_ packet: PacketStore.Packet) {
        scratch.frameCount = scratch.capacity
        guard let count = try? decoder.decode(packet.payload, fec: false, into: scratch), count > 0 else {
            counts.broken &+= 1
            return
        }
        if isAfterSeam {
            isAfterSeam = false
            ramp(up: true)
        }
        queue.append(scratch)
        head = packet.timestamp + Int64(count)
        frameSize = count
        // RFC 6716 §2.1.9: DTX leaves one or two bytes.
        isLastSilent = packet.payload.count <= 2
        inventedRun = 0
        concealedRun = 0
        isSilenceTaken = false
        counts.decoded &+= UInt64(count)
    }

    /// The last lost frame before `packet`, from the coarse copy in it if there is one; `frames` of its end.
    mutating func recover(_ frames: Int, from packet: PacketStore.Packet) {
        scratch.frameCount = min(Self.roundedUp(frameSize), scratch.capacity)
        guard decoder.hasCopy(packet.payload),
            let count = try? decoder.decode(packet.payload, fec: true, into: scratch), count >= frames
        else { return conceal(frames) }
        queue.append(scratch, count - frames..<count)
        head += Int64(frames)
        inventedRun += frames
        counts.recovered &+= UInt64(frames)
    }

    // MARK: Without packets

    /// Invents so much that at least `frames` are there, as far as that goes at once.
    mutating func fill(_ frames: Int) { conceal(Self.roundedUp(frames)) }

    /// Invents `frames`, as much of them as goes at once.
    mutating func conceal(_ frames: Int) {
        let frames = min(frames, Self.concealmentFrames)
        defer { noteConcealed(frames) }
        guard inventedRun < (isLastSilent ? Self.restFrames : Self.fadedFrames) else { return stayStill(frames) }
        scratch.frameCount = Self.roundedUp(frames)
        guard let count = try? decoder.decode(nil, fec: false, into: scratch), count >= frames else {
            return stayStill(frames)
        }
        if !isLastSilent { fade() }
        queue.append(scratch, 0..<min(frames, scratch.frameCount))
        head += Int64(frames)
        inventedRun += frames
    }

    private mutating func stayStill(_ frames: Int) {
        queue.appendSilence(frames)
        head += Int64(frames)
        inventedRun += frames
    }

    /// What is invented for long turns into a hum: it fades. Silence that the sender told of keeps its comfort noise.
    private func fade() {
        let start = Self.fadeStart
        guard inventedRun + scratch.frameCount > start else { return }
        let length = Float(Self.fadedFrames - start)
        for channel in 0..<scratch.channels {
            let samples = scratch[channel]
            for index in samples.indices {
                let passed = Float(inventedRun + index - start) / length
                samples[index] *= 1 - min(max(passed, 0), 1)
            }
        }
    }

    private mutating func noteConcealed(_ frames: Int) {
        guard !isLastSilent else { return }
        concealedRun += frames
        counts.concealed &+= UInt64(frames)
    }

    /// The sender was silent on purpose: the next packet's number follows, only its time does not.
    mutating func takeBackConcealment() {
        counts.concealed &-= UInt64(concealedRun)
        concealedRun = 0
    }

    private static func roundedUp(_ frames: Int) -> Int { (frames + quantum - 1) / quantum * quantum }

    // MARK: Seams

    /// What is heard goes on for a moment as it would, and fades; what follows comes in as softly.
    mutating func endBeforeSeam() {
        guard inventedRun == 0 else { return }
        scratch.frameCount = Self.seamFrames
        guard queue.room >= Self.seamFrames,
            let count = try? decoder.decode(nil, fec: false, into: scratch), count >= Self.seamFrames
        else { return }
        ramp(up: false)
        queue.append(scratch, 0..<Self.seamFrames)
        counts.concealed &+= UInt64(Self.seamFrames)
        isAfterSeam = true
    }

    private func ramp(up: Bool) {
        for channel in 0..<scratch.channels {
            let samples = scratch[channel]
            for frame in 0..<min(Self.seamFrames, scratch.frameCount) {
                let share = Float(frame) / Float(Self.seamFrames)
                samples[frame] *= up ? share : 1 - share
            }
        }
    }
}
