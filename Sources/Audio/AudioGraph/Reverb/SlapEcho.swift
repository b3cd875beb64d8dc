/// Distinct repeats that change sides, a little duller each time.
struct SlapEcho: ~Copyable {
    struct Settings {
        /// Milliseconds until the first repeat, and from one to the next on the other side.
        var time: Float = 0
        /// 0…0.9: what is left of a repeat in the next one.
        var feedback: Float = 0
        /// 0: off.
        var level: Float = 0
    }

    /// 340 ms.
    private static let capacity = 16_000
    private static let dulling: Float = 3_500
    private var left = DelayLine(frames: capacity)
    private var right = DelayLine(frames: capacity)
    private var dullLeft = OnePole(cutoff: dulling)
    private var dullRight = OnePole(cutoff: dulling)
    private var delay = 1
    private var feedback: Float = 0
    private var level: Float = 0

    var isOn: Bool { level > 0 }

    mutating func configure(_ settings: Settings) {
        delay = max(1, min(Self.capacity, Int(frames(milliseconds: settings.time))))
        feedback = settings.feedback
        level = settings.level
        clear()
    }

    mutating func clear() {
        left.clear()
        right.clear()
        dullLeft.clear()
        dullRight.clear()
    }

    /// Adds the repeats of both sides, heard as one, to the sums.
    mutating func process(
        _ soundLeft: UnsafeMutablePointer<Float>, _ soundRight: UnsafeMutablePointer<Float>,
        intoLeft: UnsafeMutablePointer<Float>, intoRight: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        guard isOn else { return }
        var frame = 0
        while frame < count {
            let echoLeft = dullLeft.low(left.read(delay))
            let echoRight = dullRight.low(right.read(delay))
            left.write(0.5 * (soundLeft[frame] + soundRight[frame]) + feedback * echoRight + denormalGuard)
            right.write(feedback * echoLeft + denormalGuard)
            intoLeft[frame] += level * echoLeft
            // The first repeat is heard a little on the other side as well: no ear is left empty.
            intoRight[frame] += level * (echoRight + 0.35 * echoLeft)
            frame &+= 1
        }
    }
}
