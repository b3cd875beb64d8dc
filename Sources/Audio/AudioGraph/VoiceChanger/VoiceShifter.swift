internal import Glibc

/// Changes pitch and formants of a voice apart from each other (pitch-synchronous overlap-add): takes the voice apart into
/// pieces of two periods, lays them out at the distance of the new pitch, and plays each piece itself faster or slower,
/// which moves the formants. Breath and consonants keep their place and only change their colour.
struct VoiceShifter: ~Copyable {
    struct Settings {
        /// New pitch over old.
        var pitch: Float = 1
        /// New formant frequencies over old: above 1 a smaller mouth and throat, below 1 a larger one.
        var formants: Float = 1
        /// Hertz; every voiced sound takes this pitch. 0: pitch follows the voice.
        var fixedPitch: Float = 0
        /// Vibrato: hertz and share of the pitch.
        var vibratoRate: Float = 0
        var vibratoDepth: Float = 0
        /// Semitones to either side between which the speech melody wanders at irregular times.
        var wandering: Float = 0
        /// Share by which single periods differ in length: roughness.
        var jitter: Float = 0
        /// How much softer every second period is, 0…1: a growl an octave below.
        var growl: Float = 0
    }

    /// From a sound to its changed self, in frames: 32 ms. Two periods of a voice must be heard before the piece around
    /// them can begin to sound; see `halfWidth`.
    static let latency = 1_536

    private let sourceLeft = SoundRing()
    private let sourceRight = SoundRing()
    private let middle = SoundRing()
    private let sumLeft = SoundRing()
    private let sumRight = SoundRing()
    private let scratch: UnsafeMutablePointer<Float>
    private var tracker = PitchTracker()
    private var marks = PitchMarks()
    private var settings = Settings()
    /// Frames heard so far; a multiple of the control period when pieces are laid.
    private var now = 0
    /// Where the next piece's middle goes.
    private var next = 0.0
    private var isEven = false
    private var random = Randomness()
    private var vibratoPhase: Float = 0
    private var melody: Float = 0
    private var melodyTarget: Float = 0
    private var melodyLeft = 0

    init() {
        scratch = .allocate(capacity: controlPeriod)
        scratch.initialize(repeating: 0, count: controlPeriod)
    }

    deinit { scratch.deallocate() }

    /// Takes effect from piece to piece, therefore without a click.
    mutating func configure(_ settings: Settings) { self.settings = settings }

    mutating func clear() {
        sourceLeft.clear()
        sourceRight.clear()
        middle.clear()
        sumLeft.clear()
        sumRight.clear()
        tracker.clear()
        marks.clear()
        now = 0
        next = 0
        isEven = false
        random = Randomness()
        vibratoPhase = 0
        melody = 0
        melodyTarget = 0
        melodyLeft = 0
    }

    /// In place, `latency` later. At most what is left of a control period; `right` is nil for mono.
    mutating func process(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int) {
        if now % controlPeriod == 0 {
            marks.extend(middle, now: now, period: tracker.period)
            inflect()
            lay(stereo: right != nil)
        }
        var frame = 0
        while frame < count {
            let position = now &+ frame
            let sample = left[frame]
            sourceLeft[position] = sample
            left[frame] = sumLeft[position]
            sumLeft[position] = 0
            scratch[frame] = sample
            frame &+= 1
        }
        if let right {
            frame = 0
            while frame < count {
                let position = now &+ frame
                let sample = right[frame]
                sourceRight[position] = sample
                right[frame] = sumRight[position]
                sumRight[position] = 0
                scratch[frame] = 0.5 * (scratch[frame] + sample)
                frame &+= 1
            }
        }
        frame = 0
        while frame < count {
            middle[now &+ frame] = scratch[frame]
            frame &+= 1
        }
        tracker.push(scratch, count)
        now &+= count
    }

    /// Moves vibrato and speech melody on by one control period.
    private mutating func inflect() {
        vibratoPhase += settings.vibratoRate * Float(controlPeriod) / Float(AudioRate.standard)
        if vibratoPhase >= 1 { vibratoPhase -= 1 }
        guard settings.wandering > 0 else {
            melody = 0
            return
        }
        melodyLeft -= controlPeriod
        if melodyLeft <= 0 {
            // A new turn every 130…360 ms: about as long as syllables, never in step with them.
            melodyLeft = Int(frames(milliseconds: 130 + 230 * random.unit()))
            melodyTarget = settings.wandering * random.signed()
        }
        // Glides there within about 60 ms.
        melody += 0.011 * (melodyTarget - melody)
    }

    /// Lays every piece that must begin to sound within the next control period.
    private mutating func lay(stereo: Bool) {
        let formants = settings.formants
        while true {
            let target = next - Double(Self.latency)
            guard
                let mark = marks.nearest(to: target, now: now, reach: { Self.halfWidth($0.period, formants: formants) })
            else {
                // Before the first mark there was silence.
                guard next < Double(now + controlPeriod) else { return }
                next += Double(PitchMarks.unvoicedPeriod)
                continue
            }
            let half = Self.halfWidth(mark.period, formants: formants)
            guard next - Double(half / formants) < Double(now + controlPeriod) else { return }
            let distance = self.distance(after: mark)
            // Closer pieces add up, shorter pieces carry less: together they keep the power of the voice.
            let ratio = mark.period / distance
            var gain = (formants / ratio).squareRoot()
            isEven.toggle()
            if mark.isVoiced, isEven { gain *= 1 - settings.growl }
            add(mark, half: half, gain: gain, sourceLeft, to: sumLeft)
            if stereo { add(mark, half: half, gain: gain, sourceRight, to: sumRight) }
            next += Double(distance)
        }
    }

    private mutating func distance(after mark: PitchMarks.Mark) -> Float {
        guard mark.isVoiced else { return mark.period }
        if settings.fixedPitch > 0 { return Float(AudioRate.standard) / settings.fixedPitch }
        var ratio = settings.pitch
        if settings.vibratoDepth > 0 { ratio *= 1 + settings.vibratoDepth * sin(2 * .pi * vibratoPhase) }
        if melody != 0 { ratio *= exp2(melody / 12) }
        if settings.jitter > 0 { ratio *= 1 + settings.jitter * random.signed() }
        return mark.period / ratio
    }

    /// Frames of the source to either side of a mark. One period; less for very low voices, whose pieces must have been
    /// heard and begin to sound within the latency.
    private static func halfWidth(_ period: Float, formants: Float) -> Float {
        let most = (Float(latency - controlPeriod) - period / 2) / (1 + 1 / formants)
        return min(period, most)
    }

    /// Adds one piece, faded in and out over its whole length.
    private func add(
        _ mark: PitchMarks.Mark, half: Float, gain: Float, _ source: borrowing SoundRing, to sum: borrowing SoundRing
    ) {
        let formants = settings.formants
        let reach = half / formants
        let first = max(now, Int((next - Double(reach)).rounded(.up)))
        let last = Int((next + Double(reach)).rounded(.down))
        let mask = SoundRing.capacity - 1
        let input = source.samples
        let output = sum.samples
        let start = Float(Double(first) - next)
        let inverse = 1 / reach
        var index = 0
        let count = last - first
        // Relative to the mark, so that single precision is enough; shifted by more than `half`, so that cutting off
        // the fraction rounds down.
        let middle = Int(mark.position.rounded(.down))
        let base = middle - 1_024
        let bias = 1_024 + Float(mark.position - Double(middle))
        while index <= count {
            let offset = start + Float(index)
            // 3v² − 2v³ like a Hann window adds up to one with its neighbour, and needs no cosine.
            let v = max(0, 1 - abs(offset) * inverse)
            let window = v * v * (3 - 2 * v)
            let exact = offset * formants + bias
            let whole = Int(exact)
            let t = exact - Float(whole)
            let place = base &+ whole
            let a = input[(place &- 1) & mask]
            let b = input[place & mask]
            let c = input[(place &+ 1) & mask]
            let d = input[(place &+ 2) & mask]
            // Catmull–Rom.
            let slope = 0.5 * (c - a)
            let bend = a - 2.5 * b + 2 * c - 0.5 * d
            let twist = 0.5 * (d - a) + 1.5 * (b - c)
            let sample = b + t * (slope + t * (bend + t * twist))
            output[(first &+ index) & mask] += gain * window * sample
            index &+= 1
        }
    }
}

/// Chance that is the same each time: an effect must sound the same twice.
struct Randomness {
    private var state: UInt32 = 0x9e37_79b9

    /// 0..<1
    mutating func unit() -> Float {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Float(state >> 8) / Float(1 << 24)
    }

    /// −1…1
    mutating func signed() -> Float { 2 * unit() - 1 }
}
