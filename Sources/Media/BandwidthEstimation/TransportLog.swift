internal import Timing

/// What has been sent with transport-wide numbers, until the other side has told what became of it.
///
/// One ring of fixed size: a packet whose place is needed again is forgotten, and what is told of it then is not looked at.
struct TransportLog {
    /// Two seconds of 5 Mbit/s. A power of two.
    static let capacity = 1024

    enum Fate: UInt8 {
        case unknown
        case received
        case lost
    }

    struct Entry {
        var sent = Instant.distantPast
        /// The whole datagram with what the network adds.
        var bytes: UInt16 = 0
        var number: UInt16 = 0
        var content = Content()
        var isUsed = false
        var fate = Fate.unknown
    }

    /// What a datagram carries: which packet of which stream, if it can be given again.
    struct Content {
        var sequence: UInt16 = 0
        /// `none`: nothing that can be.
        var stream = Content.none
        static let none: UInt8 = .max
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// Of the next packet, with its wraps.
    private(set) var next: UInt64

    /// - Parameter first: the first packet's number.
    init(first: UInt16) {
        entries = .allocate(capacity: Self.capacity)
        entries.initialize(repeating: Entry(), count: Self.capacity)
        next = UInt64(first)
    }

    /// Once, by the owner.
    func deallocate() { entries.deallocate() }

    @inline(__always)
    private func place(_ number: UInt16) -> UnsafeMutablePointer<Entry> { entries + Int(number) % Self.capacity }

    /// Gives the next packet its number.
    @inline(__always)
    mutating func add(_ bytes: Int, _ content: Content, at now: Instant) -> UInt16 {
        let number = UInt16(truncatingIfNeeded: next)
        place(number).pointee = Entry(
            sent: now, bytes: UInt16(clamping: bytes), number: number, content: content, isUsed: true, fate: .unknown)
        next &+= 1
        return number
    }

    /// A packet that never left is not missed.
    mutating func takeBack() {
        next &-= 1
        place(UInt16(truncatingIfNeeded: next)).pointee.isUsed = false
    }

    /// Notes what became of a packet. nil if nothing is known of it, if the same was told before, or if it had been told as received.
    func settle(_ number: UInt16, isReceived: Bool) -> (entry: Entry, wasLost: Bool, index: UInt64)? {
        let entry = place(number)
        guard entry.pointee.isUsed, entry.pointee.number == number else { return nil }
        let before = entry.pointee.fate
        guard before != .received, isReceived || before == .unknown else { return nil }
        entry.pointee.fate = isReceived ? .received : .lost
        let age = UInt64(UInt16(truncatingIfNeeded: next &- 1) &- number)
        return (entry.pointee, before == .lost, next &- 1 &- age)
    }
}
