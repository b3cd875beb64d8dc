import Commerce
import Foundation
import RoomEvents
import Testing

/// One node under faults: `make simulate` runs more of them, and any seed again.
@Suite(.serialized) struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// Each run goes through so many, and is run twice.
    private static let stepsOfRun = 2_000
    private static let steps = environment["OVATION_SIMULATION_STEPS"].flatMap(Int.init) ?? 100_000
    private static let first = environment["OVATION_SIMULATION_FIRST"].flatMap(UInt64.init) ?? 2_026
    private static let seed = environment["OVATION_SIMULATION_SEED"].flatMap(UInt64.init)

    private struct Outcome: Equatable {
        var trace: UInt64
        var counts: Counts
        var violation: String?
        var last: [String] = []

        static func == (a: Outcome, b: Outcome) -> Bool {
            a.trace == b.trace && a.counts == b.counts && a.violation == b.violation
        }
    }

    private func run(_ seed: UInt64, plant: Simulation.Plant? = nil) async throws -> Outcome {
        let simulation = try await Simulation(seed: seed, plant: plant)
        var violation: String?
        do {
            try await simulation.run(steps: Self.stepsOfRun)
            try await simulation.end()
        } catch let found as Simulation.Violation { violation = found.description }
        return Outcome(
            trace: simulation.trace.sum, counts: simulation.counts, violation: violation, last: simulation.trace.last)
    }

    /// Rooms end and begin anew, hosts challenge each other, people are muted, put out, reported and erased meanwhile.
    @Test(
        "R13-S whatever fails or is killed between any two steps: what is told is stored, what is paid is told once, and nothing is lost"
    )
    func holds() async throws {
        let runs = max(1, Self.steps / (2 * Self.stepsOfRun))
        let seeds = Self.seed.map { [$0] } ?? (0..<UInt64(runs)).map { Self.first + $0 }
        var sum = Counts()
        for seed in seeds {
            // Beside each other: two simulations have nothing in common.
            async let again = run(seed)
            let first = try await run(seed)
            let second = try await again
            #expect(first == second, "seed \(seed) goes otherwise the second time")
            if let violation = first.violation {
                Issue.record("OVATION_SIMULATION_SEED=\(seed): \(violation)\n\(first.last.joined(separator: "\n"))")
                return
            }
            sum += first.counts
        }
        print("simulated: \(sum)")
        if Self.seed == nil {
            #expect(sum.kills > 0 && sum.failedCommits > 0 && sum.gaps > 0 && sum.repeats > 0, "\(sum)")
            #expect(sum.gifts > 100 && sum.messages > 100 && sum.untoldCommits > 0, "\(sum)")
            #expect(
                sum.lives > 10 && sum.erased > 0 && sum.reports > 10 && sum.removals > 10 && sum.muted > 10, "\(sum)")
            #expect(sum.challenges > 10 && sum.links > 10 && sum.results > 0 && sum.lostParcels > 0, "\(sum)")
        }
    }

    @Test("R13-S a disk that answers before it has stored a gift is found out, and by the same seed each time")
    func finds() async throws {
        let first = try await run(2_026, plant: .lostTransfer)
        let second = try await run(2_026, plant: .lostTransfer)
        #expect(first.violation != nil && first == second, "\(first)")
    }
}
