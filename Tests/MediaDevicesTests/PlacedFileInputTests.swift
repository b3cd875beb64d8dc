import AudioGraph
import Foundation
import MediaCodecs
import MediaDevices
import Testing
import Timing

@Suite struct PlacedFileInputTests {
    private static let frames = 96_000

    /// A file of two seconds whose n-th sample is n/100,000.
    private func ramp() throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "ovation-placed-\(UUID().uuidString).wav")
        let writer = try WAVWriter(path: file.path, channels: 1, sample: .float32)
        let block = AudioBuffer(channels: 1, capacity: Self.frames)
        for frame in 0..<Self.frames { block[0][frame] = Float(frame) / 100_000 }
        try writer.write(block)
        try writer.close()
        return file
    }

    /// What is captured while the file's place is as `place` says.
    private func capture(
        blocks: Int, place: @escaping @Sendable (Interval) -> Interval?
    ) throws -> (samples: [Float], instants: [Instant]) {
        let file = try ramp()
        defer { try? FileManager.default.removeItem(at: file) }
        let clock = VirtualClock()
        let begin = clock.now()
        let heard = Heard(blocks: blocks)
        let device = try PlacedFileInput(file.path, clock: clock) { place($0 - begin) }
        try device.start(channels: 1, framesPerBlock: 480) { heard.take($0, at: $1) }
        let found = try #require(heard.wait())
        device.stop()
        return (found.planes[0], found.instants)
    }

    /// Which frame of the file a sample is.
    private func frame(_ sample: Float) -> Double { Double(sample) * 100_000 }

    @Test(
        "What is captured is the file where it stands then: silence before, a leap, silence while held, and after its end"
    )
    func placed() throws {
        // 100 ms nothing, 300 ms from the start, 200 ms held, then from 1.5 s to beyond the end.
        let (samples, _) = try capture(blocks: 150) { at in
            switch at.milliseconds {
            case ..<100: nil
            case ..<400: at - .milliseconds(100)
            case ..<600: nil
            default: .milliseconds(1_500) + (at - .milliseconds(600))
            }
        }
        #expect(samples[..<4_800].allSatisfy { $0 == 0 })
        for at in stride(from: 4_801, to: 19_200, by: 97) {
            #expect(abs(frame(samples[at]) - Double(at - 4_800)) < 0.6)
        }
        #expect(samples[19_200..<28_800].allSatisfy { $0 == 0 })
        // After the leap it fades in for 5 ms.
        for at in stride(from: 29_040, to: 52_800, by: 97) {
            #expect(abs(frame(samples[at]) - Double(72_000 + at - 28_800)) < 0.6, "\(at)")
        }
        #expect(abs(samples[28_800]) < 0.02)
        #expect(samples[52_801...].allSatisfy { $0 == 0 })
    }

    @Test("A place that runs 0.2 % faster is kept within a millisecond without a leap")
    func drift() throws {
        let (samples, _) = try capture(blocks: 180) { Interval(nanoseconds: $0.nanoseconds + $0.nanoseconds / 500) }
        for at in stride(from: 480, to: samples.count, by: 31) {
            #expect(abs(frame(samples[at]) - Double(at) * 1.002) < 48)
        }
        let steps = zip(samples.dropFirst(), samples).map { frame($0 - $1) }
        #expect(steps.allSatisfy { $0 > 0.9 && $0 < 1.1 }, "\(steps.min() ?? 0) \(steps.max() ?? 0)")
    }
}
