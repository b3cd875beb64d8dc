import AudioGraph
import Foundation
import MediaCodecs
import Testing

/// How long sounds are that say something else of themselves.
@Suite struct SoundLengthTests {
    private func measure(_ file: SoundFile, limit: Double = 3_600) throws -> Double {
        let handle = try FileHandle(forReadingFrom: file.url)
        defer { try? handle.close() }
        return try AudioFileReader.measure(descriptor: handle.fileDescriptor, limit: limit)
    }

    /// Its frames alone: without a tag, and without the first frame, which says how many there are.
    private func frames(_ planes: [[Float]], bitrate: Int) throws -> Data {
        let file = try SoundFile("a.mp3", encoder: "libmp3lame", rate: 44_100, bitrate: bitrate, planes: planes)
        var bytes = try file.bytes
        if bytes.starts(with: Data("ID3".utf8)) {
            let size = bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
            bytes = Data(bytes.dropFirst(10 + size))
        }
        // Version 1, layer III (ISO 11172-3 §2.4.2.3).
        let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        let rate = try #require(rates.indices.contains(Int(bytes[2] >> 4)) ? rates[Int(bytes[2] >> 4)] : nil)
        let length = 144 * rate * 1_000 / 44_100 + Int(bytes[2] >> 1 & 1)
        try #require(bytes[0] == 0xFF && bytes[length] == 0xFF, "the second frame is where the first one ends")
        return Data(bytes.dropFirst(length))
    }

    /// Ten seconds of little and ten of much, in either order.
    private func variable(reversed: Bool) throws -> SoundFile {
        let quiet = try frames([[Float](repeating: 0, count: 441_000)], bitrate: 32_000)
        let loud = try frames([Sound.noise(frames: 441_000, seed: 7)], bitrate: 320_000)
        return try SoundFile("a.mp3", bytes: reversed ? loud + quiet : quiet + loud)
    }

    @Test(
        "R11-S a song of a varying rate that does not say how long it is has its true length",
        arguments: [false, true])
    func withoutHeader(reversed: Bool) throws {
        let file = try variable(reversed: reversed)
        #expect(abs(try measure(file) - 20) < 0.1)
        let claimed = try #require(try AudioFileReader(file.path).duration)
        #expect(abs(claimed - 20) > 5, "what its first frames suggest is far off: \(claimed)")
    }

    @Test(
        "D04-S a jump to the last quarter of such a song is heard from there to its end", arguments: [false, true])
    func jump(reversed: Bool) throws {
        let file = try variable(reversed: reversed)
        let handle = try FileHandle(forReadingFrom: file.url)
        defer { try? handle.close() }
        for reader in [
            try AudioFileReader(file.path), try AudioFileReader(descriptor: handle.fileDescriptor),
        ] {
            try reader.seek(toSeconds: 15)
            #expect(abs(reader.position - 15) < 1e-4)
            let block = AudioBuffer(channels: 2, capacity: 4_800)
            var (count, loud) = (0, 0.0)
            while try reader.read(into: block) > 0 {
                count += block.frameCount
                loud = max(loud, Sound.rms(block[0].prefix(block.frameCount)))
            }
            #expect(abs(Double(count) / 48_000 - 5) < 0.15, "\(count) frames")
            #expect(reversed ? loud < 0.01 : loud > 0.1)
        }
    }

    /// A file whose own statement of its length is four times the truth.
    struct Boast: Sendable, CustomTestStringConvertible {
        var name: String
        var encoder: String
        /// Bytes that stand before the stated number, and how far behind their first one it stands.
        var mark: String
        var offset: Int
        var width = 4
        var isLittleEndian = false
        var isLast = false
        var testDescription: String { name }

        static let all = [
            Boast(name: "tone.wav", encoder: "pcm_s16le", mark: "data", offset: 4, isLittleEndian: true),
            Boast(name: "tone.mp3", encoder: "libmp3lame", mark: "Info", offset: 8),
            Boast(name: "tone.m4a", encoder: "aac", mark: "mvhd", offset: 20),
            Boast(name: "tone.m4a", encoder: "aac", mark: "mdhd", offset: 20),
            // 36 bits of samples; the last 32 of them.
            Boast(name: "tone.flac", encoder: "flac", mark: "fLaC", offset: 22),
            Boast(name: "tone.ogg", encoder: "libopus", mark: "OggS", offset: 6, isLittleEndian: true, isLast: true),
        ]

        func exaggerated(_ bytes: Data) throws -> Data {
            var bytes = bytes
            let range = try #require(bytes.range(of: Data(mark.utf8), options: isLast ? .backwards : []))
            let place = range.lowerBound + offset..<range.lowerBound + offset + width
            let stated = (isLittleEndian ? bytes[place].reversed() : Array(bytes[place])).reduce(0) {
                $0 << 8 | Int($1)
            }
            try #require((1_000..<1 << 28).contains(stated) || mark == "Info", "\(stated)")
            let digits = (0..<width).map { UInt8(truncatingIfNeeded: 4 * stated >> (8 * $0)) }
            bytes.replaceSubrange(place, with: isLittleEndian ? digits : digits.reversed())
            if mark == "OggS" { Self.sign(&bytes, page: range.lowerBound) }
            return bytes
        }

        /// The check sum of the last page (RFC 3533 §6): readers leave out a page whose sum is wrong.
        private static func sign(_ bytes: inout Data, page: Int) {
            let place = page + 22..<page + 26
            bytes.replaceSubrange(place, with: [0, 0, 0, 0])
            let sum = bytes[page...].reduce(UInt32(0)) { sum, byte in
                (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in sum << 1 ^ (sum >> 31) * 0x04c1_1db7 }
            }
            bytes.replaceSubrange(place, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        }
    }

    @Test("R11-S a song is as long as it sounds, whatever its container claims", arguments: Boast.all)
    func claims(boast: Boast) throws {
        let seconds = 2.5
        let honest = try SoundFile(
            boast.name, encoder: boast.encoder, planes: [Sound.tone(440, frames: Int(seconds * 48_000))])
        #expect(abs(try measure(honest) - seconds) < 0.03)
        let file = try SoundFile(boast.name, bytes: try boast.exaggerated(try honest.bytes))
        #expect(abs(try measure(file) - seconds) < 0.06, "\(boast.mark)")
    }

    @Test(
        "R11-S what some browsers cannot play is no sound to take from a stranger",
        arguments: [
            ("a.m4a", "alac", false), ("a.m4a", "aac", true), ("a.wav", "pcm_f64le", false),
            ("a.wav", "pcm_s24le", true), ("a.mov", "pcm_s16be", false), ("a.ogg", "flac", true),
            ("a.wav", "adpcm_ms", false), ("a.aac", "aac", false),
        ])
    func playable(name: String, encoder: String, isTaken: Bool) throws {
        let file = try SoundFile(name, encoder: encoder, planes: [Sound.tone(440, frames: 48_000)])
        #expect(try AudioFileReader(file.path).duration != nil, "FFmpeg itself reads it")
        #expect(((try? measure(file)) != nil) == isTaken)
    }

    @Test("R11-S what is longer than any song is not read to its end")
    func tooLong() throws {
        let file = try SoundFile("a.flac", encoder: "flac", planes: [[Float](repeating: 0, count: 48_000 * 20)])
        let seconds = try measure(file, limit: 3)
        #expect(seconds > 3 && seconds < 4)
    }
}
