/// The rooms and colours that a singer can put around the voice. The numbers are those of the documented
/// `setVoiceReverbType`; what each measures is in Documentation/effects.md.
public enum ReverbPreset: Int32, CaseIterable, Sendable {
    /// The voice as it is.
    case off = 0
    /// A karaoke box: a hall behind a clear slap echo that goes from one side to the other and comes back twice.
    case ktv = 1
    /// A small furnished room: near walls, gone in less than half a second.
    case smallRoom = 2
    /// A concert hall: the room answers late, then rings for about three seconds and grows darker.
    case greatHall = 3
    /// A low, heavy voice in a dark vault: the bass lifted, the treble soft, and the room's low notes ring longest.
    case deep = 4
    /// A voice that carries: pressed together, bright, with strong early reflections and a short bright room.
    case loud = 5
    /// Singing into an iron pipe: resonances that keep their own pitch, and a slow flanger.
    case metallic = 6
    /// The close, warm voice of tape and radio: gentle saturation, full lower middle, slight wow, a hint of tape echo.
    case magnetic = 7
    /// Weightless: a very long airy tail in which the octave above shimmers.
    case ethereal = 8
    /// A vocal booth with a short bright plate: polish rather than room.
    case studio = 9
    /// Soft and flowing: a chorus around the voice and a long, slowly moving hall.
    case melodious = 10
}
