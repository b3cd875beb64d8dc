internal import Glibc

/// One preset at work on two channels: the voice itself, its reflections and its tail.
///
///     in ─┬─ direct ── doubling ──────────────────────────────┐
///         └─ band ── pre-delay, early ── smear ── network ──┬─┤── sway ── out
///                │                          └── octave ◄────┘ │
///                ├── resonances ──────────────────────────────┤
///                └── echo ────────────────────────────────────┘
struct ReverbEngine: ~Copyable {
    /// A tail below this (−120 dB) for so long, with nothing coming in, is over: the engine forgets it and rests.
    private static let silence: Float = 1e-6
    private static let silentFrames = AudioRate.standard / 2

    private enum Scratch: Int, CaseIterable {
        case roomLeft, roomRight, wetLeft, wetRight, earlyLeft, earlyRight, octave
    }

    private let scratch: UnsafeMutablePointer<Float>
    private var settings: ReverbSettings?
    private var directLeft = DirectSound()
    private var directRight = DirectSound()
    private var doublingLeft = ModulatedDelay(phase: 0)
    private var doublingRight = ModulatedDelay(phase: 0.35)
    private var lowCutLeft = OnePole()
    private var lowCutRight = OnePole()
    private var highCutLeft = OnePole()
    private var highCutRight = OnePole()
    private var early = EarlyReflections()
    private var network = FeedbackDelayNetwork()
    private var shimmer = OctaveShimmer()
    /// Which frame of `Scratch.octave` is next: what the tail gives the shimmer returns one control period later.
    private var octaveFrame = 0
    private var resonancesLeft = Resonances()
    private var resonancesRight = Resonances()
    private var echo = SlapEcho()
    private var swayLeft = ModulatedDelay(phase: 0)
    private var swayRight = ModulatedDelay(phase: 0.25)
    private var steadyLeft = OnePole(cutoff: 8)
    private var steadyRight = OnePole(cutoff: 8)
    private var quiet = 0
    private var rests = true

    init() {
        scratch = .allocate(capacity: Scratch.allCases.count * controlPeriod)
        scratch.initialize(repeating: 0, count: Scratch.allCases.count * controlPeriod)
    }

    deinit { scratch.deallocate() }

    private subscript(part: Scratch) -> UnsafeMutablePointer<Float> { scratch + part.rawValue * controlPeriod }

    /// Starts a preset in silence.
    mutating func configure(_ preset: ReverbPreset) {
        settings = ReverbSettings(preset)
        guard let settings else { return }
        directLeft.configure(settings.direct)
        directRight.configure(settings.direct)
        doublingLeft.configure(settings.doubling)
        doublingRight.configure(settings.doubling)
        lowCutLeft = OnePole(cutoff: settings.lowCut)
        lowCutRight = OnePole(cutoff: settings.lowCut)
        highCutLeft = OnePole(cutoff: settings.highCut)
        highCutRight = OnePole(cutoff: settings.highCut)
        early.configure(preDelay: settings.preDelay, span: settings.earlySpan)
        network.configure(settings.late)
        resonancesLeft.configure(settings.resonances)
        // The other side rings a little apart.
        var apart = settings.resonances
        apart.pitch *= 1.013
        resonancesRight.configure(apart)
        echo.configure(settings.echo)
        swayLeft.configure(settings.sway)
        swayRight.configure(settings.sway)
        clear()
    }

    /// Forgets the sound, keeps the preset.
    mutating func clear() {
        directLeft.clear()
        directRight.clear()
        doublingLeft.clear()
        doublingRight.clear()
        lowCutLeft.clear()
        lowCutRight.clear()
        highCutLeft.clear()
        highCutRight.clear()
        early.clear()
        network.clear()
        resonancesLeft.clear()
        resonancesRight.clear()
        echo.clear()
        swayLeft.clear()
        swayRight.clear()
        shimmer.clear()
        self[.octave].update(repeating: 0, count: controlPeriod)
        steadyLeft.clear()
        steadyRight.clear()
        rests = true
        quiet = 0
    }

    /// In place, on at most one control period; `startsPeriod` at the beginning of one. For a mono voice both sides are
    /// the same sound; the caller mixes them.
    mutating func process(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, _ count: Int, startsPeriod: Bool
    ) {
        guard let settings else { return }
        let heard = Self.loudest(left, right, count)
        guard !rests || heard > 0 else { return }
        if startsPeriod || rests { move() }
        rests = false
        let (roomLeft, roomRight) = (self[.roomLeft], self[.roomRight])
        let (wetLeft, wetRight) = (self[.wetLeft], self[.wetRight])
        roomLeft.update(from: left, count: count)
        roomRight.update(from: right, count: count)
        lowCutLeft.high(roomLeft, count)
        lowCutRight.high(roomRight, count)
        highCutLeft.low(roomLeft, count)
        highCutRight.low(roomRight, count)
        wetLeft.update(repeating: 0, count: count)
        wetRight.update(repeating: 0, count: count)
        echo.process(roomLeft, roomRight, intoLeft: wetLeft, intoRight: wetRight, count)
        resonancesLeft.process(roomLeft, into: wetLeft, count)
        resonancesRight.process(roomRight, into: wetRight, count)
        addRoom(settings, count)
        swayLeft.process(wetLeft, count)
        swayRight.process(wetRight, count)
        directLeft.process(left, count)
        directRight.process(right, count)
        doublingLeft.process(left, count)
        doublingRight.process(right, count)
        let level = settings.directLevel
        let near = 0.5 + 0.5 * settings.width
        let far = 0.5 - 0.5 * settings.width
        var frame = 0
        while frame < count {
            left[frame] = level * left[frame] + near * wetLeft[frame] + far * wetRight[frame]
            right[frame] = level * right[frame] + near * wetRight[frame] + far * wetLeft[frame]
            frame &+= 1
        }
        steadyLeft.high(left, count)
        steadyRight.high(right, count)
        softCeiling(left, count)
        softCeiling(right, count)
        watchForSilence(heard, count)
    }

    private mutating func move() {
        network.move()
        directLeft.move()
        directRight.move()
        doublingLeft.move()
        doublingRight.move()
        swayLeft.move()
        swayRight.move()
    }

    /// Reflections and tail of what is in `room…`, added to `wet…`.
    private mutating func addRoom(_ settings: ReverbSettings, _ count: Int) {
        let (roomLeft, roomRight) = (self[.roomLeft], self[.roomRight])
        let (wetLeft, wetRight) = (self[.wetLeft], self[.wetRight])
        let (earlyLeft, earlyRight) = (self[.earlyLeft], self[.earlyRight])
        early.process(roomLeft, roomRight, earlyLeft: earlyLeft, earlyRight: earlyRight, count)
        let octave = self[.octave]
        var frame = 0
        if settings.shimmer > 0 {
            while frame < count {
                let risen = settings.shimmer * octave[(octaveFrame &+ frame) & (controlPeriod - 1)]
                roomLeft[frame] += risen
                roomRight[frame] += risen
                frame &+= 1
            }
        }
        network.process(roomLeft, roomRight, count)
        frame = 0
        while frame < count {
            wetLeft[frame] += settings.earlyLevel * earlyLeft[frame] + settings.lateLevel * roomLeft[frame]
            wetRight[frame] += settings.earlyLevel * earlyRight[frame] + settings.lateLevel * roomRight[frame]
            frame &+= 1
        }
        guard settings.shimmer > 0 else { return }
        frame = 0
        while frame < count {
            // The curve bounds what goes round, whatever the input.
            let tail = saturate(0.5 * (roomLeft[frame] + roomRight[frame]))
            octave[octaveFrame] = shimmer.next(tail)
            octaveFrame = (octaveFrame &+ 1) & (controlPeriod - 1)
            frame &+= 1
        }
    }

    /// Watches for the end of a tail: nothing heard from the voice and nothing from the room.
    private mutating func watchForSilence(_ heard: Float, _ count: Int) {
        guard heard < Self.silence, Self.loudest(self[.wetLeft], self[.wetRight], count) < Self.silence else {
            quiet = 0
            return
        }
        quiet += count
        if quiet >= Self.silentFrames { clear() }
    }

    private static func loudest(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Float {
        var loudest: Float = 0
        var frame = 0
        while frame < count {
            let (one, other) = (abs(left[frame]), abs(right[frame]))
            if one > loudest { loudest = one }
            if other > loudest { loudest = other }
            frame &+= 1
        }
        return loudest
    }
}
