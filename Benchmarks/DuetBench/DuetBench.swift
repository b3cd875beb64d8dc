import Foundation

/// Singing together, in figures: `--only D1,D2` chooses, `--json PATH` writes them, too.
@main
struct DuetBench {
    struct Report: Encodable {
        var machine: String
        var D1: [SingerToSinger.Line]?
        var D2: [AccompanimentStart.Line]?
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        let chosen = value(of: "--only", in: arguments).map { $0.split(separator: ",").map(String.init) }
        var report = Report(machine: machine)
        say(report.machine)
        var isMeasured = true
        if chosen?.contains("D1") ?? true {
            let seconds = value(of: "--seconds", in: arguments).flatMap(Int.init) ?? 20
            report.D1 = try await SingerToSinger.run(seconds: seconds)
            isMeasured = report.D1 != nil
        }
        if chosen?.contains("D2") ?? true {
            var plan = AccompanimentStart.Plan()
            if let starts = value(of: "--starts", in: arguments).flatMap(Int.init) { plan.starts = max(1, starts) }
            if let seconds = value(of: "--song-seconds", in: arguments).flatMap(Int.init) {
                plan.seconds = max(2, seconds)
            }
            if let together = value(of: "--together", in: arguments).flatMap(Int.init) {
                plan.together = max(1, together)
            }
            report.D2 = try await AccompanimentStart.run(plan)
            isMeasured = isMeasured && report.D2 != nil
        }
        if let path = value(of: "--json", in: arguments) {
            try JSONEncoder().encode(report).write(to: URL(fileURLWithPath: path))
        }
        guard isMeasured else {
            say("too little was heard to measure anything")
            exit(1)
        }
    }

    private static func value(of name: String, in arguments: [String]) -> String? {
        arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }

    /// Processor, number of cores, and what else the machine was doing.
    private static var machine: String {
        let model = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first ?? "?"
        return "\(model ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores, load \(load)"
    }
}

/// Prints a line at once, also where the output is piped.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
