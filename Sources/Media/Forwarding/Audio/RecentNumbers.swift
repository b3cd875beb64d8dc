/// Which of the newest numbers of a stream have been used.
struct RecentNumbers {
    /// More than `SlotStream.maximumLateness`: what is older is not asked for.
    static let length: UInt64 = 256

    /// One more than the highest; nothing is known of numbers that are `length` below that.
    private var next: UInt64 = 0
    /// A bit for each number, by its lowest eight bits.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// False if the number was there before, or is too old to know.
    mutating func add(_ number: UInt64) -> Bool {
        if number >= next {
            forget(number - next)
            next = number + 1
        } else if next - number > Self.length || contains(number) {
            return false
        }
        set(number, true)
        return true
    }

    private func contains(_ number: UInt64) -> Bool { word(number) >> (number & 63) & 1 == 1 }

    /// The places of that many numbers from `next` on, which have been skipped.
    private mutating func forget(_ count: UInt64) {
        guard count < Self.length else {
            words = (0, 0, 0, 0)
            return
        }
        for skipped in 0..<count { set(next + skipped, false) }
    }

    private func word(_ number: UInt64) -> UInt64 {
        switch number >> 6 & 3 {
        case 0: words.0
        case 1: words.1
        case 2: words.2
        default: words.3
        }
    }

    private mutating func set(_ number: UInt64, _ isUsed: Bool) {
        let bit: UInt64 = 1 << (number & 63)
        let new = isUsed ? word(number) | bit : word(number) & ~bit
        switch number >> 6 & 3 {
        case 0: words.0 = new
        case 1: words.1 = new
        case 2: words.2 = new
        default: words.3 = new
        }
    }
}
