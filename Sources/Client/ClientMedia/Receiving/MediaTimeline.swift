internal import Timing

/// Two clocks in frames of 48 kHz: the sender's timestamps, with their wraps counted, and this host's.
struct MediaTimeline {
    private var epoch: Instant?
    private var last: (raw: UInt32, extended: Int64)?

    /// A timestamp has come, to which others can be set in relation.
    var hasBegun: Bool { last != nil }

    /// Another stream, or another life of this one.
    mutating func forgetTimestamps() { last = nil }

    mutating func extend(_ raw: UInt32) -> Int64 {
        let extended = last.map { $0.extended + Int64(Int32(bitPattern: raw &- $0.raw)) } ?? Int64(raw)
        last = (raw, extended)
        return extended
    }

    mutating func frames(at instant: Instant) -> Int64 {
        let epoch = epoch ?? instant
        self.epoch = epoch
        // Six years in either direction fit.
        let (product, overflow) = (instant - epoch).nanoseconds.multipliedReportingOverflow(by: 48)
        return overflow ? 0 : product / 1_000_000
    }
}
