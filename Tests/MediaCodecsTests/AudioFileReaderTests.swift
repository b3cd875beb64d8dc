import AudioGraph
import Foundation
import MediaCodecs
import SeededRandom
import Testing
import Timing

/// How a file is made, and what may be lost on the way.
struct FileKind: Sendable, CustomTestStringConvertible {
    var name: String
    var encoder: String
    var rate = 48_000
    var channels = 2
    /// What the container does not tell: encoder delay that is not marked, in seconds.
    var slack = 0.0
    var testDescription: String { "\(name), \(rate) Hz, \(channels) channels" }

    static let all = [
        FileKind(name: "tone.wav", encoder: "pcm_s16le"),
        FileKind(name: "tone.wav", encoder: "pcm_s16le", rate: 8_000, channels: 1),
        FileKind(name: "tone.flac", encoder: "flac", rate: 44_100),
        FileKind(name: "tone.mp3", encoder: "libmp3lame", rate: 44_100),
        FileKind(name: "tone.mp3", encoder: "libmp3lame", rate: 48_000, channels: 1),
        FileKind(name: "tone.m4a", encoder: "aac", rate: 44_100),
        FileKind(name: "tone.m4a", encoder: "aac"),
        // A bare stream of AAC has no place to say how much the encoder put in front, which are 1,024 samples.
        FileKind(name: "tone.aac", encoder: "aac", slack: 0.022),
        FileKind(name: "tone.opus", encoder: "libopus"),
        FileKind(name: "tone.ogg", encoder: "libvorbis", rate: 44_100),
    ]

    func file(_ planes: (Int) -> [[Float]]) throws -> SoundFile {
        try SoundFile(name, encoder: encoder, rate: rate, planes: Array(planes(rate).prefix(channels)))
    }
}

@Suite struct AudioFileReaderTests {
    private func readAll(_ reader: AudioFileReader, block: Int = 960) throws -> [[Float]] {
        let block = AudioBuffer(channels: 2, capacity: block)
        var sound: [[Float]] = [[], []]
        while try reader.read(into: block) > 0 {
            for channel in 0..<2 { sound[channel] += block[channel] }
        }
        return sound
    }

    private static func tone(_ hertz: Double, seconds: Double, rate: Int) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { 0.5 * Float(Sound.sine(hertz * Double($0) / Double(rate))) }
    }

    @Test("Every kind of file gives its tone back: frequency, level, length, left and right", arguments: FileKind.all)
    func tones(kind: FileKind) throws {
        let seconds = 1.3
        let file = try kind.file {
            [Self.tone(440, seconds: seconds, rate: $0), Self.tone(1_000, seconds: seconds, rate: $0)]
        }
        let reader = try AudioFileReader(file.path)
        // The container counts whole frames, 26 ms of MP3 at most, and padding.
        #expect(abs(try #require(reader.duration) - seconds) < 0.06)
        let sound = try readAll(reader)
        #expect(abs(Double(sound[0].count) / 48_000 - seconds) < 0.002 + kind.slack * 2, "\(sound[0].count) frames")
        #expect(abs(reader.position - Double(sound[0].count) / 48_000) < 1e-9)
        for (channel, hertz) in [(0, 440.0), (1, kind.channels == 2 ? 1_000 : 440)] {
            let middle = Array(sound[channel][9_600..<48_000])
            #expect(abs(Sound.frequency(of: middle) - hertz) < 1)
            #expect(abs(Sound.amplitude(at: hertz, of: middle) - 0.5) < 0.03)
            #expect(Sound.amplitude(at: 1_440 - hertz, of: middle) < (kind.channels == 2 ? 0.01 : 0.03))
        }
        #expect(try reader.read(into: AudioBuffer(channels: 2, capacity: 960)) == 0)
    }

    /// Noise without the treble, which is like itself nowhere else and survives every encoder.
    private static func rumble(seconds: Double, rate: Int) -> [Float] {
        let taps = max(1, rate / 6_000)
        var sound = Sound.noise(frames: Int(seconds * Double(rate)), level: 0.8, seed: 11)
        for _ in 0..<2 {
            var sum: Float = 0
            let source = sound
            for frame in source.indices {
                sum += source[frame] - (frame >= taps ? source[frame - taps] : 0)
                sound[frame] = sum / Float(taps)
            }
        }
        return sound
    }

    @Test("A seek lands where it should to the sample, forth and back", arguments: FileKind.all)
    func seeking(kind: FileKind) throws {
        let file = try kind.file { rate in [[Float]](repeating: Self.rumble(seconds: 2.5, rate: rate), count: 2) }
        let reader = try AudioFileReader(file.path)
        let whole = try readAll(reader)[0]
        let block = AudioBuffer(channels: 2, capacity: 2_400)
        for seconds in [1.9, 0.5, 2.1234, 0.011, 0, 1.25] {
            try reader.seek(toSeconds: seconds)
            #expect(abs(reader.position - seconds) < 1e-4)
            try #require(try reader.read(into: block) == 2_400)
            // Where in the whole does what was read lie? Looked for within 5 ms.
            let target = Int((seconds * 48_000).rounded())
            let differences = (-240...240).map { offset in
                (offset, target + offset < 0 ? Float.infinity : difference(block, whole, target + offset))
            }
            let best = try #require(differences.min { $0.1 < $1.1 })
            #expect(abs(best.0) <= 1, "\(seconds) s: \(best.0) frames off")
        }
    }

    /// Of every 16th sample, the first 10 ms left out: there a decoder that jumped in may still be settling.
    private func difference(_ block: AudioBuffer, _ whole: [Float], _ start: Int) -> Float {
        let plane = block[0]
        return whole.withUnsafeBufferPointer { whole in
            var sum: Float = 0
            var frame = 480
            while frame < 2_400 {
                sum += abs(plane[frame] - whole[start + frame])
                frame += 16
            }
            return sum
        }
    }

    @Test("The first sound is where it was before encoding", arguments: FileKind.all)
    func encoderDelay(kind: FileKind) throws {
        let file = try kind.file { rate in
            var click = [Float](repeating: 0, count: rate)
            for n in rate / 2..<rate / 2 + rate / 1_000 { click[n] = 0.9 }
            return [click, click]
        }
        let sound = try readAll(AudioFileReader(file.path))[0]
        let loudest = try #require(sound.indices.max { abs(sound[$0]) < abs(sound[$1]) })
        #expect(abs(Double(loudest) / 48_000 - 0.5005) < 0.002 + kind.slack, "\(loudest)")
    }

    @Test("Beyond the end there is nothing, and back again is sound; a mono block gets the mean")
    func ends() throws {
        let file = try SoundFile(
            "a.flac", encoder: "flac",
            planes: [Sound.tone(440, frames: 48_000), [Float](repeating: 0, count: 48_000)])
        let reader = try AudioFileReader(file.path)
        let mono = AudioBuffer(channels: 1, capacity: 4_800)
        try reader.seek(toSeconds: 20)
        #expect(try reader.read(into: mono) == 0)
        try reader.seek(toSeconds: 0.95)
        #expect(try reader.read(into: mono) == 2_400)
        #expect(mono.frameCount == 2_400)
        try reader.seek(toSeconds: -3)
        #expect(try reader.read(into: mono) == 4_800)
        #expect(reader.position == 0.1)
        #expect(abs(Sound.amplitude(at: 440, of: mono[0]) - 0.25) < 0.02)
        try reader.seek(toSeconds: .nan)
        #expect(reader.position == 0)
        try reader.seek(toSeconds: .infinity)
        #expect(try reader.read(into: mono) == 0)
    }

    @Test("The size of the blocks changes nothing", arguments: [1, 47, 960, 5_000])
    func blockSizes(size: Int) throws {
        let file = try SoundFile(
            "a.mp3", encoder: "libmp3lame", rate: 44_100, planes: [Sound.noise(frames: 8_820, seed: 3)])
        let reference = try readAll(AudioFileReader(file.path), block: 480)
        #expect(try readAll(AudioFileReader(file.path), block: size) == reference)
    }

    // MARK: What is no sound

    @Test("What is not a sound file says so when it is opened")
    func notSound() throws {
        let sentence = Data(String(repeating: "This is no song, only a text about one.\n", count: 400).utf8)
        for name in ["poem.mp3", "poem.m4a", "poem.wav", "poem.txt", "poem"] {
            let file = try SoundFile(name, bytes: sentence)
            let error = #expect(throws: CodecError.self) { try AudioFileReader(file.path) }
            #expect(error?.description.contains(name) == true, "\(String(describing: error))")
            #expect(error?.kind == .cannotOpen || error?.kind == .malformed)
        }
        #expect(throws: CodecError.self) { try AudioFileReader(SoundFile("empty.mp3", bytes: Data()).path) }
        let missing = #expect(throws: CodecError.self) { try AudioFileReader("/nowhere/song.mp3") }
        #expect(missing?.kind == .cannotOpen)
        #expect(missing?.description.contains("No such file") == true)
    }

    @Test("A file that was cut off ends there", arguments: FileKind.all)
    func truncated(kind: FileKind) throws {
        let file = try kind.file { rate in [[Float]](repeating: Self.tone(440, seconds: 3, rate: rate), count: 2) }
        let half = try SoundFile(kind.name, bytes: try file.bytes.prefix(try file.bytes.count * 6 / 10))
        do {
            let frames = try readAll(AudioFileReader(half.path))[0].count
            #expect((40_000...110_000).contains(frames), "\(frames)")
        } catch let error as CodecError {
            // An M4A keeps its table of contents at the end.
            #expect(kind.name == "tone.m4a" && error.kind == .cannotOpen, "\(error)")
        }
    }

    @Test("Damaged bytes in the middle are noise or silence, never an endless loop or a crash", arguments: FileKind.all)
    func damaged(kind: FileKind) throws {
        let seed: UInt64 = 5
        var generator = SeededGenerator(seed: seed)
        let file = try kind.file { rate in [[Float]](repeating: Self.tone(440, seconds: 2, rate: rate), count: 2) }
        for _ in 0..<4 {
            var bytes = try file.bytes
            for _ in 0..<60 {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let broken = try SoundFile(kind.name, bytes: bytes)
            do {
                let reader = try AudioFileReader(broken.path)
                let block = AudioBuffer(channels: 2, capacity: 960)
                var frames = 0
                while frames < 480_000 {
                    let count = try reader.read(into: block)
                    if count == 0 { break }
                    frames += count
                }
                try reader.seek(toSeconds: 1)
                _ = try reader.read(into: block)
            } catch {
                #expect([.malformed, .cannotOpen, .inputOutput].contains(error.kind), "seed \(seed): \(error)")
            }
        }
    }

    // MARK: Over the network

    @Test("A song over HTTP is read and sought like a file")
    func http() throws {
        let file = try SoundFile(
            "a.mp3", encoder: "libmp3lame", planes: [Self.tone(440, seconds: 3, rate: 48_000)])
        let server = try FileServer(bytes: file.bytes)
        let reader = try AudioFileReader(server.url("a.mp3"))
        #expect(abs(Double(try readAll(reader)[0].count) / 48_000 - 3) < 0.002)
        try reader.seek(toSeconds: 1)
        #expect(abs(Double(try readAll(reader)[0].count) / 48_000 - 2) < 0.002)
        withExtendedLifetime(server) {}
    }

    @Test("A server that never answers: the deadline ends it")
    func deadline() throws {
        let server = try FileServer(bytes: nil)
        let error = #expect(throws: CodecError.self) {
            try AudioFileReader(server.url("a.mp3"), timeout: .milliseconds(150))
        }
        #expect(error?.kind == .timedOut, "\(String(describing: error))")
        withExtendedLifetime(server) {}
    }

    @Test("A server that never answers: cancelling from elsewhere ends it")
    func cancellation() throws {
        let cancellation = ReadCancellation()
        let server = try FileServer(bytes: nil) { cancellation.cancel() }
        let error = #expect(throws: CodecError.self) {
            try AudioFileReader(server.url("a.mp3"), timeout: .seconds(60), cancellation: cancellation)
        }
        #expect(error?.kind == .cancelled, "\(String(describing: error))")
        withExtendedLifetime(server) {}
    }

    @Test(
        "A song whose server falls silent or hangs up half-way: the sound so far, then an error, within the deadline",
        arguments: [(false, CodecError.Kind.timedOut), (true, .inputOutput)])
    func serverStops(hangsUp: Bool, kind: CodecError.Kind) throws {
        let file = try SoundFile(
            "a.mp3", encoder: "libmp3lame", planes: [Self.tone(440, seconds: 20, rate: 48_000)])
        let server = try FileServer(bytes: file.bytes, stopsAfter: 100_000, hangsUp: hangsUp)
        let reader = try AudioFileReader(server.url("a.mp3"), timeout: .seconds(1))
        let block = AudioBuffer(channels: 2, capacity: 960)
        var frames = 0
        let error = #expect(throws: CodecError.self) {
            while true {
                let count = try reader.read(into: block)
                if count == 0 { return }
                frames += count
            }
        }
        #expect(frames > 48_000)
        #expect(error?.kind == kind, "\(String(describing: error))")
        withExtendedLifetime(server) {}
    }

    @Test(
        "A list of songs from the network cannot name a local file, nor a local one the network; other schemes are refused"
    )
    func protocols() throws {
        func list(_ song: String) -> Data {
            Data("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\(song)\n#EXT-X-ENDLIST\n".utf8)
        }
        let song = try SoundFile("a.mp3", encoder: "libmp3lame", planes: [Sound.tone(440, frames: 48_000)])
        let distant = try FileServer(bytes: list("file://\(song.path)"))
        #expect(throws: CodecError.self) { try AudioFileReader(distant.url("list.m3u8"), timeout: .seconds(2)) }
        let trap = try FileServer(bytes: song.bytes) { Issue.record("a local list reached the network") }
        let local = try SoundFile("list.m3u8", bytes: list(trap.url("a.mp3")))
        #expect(throws: CodecError.self) { try AudioFileReader(local.path, timeout: .seconds(2)) }
        // Without the rule it would wait for packets.
        let other = #expect(throws: CodecError.self) {
            try AudioFileReader("udp://127.0.0.1:9", timeout: .milliseconds(300))
        }
        #expect(other?.kind == .cannotOpen, "\(String(describing: other))")
        withExtendedLifetime((distant, trap)) {}
    }
}
