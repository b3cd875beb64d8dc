import DuetSimulation
import Testing
import Timing

/// Two whole engines and what is between them. `make soak-duet` lets them sing for an hour.
@Suite struct DuetTests {
    @Test("two sing with clocks 100 ppm apart: the delay stays, no click is heard, the buffers keep to their targets")
    func inStep() throws {
        let duet = try VirtualDuet()
        duet.run(12)
        duet.watch()
        duet.run(14)
        for singer in 0..<2 {
            let report = duet.report(singer)
            #expect(report.received > 2_700)
            #expect(report.faults(isLossFree: true).isEmpty, "\(report)")
        }
    }

    @Test(
        "D03-S D03-K from one singer's microphone to the other's ear is a packet, the two ways by the server, and a buffer of two packets at most"
    )
    func delay() throws {
        var conditions = VirtualDuet.Conditions()
        conditions.way = .milliseconds(1)
        conditions.jitter = .zero
        let duet = try VirtualDuet(conditions)
        duet.run(12)
        duet.watch()
        duet.run(10)
        for singer in 0..<2 {
            let report = duet.report(singer)
            let (packet, ways, target) = (5.0, 2.0, try #require(report.targetsMs.last))
            // The codec looks 2.5 ms ahead; a loudspeaker wants blocks of 5 ms, and asks for them when it likes.
            #expect(report.leastMs > packet + ways && report.mostMs < packet + 2.5 + ways + target + 5, "\(report)")
            #expect(target <= 2 * packet, "\(report)")
            #expect(report.faults(isLossFree: true).isEmpty, "\(report)")
        }
    }

    @Test("what a listener would hear is noticed: a sample lost, a sample doubled, a few milliseconds made up")
    func noticed() throws {
        let duet = try VirtualDuet()
        duet.run(6)
        duet.watch()
        for spoiling in VirtualDuet.Spoiling.allCases {
            #expect(duet.noticed(spoiling, of: 5) >= 4, "\(spoiling)")
        }
    }
}
