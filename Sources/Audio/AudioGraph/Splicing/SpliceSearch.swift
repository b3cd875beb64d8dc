/// The latest stretch of a sound, in which places can be found that sound alike: where one can be left and the other
/// entered without a break.
///
/// The search goes over means of four frames first and over single frames around the best place then. Each channel
/// counts, so that a stereo sound whose sides cancel out is found too.
final class SpliceSearch {
    /// Frames per coarse frame.
    private static let coarseness = 4
    /// Division by it that rounds down for negative numbers too.
    private static let shift = 2

    struct Match {
        /// Where the alike stretch begins.
        var position: Int
        /// 0…1: how alike, 0 for silence too.
        var correlation: Float
    }

    let history: SampleHistory
    private let coarse: SampleHistory

    init(channels: Int, capacity: Int) {
        history = SampleHistory(channels: channels, capacity: capacity)
        coarse = SampleHistory(channels: channels, capacity: capacity / Self.coarseness + 2)
    }

    func reset() {
        history.reset()
        coarse.reset()
    }

    func append(_ buffer: AudioBuffer, from first: Int, frames: Int) {
        history.append(buffer, from: first, frames: frames)
        coarsen()
    }

    func appendSilence(frames: Int) {
        history.appendSilence(frames: frames)
        coarsen()
    }

    func discard(before position: Int) {
        history.discard(before: position)
        coarse.discard(before: history.start / Self.coarseness)
    }

    /// Where in the range a stretch begins that is most like the one of this length at `template`; all of them are
    /// held. `fallback` where nothing is like it.
    func best(like template: Int, length: Int, in range: ClosedRange<Int>, fallback: Int) -> Match {
        let unit = Self.coarseness
        // Coarse candidates lie whole coarse frames from the template.
        let first = -((template - range.lowerBound) >> Self.shift)
        let last = (range.upperBound - template) >> Self.shift
        let near =
            first <= last
            ? search(coarse, like: template / unit, length: length / unit, in: first...last)
            : nil
        guard let near else { return Match(position: fallback, correlation: 0) }
        let centre = template + near.offset * unit
        let low = max(range.lowerBound, centre - unit) - template
        let high = min(range.upperBound, centre + unit) - template
        guard low <= high, let exact = search(history, like: template, length: length, in: low...high) else {
            return Match(position: fallback, correlation: 0)
        }
        let energy = self.energy(history, at: template, length: length)
        let correlation = energy > 0 ? min(1, (exact.score / energy).squareRoot()) : 0
        return Match(position: template + exact.offset, correlation: correlation)
    }

    /// The offset with the largest correlation² / energy among those with a positive correlation.
    private func search(
        _ sound: SampleHistory, like template: Int, length: Int, in offsets: ClosedRange<Int>
    ) -> (offset: Int, score: Float)? {
        var best: (offset: Int, score: Float)?
        var energy: Float = 0
        var offset = offsets.lowerBound
        while offset <= offsets.upperBound {
            let place = template &+ offset
            var correlation: Float = 0
            var channel = 0
            while channel < sound.channels {
                let samples = sound.samples(channel, at: place, count: length)
                let pattern = sound.samples(channel, at: template, count: length)
                correlation += dotProduct(pattern, samples, count: length)
                if offset != offsets.lowerBound {
                    let (left, joined) = (samples[-1], samples[length &- 1])
                    energy += joined * joined - left * left
                }
                channel &+= 1
            }
            // From time to time anew: differences add up their rounding.
            if (offset &- offsets.lowerBound) & 63 == 0 { energy = self.energy(sound, at: place, length: length) }
            let score = correlation > 0 && energy > 1e-9 ? correlation * correlation / energy : 0
            if score > 0, score > best?.score ?? 0 { best = (offset, score) }
            offset &+= 1
        }
        return best
    }

    private func energy(_ sound: SampleHistory, at position: Int, length: Int) -> Float {
        var sum: Float = 0
        for channel in 0..<sound.channels {
            let samples = sound.samples(channel, at: position, count: length)
            sum += dotProduct(samples, samples, count: length)
        }
        return sum
    }

    private func coarsen() {
        let unit = Self.coarseness
        while (coarse.end + 1) * unit <= history.end {
            let position = coarse.end * unit
            let (target, stride) = coarse.appendFrame()
            var channel = 0
            while channel < history.channels {
                let source = history.samples(channel, at: position, count: unit)
                target[channel &* stride] = (source[0] + source[1] + source[2] + source[3]) * 0.25
                channel &+= 1
            }
        }
    }
}
