import AudioGraph
import Foundation
import RoomModel
import Synchronization
import Timing

/// A song of nothing but clicks, one each half second.
struct ClickSong {
    static let rate = 48_000
    /// Its first click, and how far they are from each other, in frames. The first leaves the start a moment, so that one that is a
    /// little late is heard, too.
    static let first = 4_800
    static let period = 24_000
    private static let amplitude = 0.6

    let song: Song
    let clicks: Int

    /// Puts it where the server in `data` keeps uploads.
    init(seconds: Int, in data: String) throws {
        let place = "/songs/1/00000000000000d2/"
        try FileManager.default.createDirectory(atPath: data + place, withIntermediateDirectories: true)
        let frames = seconds * Self.rate
        clicks = (frames - Self.first - Clicks.burstFrames) / Self.period + 1
        var bytes = Data("RIFF".utf8)
        func add(_ number: Int, _ count: Int) {
            for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
        }
        add(frames * 2 + 36, 4)
        bytes += Data("WAVEfmt ".utf8)
        for (number, count) in [(16, 4), (1, 2), (1, 2), (Self.rate, 4), (Self.rate * 2, 4), (2, 2), (16, 2)] {
            add(number, count)
        }
        bytes += Data("data".utf8)
        add(frames * 2, 4)
        var samples = [Int16](repeating: 0, count: frames)
        for click in 0..<clicks {
            let start = Self.first + click * Self.period
            for frame in 0..<Clicks.burstFrames {
                let value = Self.amplitude * sin(2 * .pi * 2_000 * Double(frame) / Double(Self.rate))
                samples[start + frame] = Int16(value * 32_767)
            }
        }
        for sample in samples { add(Int(sample), 2) }
        try bytes.write(to: URL(fileURLWithPath: data + place + "accompaniment.wav"))
        song = Song(
            id: "clicks", title: "Clicks", durationMs: Int64(seconds) * 1_000,
            accompaniment: place + "accompaniment.wav")
    }

    /// When a click is due, after the song's beginning.
    static func due(_ click: Int) -> Interval {
        Interval(nanoseconds: Int64(first + click * period) * 1_000_000_000 / Int64(rate))
    }
}

/// The ear at one singer's loudspeaker.
final class ClickEar: Sendable {
    private struct State {
        var quietFrames = ClickSong.rate
        var onsets: [Instant] = []
    }

    private let state = Mutex(State())
    private let clock: SkewedClock

    init(_ clock: SkewedClock) { self.clock = clock }

    /// A block whose first sample is heard at `begin` on the singer's clock.
    func hear(_ block: AudioBuffer, from begin: Instant) {
        state.withLock { state in
            let samples = block[0]
            for frame in 0..<block.frameCount {
                guard abs(samples[frame]) > Clicks.threshold * Clicks.amplitude else {
                    state.quietFrames += 1
                    continue
                }
                if state.quietFrames > 4 * Clicks.burstFrames {
                    let offset = Interval(nanoseconds: Int64(frame) * 1_000_000_000 / Int64(ClickSong.rate))
                    state.onsets.append(clock.machine(begin + offset))
                }
                state.quietFrames = 0
            }
        }
    }

    /// Each click that was heard, and how much later than due if the song begins at `start` on this machine's clock.
    func lateness(from start: Instant, clicks: Int) -> [Int: Interval] {
        let half = Interval(nanoseconds: ClickSong.due(1).nanoseconds - ClickSong.due(0).nanoseconds) / 2
        var result: [Int: Interval] = [:]
        for onset in state.withLock({ $0.onsets }) {
            let passed = (onset - start - ClickSong.due(0) + half).nanoseconds
            let click = Int(passed / (half.nanoseconds * 2))
            guard passed >= 0, click < clicks, result[click] == nil else { continue }
            result[click] = onset - start - ClickSong.due(click)
        }
        return result
    }
}
