import PictureSimulation
import Timing

/// A viewer's line of many virtual hours, with the real stage, estimator, pacer and media paths. It falls to a quarter for a minute, six
/// times an hour, loses packets all the time, and lives long enough for all numbers to come round: those of packets every five minutes,
/// the timestamps of pictures after 13 hours and a quarter.
struct PictureAging {
    private static let windows = 30
    private static let high = 2e6
    private static let low = 0.5e6
    private static let cycle = Interval.seconds(600)
    private static let valley = Interval.seconds(60)
    /// Cameras begin with the second second; the first window is not to begin with the climb of a new line.
    private static let warmUp = Interval.seconds(120)
    /// A picture that stands for longer is seen as broken. Falls with lost packets take up to a second and a half now and then.
    private static let longestFreeze = Interval.seconds(3)
    private static let longestWait = Interval.milliseconds(400)
    /// Of 30 frames a second: what falls and losses may take.
    private static let leastShare = 0.9

    let hours: Double

    func run() throws -> Aging {
        let seed = UInt64.random(in: 1...(1 << 40))
        print("seed \(seed)")
        let length = Interval(seconds: hours * 3_600)
        var steps = [LineScenario.Step(begins: .zero, rate: Self.high)]
        var start = Self.warmUp
        while start < length + Self.warmUp {
            steps.append(LineScenario.Step(begins: start + Self.cycle - Self.valley, rate: Self.low))
            start = start + Self.cycle
            steps.append(LineScenario.Step(begins: start, rate: Self.high))
        }
        var scenario = LineScenario(name: "a long life", steps: steps)
        scenario.jitter = .milliseconds(20)
        scenario.loss = 0.01
        let line = try PictureLine(scenario, seed: seed)
        line.run(until: Self.warmUp)
        _ = line.takeReport()

        var aging = Aging(name: "seconds of a viewer's virtual line", units: Int(length.seconds), windows: [])
        for window in 1...Self.windows {
            let end = Self.warmUp + Interval(seconds: length.seconds * Double(window) / Double(Self.windows))
            let seconds = length.seconds / Double(Self.windows)
            let before = AgeSoak.processorTime()
            line.run(until: end)
            aging.windows.append(
                Aging.Window(
                    microsecondsPerUnit: (AgeSoak.processorTime() - before) * 1e6 / seconds,
                    residentMiB: AgeSoak.residentMiB()))
            aging.broken += judge(line.takeReport(), seconds: seconds).map { "window \(window): \($0)" }
        }
        return aging
    }

    private func judge(_ report: LineReport, seconds: Double) -> [String] {
        var found: [String] = []
        let frames = report.shown[0] ?? []
        if Double(frames.count) < seconds * 30 * Self.leastShare { found.append("\(frames.count) frames shown") }
        let gaps = zip(frames, frames.dropFirst()).map { $1.at - $0.at }
        if let longest = gaps.max(), longest > Self.longestFreeze {
            found.append("a picture that stood for \(longest.milliseconds) ms")
        }
        if let longest = report.sound.map(\.waited).max(), longest > Self.longestWait {
            found.append("sound that waited for \(longest.milliseconds) ms")
        }
        if report.sound.count < Int(seconds * 50 * 0.97) { found.append("\(report.sound.count) packets of sound") }
        return found
    }
}
