/// What became of the packets of a stage since it was made.
package struct AudioStats: Sendable, Hashable {
    package var forwarded: UInt64 = 0
    /// Of those, what had got lost and was found as a copy in a later packet.
    package var recovered: UInt64 = 0
    /// Packets of the mix.
    package var mixed: UInt64 = 0
    /// From somebody without a slot, or on a muted one.
    package var refused: UInt64 = 0
    /// Too late, from before a seam, or a second stream of the same producer.
    package var stale: UInt64 = 0
    package var repeated: UInt64 = 0
    /// Asked to be repeated, but unknown, forgotten, or asked for too often.
    package var notRepeated: UInt64 = 0

    package init() {}

    package static func + (a: AudioStats, b: AudioStats) -> AudioStats {
        var sum = a
        sum.forwarded &+= b.forwarded
        sum.recovered &+= b.recovered
        sum.mixed &+= b.mixed
        sum.refused &+= b.refused
        sum.stale &+= b.stale
        sum.repeated &+= b.repeated
        sum.notRepeated &+= b.notRepeated
        return sum
    }
}
