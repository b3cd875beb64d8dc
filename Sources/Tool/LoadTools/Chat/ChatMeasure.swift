internal import Timing

/// What came to all lines together in a measured stretch.
struct ChatMeasure {
    var latencies = Latencies()
    /// Frames with something that was said.
    var frames = 0
    /// Of those frames, heads included.
    var bytes = 0
    var delivered = 0
    /// Messages that the server says it has taken, where it says so.
    var taken: [UInt32] = []
    /// Messages that it would not take.
    var refused = 0
    /// When each change of a seat was asked for, and what became of it at the members.
    var seatChanges: [Instant] = []
    var seatLatencies = Latencies()
    /// Lines that ended.
    var closed = 0
}

/// How everybody came back after all lines had ended.
struct CrowdReturn {
    /// When the first line ended, when the server first took a connection again, and when the last member was in the room again.
    var lost: Instant?
    var accepted: Instant?
    var back: Instant?
    /// Entries that were answered with a snapshot, since the gap was not there any more.
    var snapshots = 0
}
