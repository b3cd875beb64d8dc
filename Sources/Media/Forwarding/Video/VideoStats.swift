/// What became of the pictures of a stage since it was made.
package struct VideoStats: Sendable, Hashable {
    package var forwarded: UInt64 = 0
    /// Packets to viewers.
    package var sent: UInt64 = 0
    /// From somebody without a slot, or on one that is cut.
    package var refused: UInt64 = 0
    /// Had come before, too late, or no payload.
    package var stale: UInt64 = 0
    package var repeated: UInt64 = 0
    package var notRepeated: UInt64 = 0
    package var keyFramesAsked: UInt64 = 0
    /// A viewer was so far behind that it went on at another key frame.
    package var skipped: UInt64 = 0
    /// Packets that filled a probe.
    package var filling: UInt64 = 0

    package init() {}

    package static func + (a: VideoStats, b: VideoStats) -> VideoStats {
        var sum = a
        sum.forwarded &+= b.forwarded
        sum.sent &+= b.sent
        sum.refused &+= b.refused
        sum.stale &+= b.stale
        sum.repeated &+= b.repeated
        sum.notRepeated &+= b.notRepeated
        sum.keyFramesAsked &+= b.keyFramesAsked
        sum.skipped &+= b.skipped
        sum.filling &+= b.filling
        return sum
    }
}
