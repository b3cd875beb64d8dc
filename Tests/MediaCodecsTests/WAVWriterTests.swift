import AudioGraph
import Foundation
import Testing

@testable import MediaCodecs

@Suite struct WAVWriterTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-wav-\(UUID().uuidString)")

    private func path(_ name: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: name).path
    }

    private func contents(_ path: String) throws -> [[Float]] {
        let reader = try AudioFileReader(path)
        let block = AudioBuffer(channels: 2, capacity: 4_800)
        var sound: [[Float]] = [[], []]
        while try reader.read(into: block) > 0 {
            for channel in 0..<2 { sound[channel] += block[channel] }
        }
        return sound
    }

    @Test(
        "What was written is read back, whatever the block size",
        arguments: [WAVWriter.Sample.int16, .float32], [1, 2])
    func roundTrip(sample: WAVWriter.Sample, channels: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let planes = (0..<channels).map { Sound.noise(frames: 3_000, level: 0.9, seed: UInt64($0)) }
        let path = try path("a.wav")
        let writer = try WAVWriter(path: path, channels: channels, sample: sample)
        var start = 0
        for size in [480, 1, 960, 1_559] {
            try writer.write(AudioBuffer(planes.map { Array($0[start..<start + size]) }))
            start += size
        }
        #expect(writer.frameCount == 3_000)
        try writer.close()
        try writer.close()
        #expect(throws: CodecError.self) { try writer.write(AudioBuffer(planes)) }
        let sound = try contents(path)
        let tolerance: Float = sample == .int16 ? 1 / 65_000 : 0
        for channel in 0..<2 {
            let plane = planes[min(channel, channels - 1)]
            #expect(sound[channel].count == 3_000)
            #expect(zip(sound[channel], plane).allSatisfy { abs($0 - $1) <= tolerance })
        }
    }

    @Test("A file that was never closed plays up to its last whole second")
    func crash() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try path("a.wav")
        let writer = try WAVWriter(path: path, channels: 2)
        let block = AudioBuffer(channels: 2, capacity: 960)
        for _ in 0..<120 { try writer.write(block) }
        // The header counts 2.0 s of 2.4; a reader that trusts it finds 96,000 frames.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count == 44 + 120 * 960 * 4)
        let counted = (0..<4).reduce(0) { $0 | Int(bytes[40 + $1]) << (8 * $1) }
        #expect(counted == 96_000 * 4)
        #expect((0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) } == counted + 36)
        #expect(try contents(path)[0].count == 96_000)
        try writer.close()
        #expect(try contents(path)[0].count == 115_200)
    }

    @Test("Too loud is clipped, not wrapped; what is no number is silence; stereo in a mono file is the mean")
    func clipping() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try path("a.wav")
        let writer = try WAVWriter(path: path, channels: 1)
        try writer.write(AudioBuffer([[3, -3, .nan, .infinity, 0.5], [3, -3, 0, 0, 0]]))
        try writer.close()
        let sound = try contents(path)[0]
        let expected: [Float] = [1, -1, 0, 1, 0.25]
        #expect(zip(sound, expected).allSatisfy { abs($0 - $1) < 1e-3 }, "\(sound)")
    }

    @Test("A place that cannot be written is an error with its name")
    func nowhere() {
        let error = #expect(throws: CodecError.self) { try WAVWriter(path: "/nowhere/a.wav", channels: 2) }
        #expect(error?.kind == .cannotOpen)
        #expect(error?.description.contains("/nowhere/a.wav") == true)
        #expect(throws: CodecError.self) { try WAVWriter(path: "/dev/full", channels: 2) }
        #expect(throws: CodecError.self) { try WAVWriter(path: "/tmp/unused.wav", channels: 3) }
    }

    @Test("Without FFmpeg's libraries the error names the package to install")
    func missingLibrary() {
        let error = #expect(throws: CodecError.self) { try LibAV(folder: "/nowhere/") }
        #expect(error?.kind == .libraryMissing)
        #expect(error?.description.contains("apt-get install libavformat") == true, "\(String(describing: error))")
    }
}
