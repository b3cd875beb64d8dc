import Foundation
import SoundAnalysis

/// What is left of a sound when only the ear's coarse measures count: levels in third-octaves, over stretches of time.
/// The loudness of the whole is taken out, so that two sounds do not differ by being louder or softer alone.
struct SoundPrint {
    /// dB relative to the loudest; one row per stretch.
    let levels: [[Double]]

    /// 60 dB below the loudest nothing counts: nobody hears it beside the rest.
    private static let floor = -60.0

    init(_ sound: [Float], stretches: [Range<Double>]) {
        let measured = stretches.map { stretch -> [Double] in
            let part = Array(sound[Int(stretch.lowerBound * 48_000)..<Int(stretch.upperBound * 48_000)])
            let spectrum = Spectrum(of: part)
            // Density rather than energy: long stretches count no more than short ones.
            return Self.bands.map { spectrum.level(in: $0) }
        }
        let loudest = measured.joined().max() ?? 0
        levels = measured.map { $0.map { max(Self.floor, $0 - loudest) } }
    }

    /// 100 Hz to 12.5 kHz.
    private static let bands: [ClosedRange<Double>] = (0..<21).map { index in
        let low = 100 * exp2(Double(index) / 3)
        return low...low * exp2(1.0 / 3)
    }

    /// Effective difference in dB over all bands and stretches, after the mean difference is taken out.
    func distance(to other: SoundPrint) -> Double {
        let differences = zip(levels.joined(), other.levels.joined()).map { $0 - $1 }
        let mean = differences.reduce(0, +) / Double(differences.count)
        let square = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(differences.count)
        return square.squareRoot()
    }
}
