import AudioGraph
import Foundation

/// A signal of short tones whose order is known, so that each is recognised wherever and whenever it is heard: a tone of 5 ms every
/// 20 ms, of 16 pitches in turn. One pitch comes again after 320 ms, longer than any delay that is measured.
///
/// D5 looks for them in our recording and in that of Jamulus alike. A tone that a codec makes up for a lost packet continues the last
/// one's pitch, so it is not taken for the tone that was sung.
struct Bursts {
    static let rate = 48_000.0
    static let length = 240
    static let distance = 960
    static let pitches = (0..<16).map { 800.0 + 250 * Double($0 * 7 % 16) }
    static let amplitude: Float = 0.5
    /// Delays up to this are found.
    static let longest = 12_000

    /// The sample with that number.
    static func value(at frame: Int) -> Float {
        guard frame >= 0 else { return 0 }
        let (burst, place) = frame.quotientAndRemainder(dividingBy: distance)
        guard place < length else { return 0 }
        let window = 0.5 - 0.5 * cos(2 * Double.pi * (Double(place) + 0.5) / Double(length))
        let turn = 2 * Double.pi * pitches[burst % pitches.count] * Double(place) / rate
        return amplitude * Float(window * sin(turn))
    }

    struct Result: Encodable {
        var medianMs: Double
        var p99Ms: Double
        /// Of the tones: not heard, or made up.
        var missing: Double
        var tones: Int
    }

    /// - Parameters:
    ///   - recording: what was heard; its first sample is that with number `first` of the signal's time.
    ///   - span: of the signal, in which every tone is looked for.
    static func find(in recording: [Float], first: Int, span: Range<Int>) -> Result? {
        let energies = pitches.map { energy(of: $0, in: recording) }
        var delays: [Double] = []
        var missing = 0
        var peaks: [Float] = []
        var tones: [(peak: Int?, energy: Float, end: Int)] = []
        for burst in (span.lowerBound + distance - 1) / distance..<(span.upperBound / distance) {
            // The energy of a whole tone is there with its last sample.
            let end = burst * distance - first + length - 1
            guard end >= 0, end + longest < recording.count else { continue }
            let own = energies[burst % pitches.count]
            guard let peak = (end..<end + longest).max(by: { own[$0] < own[$1] }) else { continue }
            peaks.append(own[peak])
            tones.append((energies.allSatisfy { $0[peak] <= own[peak] } ? peak : nil, own[peak], end))
        }
        guard tones.count > 50 else { return nil }
        let usual = peaks.sorted()[peaks.count / 2]
        for tone in tones {
            guard let peak = tone.peak, tone.energy > usual / 6 else {
                missing += 1
                continue
            }
            delays.append(Double(peak - tone.end) / rate * 1_000)
        }
        delays.sort()
        guard delays.count > 50 else { return nil }
        return Result(
            medianMs: delays[delays.count / 2], p99Ms: delays[Int(Double(delays.count) * 0.99)],
            missing: Double(missing) / Double(tones.count), tones: tones.count)
    }

    /// How much of that pitch is in the last 5 ms before each sample.
    private static func energy(of pitch: Double, in samples: [Float]) -> [Float] {
        var result = [Float](repeating: 0, count: samples.count)
        var parts = [(Double, Double)](repeating: (0, 0), count: length)
        var (real, imaginary) = (0.0, 0.0)
        for index in samples.indices {
            let turn = 2 * Double.pi * (pitch * Double(index) / rate).truncatingRemainder(dividingBy: 1)
            let part = (Double(samples[index]) * cos(turn), Double(samples[index]) * sin(turn))
            let place = index % length
            real += part.0 - parts[place].0
            imaginary += part.1 - parts[place].1
            parts[place] = part
            result[index] = Float(real * real + imaginary * imaginary)
        }
        return result
    }
}

/// A WAV file of two channels: what went in, and what came out.
struct TwoChannels {
    var left: [Float] = []
    var right: [Float] = []

    struct Unreadable: Error {}

    init(wav path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        func number(_ offset: Int, _ bytes: Int) -> Int {
            (0..<bytes).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) }
        }
        var offset = 12
        var (format, bits) = (0, 0)
        while offset + 8 <= data.count {
            let name = String(decoding: data[offset..<offset + 4], as: UTF8.self)
            // What is still being written has no size yet.
            let size = min(number(offset + 4, 4), data.count - offset - 8)
            if name == "fmt " {
                guard number(offset + 10, 2) == 2, number(offset + 12, 4) == 48_000 else { throw Unreadable() }
                (format, bits) = (number(offset + 8, 2), number(offset + 22, 2))
            } else if name == "data" {
                let width = bits / 8
                guard width > 0 else { throw Unreadable() }
                for frame in stride(from: offset + 8, to: offset + 8 + size - 2 * width + 1, by: 2 * width) {
                    left.append(try Self.sample(number(frame, width), format: format, bits: bits))
                    right.append(try Self.sample(number(frame + width, width), format: format, bits: bits))
                }
                return
            }
            offset += 8 + size + size % 2
        }
        throw Unreadable()
    }

    private static func sample(_ bits: Int, format: Int, bits width: Int) throws -> Float {
        switch (format, width) {
        case (3, 32): Float(bitPattern: UInt32(bits))
        case (1, 16): Float(Int16(truncatingIfNeeded: bits)) / 32_768
        case (1, 24): Float(Int32(truncatingIfNeeded: bits << 8)) / 2_147_483_648
        default: throw Unreadable()
        }
    }
}
