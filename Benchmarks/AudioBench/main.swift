// What sample processing costs: CPU time of this thread per 10 ms of stereo sound at 48 kHz, for everything that the
// client may run on a device's thread. `audiobench [--json FILE] [--runs N]`.

import AudioGraph
import Foundation

struct Figure: Codable {
    let name: String
    /// Nanoseconds per 10 ms block: median, least and most over the runs' means.
    let median: Double
    let least: Double
    let most: Double
    /// The slowest block of a run, median over the runs.
    let slowestBlock: Double
    /// Share of a core at 48 kHz, in percent.
    let coreShare: Double
}

struct Report: Codable {
    let machine: String
    let runs: Int
    let blocksPerRun: Int
    let goalPercent: Double
    let figures: [Figure]
}

func argument(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
    return arguments[place + 1]
}

/// Time of this thread alone, so that what else the machine does counts less.
func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.count % 2 == 1
        ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
}

func measure(_ work: Work, runs: Int, blocks: Int) -> Figure {
    var means: [Double] = []
    var slowest: [Double] = []
    for run in 0...runs {
        let begin = threadTime()
        for _ in 0..<blocks { work.run() }
        let mean = (threadTime() - begin) / Double(blocks)
        // A second round block by block: reading the clock costs too much for the mean.
        var most = 0.0
        for _ in 0..<blocks {
            let begin = threadTime()
            work.run()
            most = max(most, threadTime() - begin)
        }
        guard run > 0 else { continue }  // The first one warms up.
        means.append(mean)
        slowest.append(most)
    }
    let middle = median(means)
    return Figure(
        name: work.name, median: middle, least: means.min() ?? 0, most: means.max() ?? 0,
        slowestBlock: median(slowest), coreShare: middle / 1e7 * 100)
}

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

func machine() -> String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
    let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return (model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor")
        + ", \(ProcessInfo.processInfo.activeProcessorCount) cores"
}

let goal = 1.0
let runs = argument("--runs").flatMap { Int($0) } ?? 9
let blocks = 300
print("CPU time for 10 ms of stereo sound at 48 kHz; \(runs) runs of \(blocks) blocks after a warm-up; \(machine())")
print(padded("", 34) + "  median ns     least      most   slowest  % of a core")
var figures: [Figure] = []
for work in Work.all() {
    let figure = measure(work, runs: max(1, runs), blocks: blocks)
    figures.append(figure)
    let columns = String(
        format: "%11.0f %9.0f %9.0f %9.0f %10.3f", figure.median, figure.least, figure.most, figure.slowestBlock,
        figure.coreShare)
    print(padded(figure.name, 34) + columns + (figure.coreShare > goal ? "  above \(goal) %" : ""))
}
let over = figures.filter { $0.coreShare > goal }.count
print(over == 0 ? "all below \(goal) % of a core" : "\(over) above \(goal) % of a core")
if let path = argument("--json") {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let report = Report(machine: machine(), runs: runs, blocksPerRun: blocks, goalPercent: goal, figures: figures)
    try encoder.encode(report).write(to: URL(fileURLWithPath: path))
}
