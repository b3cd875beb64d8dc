import Foundation
import PictureSimulation
import Timing

/// A viewer's line in virtual time, with the real stage, estimator and pacer: M6 and M7. Seeds are drawn when it starts, and printed.
/// Exits with 1 where fewer than nine in ten runs are without a miss.
@main
struct LineBench {
    typealias Judge = (LineReport) -> [String]

    private static let goal = 0.9

    static func main() throws {
        let arguments = CommandLine.arguments
        let count = value(of: "--seeds", in: arguments).flatMap(Int.init) ?? 200
        let base = value(of: "--seed", in: arguments).flatMap(UInt64.init) ?? UInt64.random(in: 1...(1 << 40))
        let only = value(of: "--only", in: arguments)
        let isVerbose = arguments.contains("--verbose")
        let work: [(String, (UInt64) -> LineScenario, Judge)] = [
            ("M6", LineScenario.m6, { $0.missesOfM6 }),
            ("M7 queue", LineScenario.deepQueue, { $0.missesOfM7 }),
            ("M7 way", LineScenario.longWay, { $0.missesOfM7 }),
            ("M7 wide", LineScenario.wide, { $0.missesOfM7 }),
            ("M7 beside", LineScenario.competitor, { $0.missesOfM7 }),
            ("M7 ten", LineScenario.tenPictures, { $0.missesOfM7 }),
            ("loss", { _ in LineScenario.lossy }, { $0.missesOfM7 }),
            ("outage", LineScenario.outage, { $0.missesOfOutage }),
        ]
        var isShort = false
        say("seeds \(base)…\(base + UInt64(count) - 1)")
        for (name, scenario, judge) in work where only == nil || only == name {
            var well = 0
            var kinds: [String: Int] = [:]
            let start = Date()
            for seed in base..<base + UInt64(count) {
                let line = try PictureLine(scenario(seed), seed: seed)
                line.run()
                let misses = judge(line.report)
                if misses.isEmpty { well += 1 }
                for miss in misses { kinds[String(miss.prefix { !$0.isNumber }), default: 0] += 1 }
                if isVerbose {
                    say(
                        "\(seed) \(misses) key frames \(line.report.keyFrames), repeats \(line.report.repeats), filling \(line.report.filling), skipped \(line.report.skipped)"
                    )
                    if arguments.contains("--trace") { trace(line.report) }
                }
            }
            let isEnough = Double(well) >= goal * Double(count)
            if !isEnough { isShort = true }
            say(
                "\(name): \(well) of \(count)\(isEnough ? "" : ", TOO FEW")  \(kinds)  \(Int(Date().timeIntervalSince(start))) s"
            )
        }
        if isShort { exit(1) }
    }

    static func trace(_ report: LineReport) {
        for (index, sample) in report.estimates.enumerated() where index % 5 == 0 {
            let shown = report.shown[0]?.filter { $0.at <= sample.at && sample.at - $0.at < .milliseconds(500) } ?? []
            let wait =
                report.sound.filter { $0.sent <= sample.at && sample.at - $0.sent < .milliseconds(500) }.map(
                    \.waited.milliseconds
                ).max() ?? 0
            say(
                String(
                    format: "%6.1f est %5d line %5d layer %d frames %2d wait %3d",
                    (sample.at - report.began).seconds, Int(sample.estimate / 1000), Int(sample.line / 1000),
                    shown.last?.layer ?? -1, shown.count, wait))
        }
    }

    /// At once, so that a run that is stopped has said what it knows.
    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func value(of name: String, in arguments: [String]) -> String? {
        arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }
}
