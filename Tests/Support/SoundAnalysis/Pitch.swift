extension [Float] {
    /// The pitch of a sound with one voice, in hertz, by normalised autocorrelation; nil where it does not repeat itself.
    ///
    /// Finds a voice by its period even where the fundamental is weak. The first peak that comes near the best one is
    /// taken, so that no octave below is found. Wants two periods of the lowest pitch at least.
    package func pitch(
        in range: ClosedRange<Double> = 50...1_500, rate: Double = 48_000, clarity: Double = 0.6
    ) -> Double? {
        let (shortest, longest) = (Swift.max(2, Int(rate / range.upperBound)), Int(rate / range.lowerBound) + 1)
        guard count > 2 * longest else { return nil }
        let correlation = autocorrelation(lags: longest + 2)
        guard correlation[0] > 1e-12 else { return nil }
        // Energy of what overlaps, so that long lags are not thought weaker.
        var squares = [0.0]
        squares.reserveCapacity(count + 1)
        for sample in self { squares.append(squares[squares.count - 1] + Double(sample) * Double(sample)) }
        let values = (0..<longest + 2).map { lag -> Double in
            let energy = squares[count - lag] * (squares[count] - squares[lag])
            return energy > 0 ? correlation[lag] / energy.squareRoot() : 0
        }
        let peaks = (shortest...longest).filter { values[$0] >= values[$0 - 1] && values[$0] > values[$0 + 1] }
        guard let best = peaks.map({ values[$0] }).max(), best >= clarity,
            let first = peaks.first(where: { values[$0] >= 0.93 * best })
        else { return nil }
        return rate / (Double(first) + vertex(values[first - 1], values[first], values[first + 1]))
    }

    /// Σ x[n]·x[n+lag] for the lags 0..<lags.
    package func autocorrelation(lags: Int) -> [Double] {
        let transform = FourierTransform(holding: count + lags)
        var real = map(Double.init) + [Double](repeating: 0, count: transform.size - count)
        var imaginary = [Double](repeating: 0, count: transform.size)
        transform.transform(real: &real, imaginary: &imaginary)
        for bin in 0..<transform.size {
            real[bin] = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) / Double(transform.size)
            imaginary[bin] = 0
        }
        transform.transform(real: &real, imaginary: &imaginary, inverse: true)
        return Array<Double>(real[0..<lags])
    }

    /// Where this sound fits best over `reference`, within `maximum` frames either way.
    package func delay(after reference: [Float], maximum: Int) -> Delay {
        let transform = FourierTransform(holding: Swift.max(count, reference.count) + maximum + 2)
        let size = transform.size
        // One transform for both: this sound is the real part, the reference the imaginary part.
        var real = map(Double.init) + [Double](repeating: 0, count: size - count)
        var imaginary = reference.map(Double.init) + [Double](repeating: 0, count: size - reference.count)
        transform.transform(real: &real, imaginary: &imaginary)
        var (crossReal, crossImaginary) = (real, imaginary)
        for bin in 0..<size {
            let mirror = (size - bin) & (size - 1)
            let (xr, xi) = ((real[bin] + real[mirror]) / 2, (imaginary[bin] - imaginary[mirror]) / 2)
            let (yr, yi) = ((imaginary[bin] + imaginary[mirror]) / 2, (real[mirror] - real[bin]) / 2)
            crossReal[bin] = (xr * yr + xi * yi) / Double(size)
            crossImaginary[bin] = (xi * yr - xr * yi) / Double(size)
        }
        transform.transform(real: &crossReal, imaginary: &crossImaginary, inverse: true)
        func value(_ lag: Int) -> Double { crossReal[(lag + size) & (size - 1)] }
        let best = (-maximum...maximum).max { abs(value($0)) < abs(value($1)) } ?? 0
        let energy =
            reduce(0) { $0 + Double($1) * Double($1) } * reference.reduce(0) { $0 + Double($1) * Double($1) }
        return Delay(
            frames: Double(best) + vertex(value(best - 1), value(best), value(best + 1)),
            correlation: energy > 0 ? value(best) / energy.squareRoot() : 0)
    }
}

/// By how many frames a sound lies after another, and how alike they are.
package struct Delay {
    /// Frames, between samples by a parabola; negative if the sound comes earlier.
    package let frames: Double
    /// −1…1; 1: the same but for loudness, −1: inverted.
    package let correlation: Double
}

/// The offset (−0.5…0.5) from the middle one of the top or bottom of a parabola through three neighbours.
func vertex(_ a: Double, _ b: Double, _ c: Double) -> Double {
    let curve = a - 2 * b + c
    return curve == 0 ? 0 : max(-0.5, min(0.5, 0.5 * (a - c) / curve))
}
