import DuetSimulation
import Testing

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
