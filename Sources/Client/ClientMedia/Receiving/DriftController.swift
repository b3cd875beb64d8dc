/// Turns the distance of the delay from its target into a playing speed: a proportional-integral controller, so slow that
/// nobody hears it, whose integral comes to rest at the difference of the two clocks.
///
/// The delay changes by drift − speed, hence the loop is of second order: with the constants below critically damped at
/// 0.15 rad/s, far below the smoothing of what is measured (1 rad/s). Slower, and at 100 ppm the delay strays by milliseconds in the
/// first minute, which between singers, who wait for no more than they must, is a gap in the sound.
struct DriftController {
    /// Beyond, pitch would be heard to move (1000 ppm are 1.7 cents).
    static let maximumDeviation = 1_000e-6
    private static let proportional = 0.3
    private static let integral = 0.0225
    /// A delay that is further off is so for another reason than drift, a hold-up or a new target, and says little of the clocks;
    /// learnt in full, it would carry the delay beyond its target, where sound is missing. Seconds.
    private static let learnt = 0.5e-3
    /// Measurements jitter with the threads' waking; seconds.
    private static let smoothing = 1.0

    /// Input played per output, minus one.
    private(set) var deviation = 0.0
    /// The clocks' difference in parts per million; positive if the sender's clock is the faster one.
    var driftPPM: Double { sum * 1e6 }

    private var smoothed: Double?
    private var sum = 0.0

    /// `error`: the delay minus its target, seconds; `passed`: since the last call, seconds.
    mutating func update(error: Double, passed: Double) {
        guard passed > 0 else { return }
        var value = smoothed ?? error
        value += (error - value) * min(1, passed / Self.smoothing)
        smoothed = value
        let wanted = Self.proportional * value + sum
        let limited = min(max(wanted, -Self.maximumDeviation), Self.maximumDeviation)
        // While the output is at its limit the integral must not run away.
        if wanted == limited || wanted.sign != value.sign {
            let lesson = min(max(value, -Self.learnt), Self.learnt)
            sum = min(
                max(sum + Self.integral * lesson * passed, -Self.maximumDeviation), Self.maximumDeviation)
        }
        deviation = limited
    }

    /// The delay was changed by other means: what was measured before does not hold; the drift does.
    mutating func forgetError() { smoothed = nil }

    mutating func reset() { self = DriftController() }
}
