/// The characters that a speaker can slip into. The numbers are those of the documented `setVoiceChangerType`; what each
/// measures is in Documentation/effects.md.
public enum VoicePreset: Int32, CaseIterable, Sendable {
    /// The voice as it is.
    case off = 0
    /// A cheeky child: well up, with the small mouth of a child.
    case naughtyKid = 1
    /// A girl of the cartoons: nearly an octave up, light, with a little vibrato and no chest.
    case lolita = 2
    /// An elderly man: lower and larger, with a full chest.
    case uncle = 3
    /// The singer of a metal band: somewhat lower, through a guitar amplifier that is turned right up.
    case heavyMetal = 4
    /// Someone with a blocked nose: a hum in the nose, a hole above it, no brilliance.
    case cold = 5
    /// A speech melody from elsewhere: the pitch glides up and down where nobody expects it.
    case foreignAccent = 6
    /// A large animal in a cage: very low and large, growling and rough.
    case trappedBeast = 7
    /// A heavy fellow who does not leave his room: lower, larger, muffled.
    case indoorsman = 8
    /// Speech over a live wire: chopped at twice the mains frequency, with buzz and sparks.
    case strongCurrent = 9
    /// A machine speaks: one pitch whatever is said, ringing iron, and the stroke of an engine.
    case heavyMachinery = 10
    /// Not of this world: thin, doubled and swaying, with an octave above and echoes that float away.
    case ethereal = 11
}
