import Testing
import Timing

@Suite struct IntervalTests {
    @Test("Seconds that a file or a network states become an interval, whatever they are")
    func ofSeconds() {
        #expect(Interval(seconds: 1.5) == .milliseconds(1_500))
        #expect(Interval(seconds: -0.25) == .milliseconds(-250))
        #expect(Interval(seconds: .nan) == .zero)
        for huge in [9.3e9, 1e300, .infinity] {
            #expect(Interval(seconds: huge).nanoseconds == .max && Interval(seconds: -huge).nanoseconds == .min)
        }
        let longest = Double(Int64.max) / 1e9
        #expect(Interval(seconds: longest).nanoseconds == .max)
    }

    @Test("arithmetic with times never traps: what does not fit is the longest that does")
    func saturation() {
        let edges: [Int64] = [.min, .min + 1, -1_000_000_007, -1, 0, 1, 86_400, .max - 1, .max]
        for a in edges {
            for b in edges {
                let (x, y) = (Interval(nanoseconds: a), Interval(nanoseconds: b))
                let exact = { (value: Double) in
                    Double(x.nanoseconds) == 0 && value == 0
                        ? 0 : min(max(value, Double(Int64.min)), Double(Int64.max))
                }
                #expect(abs(Double((x + y).nanoseconds) - exact(Double(a) + Double(b))) <= 2_048)
                #expect(abs(Double((x - y).nanoseconds) - exact(Double(a) - Double(b))) <= 2_048)
                #expect(abs(Double((x * b).nanoseconds) - exact(Double(a) * Double(b))) <= 2_048)
                _ = x / b
                _ = WallTime(nanoseconds: a) + y
                _ = WallTime(nanoseconds: a) - WallTime(nanoseconds: b)
                _ = Instant(nanoseconds: a) + y
                _ = Instant(nanoseconds: a) - Instant(nanoseconds: b)
            }
            _ = (Interval.seconds(a), Interval.milliseconds(a), Interval.microseconds(a))
            _ = (WallTime(secondsSince1970: a), WallTime(millisecondsSince1970: a))
        }
        #expect(Interval.seconds(.max).nanoseconds == .max && Interval.seconds(.min).nanoseconds == .min)
        #expect(Interval.seconds(2) / 0 == Interval(nanoseconds: .max))
    }
}
