/// How much of a stream gets lost, and whether copies that later packets carry are of use.
struct LossWatch {
    /// Above this share of lost packets the copy that the codec puts into the next packet is waited for; below half of it no more.
    private static let manyLosses = 0.02
    /// A copy was needed no longer ago than that: ten seconds.
    private static let copyMemory = 480_000

    private var share = 0.0
    private(set) var areMany = false
    private var copies = 0
    private var framesSinceCopy = LossWatch.copyMemory

    /// A packet was missing, and came as a copy.
    mutating func noteCopy() {
        copies += 1
        framesSinceCopy = 0
    }

    /// A packet is decoded; those right before it are missing, or not.
    mutating func noteDecoded(isAfterGap: Bool, frames: Int) {
        let isLoss = isAfterGap || copies > 0
        if copies > 0 { copies -= 1 }
        share += ((isLoss ? 1 : 0) - share) / 100
        if share > Self.manyLosses { areMany = true }
        if share < Self.manyLosses / 2 { areMany = false }
        framesSinceCopy = min(framesSinceCopy + frames, Self.copyMemory)
    }

    /// Packets get lost and copies come along: one frame more of delay lets the next one come in time.
    var areCopiesNeeded: Bool { framesSinceCopy < Self.copyMemory }
}
