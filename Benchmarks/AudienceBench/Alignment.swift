import SoundAnalysis

/// Where each voice lies against the accompaniment in what somebody heard.
struct Alignment {
    struct Voice: Encodable {
        var name: String
        /// Looks in which voice and accompaniment were clearly there, and all looks.
        var found = 0
        var looks = 0
        /// Milliseconds.
        var median = 0.0
        var p99 = 0.0
        var most = 0.0
        /// The middle of the errors with their signs; late is positive.
        var bias = 0.0
    }

    private let transform = FourierTransform(size: KnownNoise.period)

    /// Looks every second from frame `first` on.
    func measure(
        _ heard: [Float], from first: Int, song: KnownNoise, voices: [(name: String, noise: KnownNoise)],
        log: (_ frame: Int, _ errors: [Double?]) -> Void
    ) -> [Voice] {
        var errors = voices.map { _ in [Double]() }
        var looks = 0
        for begin in stride(from: first, through: heard.count - KnownNoise.period, by: 48_000) {
            looks += 1
            guard let look = NoiseLook(heard[begin..<begin + KnownNoise.period], by: transform) else { continue }
            var row: [Double?] = []
            for (index, voice) in voices.enumerated() {
                let error = look.delay(of: voice.noise, after: song).map { $0 / 48 }
                row.append(error)
                if let error { errors[index].append(error) }
            }
            log(begin, row)
        }
        return zip(voices, errors).map { voice, errors in
            let sizes = errors.map { abs($0) }.sorted()
            return Voice(
                name: voice.name, found: errors.count, looks: looks, median: quantile(sizes, 0.5),
                p99: quantile(sizes, 0.99), most: sizes.last ?? .infinity, bias: quantile(errors.sorted(), 0.5))
        }
    }

    private func quantile(_ values: [Double], _ part: Double) -> Double {
        values.isEmpty ? .infinity : values[min(values.count - 1, Int(Double(values.count) * part))]
    }
}
