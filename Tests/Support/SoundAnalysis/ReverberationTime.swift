extension [Float] {
    /// Taken as an impulse response: seconds in which its energy falls by 60 dB (RT60), by Schroeder's backward
    /// integration and a straight line from −5 to −`range`−5 dB (ISO 3382: T20 and T30). Nil if it does not fall so far.
    package func reverberationTime(range: Double = 30, rate: Double = 48_000) -> Double? {
        let decay = energyDecay
        guard let start = decay.firstIndex(where: { $0 <= -5 }),
            let end = decay.firstIndex(where: { $0 <= -5 - range }), end > start + 2
        else { return nil }
        let frames = Double(end - start + 1)
        var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)
        for index in start...end {
            let (x, y) = (Double(index - start) / rate, decay[index])
            sumX += x
            sumY += y
            sumXX += x * x
            sumXY += x * y
        }
        let slope = (frames * sumXY - sumX * sumY) / (frames * sumXX - sumX * sumX)
        return slope < 0 ? -60 / slope : nil
    }

    /// What is still to come of the energy at each frame, in dB of the whole (Schroeder's curve).
    package var energyDecay: [Double] {
        var rest = 0.0
        var decay = [Double](repeating: 0, count: count)
        for index in indices.reversed() {
            rest += Double(self[index]) * Double(self[index])
            decay[index] = rest
        }
        return decay.map { rest > 0 ? decibels($0 / rest) : -200 }
    }
}
