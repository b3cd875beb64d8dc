internal import Glibc

/// Makes a sound higher or lower, as long as before: it is read at another speed from a delay line, and whenever the
/// place of reading comes too near to an end of the line it jumps, by a crossfade, to where the sound is most alike.
///
/// Formants move along: a voice that is raised sounds smaller. At 0 semitones the sound passes untouched and at once;
/// otherwise it is late by a delay that varies between jumps, `latencyFrames` on average and never more than
/// `maximumLatencyFrames`.
package final class PitchShifter: AudioProcessor {
    package enum Use {
        /// Short jumps: periods down to 62 Hz; on average 9 to 14 ms late upwards, 16 ms downwards.
        case voice
        /// Longer ones, which keep deep notes and chords smoother: periods down to 40 Hz; 15 to 24 and 27 ms late.
        case music
    }

    package static let limits = -12.0...12.0

    package let channels: Int
    /// Kept within `limits`. A change does not click: the pitch glides there within 10 ms, after a crossfade that is going
    /// on.
    package var semitones: Double {
        didSet { semitones = max(Self.limits.lowerBound, min(Self.limits.upperBound, semitones)) }
    }

    /// How long a jump may be, in frames. The difference is the longest period for which an alike place is found.
    private let jumps: ClosedRange<Int>
    private let fade: Crossfade
    private let sound: SpliceSearch
    /// For all falling pitches, and for rising ones by steps of three semitones: what would fold is taken away (an octave
    /// up, half of it at 11.4 kHz and all but −60 dB from 14.7 kHz on).
    private let kernels: [SincKernel]
    private let weights: UnsafeMutablePointer<Float>
    /// Frames that are compared, 10 ms.
    private static let template = 480
    private static let taps = 32
    /// Frames that are needed beyond the place of reading, and one to spare.
    private static let ahead = taps / 2 + 1

    /// What is read, and with which pitch.
    private var reader: Reader
    /// What is being left, while `faded` < fade.frames.
    private var leaving: Reader
    private var faded: Int
    /// The movement per frame that `reader` glides to.
    private var aim = FixedPoint.one
    /// From an octave below to an octave above in 10 ms.
    private static let glide = FixedPoint.one / 320
    /// Of the pitch in use: the least delay at which a jump back must begin.
    private var lowestDelay = 0

    /// A place of reading that moves.
    private struct Reader {
        /// Input position and fraction; without meaning when `isDirect`.
        var index = 0
        var fraction = 0
        /// Movement per frame.
        var step = FixedPoint.one
        var kernel = 0
        /// Takes the sample that has just come, as it is.
        var isDirect = true

        mutating func advance() {
            fraction &+= step
            index &+= fraction >> FixedPoint.bits
            fraction &= FixedPoint.one &- 1
        }

        mutating func glide(to aim: Int, by change: Int) {
            if step < aim { step = min(aim, step &+ change) } else if step > aim { step = max(aim, step &- change) }
        }
    }

    package init(channels: Int, semitones: Double = 0, use: Use = .voice) {
        self.channels = channels
        self.semitones = max(Self.limits.lowerBound, min(Self.limits.upperBound, semitones))
        switch use {
        case .voice:
            jumps = 384...1_152
            fade = Crossfade(frames: 256)
        case .music:
            jumps = 720...1_920
            fade = Crossfade(frames: 480)
        }
        kernels = [0, 3, 6, 9, 12].map { semitones in
            SincKernel(taps: Self.taps, cutoff: 0.95 * exp2(-Double(semitones) / 12), attenuation: 70)
        }
        weights = .allocate(capacity: Self.taps)
        weights.initialize(repeating: 0, count: Self.taps)
        reader = Reader()
        leaving = reader
        faded = fade.frames
        let reach = 2 * jumps.upperBound + 2 * fade.frames + Self.template + 2 * Self.taps
        sound = SpliceSearch(channels: channels, capacity: reach + maximumBlockFrames)
        reset()
    }

    deinit { weights.deallocate() }

    package var latencyFrames: Int {
        guard semitones != 0 else { return 0 }
        let mean = (jumps.lowerBound + jumps.upperBound) / 4
        return semitones > 0 ? lowest(ratio) + mean : Self.ahead + jumps.upperBound - mean
    }

    /// No sample is ever later than this.
    package var maximumLatencyFrames: Int { Self.ahead + fade.frames + jumps.upperBound + 1 }

    /// Channels beyond those of the shifter pass as they are.
    package func process(_ buffer: AudioBuffer) {
        var start = 0
        while start < buffer.frameCount {
            let frames = min(maximumBlockFrames, buffer.frameCount - start)
            sound.discard(before: sound.history.end - (sound.history.capacity - maximumBlockFrames))
            let now = sound.history.end
            sound.append(buffer, from: start, frames: frames)
            var done = 0
            while done < frames {
                done += run(buffer, from: start + done, frames: frames - done, now: now + done)
            }
            start += frames
        }
    }

    package func reset() {
        sound.reset()
        // Silence to look back into.
        sound.appendSilence(frames: sound.history.capacity - maximumBlockFrames)
        faded = fade.frames
        reader = newReader(at: sound.history.end - latencyFrames)
    }

    private var ratio: Double { exp2(semitones / 12) }

    /// The least delay at which a jump must begin, so that the end that is left lasts for the crossfade.
    private func lowest(_ ratio: Double) -> Int {
        Self.ahead + 1 + Int((max(0, ratio - 1) * Double(fade.frames)).rounded(.up))
    }

    private func newReader(at index: Int) -> Reader {
        guard semitones != 0 else { return Reader() }
        return Reader(
            index: index, fraction: 0, step: FixedPoint.fixed(ratio), kernel: kernel, isDirect: false)
    }

    private var kernel: Int { max(0, min(4, Int((semitones / 3).rounded(.up)))) }

    /// Writes frames up to the next jump or the end of the crossfade; `now` is the position of the first one's sample.
    private func run(_ buffer: AudioBuffer, from start: Int, frames: Int, now: Int) -> Int {
        if faded == fade.frames { turn(now: now) }
        if faded < fade.frames {
            let count = min(frames, fade.frames - faded)
            var frame = 0
            while frame < count {
                writeFaded(buffer, at: start &+ frame, now: now &+ frame)
                frame &+= 1
            }
            return count
        }
        guard !reader.isDirect else { return frames }
        var frame = 0
        while frame < frames, !mustJump(now: now &+ frame) {
            let row = kernels[reader.kernel].weights(at: reader.fraction, into: weights)
            write(buffer, at: start &+ frame, row: row)
            reader.advance()
            reader.glide(to: aim, by: Self.glide)
            frame &+= 1
        }
        return frame
    }

    private func mustJump(now: Int) -> Bool {
        let delay = now &- reader.index
        if reader.step > FixedPoint.one { return delay < lowestDelay }
        return reader.step < FixedPoint.one && delay > Self.ahead &+ jumps.upperBound
    }

    /// Takes over a new pitch, and begins a crossfade if it is time for one.
    private func turn(now: Int) {
        if semitones == 0 {
            guard !reader.isDirect else { return }
            begin(Reader(), correlation: 0)
            return
        }
        lowestDelay = lowest(ratio)
        aim = FixedPoint.fixed(ratio)
        if reader.isDirect {
            jump(from: now, lower: lowestDelay + jumps.lowerBound, upper: lowestDelay + jumps.upperBound, now: now)
            return
        }
        reader.kernel = kernel
        guard mustJump(now: now) else { return }
        let delay = now - reader.index
        if reader.step > FixedPoint.one {
            jump(from: reader.index, lower: delay + jumps.lowerBound, upper: delay + jumps.upperBound, now: now)
        } else {
            jump(
                from: reader.index, lower: max(Self.ahead, delay - jumps.upperBound), upper: delay - jumps.lowerBound,
                now: now)
        }
    }

    /// Begins a crossfade from a place to one with a delay between the two bounds.
    private func jump(from place: Int, lower: Int, upper: Int, now: Int) {
        let length = Self.template
        // What has been heard before the place is compared: what follows it may not have come yet.
        let match = sound.best(
            like: place - length, length: length, in: (now - upper - length)...(now - lower - length),
            fallback: now - (lower + upper) / 2 - length)
        var next = newReader(at: match.position + length)
        // A whole number of frames away: both read between the same samples.
        next.fraction = reader.isDirect ? 0 : reader.fraction
        begin(next, correlation: match.correlation)
    }

    private func begin(_ next: Reader, correlation: Float) {
        fade.prepare(correlation: correlation)
        leaving = reader
        reader = next
        faded = 0
    }

    private func write(_ buffer: AudioBuffer, at frame: Int, row: UnsafePointer<Float>) {
        var channel = 0
        while channel < min(channels, buffer.channels) {
            buffer[channel].baseAddress.unsafelyUnwrapped[frame] = read(reader, channel, row)
            channel &+= 1
        }
    }

    private func writeFaded(_ buffer: AudioBuffer, at frame: Int, now: Int) {
        // A jump that begins while the pitch still glides down needs some frames more than were kept: at the newest
        // sample, what is left goes on with it.
        if now &- leaving.index < Self.ahead, !leaving.isDirect { leaving.step = FixedPoint.one }
        let used = min(channels, buffer.channels)
        let (up, down) = (fade.rising[faded], fade.falling[faded])
        var channel = 0
        let leavingRow = leaving.isDirect ? nil : kernels[leaving.kernel].weights(at: leaving.fraction, into: weights)
        while channel < used {
            let target = buffer[channel].baseAddress.unsafelyUnwrapped + frame
            let direct = target.pointee
            var sum = down * (leavingRow.map { read(leaving, channel, $0) } ?? direct)
            if reader.isDirect { sum += up * direct }
            target.pointee = sum
            channel &+= 1
        }
        if !reader.isDirect {
            let row = kernels[reader.kernel].weights(at: reader.fraction, into: weights)
            channel = 0
            while channel < used {
                buffer[channel].baseAddress.unsafelyUnwrapped[frame] += up * read(reader, channel, row)
                channel &+= 1
            }
        }
        leaving.advance()
        reader.advance()
        faded &+= 1
    }

    private func read(_ reader: Reader, _ channel: Int, _ row: UnsafePointer<Float>) -> Float {
        dotProduct(
            sound.history.samples(channel, at: reader.index &- Self.taps / 2 &+ 1, count: Self.taps), row,
            count: Self.taps)
    }
}
