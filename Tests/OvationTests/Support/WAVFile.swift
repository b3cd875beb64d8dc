import Foundation

/// Sound files of 8 kHz, mono, 16 bits: small.
enum WAVFile {
    static let rate = 8_000

    /// A square wave.
    /// - Parameter period: in frames.
    static func tone(seconds: Int, period: Int) -> Data {
        var bytes = Data("RIFF".utf8)
        func add(_ number: Int, _ count: Int) {
            for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
        }
        let size = rate * seconds * 2
        add(size + 36, 4)
        bytes += Data("WAVEfmt ".utf8)
        for (number, count) in [(16, 4), (1, 2), (1, 2), (rate, 4), (rate * 2, 4), (2, 2), (16, 2)] {
            add(number, count)
        }
        bytes += Data("data".utf8)
        add(size, 4)
        for frame in 0..<rate * seconds { add(frame % period < period / 2 ? 3_000 : -3_000, 2) }
        return bytes
    }
}
