internal import Glibc

/// Marks a voice once per period, each time at the same place within it, so that periods can be taken out and laid anew.
struct PitchMarks: ~Copyable {
    struct Mark {
        /// Frames since the beginning, between samples.
        var position = 0.0
        /// Frames to the next one.
        var period: Float = PitchMarks.unvoicedPeriod
        var isVoiced = false
    }

    /// Without a voice there are marks all the same: breath and consonants are cut into pieces of 5 ms.
    static let unvoicedPeriod: Float = 240
    /// A power of two; 32 of the shortest periods are more than the latency.
    private static let kept = 64
    /// A mark wants to be at the loudest place of its period (the closing of the vocal folds) but stays where periods match.
    private static let step = 4

    private let marks: UnsafeMutablePointer<Mark>
    private var count = 0

    init() {
        marks = .allocate(capacity: Self.kept)
        marks.initialize(repeating: Mark(), count: Self.kept)
    }

    deinit { marks.deallocate() }

    mutating func clear() {
        marks.update(repeating: Mark(), count: Self.kept)
        count = 0
    }

    private var last: Mark { marks[(count &- 1) & (Self.kept - 1)] }

    /// Sets marks as far as the sound up to `now` allows; `period` is the voice's at this time, nil for none.
    mutating func extend(_ sound: borrowing SoundRing, now: Int, period: Float?) {
        while true {
            let previous = last
            guard let period else {
                let next = previous.position + Double(Self.unvoicedPeriod)
                guard next + Double(Self.unvoicedPeriod) <= Double(now) else { return }
                append(Mark(position: next))
                continue
            }
            // A mark's neighbourhood must have been heard: half a period and what it may be moved by.
            guard previous.position + Double(period * 1.75) <= Double(now) else { return }
            if previous.isVoiced {
                // What lies between two marks is the period, more exactly than the tracker knows it.
                let place = match(previous.position, sound, period)
                append(Mark(position: place, period: Float(place - previous.position), isVoiced: true))
            } else {
                let place = loudest(after: Int(previous.position) + Int(period / 2), sound, Int(period))
                append(Mark(position: Double(place), period: period, isVoiced: true))
            }
        }
    }

    private mutating func append(_ mark: Mark) {
        marks[count & (Self.kept - 1)] = mark
        count &+= 1
    }

    /// The mark nearest to `position` of those at least `reach` before `now`.
    func nearest(to position: Double, now: Int, reach: (Mark) -> Float) -> Mark? {
        var best: Mark?
        var distance = Double.infinity
        var index = count - 1
        while index >= max(0, count - Self.kept) {
            let mark = marks[index & (Self.kept - 1)]
            let away = abs(mark.position - position)
            if away > distance { break }
            if mark.position + Double(reach(mark)) <= Double(now) {
                best = mark
                distance = away
            }
            index -= 1
        }
        return best
    }

    private func loudest(after start: Int, _ sound: borrowing SoundRing, _ count: Int) -> Int {
        var best = start
        var peak: Float = 0
        for position in start..<(start + count) where abs(sound[position]) > peak {
            peak = abs(sound[position])
            best = position
        }
        return best
    }

    /// Where, about a period after `mark`, the sound looks most like that around `mark`; between samples by a parabola.
    private func match(_ mark: Double, _ sound: borrowing SoundRing, _ period: Float) -> Double {
        let here = Int(mark.rounded())
        let expected = here + Int(period.rounded())
        let reach = max(4, Int(period / 8))
        let half = Int(period / 2)
        var best = expected
        var peak = -Float.infinity
        var candidate = expected - reach
        while candidate <= expected + reach {
            let likeness = likeness(here, candidate, sound, half)
            if likeness > peak {
                peak = likeness
                best = candidate
            }
            candidate += 1
        }
        let before = likeness(here, best - 1, sound, half)
        let after = likeness(here, best + 1, sound, half)
        let curve = before - 2 * peak + after
        let offset = curve < 0 ? max(-0.5, min(0.5, 0.5 * (before - after) / curve)) : 0
        return mark + Double(best - here) + Double(offset)
    }

    /// How alike the surroundings of two places are; negative if one is the other upside down.
    private func likeness(_ here: Int, _ there: Int, _ sound: borrowing SoundRing, _ half: Int) -> Float {
        let samples = sound.samples
        let mask = SoundRing.capacity - 1
        var product: Float = 0
        var energy: Float = 1e-9
        var offset = -half
        while offset <= half {
            let sample = samples[(there &+ offset) & mask]
            product += samples[(here &+ offset) & mask] * sample
            energy += sample * sample
            offset &+= Self.step
        }
        return product * abs(product) / energy
    }
}

/// The latest sound, addressed by frames since the beginning.
struct SoundRing: ~Copyable {
    /// 85 ms; a power of two.
    static let capacity = 4_096
    let samples: UnsafeMutablePointer<Float>

    init() {
        samples = .allocate(capacity: Self.capacity)
        samples.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { samples.deallocate() }

    func clear() { samples.update(repeating: 0, count: Self.capacity) }

    subscript(position: Int) -> Float {
        @inline(__always) get { samples[position & (Self.capacity - 1)] }
        @inline(__always) nonmutating set { samples[position & (Self.capacity - 1)] = newValue }
    }
}
