import ClientMedia
import Foundation
import Timing

/// Singing together, in figures: `--only D1,D2,D5` chooses, `--json PATH` writes them, too.
///
/// D5 starts this program again for each singer (`--singer`). For Jamulus, scripts/bench-duet-stalls asks it for the signal (`--signal`),
/// for the standstills (`--stop`) and for what the recording says (`--judge`).
@main
struct DuetBench {
    struct Report: Encodable {
        var machine: String
        var D1: [SingerToSinger.Line]?
        var D2: [AccompanimentStart.Line]?
        var D5: [StalledSingers.Line]?
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        if try await helped(arguments) { return }
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
        if chosen?.contains("D5") ?? false {
            let seconds = value(of: "--seconds", in: arguments).flatMap(Int.init) ?? 20
            let seed = value(of: "--seed", in: arguments).flatMap(UInt64.init) ?? 1
            report.D5 = try await StalledSingers.run(seconds: seconds, seed: seed)
            isMeasured = isMeasured && report.D5 != nil
        }
        if let path = value(of: "--json", in: arguments) {
            try JSONEncoder().encode(report).write(to: URL(fileURLWithPath: path))
        }
        guard isMeasured else {
            say("too little was heard to measure anything")
            exit(1)
        }
    }

    /// What D5 asks of this program beside the measurement.
    private static func helped(_ arguments: [String]) async throws -> Bool {
        let seconds = value(of: "--seconds", in: arguments).flatMap(Double.init) ?? 20
        if let role = value(of: "--singer", in: arguments) {
            guard
                let frame = FrameDuration.allCases.first(where: {
                    "\($0.frames)" == value(of: "--frame", in: arguments)
                }),
                let epoch = value(of: "--epoch", in: arguments).flatMap(Int64.init),
                let recording = value(of: "--recording", in: arguments)
            else { throw Misused() }
            try await StalledSingers.sing(
                role, frame: frame, epoch: Instant(nanoseconds: epoch), recording: recording)
        } else if let path = value(of: "--signal", in: arguments) {
            try writeSignal(to: path, seconds: seconds)
        } else if let processes = value(of: "--stop", in: arguments) {
            let seed = value(of: "--seed", in: arguments).flatMap(UInt64.init) ?? 1
            await Stalls.stop(processes.split(separator: ",").compactMap { Int32($0) }, seconds: seconds, seed: seed)
        } else if let path = value(of: "--judge", in: arguments) {
            try judge(
                path, value(of: "--name", in: arguments) ?? "",
                isStalled: value(of: "--clients", in: arguments) == "stopped",
                skipping: value(of: "--skip", in: arguments).flatMap(Int.init) ?? 0, seconds: Int(seconds))
        } else {
            return false
        }
        return true
    }

    private struct Misused: Error {}

    /// One channel of 16 bits.
    private static func writeSignal(to path: String, seconds: Double) throws {
        let frames = Int(seconds * 48_000)
        var data = Data("RIFF".utf8)
        func add(_ value: Int, _ bytes: Int) {
            for place in 0..<bytes { data.append(UInt8(value >> (8 * place) & 255)) }
        }
        add(36 + frames * 2, 4)
        data += Data("WAVEfmt ".utf8)
        for (value, bytes) in [(16, 4), (1, 2), (1, 2), (48_000, 4), (96_000, 4), (2, 2), (16, 2)] { add(value, bytes) }
        data += Data("data".utf8)
        add(frames * 2, 4)
        for frame in 0..<frames { add(Int(Bursts.value(at: frame) * 32_767) & 0xffff, 2) }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// The recording has the signal on its left channel, and what became of it on its right.
    private static func judge(_ path: String, _ name: String, isStalled: Bool, skipping: Int, seconds: Int) throws {
        let recording = try TwoChannels(wav: path)
        // The signal repeats: where it begins is found but for whole periods, which make no difference.
        let start = (0..<Bursts.distance * Bursts.pitches.count).max {
            likeness(recording.left, $0) < likeness(recording.left, $1)
        }
        guard let start,
            let result = Bursts.find(
                in: recording.right, first: -start, span: skipping * 48_000..<(skipping + seconds) * 48_000)
        else { throw Misused() }
        say(StalledSingers.row(name, isStalled, result))
    }

    private static let signal = (0..<Bursts.distance * Bursts.pitches.count).map(Bursts.value)

    private static func likeness(_ samples: [Float], _ start: Int) -> Float {
        // A whole period, looked at coarsely.
        stride(from: 0, to: Bursts.distance * Bursts.pitches.count, by: 3).reduce(0) { sum, frame in
            start + frame < samples.count ? sum + samples[start + frame] * signal[frame] : sum
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
