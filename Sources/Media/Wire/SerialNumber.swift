/// An RTP sequence number (RFC 3550 §5.1): a counter that wraps around.
///
/// This and `RTPTimestamp` are two plain types over one generic arithmetic inside this module, and not one generic type:
/// other modules would call that through witness tables, at some 200 ns a packet.
package struct SequenceNumber16: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    package var rawValue: UInt16

    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package init(integerLiteral value: UInt16) { rawValue = value }

    package var description: String { "\(rawValue)" }

    /// How far this number is ahead of `other`, −2^15 … 2^15 − 1.
    package func distance(from other: Self) -> Int { serialDistance(from: other.rawValue, to: rawValue) }

    /// Less than half the range ahead (RFC 1982). Numbers exactly half the range apart are not newer than each other.
    package func isNewer(than other: Self) -> Bool { distance(from: other) > 0 }

    /// Wraps around.
    package func advanced(by offset: Int) -> Self { Self(rawValue &+ UInt16(truncatingIfNeeded: offset)) }

    package var next: Self { Self(rawValue &+ 1) }
}

/// An RTP timestamp, in ticks of its stream's clock (RFC 3550 §5.1): a counter that wraps around.
package struct RTPTimestamp: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    package var rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    package init(integerLiteral value: UInt32) { rawValue = value }

    package var description: String { "\(rawValue)" }

    /// How far this timestamp is ahead of `other`, −2^31 … 2^31 − 1.
    package func distance(from other: Self) -> Int { serialDistance(from: other.rawValue, to: rawValue) }

    /// Less than half the range ahead (RFC 1982). Timestamps exactly half the range apart are not newer than each other.
    package func isNewer(than other: Self) -> Bool { distance(from: other) > 0 }

    /// Wraps around.
    package func advanced(by offset: Int) -> Self { Self(rawValue &+ UInt32(truncatingIfNeeded: offset)) }
}

/// Counts the wraps of a sequence number, so that it becomes a 64-bit number that never wraps.
///
/// `estimate` says what a received number means, and changes nothing: for numbers that are not authenticated yet.
/// `extend` also moves on to it. A number up to half the range behind the newest is an old one, everything else is new.
package struct SequenceExtender: Hashable, Sendable {
    private var counter: WrapCounter<UInt16>

    /// The first number lies in cycle `startingCycle`: 1, so that a late number from just before the first one has a
    /// place too; 0 where a standard counts from there (SRTP's index, the sequence number in receiver reports), and
    /// then a number that would lie below zero is taken as new.
    package init(startingCycle: UInt64 = 1) { counter = WrapCounter(startingCycle: startingCycle) }

    /// The newest extended number; nil before the first.
    package var highest: UInt64? { counter.highest }

    /// The extended number that lies nearest to the newest.
    package func estimate(_ number: SequenceNumber16) -> UInt64 { counter.estimate(number.rawValue) }

    /// Moves on to an extended number, if it is newer than the newest.
    package mutating func advance(to extended: UInt64) { counter.advance(to: extended) }

    package mutating func extend(_ number: SequenceNumber16) -> UInt64 {
        let extended = counter.estimate(number.rawValue)
        counter.advance(to: extended)
        return extended
    }
}

/// The same for timestamps; see `SequenceExtender`.
package struct TimestampExtender: Hashable, Sendable {
    private var counter: WrapCounter<UInt32>

    package init(startingCycle: UInt64 = 1) { counter = WrapCounter(startingCycle: startingCycle) }

    /// The newest extended timestamp; nil before the first.
    package var highest: UInt64? { counter.highest }

    /// The extended timestamp that lies nearest to the newest.
    package func estimate(_ timestamp: RTPTimestamp) -> UInt64 { counter.estimate(timestamp.rawValue) }

    /// Moves on to an extended timestamp, if it is newer than the newest.
    package mutating func advance(to extended: UInt64) { counter.advance(to: extended) }

    package mutating func extend(_ timestamp: RTPTimestamp) -> UInt64 {
        let extended = counter.estimate(timestamp.rawValue)
        counter.advance(to: extended)
        return extended
    }
}

/// How far `end` is ahead of `start`: half the range and more is behind.
private func serialDistance<Value: FixedWidthInteger & UnsignedInteger>(from start: Value, to end: Value) -> Int {
    let difference = Int(end &- start)
    return difference > Int(Value.max >> 1) ? difference - (1 << Value.bitWidth) : difference
}

private struct WrapCounter<Value: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
    var highest: UInt64?
    let startingCycle: UInt64

    init(startingCycle: UInt64) { self.startingCycle = startingCycle }

    func estimate(_ number: Value) -> UInt64 {
        let range = UInt64(1) << UInt64(Value.bitWidth)
        guard let highest else { return startingCycle &* range &+ UInt64(number) }
        let distance = serialDistance(from: Value(truncatingIfNeeded: highest), to: number)
        let isBelowZero = distance < 0 && highest < UInt64(-distance)
        return highest &+ UInt64(bitPattern: Int64(distance)) &+ (isBelowZero ? range : 0)
    }

    mutating func advance(to extended: UInt64) {
        if let highest, extended <= highest { return }
        highest = extended
    }
}
