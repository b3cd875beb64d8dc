/// What a stranger's sound file turned out to be.
package enum SoundFinding: Hashable, Sendable {
    /// A sound that everybody's browser plays, and how long it is: decoded and counted.
    case sound(milliseconds: Int64)
    /// No sound that everybody could hear, or one that broke its reader.
    case unreadable
    /// The library that reads sound is not installed.
    case noLibrary
    /// Files cannot be inspected here: the process for it could not be started or confined.
    case unavailable
    /// As many files are inspected as may be at once, or the machine had no time for this one.
    case busy
}
