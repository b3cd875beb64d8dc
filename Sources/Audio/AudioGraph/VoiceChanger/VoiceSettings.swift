/// All that tells one voice preset from another: how the voice is changed, and what happens to the changed voice.
struct VoiceSettings {
    var shifter = VoiceShifter.Settings()
    var colour = VoiceColour.Settings()
}

extension VoiceSettings {
    /// Nil for `.off`, which changes nothing.
    init?(_ preset: VoicePreset) {
        self.init()
        switch preset {
        case .off: return nil
        case .naughtyKid:
            shifter = .init(pitch: 1.5, formants: 1.3)
            colour.bands = [.highPass(180), .peak(3_400, q: 0.9, gain: 4)]
        case .lolita:
            shifter = .init(pitch: 1.8, formants: 1.17, vibratoRate: 5.8, vibratoDepth: 0.012)
            colour.bands = [.highPass(260), .peak(1_100, q: 0.8, gain: -4), .highShelf(5_500, gain: 7)]
            colour.gain = 3
        case .uncle:
            shifter = .init(pitch: 0.75, formants: 0.85)
            colour.bands = [.peak(190, q: 0.7, gain: 4), .highShelf(4_500, gain: -4)]
        case .heavyMetal:
            shifter = .init(pitch: 0.84, formants: 0.95)
            colour.bandsBefore = [.highPass(140), .peak(850, q: 0.7, gain: 8)]
            colour.drive = 40
            colour.bands = [.peak(600, q: 0.8, gain: -5), .peak(2_900, q: 1, gain: 6), .lowPass(5_200)]
            colour.gain = -1.5
        case .cold:
            shifter = .init(pitch: 0.94, formants: 0.95)
            colour.bands = [
                .peak(300, q: 1.4, gain: 9), .peak(1_000, q: 0.9, gain: -16), .lowPass(2_300), .highPass(130),
            ]
            colour.gain = 4
        case .foreignAccent:
            shifter = .init(pitch: 1.06, formants: 1.08, wandering: 5)
            colour.bands = [.peak(1_700, q: 0.8, gain: 4)]
        case .trappedBeast:
            shifter = .init(pitch: 0.56, formants: 0.72, jitter: 0.05, growl: 0.65)
            colour.drive = 4
            colour.bands = [.peak(140, q: 0.8, gain: 5), .lowPass(3_400)]
            colour.tremolo = .init(rate: 23, depth: 0.35)
            colour.gain = 3
        case .indoorsman:
            shifter = .init(pitch: 0.85, formants: 0.79)
            colour.bands = [.peak(240, q: 0.8, gain: 3), .lowPass(1_700)]
            colour.gain = 1
        case .strongCurrent:
            colour.tremolo = .init(rate: 100, depth: 0.95, isChopped: true)
            colour.drive = 5
            colour.bands = [.highPass(220), .peak(2_400, q: 1.2, gain: 6)]
            colour.buzz = 0.5
            colour.sparks = 2.2
            colour.gain = 3
        case .heavyMachinery:
            shifter = .init(formants: 0.9, fixedPitch: 82)
            colour.resonances = .init(pitch: 176, decay: 0.35, level: 0.9)
            colour.drive = 6
            colour.ring = .init(rate: 61, mix: 0.4)
            colour.bands = [.highPass(70), .lowPass(6_500)]
            colour.tremolo = .init(rate: 7.5, depth: 0.45, isChopped: true)
            colour.gain = 3
        case .ethereal:
            shifter = .init(pitch: 1.06, formants: 1.1, vibratoRate: 4.2, vibratoDepth: 0.008)
            colour.bands = [.highPass(420), .highShelf(5_000, gain: 6)]
            colour.octave = 0.4
            colour.sway = .init(middle: 13, sway: 4.5, rate: 0.7, feedback: 0.35, mix: 0.5)
            colour.tremolo = .init(rate: 3.1, depth: 0.25)
            colour.echo = .init(time: 210, feedback: 0.55, level: 0.55)
            colour.gain = 2
        }
    }
}
