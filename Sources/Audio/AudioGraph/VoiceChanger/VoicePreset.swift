/// The presets of the voice changer. Their numbers are those of the published `setVoiceChangerType`.
/// Documentation/build/effects.md has the pitch, formants, loudness and cost of each.
@nonexhaustive public enum VoicePreset: Int32, CaseIterable, Sendable {
    /// No effect.
    case off = 0
    /// A cheeky child: much higher, with a small mouth.
    case naughtyKid = 1
    /// A cartoon girl: nearly an octave higher, light, with slight vibrato and no chest resonance.
    case lolita = 2
    /// An elderly man: lower and larger, with a full chest.
    case uncle = 3
    /// A metal singer: somewhat lower, through an overdriven guitar amplifier.
    case heavyMetal = 4
    /// A blocked nose: a resonance at 300 Hz, a notch at 1 kHz, no treble.
    case cold = 5
    /// An intonation that rises and falls in unexpected places.
    case foreignAccent = 6
    /// A large caged animal: a rough, trembling growl, very low.
    case trappedBeast = 7
    /// A heavily built man in a small room: lower, larger, muffled.
    case indoorsman = 8
    /// Speech over a live wire: chopped at twice the mains frequency, with buzz and sparks.
    case strongCurrent = 9
    /// A machine: constant pitch, ringing iron, the beat of an engine.
    case heavyMachinery = 10
    /// Unearthly: thin, doubled an octave above, with fading echoes.
    case ethereal = 11
}
