internal import Glibc

/// A volume that may change at any time: it moves along half a cosine within 5 ms, so that no step is heard.
///
/// At 1 the sound passes untouched, bit by bit; at 0 it is exact silence.
package final class Gain: AudioProcessor {
    /// 5 ms: shorter steps click, longer ones are felt as a fade.
    package static let rampFrames = 240

    /// Linear; negative inverts. Reached `rampFrames` after it was set.
    package var target: Float {
        didSet {
            guard target != oldValue else { return }
            start = current
            position = 0
        }
    }
    /// What the next sample is multiplied with.
    package private(set) var current: Float

    private var start: Float
    /// Frames of the ramp that are done; `rampFrames` when there is none.
    private var position = Gain.rampFrames
    private let shape: UnsafeMutablePointer<Float>

    package init(_ gain: Float = 1) {
        target = gain
        current = gain
        start = gain
        shape = .allocate(capacity: Self.rampFrames)
        for frame in 0..<Self.rampFrames {
            let phase = Double(frame + 1) / Double(Self.rampFrames)
            (shape + frame).initialize(to: Float(0.5 - 0.5 * cos(.pi * phase)))
        }
    }

    deinit { shape.deallocate() }

    package func process(_ buffer: AudioBuffer) {
        let ramped = min(buffer.frameCount, Self.rampFrames - position)
        for channel in 0..<buffer.channels {
            guard let samples = buffer[channel].baseAddress else { return }
            var frame = 0
            while frame < ramped {
                samples[frame] *= start + (target - start) * shape[position &+ frame]
                frame &+= 1
            }
            scale(samples + ramped, frames: buffer.frameCount - ramped)
        }
        guard ramped > 0 else { return }
        position += ramped
        current = position == Self.rampFrames ? target : start + (target - start) * shape[position - 1]
    }

    /// Jumps to the target: what comes next has nothing to do with what was.
    package func reset() {
        current = target
        start = target
        position = Self.rampFrames
    }

    private func scale(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        guard target != 1 else { return }
        let gain = target
        var frame = 0
        while frame < frames {
            samples[frame] = gain == 0 ? 0 : samples[frame] * gain
            frame &+= 1
        }
    }
}
