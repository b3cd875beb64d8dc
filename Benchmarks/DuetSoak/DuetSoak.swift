import DuetSimulation
import Foundation
import Timing

/// One hour of two people singing together, in virtual time, their clocks 100 ppm apart: without loss, and with a little. Exits with
/// 1 if the delay wanders, a click is heard, or a buffer leaves its target. `--loss PERCENT` sings only once, with that loss.
@main
struct DuetSoak {
    struct Run: Encodable {
        var name: String
        var minutes: Double
        var ppm: Double
        var lossPercent: Double
        /// What each hears of the other: the slower clock first.
        var heard: [DuetReport] = []
        var faults: [String] = []
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        let minutes = value(of: "--minutes", in: arguments).flatMap(Double.init) ?? 60
        let ppm = value(of: "--ppm", in: arguments).flatMap(Double.init) ?? 100
        let seed = value(of: "--seed", in: arguments).flatMap(UInt64.init) ?? 1
        var isWell = try calibrate(ppm: ppm, seed: seed)
        var runs: [Run] = []
        let chosen = value(of: "--loss", in: arguments).flatMap(Double.init)
        for loss in chosen.map({ [$0 / 100] }) ?? [0, 0.005] {
            let run = try sing(minutes: minutes, ppm: ppm, loss: loss, seed: seed)
            runs.append(run)
            isWell = isWell && run.faults.isEmpty
        }
        if let path = value(of: "--json", in: arguments) {
            try JSONEncoder().encode(runs).write(to: URL(fileURLWithPath: path))
        }
        say(isWell ? "all is well" : "NOT AS IT SHOULD BE")
        exit(isWell ? 0 : 1)
    }

    private static func value(of name: String, in arguments: [String]) -> String? {
        arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }

    /// A check that notices nothing is worth nothing.
    private static func calibrate(ppm: Double, seed: UInt64) throws -> Bool {
        var isGood = true
        for spoiling in VirtualDuet.Spoiling.allCases {
            var conditions = VirtualDuet.Conditions()
            conditions.ppm = ppm
            conditions.seed = seed
            let duet = try VirtualDuet(conditions)
            duet.run(VirtualDuet.settling)
            duet.watch()
            let count = 50
            let noticed = duet.noticed(spoiling, of: count)
            say("the check notices \(noticed) of \(count) times \(spoiling.rawValue)")
            isGood = isGood && noticed >= count * 9 / 10
        }
        return isGood
    }

    private static func sing(minutes: Double, ppm: Double, loss: Double, seed: UInt64) throws -> Run {
        var conditions = VirtualDuet.Conditions()
        conditions.ppm = ppm
        conditions.loss = loss
        conditions.seed = seed
        let name = loss == 0 ? "no loss" : "\(loss * 100) % loss each way"
        var run = Run(name: name, minutes: minutes, ppm: ppm, lossPercent: loss * 100)
        say(
            "\n\(Int(minutes)) minutes, \(Int(ppm)) ppm, \(conditions.way.milliseconds) ms + 0…"
                + "\(conditions.jitter.milliseconds) ms to the server and from it, \(name)")
        let began = Date()
        let duet = try VirtualDuet(conditions)
        duet.run(VirtualDuet.settling)
        duet.watch()
        let part = max(1, min(10, minutes / 6))
        var passed = 0.0
        while passed < minutes {
            let next = min(part, minutes - passed)
            duet.run(next * 60)
            passed += next
            let delays = duet.ears.map { String(format: "%.2f ms", ($0.watch.delay ?? .nan) * 1_000) }
            let breaks = duet.ears.map { String($0.watch.events.count) }
            say(
                String(
                    format: "%5.0f min: delays %@, breaks %@, %.0f s", passed, delays.joined(separator: " "),
                    breaks.joined(separator: " "), Date().timeIntervalSince(began)))
        }
        for singer in 0..<2 {
            let report = duet.report(singer)
            run.heard.append(report)
            say(
                String(
                    format: "  heard by %@: delay %.2f → %.2f ms (%.2f…%.2f), drift %.1f ppm, "
                        + "buffer at most %.2f ms from its target of %.1f…%.1f ms",
                    singer == 0 ? "A" : "B", report.firstMs, report.lastMs, report.leastMs, report.mostMs,
                    report.driftPPM, report.furthestMs, report.targetsMs.first ?? .nan,
                    report.targetsMs.last ?? .nan))
            say(
                String(
                    format:
                        "    %d breaks (%d without a reason), %d slips; beside the tone at most %.1f dB, steps of %.2f µs and %.3f dB; "
                        + "%llu samples concealed, %llu spliced, %llu late, %llu left out of %llu packets",
                    report.breaks.count, report.unexplainedBreaks.count, report.slips, report.highDB,
                    report.stepMicroseconds, report.levelDB,
                    report.concealedFrames, report.splicedFrames, report.late, report.discarded, report.received))
            run.faults += report.faults(isLossFree: loss == 0).map { "\(singer == 0 ? "A" : "B"): \($0)" }
        }
        for fault in run.faults { say("  FAULT \(fault)") }
        return run
    }
}

/// Prints a line at once, also where the output is piped.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
