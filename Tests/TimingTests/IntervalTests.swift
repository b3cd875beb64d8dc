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
}
