package import Timing

/// What happened to one stream since it was first received, and how it is now.
package struct JitterBufferStatistics: Sendable, Hashable {
    package internal(set) var received: UInt64 = 0
    /// Came after their time, or were there already and played.
    package internal(set) var late: UInt64 = 0
    package internal(set) var duplicates: UInt64 = 0
    /// Broken, or left out after a hold-up.
    package internal(set) var discarded: UInt64 = 0
    package internal(set) var decodedFrames: UInt64 = 0
    /// Invented in place of what was lost or late.
    package internal(set) var concealedFrames: UInt64 = 0
    /// Lost, and made from the coarse copy that the codec puts into the next packet.
    package internal(set) var recoveredFrames: UInt64 = 0
    /// Packets that were lost, and taken whole from a later one that carried a copy.
    package internal(set) var copiesUsed: UInt64 = 0
    package internal(set) var shortenedFrames: UInt64 = 0
    package internal(set) var lengthenedFrames: UInt64 = 0
    /// How often everything began anew: another source, or a leap in time.
    package internal(set) var resets: UInt64 = 0
    package internal(set) var targetDelay = Interval.zero
    package internal(set) var delay = Interval.zero
    /// By how much the sender's clock is faster, as far as it is known.
    package internal(set) var driftPPM = 0.0

    package init() {}
}
