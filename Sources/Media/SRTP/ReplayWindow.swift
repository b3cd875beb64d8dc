/// Which of the newest indices of a stream have been used (RFC 3711 §3.3.2).
struct ReplayWindow {
    /// The RFC asks for at least 64. 128 packets are 2.5 s of audio; video repeats packets on a source of its own.
    static let length: UInt64 = 128

    enum Verdict {
        case unused
        case used
        /// Too far behind the newest to know.
        case tooOld
    }

    /// The newest index; nil before the first.
    private(set) var highest: UInt64?
    /// Bit n: index `highest` − n has been used.
    private var used: UInt128 = 0

    func verdict(on index: UInt64) -> Verdict {
        guard let highest, index <= highest else { return .unused }
        let age = highest - index
        guard age < ReplayWindow.length else { return .tooOld }
        return used >> UInt128(age) & 1 == 0 ? .unused : .used
    }

    mutating func markUsed(_ index: UInt64) {
        guard let highest, index <= highest else {
            let step = highest.map { index - $0 } ?? ReplayWindow.length
            used = step < ReplayWindow.length ? used << UInt128(step) | 1 : 1
            highest = index
            return
        }
        if highest - index < ReplayWindow.length { used |= 1 << UInt128(highest - index) }
    }
}
