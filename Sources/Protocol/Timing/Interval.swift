/// A length of time in nanoseconds. Arithmetic saturates: what does not fit (292 years) is the longest that does, since times come from
/// files, tickets and networks. Lighter than `Swift.Duration` (8 bytes, no 128-bit arithmetic), which the packet path wants.
package struct Interval: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Of what files and networks state: no number traps. Not a number is nothing; what does not fit (292 years) is the longest that does.
    package init(seconds: Double) {
        let nanoseconds = seconds * 1e9
        guard !nanoseconds.isNaN else {
            self = .zero
            return
        }
        // 2^63 itself is a `Double`, but no `Int64`.
        self.nanoseconds = Int64(exactly: nanoseconds.rounded(.towardZero)) ?? (nanoseconds > 0 ? .max : .min)
    }

    package static let zero = Interval(nanoseconds: 0)
    package static func seconds(_ n: Int64) -> Interval { Interval(nanoseconds: n.saturatingTimes(1_000_000_000)) }
    package static func milliseconds(_ n: Int64) -> Interval { Interval(nanoseconds: n.saturatingTimes(1_000_000)) }
    package static func microseconds(_ n: Int64) -> Interval { Interval(nanoseconds: n.saturatingTimes(1_000)) }

    package var milliseconds: Int64 { nanoseconds / 1_000_000 }
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    package static func < (a: Interval, b: Interval) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturatingPlus(b.nanoseconds))
    }
    package static func - (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturatingMinus(b.nanoseconds))
    }
    package static func * (a: Interval, n: Int64) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturatingTimes(n))
    }
    /// By zero: the longest there is, in the direction of `a`.
    package static func / (a: Interval, n: Int64) -> Interval {
        let (quotient, overflow) = a.nanoseconds.dividedReportingOverflow(by: n)
        return Interval(nanoseconds: overflow ? (a.nanoseconds < 0 && n == 0 ? .min : .max) : quotient)
    }
}

extension Int64 {
    @inline(__always)
    func saturatingPlus(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    @inline(__always)
    func saturatingMinus(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    @inline(__always)
    func saturatingTimes(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
