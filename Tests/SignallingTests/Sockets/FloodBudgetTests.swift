import HTTP
import Testing
import Timing

@testable import Signalling

@Suite struct FloodBudgetTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 5_000_000_000) + .milliseconds(milliseconds)
    }

    @Test("over the budget calls are refused with a wait, and going on regardless is a flood; heeding the wait is not")
    func flood() {
        var budget = FloodBudget(AdmissionLimits().calls, now: at(0))
        var verdicts: [FloodBudget.Verdict] = []
        for _ in 0..<400 { verdicts.append(budget.receive(200, now: at(0))) }
        #expect(verdicts.prefix(120).allSatisfy { $0 == .pass })
        #expect(verdicts[120] == .refuse(retryAfterMs: 25))
        #expect(verdicts[319] == .refuse(retryAfterMs: 25))
        #expect(verdicts[320] == .flood)

        var patient = FloodBudget(AdmissionLimits().calls, now: at(0))
        for call in 0..<2000 {
            let verdict = patient.receive(200, now: at(Int64(call) * 26))
            #expect(verdict == .pass)
        }
    }
}
