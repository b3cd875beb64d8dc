import AudioGraph
import Dispatch
import Foundation
import Synchronization
import Testing
import Timing

@testable import MediaDevices

/// With a server of their own, one test at a time: they run in real time.
@Suite(
    .serialized,
    .enabled(
        if: SoundServer.executable != nil, "needs PulseAudio: apt-get install pulseaudio, or scripts/bootstrap test"))
struct PulseTests {
    private func player(_ hertz: [Double]) -> @Sendable (AudioBuffer, Instant) -> Void {
        let sources = Sources(hertz)
        return { block, _ in sources.fill(block) }
    }

    /// One tone per channel, used by one device's thread.
    private final class Sources: @unchecked Sendable {
        private let tones: [ToneSource]
        private var block = AudioBuffer(channels: 1, capacity: 2_880)
        init(_ hertz: [Double]) { tones = hertz.map { ToneSource(frequency: $0, amplitude: 0.5) } }
        func fill(_ target: AudioBuffer) {
            for (channel, tone) in tones.enumerated() where channel < target.channels {
                block.frameCount = target.frameCount
                tone.render(into: block)
                _ = target[channel].update(fromContentsOf: block[0])
            }
        }
    }

    @Test("A tone that is played is heard: pitch, level, left and right, without a hole", arguments: [240, 480, 960])
    func tone(frames: Int) throws {
        let server = try SoundServer()
        let clock = SystemDeviceClock()
        // Enough to last while other tests hold the processors.
        let output = PulseOutput(name: "ears", server: server.address, latency: .milliseconds(300)) {
            Issue.record("\($0)")
        }
        let input = PulseInput(name: "ears.monitor", server: server.address) { Issue.record("\($0)") }
        let heard = Heard(blocks: 28_800 / frames)
        let rendered = Heard(blocks: 10)
        let play = player([440, 1_000])
        try output.start(channels: 2, framesPerBlock: frames) { block, instant in
            play(block, instant)
            rendered.take(block, at: instant)
        }
        let ahead = try #require(rendered.wait()).instants
        let begin = clock.now()
        try input.start(channels: 2, framesPerBlock: frames) { heard.take($0, at: $1) }
        let blocks = try #require(heard.wait())
        let end = clock.now()
        input.stop()
        output.stop()
        #expect(blocks.frames.allSatisfy { $0 == frames })
        for (channel, hertz) in [(0, 440.0), (1, 1_000)] {
            let sound = Array(blocks.planes[channel].suffix(24_000))
            #expect(abs(Ears.frequency(of: sound) - hertz) < 2)
            #expect(abs(Ears.rms(sound) - 0.5 / 2.0.squareRoot()) < 0.02)
        }
        // Each block is of the time in which it was listened for, give or take what the server holds (a monitor gets what is
        // still to be played), and follows the one before.
        for instant in blocks.instants {
            #expect(instant > begin + .milliseconds(-1_000) && instant < end + .milliseconds(1_000))
        }
        for (one, next) in zip(blocks.instants, blocks.instants.dropFirst()) { #expect(next > one) }
        for (one, next) in zip(ahead, ahead.dropFirst()) { #expect(next > one) }
    }

    @Test("Devices are listed with their names; a monitor is one")
    func list() throws {
        let server = try SoundServer()
        let devices = try AudioDevices.list(server: server.address)
        let ears = try #require(devices.first { $0.name == "ears" })
        #expect(ears.kind == .output && ears.isDefault && !ears.isMonitor && ears.description == "Ears")
        let monitor = try #require(devices.first { $0.name == "ears.monitor" })
        #expect(monitor.kind == .input && monitor.isMonitor)
    }

    @Test("A server that vanishes is told once, nothing crashes, and the devices can be started with another")
    func vanished() throws {
        let server = try SoundServer()
        let failures = Mutex<[DeviceError.Kind]>([])
        let told = DispatchSemaphore(value: 0)
        let note: @Sendable (DeviceError) -> Void = { error in
            failures.withLock { $0.append(error.kind) }
            told.signal()
        }
        let output = PulseOutput(server: server.address, onFailure: note)
        let input = PulseInput(server: server.address, onFailure: note)
        let heard = Heard(blocks: 5)
        try output.start(channels: 2, framesPerBlock: 480) { _, _ in }
        try input.start(channels: 1, framesPerBlock: 480) { heard.take($0, at: $1) }
        _ = try #require(heard.wait())
        server.kill()
        for _ in 0..<2 { try #require(told.wait(timeout: .now() + 10) == .success) }
        #expect(failures.withLock { $0 } == [.lost, .lost])
        let error = #expect(throws: DeviceError.self) { try input.start(channels: 1, framesPerBlock: 480) { _, _ in } }
        #expect(error?.kind == .alreadyStarted)
        input.stop()
        output.stop()
        let gone = #expect(throws: DeviceError.self) { try input.start(channels: 1, framesPerBlock: 480) { _, _ in } }
        #expect(gone?.kind == .unavailable, "\(String(describing: gone))")
    }

    @Test("No server, no such device, no library: each says what is missing")
    func missing() throws {
        let nobody = "unix:/nowhere/native"
        let error = #expect(throws: DeviceError.self) {
            try PulseOutput(server: nobody).start(channels: 2, framesPerBlock: 480) { _, _ in }
        }
        #expect(error?.kind == .unavailable)
        #expect(throws: DeviceError.self) { try AudioDevices.list(server: nobody) }

        let server = try SoundServer()
        let input = PulseInput(name: "nothing.of.the.sort", server: server.address)
        let unknown = #expect(throws: DeviceError.self) {
            try input.start(channels: 1, framesPerBlock: 480) { _, _ in }
        }
        #expect(unknown?.kind == .notFound)
        #expect(unknown?.description.contains("nothing.of.the.sort") == true)

        let library = #expect(throws: DeviceError.self) { try LibPulse(library: "libpulse.so.99") }
        #expect(library?.kind == .libraryMissing)
        #expect(library?.description.contains("apt-get install libpulse0") == true)
    }

    @Test("Starting and stopping again and again leaves nothing running, from within the callback too")
    func restarts() throws {
        let server = try SoundServer()
        let input = PulseInput(server: server.address)
        for _ in 0..<5 {
            let heard = Heard(blocks: 1)
            try input.start(channels: 1, framesPerBlock: 240) { block, instant in
                input.stop()
                heard.take(block, at: instant)
            }
            _ = try #require(heard.wait())
        }
        let heard = Heard(blocks: 2)
        try input.start(channels: 1, framesPerBlock: 240) { heard.take($0, at: $1) }
        _ = try #require(heard.wait())
        input.stop()
        input.stop()
    }
}

@Suite struct BlockAssemblerTests {
    @Test(
        "Portions of any size become blocks of one: no sample lost, doubled or swapped; what the server lost is silence"
    )
    func portions() {
        let seed: UInt64 = 9
        let noise = NoiseSource(seed: seed)
        let assembler = BlockAssembler(channels: 2, framesPerBlock: 480)
        let start = Instant(nanoseconds: 1_000_000)
        var sent: [Float] = []
        var planes: [[Float]] = [[], []]
        for round in 0..<200 {
            let frames = 1 + Int(abs(noise.next()) * 1_500)
            let isLost = round % 17 == 5
            let portion = (0..<frames * 2).map { Float(sent.count + $0 + 1) }
            // Each portion is measured where it lies; half of them are not measured at all.
            let captured = start + .frames(sent.count / 2)
            portion.withUnsafeBufferPointer { samples in
                assembler.take(
                    isLost ? nil : samples.baseAddress, frames: frames,
                    captured: round.isMultiple(of: 2) ? captured : nil, guess: captured
                ) { block, begin in
                    #expect(block.frameCount == 480)
                    #expect(abs((begin - (start + .frames(planes[0].count))).nanoseconds) < 1_000, "seed \(seed)")
                    for channel in 0..<2 { planes[channel] += Array(block[channel]) }
                    // What the callee leaves behind does not matter.
                    block.clear()
                    block.frameCount = 7
                }
            }
            sent += isLost ? [Float](repeating: 0, count: frames * 2) : portion
        }
        #expect(planes[0].count == sent.count / 2 / 480 * 480)
        let wrong = planes[0].indices.filter {
            planes[0][$0] != sent[2 * $0] || planes[1][$0] != sent[2 * $0 + 1]
        }
        #expect(wrong.first == nil, "seed \(seed)")
    }
}

@Suite struct BlockClockTests {
    private let start = Instant(nanoseconds: 5_000)
    private let block = Interval.milliseconds(10)

    @Test("Noise of the server's delay is smoothed, a gap is believed")
    func smoothing() {
        var clock = BlockClock()
        var begins: [Instant] = []
        for n in 0..<200 {
            let noise = Interval.microseconds(n.isMultiple(of: 2) ? 4_000 : -4_000)
            begins.append(clock.begin(measured: start + block * Int64(n) + noise, guess: start, duration: block))
        }
        for (n, begin) in begins.enumerated().dropFirst(100) {
            #expect(abs((begin - (start + block * Int64(n))).nanoseconds) < 500_000)
        }
        let later = start + .seconds(9)
        #expect(clock.begin(measured: later, guess: start, duration: block) == later)
    }

    @Test("Before the server tells its delay, blocks follow each other; when it does, time never goes back")
    func neverBack() {
        var clock = BlockClock()
        var last = start
        for n in 0..<30 {
            last = clock.begin(measured: nil, guess: start, duration: block)
            #expect(last == start + block * Int64(n))
        }
        // Now 100 ms less than was thought.
        var caughtUp = 0
        for n in 30..<80 {
            let measured = start + block * Int64(n - 10)
            let begin = clock.begin(measured: measured, guess: start, duration: block)
            #expect(begin > last)
            last = begin
            if begin - measured < .milliseconds(20) { caughtUp += 1 }
        }
        #expect(caughtUp > 25)
    }
}
