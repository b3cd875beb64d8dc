import PeerSession
import Testing
import Timing

@Suite struct NTPClockTests {
    static let reference = Instant(nanoseconds: 5_000_000_000)

    static func ntp(_ seconds: UInt64, _ fraction: UInt64) -> UInt64 { seconds << 32 | fraction }

    @Test("NTP counts from 1900, in 2^32nds of a second")
    func epoch() {
        let clock = NTPClock(reference: Self.reference, wallTime: WallTime(secondsSince1970: 0))
        #expect(clock.timestamp(at: Self.reference) == Self.ntp(2_208_988_800, 0))
        #expect(clock.timestamp(at: Self.reference + .milliseconds(1_500)) == Self.ntp(2_208_988_801, 0x8000_0000))
        #expect(clock.timestamp(at: Self.reference + .milliseconds(-250)) == Self.ntp(2_208_988_799, 0xc000_0000))
    }

    @Test("the seconds wrap in 2036 instead of trapping")
    func wrap() {
        let clock = NTPClock(reference: Self.reference, wallTime: WallTime(secondsSince1970: 2_085_978_496))
        #expect(clock.timestamp(at: Self.reference) == 0)
        #expect(clock.timestamp(at: Self.reference + .seconds(7)) == Self.ntp(7, 0))
    }
}
