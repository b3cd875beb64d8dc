import AudioGraph
import ClientMedia
import DatagramIO
import Foundation
import MediaDevices
import MediaNode
import RoomPorts
import Synchronization
import Timing
import Wire

/// D5: D1 while both clients are stopped and continued at random, as by a machine whose host takes its processors away. Each singer is
/// a process of its own.
enum StalledSingers {
    struct Line: Encodable {
        var frame: String
        var isStalled: Bool
        var result: Bursts.Result
    }

    /// Prints the table. `nil` if too little was heard to measure anything.
    static func run(seconds: Int, seed: UInt64) async throws -> [Line]? {
        say("D5  singer to singer, loopback, \(seconds) s each; both clients stopped 3 times a second for 5 to 30 ms,")
        say("    and every 5 s for 150 ms (seed \(seed)); tones found in the recording")
        say("frame    clients     tones   median      p99   missing or made up")
        var lines: [Line] = []
        for (duration, name) in [(FrameDuration.ms2_5, "2.5 ms"), (.ms5, "5 ms")] {
            for isStalled in [false, true] {
                guard let result = try await measure(duration, seconds: seconds, seed: isStalled ? seed : nil) else {
                    return nil
                }
                lines.append(Line(frame: name, isStalled: isStalled, result: result))
                say(row(name, isStalled, result))
            }
        }
        return lines
    }

    static func row(_ name: String, _ isStalled: Bool, _ result: Bursts.Result) -> String {
        name.padding(toLength: 8, withPad: " ", startingAt: 0)
            + (isStalled ? " stopped " : " running ")
            + String(
                format: "%8d %8.1f ms %6.1f ms %10.2f %%", result.tones, result.medianMs, result.p99Ms,
                result.missing * 100)
    }

    private static func measure(_ duration: FrameDuration, seconds: Int, seed: UInt64?) async throws -> Bursts.Result? {
        var configuration = MediaNodeConfiguration()
        configuration.port = 0
        configuration.bindAddresses = [IPAddress(v4: 127, 0, 0, 1)]
        let node = try await MediaPlane.start(configuration)
        defer { node.stop() }
        let stage = StageID(rawValue: 1)
        node.openStage(stage, slots: 2)
        let epoch = SystemClock.now() + .seconds(1)
        let recording = FileManager.default.temporaryDirectory.path + "/ovation-d5-\(getpid()).f32"
        defer { try? FileManager.default.removeItem(atPath: recording) }
        var singers: [ChildProcess] = []
        defer { for singer in singers { singer.kill() } }
        for (number, role) in ["sing", "listen"].enumerated() {
            let singer = try ChildProcess([
                "--singer", role, "--frame", "\(duration.frames)", "--epoch", "\(epoch.nanoseconds)", "--recording",
                recording,
            ])
            singers.append(singer)
            let id = PeerID(rawValue: UInt64(number + 1))
            node.admit(id, on: stage)
            let offer = MediaOffer(stage: stage, peer: id, number: 1, sdp: try singer.text())
            singer.say(try await node.answer(offer).sdp)
            guard try singer.text() == "connected" else { return nil }
            await withCheckedContinuation { done in
                node.assign(slot: number, to: id, muted: false, dark: false, on: stage) { done.resume() }
            }
        }
        // Buffers settle first.
        try await Task.sleep(for: .seconds(4))
        let begin = SystemClock.now()
        if let seed {
            await Stalls.stop(singers.map(\.id), seconds: Double(seconds), seed: seed)
        } else {
            // The time that is measured.
            try await Task.sleep(for: .seconds(seconds))
        }
        let end = SystemClock.now()
        for singer in singers.reversed() { _ = try singer.finish() }
        let data = try Data(contentsOf: URL(fileURLWithPath: recording))
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        return Bursts.find(in: samples, first: 0, span: frame(at: begin, epoch)..<frame(at: end, epoch))
    }

    static func frame(at time: Instant, _ epoch: Instant) -> Int {
        Int((Double((time - epoch).nanoseconds) * 48_000 / 1e9).rounded())
    }

    // MARK: The singer's process

    /// Offers, is answered, sings or listens until standard input ends; whoever listens then writes what was heard.
    static func sing(_ role: String, frame duration: FrameDuration, epoch: Instant, recording: String) async throws {
        var configuration = RoomAudioConfiguration()
        configuration.localAddresses = [IPAddress(v4: 127, 0, 0, 1)]
        let (events, continuation) = AsyncStream.makeStream(of: RoomAudioEvent.self)
        let audio = try AudioEngine(configuration) { continuation.yield($0) }
        let heard = Recording(epoch: epoch)
        try audio.setOutput(CustomOutput { block, begin in heard.hear(block, from: begin) })
        try audio.setInput(
            CustomInput { block, begin in
                guard role == "sing" else { return }
                let first = frame(at: begin, epoch)
                for index in 0..<block.frameCount {
                    let value = Bursts.value(at: first + index)
                    for channel in 0..<block.channels { block[channel][index] = value }
                }
            })
        audio.update {
            $0.frameDuration = duration
            $0.playoutDelay = .minimal
            $0.usesDTX = false
        }
        ChildProcess.tell(try audio.openPath(slots: 2))
        guard let answer = ChildProcess.told() else { return }
        try audio.accept(answer: answer)
        for await event in events where event == .path(.connected) { break }
        try audio.startMicrophone()
        ChildProcess.tell("connected")
        // A thread of its own waits for the end.
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                while ChildProcess.told() != nil {}
                done.resume()
            }
        }
        audio.stop()
        if role == "listen" {
            try heard.samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: recording))
        }
        ChildProcess.tell("done")
    }

    /// What a loudspeaker played: what came too late for it did not sound.
    private final class Recording: Sendable {
        private let kept = Mutex<[Float]>([])
        private let epoch: Instant
        init(epoch: Instant) {
            self.epoch = epoch
            kept.withLock { $0.reserveCapacity(48_000 * 60) }
        }

        var samples: [Float] { kept.withLock { $0 } }

        func hear(_ block: AudioBuffer, from begin: Instant) {
            let length = Interval(nanoseconds: Int64(block.frameCount) * 1_000_000_000 / 48_000)
            // A device takes a block until the one before it is over: a period of grace.
            guard SystemClock.now() - begin <= length else { return }
            let first = StalledSingers.frame(at: begin, epoch)
            guard first >= 0 else { return }
            kept.withLock { kept in
                while kept.count < first + block.frameCount { kept.append(0) }
                for index in 0..<block.frameCount { kept[first + index] = block[0][index] }
            }
        }
    }
}

/// Processes that stand still now and then.
enum Stalls {
    /// 3 times a second 5 to 30 ms, every 5 s 150 ms: each process by itself, the same for the same seed.
    static func stop(_ processes: [Int32], seconds: Double, seed: UInt64) async {
        await withTaskGroup { group in
            for (number, process) in processes.enumerated() {
                group.addTask {
                    var random = SplitMix64(seed: seed &+ UInt64(number))
                    let clock = ContinuousClock()
                    let end = clock.now + .milliseconds(Int64(seconds * 1_000))
                    var long = clock.now + .milliseconds(Int64.random(in: 1_000..<5_000, using: &random))
                    while clock.now < end {
                        // The time between two of three a second is exponential.
                        let wait = -log(Double.random(in: 0.001..<1, using: &random)) / 3
                        try? await clock.sleep(until: min(clock.now + .milliseconds(Int64(wait * 1_000)), long))
                        var standstill = Int64.random(in: 5...30, using: &random)
                        if clock.now >= long {
                            standstill = 150
                            long += .seconds(5)
                        }
                        kill(process, SIGSTOP)
                        try? await clock.sleep(for: .milliseconds(standstill))
                        kill(process, SIGCONT)
                    }
                }
            }
        }
    }
}

/// This program once more, spoken to by lines of JSON texts.
final class ChildProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var waiting = Data()

    struct Ended: Error {}

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var id: Int32 { process.processIdentifier }

    func text() throws -> String {
        while true {
            if let end = waiting.firstIndex(of: 10) {
                let line = waiting[waiting.startIndex..<end]
                waiting = Data(waiting[(end + 1)...])
                return try JSONDecoder().decode(String.self, from: Data(line))
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Ended() }
            waiting += more
        }
    }

    func say(_ text: String) {
        if let line = try? JSONEncoder().encode(text) { input.fileHandleForWriting.write(line + [10]) }
    }

    /// Has it end by itself, and waits for its last word.
    func finish() throws -> String {
        try input.fileHandleForWriting.close()
        defer { process.waitUntilExit() }
        return try text()
    }

    func kill() { if process.isRunning { Glibc.kill(id, SIGKILL) } }

    // The other end.

    static func tell(_ text: String) {
        if let line = try? JSONEncoder().encode(text) { FileHandle.standardOutput.write(line + [10]) }
    }

    static func told() -> String? {
        readLine().flatMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
    }
}
