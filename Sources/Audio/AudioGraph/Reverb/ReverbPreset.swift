/// The presets of the reverb. Their numbers are those of the published `setVoiceReverbType`.
/// Documentation/build/effects.md has the decay, brightness, loudness and cost of each.
@nonexhaustive public enum ReverbPreset: Int32, CaseIterable, Sendable {
    /// No effect.
    case off = 0
    /// A karaoke box: a slap echo that returns on the other side, with a hall behind it.
    case ktv = 1
    /// A small furnished room: close walls; the sound dies away in less than half a second.
    case smallRoom = 2
    /// A concert hall: a late first reflection, then a tail of about three seconds that darkens.
    case greatHall = 3
    /// A dark vault: more bass, soft treble, low notes ring longest.
    case deep = 4
    /// A voice that carries: compressed, bright, with strong early reflections and a short bright room.
    case loud = 5
    /// An iron pipe: inharmonic resonances and a slow flanger.
    case metallic = 6
    /// Close and warm like tape or radio: gentle saturation, full low mids, slight wow, a faint tape echo.
    case magnetic = 7
    /// Weightless: a very long tail that shimmers an octave above.
    case ethereal = 8
    /// A vocal booth with a short bright plate.
    case studio = 9
    /// Soft and flowing: a chorus around the voice and a long, slowly moving hall.
    case melodious = 10
}
