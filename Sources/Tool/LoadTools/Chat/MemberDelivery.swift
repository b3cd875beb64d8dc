internal import Timing

/// What came to one line. Numbers begin anew with each measured stretch.
struct MemberDelivery {
    private(set) var received: UInt32 = 0
    /// With their number it tells that each came once: of what is sent in a row, no other texts have the same count and sum.
    private(set) var sum: UInt64 = 0
    private(set) var doubled: UInt32 = 0
    /// A bit for each, where lines come back: what came before and what after.
    private var bits: [UInt64] = []

    /// - Parameter isKept: whether each number is kept by itself.
    mutating func take(_ number: UInt32, isKept: Bool) {
        if isKept, !mark(number) {
            doubled += 1
            return
        }
        received += 1
        sum += UInt64(number)
    }

    /// Stands in a snapshot: known from now on, and not doubled if it was before.
    mutating func know(_ number: UInt32) {
        guard mark(number) else { return }
        received += 1
        sum += UInt64(number)
    }

    func has(_ number: UInt32) -> Bool {
        let word = Int(number / 64)
        return word < bits.count && bits[word] & 1 << UInt64(number % 64) != 0
    }

    /// Gives back whether it is new.
    private mutating func mark(_ number: UInt32) -> Bool {
        guard !has(number) else { return false }
        let word = Int(number / 64)
        if word >= bits.count { bits += repeatElement(0, count: word + 1 - bits.count) }
        bits[word] |= 1 << UInt64(number % 64)
        return true
    }

    /// Whether exactly the first `count` numbers came, each once.
    func isWhole(_ count: UInt32) -> Bool {
        received == count && doubled == 0 && sum == UInt64(count) * (UInt64(count) &- 1) / 2
    }
}
