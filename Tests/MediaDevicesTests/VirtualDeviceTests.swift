import AudioGraph
import Foundation
import MediaCodecs
import MediaDevices
import Synchronization
import Testing
import Timing

@Suite struct VirtualDeviceTests {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "ovation-devices-\(UUID().uuidString)")
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        func path(_ name: String) -> String { url.appending(path: name).path }
        deinit { try? FileManager.default.removeItem(at: url) }
    }

    /// A file whose n-th sample is n/100,000, left, and its negative, right.
    private func ramp(_ path: String, frames: Int) throws {
        let writer = try WAVWriter(path: path, channels: 2, sample: .float32)
        let block = AudioBuffer(channels: 2, capacity: frames)
        for frame in 0..<frames {
            block[0][frame] = Float(frame) / 100_000
            block[1][frame] = -Float(frame) / 100_000
        }
        try writer.write(block)
        try writer.close()
    }

    @Test(
        "Silence comes in blocks of the length asked for, begun when the one before ended",
        arguments: [48, 240, 960, 2_880])
    func silence(frames: Int) throws {
        let clock = VirtualClock()
        let heard = Heard(blocks: 50)
        let begin = clock.now()
        let device = NullInput(clock: clock)
        try device.start(channels: 2, framesPerBlock: frames) { block, instant in
            heard.take(block, at: instant)
            // What is left in the block does not come back.
            block[0][0] = 9
            block.frameCount = 1
        }
        let blocks = try #require(heard.wait())
        device.stop()
        #expect(blocks.frames == [Int](repeating: frames, count: 50))
        #expect(blocks.planes.count == 2 && blocks.planes.allSatisfy { !$0.contains { $0 != 0 } })
        for (n, instant) in blocks.instants.enumerated() {
            #expect(abs((instant - begin).nanoseconds - Int64(n * frames) * 62_500 / 3) <= 1)
        }
    }

    @Test("A tone has its pitch and level on every channel and no seam; both can be changed")
    func tone() throws {
        let heard = Heard(blocks: 100)
        let device = ToneInput(frequency: 997, amplitude: 0.25, clock: VirtualClock())
        try device.start(channels: 2, framesPerBlock: 480) { heard.take($0, at: $1) }
        let blocks = try #require(heard.wait())
        device.stop()
        let sound = blocks.planes[0]
        #expect(abs(Ears.frequency(of: sound) - 997) < 0.5)
        #expect(abs(Ears.rms(sound) - 0.25 / 2.0.squareRoot()) < 0.002)
        #expect(blocks.planes[1] == sound)
        let steepest = zip(sound, sound.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        #expect(steepest < 0.25 * 2 * .pi * 997 / 48_000 * 1.01)

        device.frequency = 300
        device.amplitude = 0.5
        let changed = Heard(blocks: 100)
        try device.start(channels: 1, framesPerBlock: 480) { changed.take($0, at: $1) }
        let after = try #require(changed.wait())
        device.stop()
        #expect(abs(Ears.frequency(of: after.planes[0]) - 300) < 0.5)
        #expect(abs(Ears.rms(after.planes[0]) - 0.5 / 2.0.squareRoot()) < 0.004)
    }

    @Test("A device 300 ppm too fast gives that much more sound in the same time")
    func rate() throws {
        let heard = Heard(blocks: 2_000)
        let device = CustomOutput(ratePPM: 300, clock: VirtualClock())
        try device.start(channels: 1, framesPerBlock: 480) { heard.take($0, at: $1) }
        let instants = try #require(heard.wait()).instants
        device.stop()
        let took = (instants[1_999] - instants[0]).seconds
        #expect(abs(19.99 / took - 1.0003) < 1e-6)
    }

    @Test("A file is played from where it is told, then its end is reported once and silence follows")
    func file() throws {
        let folder = try Folder()
        try ramp(folder.path("ramp.wav"), frames: 4_800)
        let ends = Mutex<[CodecError?]>([])
        let heard = Heard(blocks: 12)
        let device = try FileInput(folder.path("ramp.wav"), startAt: 0.05, gain: 0.5, clock: VirtualClock()) { error in
            ends.withLock { $0.append(error) }
        }
        #expect(abs((device.duration ?? 0) - 0.1) < 1e-9)
        try device.start(channels: 2, framesPerBlock: 500) { heard.take($0, at: $1) }
        let blocks = try #require(heard.wait())
        device.stop()
        // 2,400 frames are left of 4,800: four blocks of 500 and 400 frames more.
        let wrong = (0..<6_000).filter { frame in
            let expected = frame < 2_400 ? Float(2_400 + frame) / 200_000 : 0
            return abs(blocks.planes[0][frame] - expected) > 1e-6
                || blocks.planes[1][frame] != -blocks.planes[0][frame]
        }
        #expect(wrong.first == nil)
        #expect(ends.withLock { $0 } == [nil])
    }

    @Test("A file that loops begins anew without a gap; one channel gets the mean")
    func loop() throws {
        let folder = try Folder()
        try ramp(folder.path("ramp.wav"), frames: 1_000)
        let heard = Heard(blocks: 10)
        let device = try FileInput(folder.path("ramp.wav"), loops: true, clock: VirtualClock()) { _ in
            Issue.record("an endless file has ended")
        }
        try device.start(channels: 2, framesPerBlock: 480) { heard.take($0, at: $1) }
        let blocks = try #require(heard.wait())
        device.stop()
        let wrong = (0..<4_800).filter { abs(blocks.planes[0][$0] - Float($0 % 1_000) / 100_000) > 1e-6 }
        #expect(wrong.first == nil)

        let mono = Heard(blocks: 2)
        try device.start(channels: 1, framesPerBlock: 480) { mono.take($0, at: $1) }
        #expect(Ears.rms(try #require(mono.wait()).planes[0]) == 0)
        device.stop()
    }

    @Test("A file that is none is refused with its reason")
    func noFile() throws {
        let folder = try Folder()
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: folder.path("a.mp3")))
        #expect(throws: CodecError.self) { try FileInput(folder.path("a.mp3")) }
    }

    @Test("What is rendered stands in the file, all of it, when the device has stopped", arguments: [1, 2])
    func recording(channels: Int) throws {
        let folder = try Folder()
        let path = folder.path("out.wav")
        let heard = Heard(blocks: 130)
        let rendered = Atomic(0)
        let device = RecordingOutput(path: path, clock: VirtualClock())
        try device.start(channels: channels, framesPerBlock: 480) { block, instant in
            for frame in 0..<480 { block[0][frame] = Float(frame) / 1_000 }
            rendered.add(480, ordering: .relaxed)
            heard.take(block, at: instant)
        }
        let error = #expect(throws: DeviceError.self) {
            try device.start(channels: 1, framesPerBlock: 480) { _, _ in }
        }
        #expect(error?.kind == .alreadyStarted)
        _ = try #require(heard.wait())
        device.stop()
        #expect(device.failure == nil)
        let frames = rendered.load(ordering: .relaxed)
        let reader = try AudioFileReader(path)
        let sound = AudioBuffer(channels: 2, capacity: frames + 480)
        #expect(try reader.read(into: sound) == frames)
        // The second channel stays silent: the device gives an empty block each time.
        let wrong = (0..<62_400).filter { frame in
            let first: Float = Float(frame % 480) / 1_000
            let second: Float = channels == 1 ? sound[0][frame] : 0
            return abs(sound[0][frame] - first) > 1e-4 || abs(sound[1][frame] - second) > 1e-4
        }
        #expect(wrong.first == nil)
    }

    @Test("A recording that cannot be written is an error at the start")
    func unwritable() throws {
        for path in ["/nowhere/out.wav", "/dev/full"] {
            let nowhere = RecordingOutput(path: path, clock: VirtualClock())
            let error = #expect(throws: DeviceError.self) {
                try nowhere.start(channels: 1, framesPerBlock: 480) { _, _ in }
            }
            #expect(error?.kind == .file)
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("A recorded song through a file microphone keeps its sound")
    func song() throws {
        let folder = try Folder()
        let tone = ToneSource(frequency: 700, amplitude: 0.4)
        let writer = try WAVWriter(path: folder.path("song.wav"), channels: 1)
        let block = AudioBuffer(channels: 1, capacity: 48_000)
        tone.render(into: block)
        try writer.write(block)
        try writer.close()
        let heard = Heard(blocks: 100)
        let device = try FileInput(folder.path("song.wav"), clock: VirtualClock())
        try device.start(channels: 1, framesPerBlock: 480) { heard.take($0, at: $1) }
        let sound = try #require(heard.wait()).planes[0]
        device.stop()
        #expect(zip(sound, block[0]).allSatisfy { abs($0 - $1) < 1e-4 })
    }
}
