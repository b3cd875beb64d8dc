/// A place where a sound breaks: its second difference stands far above what surrounds it.
package struct Click {
    /// Frame of the break.
    package let frame: Int
    /// How far it stands out, as a multiple of the second difference's effective value nearby.
    package let prominence: Double
}

extension [Float] {
    /// Breaks in a sound.
    ///
    /// A sample counts whose second difference is more than `prominence` times the effective second difference of the
    /// `surroundings` frames on both sides without the nearest 8, and more than `smallest` absolutely. Smooth sound and
    /// steady noise stay below 6 (a normal variable passes 6σ twice in 10⁹). Bursts with hard onsets of their own
    /// (drums) count as clicks: test with sounds that have none.
    package func clicks(prominence: Double = 6, smallest: Float = 0.001, surroundings: Int = 240) -> [Click] {
        let near = 8
        guard count > 2 * surroundings else { return [] }
        let second = secondDifferences
        var squares = [Double](repeating: 0, count: count + 1)
        var frame = 0
        while frame < count {
            squares[frame + 1] = squares[frame] + second[frame] * second[frame]
            frame += 1
        }
        var found: [Click] = []
        for frame in second.indices where abs(second[frame]) > Double(smallest) {
            let (before, after) = (Swift.max(0, frame - surroundings), Swift.min(count, frame + surroundings + 1))
            let (beforeEnd, afterStart) = (Swift.max(0, frame - near), Swift.min(count, frame + near + 1))
            let energy = squares[beforeEnd] - squares[before] + squares[after] - squares[afterStart]
            let frames = Swift.max(1, beforeEnd - before + after - afterStart)
            let ratio = abs(second[frame]) / Swift.max((Swift.max(0, energy) / Double(frames)).squareRoot(), 1e-9)
            guard ratio > prominence else { continue }
            let click = Click(frame: frame, prominence: ratio)
            if let last = found.last, frame - last.frame <= near {
                if ratio > last.prominence { found[found.count - 1] = click }
            } else {
                found.append(click)
            }
        }
        return found
    }

    /// The largest step between neighbouring samples.
    package var largestJump: Float { zip(self, dropFirst()).reduce(0) { Swift.max($0, abs($1.1 - $1.0)) } }

    /// x[n−1] − 2·x[n] + x[n+1]; 0 at both ends.
    private var secondDifferences: [Double] {
        var second = [Double](repeating: 0, count: count)
        var frame = 1
        while frame < count - 1 {
            second[frame] = Double(self[frame - 1]) - 2 * Double(self[frame]) + Double(self[frame + 1])
            frame += 1
        }
        return second
    }
}
