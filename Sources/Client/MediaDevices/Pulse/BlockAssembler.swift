internal import AudioGraph
internal import Timing

/// Cuts what a microphone gives, in portions as the sound server likes, into blocks of one length.
final class BlockAssembler {
    private let block: AudioBuffer
    private let framesPerBlock: Int
    private var filled = 0
    private var clock = BlockClock()

    init(channels: Int, framesPerBlock: Int) {
        block = AudioBuffer(channels: channels, capacity: framesPerBlock)
        self.framesPerBlock = framesPerBlock
    }

    /// `samples` are interleaved, `nil` for silence where the server lost some. `captured`: when the first of them was, if the
    /// server tells; else it is put after what came before, or at `guess`.
    func take(
        _ samples: UnsafePointer<Float>?, frames: Int, captured: Instant?, guess: Instant,
        deliver: (AudioBuffer, Instant) -> Void
    ) {
        var done = 0
        while done < frames {
            let count = min(frames - done, framesPerBlock - filled)
            fill(samples.map { $0 + done * block.channels }, frames: count)
            done += count
            filled += count
            guard filled == framesPerBlock else { return }
            filled = 0
            let offset = Interval.frames(done - framesPerBlock)
            let begin = clock.begin(
                measured: captured.map { $0 + offset }, guess: guess + offset, duration: .frames(framesPerBlock))
            deliver(block, begin)
            block.frameCount = framesPerBlock
        }
    }

    private func fill(_ samples: UnsafePointer<Float>?, frames: Int) {
        let channels = block.channels
        for channel in 0..<channels {
            let plane = block[channel]
            for frame in 0..<frames { plane[filled + frame] = samples?[frame * channels + channel] ?? 0 }
        }
    }
}

extension Interval {
    static func frames(_ count: Int) -> Interval {
        Interval(nanoseconds: Int64(count) * 1_000_000_000 / Int64(AudioRate.standard))
    }
}
