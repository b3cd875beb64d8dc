/// What a stranger's sound file turned out to be.
package enum SoundFinding: Hashable, Sendable {
    /// A sound that can be played; how long it is in milliseconds, as far as it tells.
    case sound(milliseconds: Int64?)
    /// No sound that may be read, or one that broke its reader.
    case unreadable
    /// The library that reads sound is not installed.
    case noLibrary
    /// Files cannot be inspected here: the process for it could not be started or confined.
    case unavailable
    /// As many files are inspected as may be at once, or the machine had no time for this one.
    case busy
}
