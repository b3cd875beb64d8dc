internal import Glibc

/// Sample-wise curves and conversions that the effects share.

/// Added inside feedback loops so that a dying tail never reaches denormal numbers, which are slow. 360 dB below full scale.
let denormalGuard: Float = 1e-18

/// Straight up to 0.7, then bent so that nothing passes ±1: the last stage of an effect that adds sound to sound.
@inline(__always)
func softCeiling(_ sample: Float) -> Float {
    let knee: Float = 0.7
    let magnitude = abs(sample)
    if magnitude <= knee { return sample }
    let over = (magnitude - knee) / (1 - knee)
    let bent = min(1, knee + (1 - knee) * (over / (1 + over)))
    return sample < 0 ? -bent : bent
}

func softCeiling(_ sound: UnsafeMutablePointer<Float>, _ count: Int) {
    var frame = 0
    while frame < count {
        let sample = sound[frame]
        if sample > 0.7 || sample < -0.7 { sound[frame] = softCeiling(sample) }
        frame &+= 1
    }
}

/// A rational stand-in for tanh: slope 1 at rest, ±1 from ±3 on.
@inline(__always)
func saturate(_ sample: Float) -> Float {
    let bounded = max(-3, min(3, sample))
    let square = bounded * bounded
    return bounded * (27 + square) / (27 + 9 * square)
}

/// What is not a usable sample (not a number, infinite, absurdly large) would ring in a feedback loop for ever.
@inline(__always)
func usable(_ sample: Float) -> Float { abs(sample) <= 8 ? sample : 0 }

/// The step of a first-order low-pass with `cutoff` hertz.
func onePoleCoefficient(cutoff: Float) -> Float {
    1 - exp(-2 * Float.pi * cutoff / Float(AudioRate.standard))
}

func amplitude(decibels: Float) -> Float { pow(10, decibels / 20) }

func frames(milliseconds: Float) -> Float { milliseconds * Float(AudioRate.standard) / 1_000 }

/// Settings that move slowly are worked out once per so many frames, on a grid that does not depend on block lengths.
let controlPeriod = 32
