internal import Glibc

/// Marks a voice once per period, each time at the same place within it, so that periods can be taken out and laid anew.
struct PitchMarks: ~Copyable {
    struct Mark {
        /// Frames since the beginning.
        var position = 0
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
                let next = previous.position + Int(Self.unvoicedPeriod)
                guard next + Int(Self.unvoicedPeriod) <= now else { return }
                append(Mark(position: next))
                continue
            }
            // A mark's neighbourhood must have been heard: half a period and what it may be moved by.
            guard previous.position + Int(period * 1.75) <= now else { return }
            let place: Int
            if previous.isVoiced {
                place = match(previous.position, sound, period)
            } else {
                place = loudest(after: previous.position + Int(period / 2), sound, Int(period))
            }
            append(Mark(position: place, period: period, isVoiced: true))
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
            let away = abs(Double(mark.position) - position)
            if away > distance { break }
            if Float(mark.position) + reach(mark) <= Float(now) {
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

    /// Where, about a period after `mark`, the sound looks most like that around `mark`.
    private func match(_ mark: Int, _ sound: borrowing SoundRing, _ period: Float) -> Int {
        let expected = mark + Int(period.rounded())
        let reach = max(4, Int(period / 8))
        let half = Int(period / 2)
        var best = expected
        var bestLikeness = -Float.infinity
        for candidate in (expected - reach)...(expected + reach) {
            var product: Float = 0
            var energy: Float = 1e-9
            var offset = -half
            while offset <= half {
                let there = sound[candidate + offset]
                product += sound[mark + offset] * there
                energy += there * there
                offset += Self.step
            }
            let likeness = product * abs(product) / energy
            if likeness > bestLikeness {
                bestLikeness = likeness
                best = candidate
            }
        }
        return best
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
