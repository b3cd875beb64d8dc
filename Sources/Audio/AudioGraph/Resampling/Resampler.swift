/// Changes the sampling rate of a stream, by a fixed ratio and a correction that may change at any time (clocks that
/// drift).
///
/// What goes in is pushed, what comes out is pulled, and how much of one makes how much of the other is exact:
/// `inputNeeded(for:)`. Output frame n is the input at the position n·ratio, without delay, for which the input must be
/// known `latencyFrames` beyond; at the end of a sound push as much silence.
package final class Resampler {
    package enum Quality {
        /// For files: even within 0.1 dB up to 0.9 of the lower Nyquist frequency, −90 dB from that frequency on.
        /// 64 frames ahead.
        case full
        /// For people who talk or sing together: even up to 0.84, which is Opus' full band at 48 kHz; what mirrors this
        /// band stays below −80 dB. 16 frames (0.3 ms) ahead.
        case live
    }

    /// Clocks of sound cards differ by some 100 ppm; more than this is no drift.
    package static let correctionLimit = 20_000.0
    /// From 192 kHz down to 16 kHz and back.
    package static let ratioLimits = 1.0 / 12...12.0

    package let channels: Int
    /// Input frames per output frame, without the correction.
    package let nominalRatio: Double
    /// Parts per million by which the input is read faster, positive drains it. Changes from the next frame on; the
    /// sound stays continuous.
    package var correction = 0.0 {
        didSet {
            correction = max(-Self.correctionLimit, min(Self.correctionLimit, correction))
            step = FixedPoint.fixed(nominalRatio * (1 + correction * 1e-6))
        }
    }
    /// Input frames beyond a position that are needed to read at it.
    package var latencyFrames: Int { kernel.taps / 2 }

    private let kernel: SincKernel
    private let history: SampleHistory
    private let weights: UnsafeMutablePointer<Float>
    private var step: Int
    /// Where the next output frame is read: a whole position and a fraction.
    private var index = 0
    private var fraction = 0

    /// `ratio`: input frames per output frame, within `ratioLimits`. `pending`: input frames that can wait.
    package init(channels: Int, ratio: Double, quality: Quality = .full, pending: Int = 8 * maximumBlockFrames) {
        precondition(Self.ratioLimits.contains(ratio))
        self.channels = channels
        nominalRatio = ratio
        step = FixedPoint.fixed(ratio)
        // Downwards the band is that of the output: a wider kernel.
        let widening = max(1, ratio)
        switch quality {
        case .full:
            let taps = Int((128 * widening / 8).rounded(.up)) * 8
            kernel = SincKernel(taps: taps, cutoff: 0.95 / widening, attenuation: 90)
        case .live:
            if widening == 1 {
                kernel = .live
            } else {
                let taps = Int((32 * widening / 8).rounded(.up)) * 8
                kernel = SincKernel(taps: taps, cutoff: 1 / widening, attenuation: 80)
            }
        }
        history = SampleHistory(channels: channels, capacity: kernel.taps + pending)
        weights = .allocate(capacity: kernel.taps)
        weights.initialize(repeating: 0, count: kernel.taps)
        prime()
    }

    package convenience init(
        channels: Int, from inputRate: Int, to outputRate: Int, quality: Quality = .full,
        pending: Int = 8 * maximumBlockFrames
    ) {
        self.init(channels: channels, ratio: Double(inputRate) / Double(outputRate), quality: quality, pending: pending)
    }

    deinit { weights.deallocate() }

    /// Takes over input from the given frame on and says how many frames had room. Mono goes to all channels; channels
    /// beyond those here are left out.
    package func push(_ input: AudioBuffer, from first: Int = 0) -> Int {
        let frames = min(input.frameCount - first, history.room)
        history.append(input, from: first, frames: frames)
        return frames
    }

    /// Fills the block from its beginning, as far as the input reaches; the rest of it is silence. Returns how many
    /// frames are sound.
    package func pull(_ output: AudioBuffer) -> Int {
        let frames = min(output.frameCount, available)
        let half = kernel.taps / 2
        var frame = 0
        while frame < frames {
            let row = kernel.weights(at: fraction, into: weights)
            var channel = 0
            while channel < output.channels {
                let window = history.samples(min(channel, channels &- 1), at: index &- half &+ 1, count: kernel.taps)
                output[channel].baseAddress.unsafelyUnwrapped[frame] = dotProduct(window, row, count: kernel.taps)
                channel &+= 1
            }
            fraction &+= step
            index &+= fraction >> FixedPoint.bits
            fraction &= FixedPoint.one &- 1
            frame &+= 1
        }
        history.discard(before: index - half + 1)
        for channel in 0..<output.channels where frames < output.frameCount {
            (output[channel].baseAddress.unsafelyUnwrapped + frames)
                .update(repeating: 0, count: output.frameCount - frames)
        }
        return frames
    }

    /// Output frames that can be pulled now.
    package var available: Int {
        // The last one is read at the last position for which the kernel has its input.
        let limit = (history.end - kernel.taps / 2 - index) << FixedPoint.bits
        return limit > fraction ? (limit - fraction - 1) / step + 1 : 0
    }

    /// Input frames that are still to be pushed before this many can be pulled.
    package func inputNeeded(for frames: Int) -> Int {
        guard frames > 0 else { return 0 }
        let last = index + (fraction + step * (frames - 1)) >> FixedPoint.bits
        return max(0, last + kernel.taps / 2 + 1 - history.end)
    }

    /// The input position of the next output frame, in frames since the beginning.
    package var position: Double { Double(index) + Double(fraction) / Double(FixedPoint.one) }

    /// Forgets the sound; the correction stays.
    package func reset() {
        index = 0
        fraction = 0
        prime()
    }

    /// Silence before the beginning.
    private func prime() {
        history.reset(to: -(kernel.taps / 2 - 1))
        history.appendSilence(frames: kernel.taps / 2 - 1)
    }
}
