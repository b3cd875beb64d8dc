/// Takes one period out of waiting sound, or doubles one, with a cross-fade: the delay changes by 2.5…10 ms at once and
/// pitch stays. The period is the shift at which the sound is most like itself.
struct TimeSplice {
    static let shortestLag = 120
    static let longestLag = 480
    /// What should wait: two of the longest periods. With less, only shorter ones are looked at.
    static let framesWanted = 2 * longestLag
    /// Below, a splice would be heard, unless it is quiet.
    static let likeness: Float = 0.6
    /// Mean square of −60 dBFS: in silence any place is good.
    static let quiet: Float = 1e-6
    /// Looking at every fourth sample finds the place roughly.
    private static let stride = 4

    /// The best shift at the front of `queue`; nil if there is none good enough.
    static func findLag(_ queue: SampleQueue, isUrgent: Bool) -> Int? {
        let longest = min(longestLag, queue.count / 2)
        guard longest >= shortestLag else { return nil }
        let samples = queue[0]
        var energy: Float = 0
        for index in Swift.stride(from: 0, to: 2 * longest, by: stride) { energy += samples[index] * samples[index] }
        if energy / Float(2 * longest / stride) < quiet { return longest }

        var best = (lag: shortestLag, likeness: -Float.infinity)
        for lag in Swift.stride(from: shortestLag, through: longest, by: stride) {
            let value = likeness(samples, lag: lag, stride: stride)
            if value > best.likeness { best = (lag, value) }
        }
        let around = max(shortestLag, best.lag - stride + 1)...min(longest, best.lag + stride - 1)
        best.likeness = -.infinity
        for lag in around {
            let value = likeness(samples, lag: lag, stride: 1)
            if value > best.likeness { best = (lag, value) }
        }
        return best.likeness >= likeness || isUrgent ? best.lag : nil
    }

    /// −1…1: the correlation of the first `lag` samples with the next.
    private static func likeness(_ x: UnsafeMutableBufferPointer<Float>, lag: Int, stride: Int) -> Float {
        var product: Float = 0
        var first: Float = 1e-9
        var second: Float = 1e-9
        var index = 0
        while index < lag {
            let a = x[index]
            let b = x[index + lag]
            product += a * b
            first += a * a
            second += b * b
            index += stride
        }
        return product / (first * second).squareRoot()
    }

    /// Takes out `lag` frames behind the front: the first period fades into the second.
    static func shorten(_ queue: SampleQueue, lag: Int) {
        for channel in 0..<queue.channels {
            let x = queue[channel]
            for index in 0..<lag {
                let share = (Float(index) + 0.5) / Float(lag)
                x[lag + index] = x[index] * (1 - share) + x[lag + index] * share
            }
        }
        queue.drop(lag)
    }

    /// Puts in `lag` frames behind the first period: the second fades into the first, which is then played on from there.
    static func lengthen(_ queue: SampleQueue, lag: Int) {
        guard queue.room >= lag else { return }
        queue.open(lag, at: lag)
        for channel in 0..<queue.channels {
            let x = queue[channel]
            // x[0..<lag] first period, then the hole, then the second period and the rest.
            for index in 0..<lag {
                let share = (Float(index) + 0.5) / Float(lag)
                x[lag + index] = x[2 * lag + index] * (1 - share) + x[index] * share
            }
        }
    }
}
