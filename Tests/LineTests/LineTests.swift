import PictureSimulation
import Testing
import Timing

/// What a viewer sees over lines that are narrow, change, lose or fall silent, in virtual time with the real stage, estimator and pacer.
/// The seeds are fixed here, so that a failure means a change; `make bench-line` draws new ones.
@Suite struct LineTests {
    private func misses(
        _ seeds: ClosedRange<UInt64>, _ scenario: (UInt64) -> LineScenario, _ judge: (LineReport) -> [String]
    ) throws -> [String] {
        try seeds.flatMap { seed in
            let line = try PictureLine(scenario(seed), seed: seed)
            line.run()
            return judge(line.report).map { "\(seed): \($0)" }
        }
    }

    @Test("L11-S a line that falls to a quarter and rises again: one short freeze, the right layer, sound in time")
    func valley() throws {
        let misses = try misses(1...4, LineScenario.m6) { $0.missesOfM6 }
        #expect(misses.count <= 1, "\(misses)")
    }

    @Test("L11-S deep queues, long ways and wide lines: no long freeze, no estimate far over the line, sound in time")
    func hard() throws {
        for scenario in [LineScenario.deepQueue, LineScenario.longWay, LineScenario.wide] {
            let misses = try misses(1...2, scenario) { $0.missesOfM7 }
            #expect(misses.isEmpty, "\(misses)")
        }
    }

    @Test("L11-S beside a download a picture goes on")
    func competitor() throws {
        let misses = try misses(1...2, LineScenario.competitor) { $0.missesOfM7 }
        #expect(misses.isEmpty, "\(misses)")
    }

    @Test("L11-S after three seconds without anything the picture is back within one")
    func outage() throws {
        let misses = try misses(1...3, LineScenario.outage) { $0.missesOfOutage }
        #expect(misses.isEmpty, "\(misses)")
    }

    @Test(
        "L11-S behind 400 kbit/s, with 5 and 15 % loss and with 100 ms of jitter, pictures and sound go on",
        arguments: [0, 1, 2, 3])
    func bad(kind: Int) throws {
        var scenario = LineScenario(name: "bad", steps: [.init(begins: .zero, rate: kind == 0 ? 400_000 : 2_000_000)])
        scenario.loss = [0.01, 0.05, 0.15, 0][kind]
        scenario.jitter = kind == 3 ? .milliseconds(100) : .zero
        scenario.length = .seconds(30)
        let line = try PictureLine(scenario, seed: 7)
        line.run()
        let report = line.report
        let freezes = report.freezes(longerThan: .milliseconds(1_000)).filter { $0.end > .seconds(5) }
        #expect(freezes.isEmpty, "\(freezes)")
        #expect(report.shown[0]?.count ?? 0 > 500)
        #expect(Double(report.sound.count) > 1_400 * (1 - scenario.loss) * 0.97)
        #expect(report.longestWait(in: .seconds(5)...(.seconds(30))) < .milliseconds(250))
    }
}
