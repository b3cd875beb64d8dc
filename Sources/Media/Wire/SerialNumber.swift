/// A counter that wraps around, compared by the rule of RFC 1982: of two numbers the newer is the one that lies less
/// than half the range ahead of the other. Numbers exactly half the range apart are not newer than each other.
package struct SerialNumber<RawValue: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
    package var rawValue: RawValue

    package init(_ rawValue: RawValue) { self.rawValue = rawValue }

    /// How far this number is ahead of `other`, −half the range … half the range − 1.
    package func distance(from other: Self) -> Int {
        let difference = rawValue &- other.rawValue
        let range = Int(1) << RawValue.bitWidth
        return difference > RawValue.max >> 1 ? Int(difference) - range : Int(difference)
    }

    package func isNewer(than other: Self) -> Bool {
        let difference = rawValue &- other.rawValue
        return difference != 0 && difference <= RawValue.max >> 1
    }

    /// Wraps around.
    package func advanced(by offset: Int) -> Self { Self(rawValue &+ RawValue(truncatingIfNeeded: offset)) }

    package var next: Self { Self(rawValue &+ 1) }
}

extension SerialNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: RawValue.IntegerLiteralType) { self.init(RawValue(integerLiteral: value)) }
}

extension SerialNumber: CustomStringConvertible {
    package var description: String { "\(rawValue)" }
}

/// An RTP sequence number (RFC 3550 §5.1).
package typealias SequenceNumber16 = SerialNumber<UInt16>
/// An RTP timestamp, in ticks of its stream's clock (RFC 3550 §5.1).
package typealias RTPTimestamp = SerialNumber<UInt32>

/// Counts the wraps of a serial number, so that it becomes a 64-bit number that never wraps.
///
/// `estimate` says what a received number means, and changes nothing: for numbers that are not authenticated yet.
/// `extend` also moves on to it. A number up to half the range behind the newest is an old one, everything else is new.
package struct SerialExtender<RawValue: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
    /// The newest extended number; nil before the first.
    package private(set) var highest: UInt64?
    private let startingCycle: UInt64

    /// The first number lies in cycle `startingCycle`: 1, so that a late number from just before the first one has a
    /// place too; 0 where a standard counts from there (SRTP's index, the sequence number in receiver reports), and
    /// then a number that would lie below zero is taken as new.
    package init(startingCycle: UInt64 = 1) { self.startingCycle = startingCycle }

    /// The extended number that lies nearest to the newest.
    package func estimate(_ number: SerialNumber<RawValue>) -> UInt64 {
        let range = UInt64(1) << UInt64(RawValue.bitWidth)
        guard let highest else { return startingCycle * range + UInt64(number.rawValue) }
        let distance = number.distance(from: SerialNumber(RawValue(truncatingIfNeeded: highest)))
        let isBelowZero = distance < 0 && highest < UInt64(-distance)
        return highest &+ UInt64(bitPattern: Int64(distance)) &+ (isBelowZero ? range : 0)
    }

    /// Moves on to an extended number, if it is newer than the newest.
    package mutating func advance(to extended: UInt64) {
        if let highest, extended <= highest { return }
        highest = extended
    }

    package mutating func extend(_ number: SerialNumber<RawValue>) -> UInt64 {
        let extended = estimate(number)
        advance(to: extended)
        return extended
    }
}

package typealias SequenceExtender = SerialExtender<UInt16>
package typealias TimestampExtender = SerialExtender<UInt32>
