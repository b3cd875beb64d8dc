import Foundation
import NIOCore
import NIOPosix
import Ovation
import RoomModel
import SoundAnalysis

/// D3: what the audience of a duet hears. Two singers by the SDK, each behind a line of its own, sing a known noise to what they hear
/// of the song, whose file is a known noise too; by cross-correlation of what a listener heard with all of them it is found how far
/// each voice lies from the accompaniment.
@main
struct AudienceBench {
    struct Options {
        var minutes = 10.0
        var json: String?
        var server = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/ovation"
        var web = "Web"
        /// A program that listens in a browser, and its first arguments.
        var browser: [String] = []
        var trace: String?

        init(_ arguments: [String]) throws {
            var rest = arguments[...]
            while let name = rest.popFirst() {
                guard let value = rest.popFirst() else { throw BenchFailure("\(name) wants a value") }
                switch name {
                case "--minutes": minutes = Double(value) ?? minutes
                case "--json": json = value
                case "--server": server = value
                case "--web": web = value
                case "--browser": browser = value.split(separator: " ").map(String.init)
                case "--trace": trace = value
                default: throw BenchFailure("unknown argument \(name)")
                }
            }
        }
    }

    /// A voice, its line, its devices' clock, and whether its packets say where in the song they belong.
    struct Part {
        var name: String
        var seed: UInt64
        var ppm: Double
        var delay: TimeAmount
        var jitter = TimeAmount.milliseconds(20)
        var loss = 0.02
        var statesPosition = true
    }

    static let parts = [
        Part(name: "A, 0 ms", seed: 11, ppm: 50, delay: .zero),
        Part(name: "B, 80 ms", seed: 12, ppm: -50, delay: .milliseconds(80)),
        // Not of the goal: what a browser's voice gets.
        Part(name: "C, 40 ms, by arrival", seed: 13, ppm: 20, delay: .milliseconds(40), statesPosition: false),
    ]

    struct Report: Encodable {
        struct Listener: Encodable {
            var name: String
            var voices: [Alignment.Voice]
            var goalMet: Bool
        }
        struct Way: Encodable {
            var name: String
            var packets: Int
            var lost: Int
            var roundTripMs: Double
            var clockErrorMs: Double
            /// What the singer's loudspeaker played against the position that the client told: median and p95 of the size.
            var heardMedianMs: Double
            var heardP95Ms: Double
        }
        var seconds: Int
        var listeners: [Listener] = []
        var lines: [Way] = []
        var serverProcessor = 0.0
        var load = ""
    }

    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let report = try await run(options)
            if let path = options.json {
                let encoder = JSONEncoder()
                encoder.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: "none", negativeInfinity: "none", nan: "none")
                try encoder.encode(["D3": report]).write(to: URL(fileURLWithPath: path))
            }
            guard report.listeners.allSatisfy({ $0.voices.allSatisfy { $0.found * 2 > $0.looks && $0.looks > 5 } })
            else {
                throw BenchFailure("too little was heard to measure anything")
            }
        } catch {
            print("D3 could not be measured: \(error)")
            exit(1)
        }
    }

    /// After its start the song is left alone for so long; clocks settle meanwhile.
    private static let settling = 10
    private static let lead = 3

    private static func run(_ options: Options) async throws -> Report {
        let seconds = Int(options.minutes * 60)
        let length = seconds + settling + 10
        let song = KnownNoise(seed: 1)
        let voices = parts.map { KnownNoise(seed: $0.seed) }
        let place = "/songs/1/00000000000000aa/"
        let server = try await ServerUnderTest(
            executable: URL(fileURLWithPath: options.server), web: options.web
        ) { data in
            try FileManager.default.createDirectory(atPath: data + place, withIntermediateDirectories: true)
            try song.wave(seconds: length).write(to: URL(fileURLWithPath: data + place + "accompaniment.wav"))
        }
        defer { server.stop() }

        var lines: [Line] = []
        var singers: [Person] = []
        let group = MultiThreadedEventLoopGroup.singleton
        for (index, part) in parts.enumerated() {
            let line = try await Line(
                to: server.port, media: server.mediaPort,
                conditions: .init(delay: part.delay, jitter: part.jitter, loss: part.loss), loop: group.next())
            let singer = try await Person(part.name, port: line.port)
            let room =
                if let stage = singers.first?.room { try await singer.enter(stage.id) } else {
                    try await singer.create(seats: parts.count)
                }
            try await singer.connected()
            try await room.takeSeat(index)
            lines.append(line)
            singers.append(singer)
        }
        guard let stage = singers.first?.room else { throw BenchFailure("nobody sings") }
        let ears = zip(parts, zip(singers, voices)).map { part, singing in
            singing.0.sing(singing.1, ppm: part.ppm, statesPosition: part.statesPosition)
        }
        let listener = try await Person("Listener", port: server.port)
        _ = try await listener.enter(stage.id)
        try await listener.connected()
        let ear = listener.listen(seconds: length + 30)
        let file = server.data + "/browser.s16"
        let browser = try browse(options.browser, server: server, room: stage.id, seconds: length + lead, file: file)

        try await stage.startSong(
            Song(
                id: "noise", title: "Noise", durationMs: Int64(length) * 1_000,
                accompaniment: place + "accompaniment.wav"),
            lead: .seconds(lead))
        let before = server.processorSeconds
        try await Task.sleep(for: .seconds(lead + settling))
        let first = ear.samples.count
        try await Task.sleep(for: .seconds(seconds))

        var report = Report(seconds: seconds)
        report.serverProcessor = ((server.processorSeconds ?? 0) - (before ?? 0)) / Double(seconds + settling + lead)
        report.load =
            (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").prefix(3)
            .joined(separator: " ") ?? ""
        for (index, singer) in singers.enumerated() {
            let count = lines[index].count
            let statistics = singer.room?.audio.statistics
            let played = ears[index].errors(of: song, after: Double(settling) * 48_000).map { abs($0) }.sorted()
            report.lines.append(
                Report.Way(
                    name: parts[index].name, packets: count.passed, lost: count.lost,
                    roundTripMs: (statistics?.roundTrip).map(milliseconds) ?? .nan,
                    clockErrorMs: (singer.client.clock.reading?.error).map(milliseconds) ?? .nan,
                    heardMedianMs: played.isEmpty ? .nan : played[played.count / 2],
                    heardP95Ms: played.isEmpty ? .nan : played[played.count * 95 / 100]))
            // A line that sound went round would measure nothing.
            guard count.passed > 100 * seconds else { throw BenchFailure("\(parts[index].name) sang past its line") }
        }
        let heard = ear.samples
        browser?.waitUntilExit()
        try add(heard, from: first, as: "server mix", song, voices, options, into: &report)
        if browser != nil {
            // Where the song begins is not known there: from the first sound on the same time passes.
            let samples = try signed16(file)
            let begin = (samples.firstIndex { abs($0) > 0.02 } ?? 0) + settling * 48_000
            try add(
                Array(samples.prefix(begin + seconds * 48_000)), from: begin, as: "Chromium", song, voices, options,
                into: &report)
        }
        for singer in singers + [listener] { await singer.leave() }
        for line in lines { await line.close() }
        show(report)
        return report
    }

    private static func add(
        _ heard: [Float], from first: Int, as name: String, _ song: KnownNoise, _ voices: [KnownNoise],
        _ options: Options, into report: inout Report
    ) throws {
        var rows = ""
        let found = Alignment().measure(
            heard, from: first, song: song, voices: zip(parts, voices).map { ($0.name, $1) }
        ) { place, errors in
            rows +=
                "\(name)\t\(place / 48_000)\t"
                + errors.map { $0.map { String(format: "%.2f", $0) } ?? "-" }.joined(separator: "\t") + "\n"
        }
        if let path = options.trace {
            let old = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            try (old + rows).write(toFile: path, atomically: true, encoding: .utf8)
        }
        let ofGoal = zip(parts, found).filter { $0.0.statesPosition }.map(\.1)
        report.listeners.append(
            Report.Listener(name: name, voices: found, goalMet: ofGoal.allSatisfy { $0.median <= 2 && $0.p99 <= 5 }))
    }

    private static func browse(
        _ program: [String], server: ServerUnderTest, room: RoomID, seconds: Int, file: String
    ) throws -> Process? {
        guard let executable = program.first else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments =
            program.dropFirst() + [
                "--url", "http://localhost:\(server.port)", "--room", "\(room)", "--seconds", String(seconds), "--out",
                file,
            ]
        // It says when it listens: the song is not to begin before.
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        guard let said = String(bytes: output.fileHandleForReading.availableData, encoding: .utf8),
            said.hasPrefix("ready")
        else { throw BenchFailure("no browser listens") }
        return process
    }

    private static func signed16(_ path: String) throws -> [Float] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 2).map { Float(raw.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)) / 32_768 }
        }
    }

    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    private static func show(_ report: Report) {
        print(
            "D3  what the audience hears, \(report.seconds) s: how far each voice lies from the accompaniment; lines with up to 20 ms of jitter and 2 % loss each way"
        )
        print("listener     voice                   median       p99      most      bias   found")
        for listener in report.listeners {
            for voice in listener.voices {
                print(
                    listener.name.padding(toLength: 13, withPad: " ", startingAt: 0)
                        + voice.name.padding(toLength: 20, withPad: " ", startingAt: 0)
                        + String(
                            format: "%7.2f ms %6.2f ms %6.2f ms %+6.2f ms   %d of %d", voice.median, voice.p99,
                            voice.most,
                            voice.bias, voice.found, voice.looks))
            }
            print("             goal of A and B (median 2, p99 5 ms): \(listener.goalMet ? "met" : "MISSED")")
        }
        for line in report.lines {
            print(
                "line of \(line.name): \(line.packets) packets passed, \(line.lost) lost; round trip "
                    + String(
                        format:
                            "%.1f ms, room time known to %.1f ms; the song was played where the client said to %.2f ms (median; p95 %.2f ms)",
                        line.roundTripMs, line.clockErrorMs, line.heardMedianMs, line.heardP95Ms))
        }
        print(
            String(format: "server: %.1f %% of a core; load of the machine at the end: ", report.serverProcessor * 100)
                + report.load)
    }
}
