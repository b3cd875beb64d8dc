internal import Glibc

/// Weights for going over from one stretch of sound to another that is more or less like it, at an even loudness.
final class Crossfade {
    let frames: Int
    /// For what begins.
    let rising: UnsafePointer<Float>
    /// For what ends.
    let falling: UnsafePointer<Float>
    private let shape: UnsafeMutablePointer<Float>
    private let weights: UnsafeMutablePointer<Float>

    init(frames: Int) {
        precondition(frames > 0)
        self.frames = frames
        shape = .allocate(capacity: frames)
        weights = .allocate(capacity: 2 * frames)
        weights.initialize(repeating: 0, count: 2 * frames)
        for frame in 0..<frames {
            (shape + frame).initialize(to: Float(0.5 - 0.5 * cos(.pi * (Double(frame) + 0.5) / Double(frames))))
        }
        rising = UnsafePointer(weights)
        falling = UnsafePointer(weights + frames)
        prepare(correlation: 1)
    }

    deinit {
        shape.deallocate()
        weights.deallocate()
    }

    /// Sets the weights for two sounds with this correlation, 0…1: alike ones add up by amplitude, unlike ones by power.
    func prepare(correlation: Float) {
        let likeness = max(0, min(1, correlation))
        var frame = 0
        while frame < frames {
            let (up, down) = (shape[frame], 1 - shape[frame])
            let scale = 1 / (up * up + down * down + 2 * likeness * up * down).squareRoot()
            weights[frame] = up * scale
            weights[frames &+ frame] = down * scale
            frame &+= 1
        }
    }
}
