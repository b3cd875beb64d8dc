/// All that tells one reverb preset from another. Levels are factors on amplitude.
struct ReverbSettings {
    var direct = DirectSound.Settings()
    /// Tape wow or doubling of the voice itself.
    var doubling = ModulatedDelay.Settings()
    var directLevel: Float = 1
    /// Hertz that reach the room: voice rumble makes mud, hiss makes harshness.
    var lowCut: Float = 120
    var highCut: Float = 10_000
    /// Milliseconds.
    var preDelay: Float = 10
    var earlySpan: Float = 40
    var earlyLevel: Float = 0.3
    var late = FeedbackDelayNetwork.Settings()
    var lateLevel: Float = 0.3
    /// Chorus or flanger over all that the room answers.
    var sway = ModulatedDelay.Settings()
    var resonances = Resonances.Settings()
    var echo = SlapEcho.Settings()
    /// Share of the tail that returns to the room an octave higher.
    var shimmer: Float = 0
    /// 0: the room is in the middle; 1: as wide as it comes; above: wider.
    var width: Float = 1
}

extension ReverbSettings {
    /// Nil for `.off`, which changes nothing.
    init?(_ preset: ReverbPreset) {
        self.init()
        switch preset {
        case .off: return nil
        case .ktv:
            direct = .init(treble: 1.5, threshold: -14, ratio: 2, gain: 0)
            (preDelay, earlySpan, earlyLevel) = (28, 60, 0.22)
            late = .init(lowDecay: 1.8, highDecay: 1.0, crossover: 4_500, shortest: 31, longest: 79)
            lateLevel = 0.34
            echo = .init(time: 165, feedback: 0.42, level: 0.42)
        case .smallRoom:
            (lowCut, highCut) = (150, 8_000)
            (preDelay, earlySpan, earlyLevel) = (3, 22, 0.62)
            late = .init(lowDecay: 0.42, highDecay: 0.25, crossover: 4_000, shortest: 7, longest: 23, motionDepth: 2)
            (lateLevel, width) = (0.42, 0.7)
        case .greatHall:
            directLevel = 0.9
            (lowCut, highCut) = (80, 6_000)
            (preDelay, earlySpan, earlyLevel) = (42, 95, 0.3)
            late = .init(lowDecay: 3.1, highDecay: 1.3, crossover: 3_200, shortest: 47, longest: 121, motionDepth: 9)
            (lateLevel, width) = (0.62, 1.1)
        case .deep:
            direct = .init(bass: 7, treble: -7, gain: -2.5)
            (lowCut, highCut) = (40, 1_600)
            (preDelay, earlySpan, earlyLevel) = (18, 70, 0.25)
            late = .init(lowDecay: 2.2, highDecay: 0.7, crossover: 900, shortest: 41, longest: 97)
            (lateLevel, width) = (0.6, 0.8)
        case .loud:
            direct = .init(bass: -4, treble: 8, threshold: -24, ratio: 3.5, gain: 8)
            (lowCut, highCut) = (250, 16_000)
            (preDelay, earlySpan, earlyLevel) = (6, 48, 0.75)
            late = .init(lowDecay: 1.1, highDecay: 1.05, crossover: 6_000, shortest: 23, longest: 61)
            (lateLevel, width) = (0.34, 1.2)
        case .metallic:
            directLevel = 0.75
            (lowCut, highCut) = (200, 14_000)
            (preDelay, earlySpan, earlyLevel) = (4, 18, 0.35)
            late = .init(lowDecay: 0.9, highDecay: 0.9, crossover: 6_000, shortest: 5, longest: 13, motionDepth: 0)
            lateLevel = 0.18
            resonances = .init(pitch: 287, decay: 1.0, level: 0.55)
            sway = .init(middle: 3.2, sway: 2.3, rate: 0.35, feedback: 0.62, mix: 0.5)
        case .magnetic:
            direct = .init(bass: 6, treble: -6, drive: 3.2, gain: 0)
            doubling = .init(middle: 17, sway: 0.5, rate: 0.9, mix: 0.22)
            (lowCut, highCut) = (160, 4_500)
            (preDelay, earlySpan, earlyLevel) = (12, 30, 0.18)
            late = .init(lowDecay: 0.8, highDecay: 0.4, crossover: 3_000, shortest: 17, longest: 47)
            (lateLevel, width) = (0.22, 0.8)
            echo = .init(time: 96, feedback: 0.25, level: 0.18)
        case .ethereal:
            direct = .init(bass: -3, treble: 2)
            directLevel = 0.8
            (lowCut, highCut) = (260, 12_000)
            (preDelay, earlySpan, earlyLevel) = (55, 110, 0.15)
            late = .init(
                lowDecay: 5.2, highDecay: 4.2, crossover: 6_500, shortest: 53, longest: 139, motionDepth: 14,
                motionRate: 0.4)
            (lateLevel, width, shimmer) = (0.5, 1.3, 0.35)
        case .studio:
            direct = .init(bass: 2, treble: 2, threshold: -18, ratio: 2, gain: 2)
            (lowCut, highCut) = (220, 13_000)
            (preDelay, earlySpan, earlyLevel) = (16, 14, 0.1)
            late = .init(lowDecay: 0.7, highDecay: 0.65, crossover: 7_000, shortest: 9, longest: 33, motionDepth: 3)
            (lateLevel, width) = (0.26, 1)
        case .melodious:
            direct = .init(treble: 3)
            doubling = .init(middle: 14, sway: 2.4, rate: 0.8, mix: 0.38)
            directLevel = 0.9
            (lowCut, highCut) = (170, 13_000)
            (preDelay, earlySpan, earlyLevel) = (30, 80, 0.22)
            late = .init(
                lowDecay: 2.3, highDecay: 1.9, crossover: 4_500, shortest: 37, longest: 101, motionDepth: 18,
                motionRate: 0.9)
            lateLevel = 0.48
            sway = .init(middle: 11, sway: 3.5, rate: 0.5, mix: 0.5)
        }
    }
}
