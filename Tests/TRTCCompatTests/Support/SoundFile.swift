import Foundation

/// Sound in WAV files of 16 bits.
enum SoundFile {
    /// Mono.
    static func wave(_ samples: [Float], rate: Int = 48_000) -> Data {
        var data = Data("RIFF".utf8)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(36 + samples.count * 2))
        data.append(Data("WAVEfmt ".utf8))
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(rate))
        append(UInt32(rate * 2))
        append(UInt16(2))
        append(UInt16(16))
        data.append(Data("data".utf8))
        append(UInt32(samples.count * 2))
        for sample in samples { append(Int16(max(-1, min(1, sample)) * 32_767)) }
        return data
    }

    /// A tone of 440 Hz at a quarter of full scale.
    static func tone(seconds: Double, rate: Int = 48_000) -> Data {
        wave(
            (0..<Int(Double(rate) * seconds)).map {
                Float(0.25 * sin(2 * Double.pi * 440 * Double($0) / Double(rate)))
            },
            rate: rate)
    }

    /// A song in the server's library. Returns the path under which the server has its file.
    static func addSong(seconds: Double, to data: String) throws -> String {
        let folder = "/songs/1/00000000000000aa/"
        try FileManager.default.createDirectory(atPath: data + folder, withIntermediateDirectories: true)
        let file = folder + "accompaniment.wav"
        try tone(seconds: seconds, rate: 8_000).write(to: URL(fileURLWithPath: data + file))
        return file
    }

    /// The samples of a WAV file, both channels as one.
    static func samples(of path: String) throws -> [Float] {
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        func number(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | (at + $1 < data.count ? Int(data[at + $1]) << (8 * $1) : 0) }
        }
        var at = 12
        var channels = 1
        while at + 8 <= data.count {
            let (name, size) = (data[at..<at + 4], number(at + 4, 4))
            if name.elementsEqual("fmt ".utf8) { channels = max(1, number(at + 10, 2)) }
            if name.elementsEqual("data".utf8) {
                let frames = min(size, data.count - at - 8) / (2 * channels)
                return (0..<frames).map { frame in
                    let sum = (0..<channels).reduce(0) { sum, channel in
                        sum + Int(Int16(truncatingIfNeeded: number(at + 8 + 2 * (frame * channels + channel), 2)))
                    }
                    return Float(sum) / Float(channels) / 32_768
                }
            }
            at += 8 + size + size % 2
        }
        return []
    }
}
