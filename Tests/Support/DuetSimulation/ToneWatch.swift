import AudioGraph
import Foundation

/// Listens to a `SungTone` that has come a long way, and says how long it took and where it was broken.
///
/// The tone's phase is known for every moment, so what is heard is turned back by it (`turned`): what stays is the delay, as a
/// phase, and noise. Three things are looked at every 2.5 ms: sound far above the tone, where a break has its energy; steps of the
/// delay, which is what a lost or doubled sample leaves even where the tone goes through a peak and nothing breaks; and steps of the
/// level.
package final class ToneWatch {
    package struct Limits: Sendable {
        /// Power above `highPass`, relative to the tone's.
        package var breakdown = -48.0
        /// Seconds: half a sample.
        package var step = 10e-6
        /// dB.
        package var level = 0.5

        package init() {}
    }

    /// A place where the sound was broken.
    package struct Event: Sendable {
        /// Seconds since the first sample that was heard.
        package var at: Double
        package var highDB: Double
        package var step: Double
        package var levelDB: Double
    }

    /// The largest that was seen in sound that passed as whole.
    package struct Extremes: Sendable {
        package var highDB = -200.0
        package var step = 0.0
        package var levelDB = 0.0
    }

    private static let hop = 120
    /// Four hops: a raised cosine of this length sees nothing of the image at twice the frequency.
    private static let window = 480
    private static let highPass = 4_000.0
    /// What the first search looks through: half a second of sound, up to this delay.
    private static let searchFrames = 24_000
    private static let longestDelay = 0.2
    /// The delay is found anew by the tone's gliding, which knows no periods, so often.
    private static let searchEvery = 10.0

    package private(set) var events: [Event] = []
    package private(set) var extremes = Extremes()
    /// Found by the search: seconds since the first sample, and delay in seconds.
    package private(set) var delays: [(at: Double, delay: Double)] = []
    /// How often the search found another delay than the steps had led to, without an event: whole periods were left out or put in.
    package private(set) var slips = 0
    package private(set) var heardFrames: Int64 = 0
    /// Before, it only learns the delay.
    package var isWatching = false

    private let tone: SungTone
    private let limits: Limits
    private let filters: [Biquad]
    private let filtered = AudioBuffer(channels: 1, capacity: 480)
    private let weights: [Double]

    /// A sample, the singer's time at it, and the sample turned back by the tone's phase at the time less `guess`.
    private struct Place {
        var sample: Float
        var time: Double
        var real = 0.0
        var imaginary = 0.0
    }

    /// The last ones, oldest first; the newest hop is still being filled.
    private var recent: [Place] = []
    private var highEnergy = 0.0
    private var highs: [Double] = []
    private var points: [(delay: Double, level: Double)] = []
    private var guess: Double?
    private var search: [(sample: Float, time: Double)] = []
    private var isSearching = true
    private var nextSearch = 0.0
    private var lastEvent = -1.0
    /// There was an event since the last search.
    private var isExplained = false

    package init(_ tone: SungTone, limits: Limits = Limits()) {
        self.tone = tone
        self.limits = limits
        // Butterworth of the eighth order.
        filters = [0.5098, 0.6013, 0.9, 2.5629].map {
            Biquad(.highPass(Self.highPass, q: $0), channels: 1)
        }
        weights = (0..<Self.window).map { index in
            let angle: Double = 2 * .pi * (Double(index) + 0.5) / Double(Self.window)
            return 0.5 - 0.5 * cos(angle)
        }
        recent.reserveCapacity(Self.window + Self.hop)
        search.reserveCapacity(Self.searchFrames)
    }

    /// The delay as it was found last, in seconds.
    package var delay: Double? { points.last?.delay }

    /// Sound whose first sample is heard when the singer's time is `time`; `step` is what passes of it from sample to sample.
    package func hear(_ samples: UnsafeMutableBufferPointer<Float>, at time: Double, step: Double) {
        filtered.frameCount = samples.count
        for frame in 0..<samples.count { filtered[0][frame] = samples[frame] }
        for filter in filters { filter.process(filtered) }
        for frame in 0..<samples.count {
            let place = (sample: samples[frame], time: time + Double(frame) * step)
            recent.append(turned(Place(sample: place.sample, time: place.time)))
            if isSearching { collect(place) }
            let high = Double(filtered[0][frame])
            highEnergy += high * high
            heardFrames += 1
            if heardFrames % Int64(Self.hop) == 0 { look() }
        }
    }

    // MARK: Every hop

    private func look() {
        highs.append(10 * log10(highEnergy / Double(Self.hop) / (tone.amplitude * tone.amplitude / 2) + 1e-20))
        highEnergy = 0
        if recent.count > Self.window { recent.removeFirst(recent.count - Self.window) }
        let now = Double(heardFrames) / 48_000
        if !isSearching, now >= nextSearch { isSearching = true }
        guard let guess, recent.count == Self.window else { return }
        let found = point(guess)
        points.append(found)
        if abs(found.delay - guess) > 0.0002 { turnAgain(by: found.delay) }
        // The window of this hop ends now, the energy of its middle was counted two hops ago.
        guard points.count >= 13, highs.count >= 13 else { return }
        judge(at: now)
        points.removeFirst()
        highs.removeFirst(highs.count - 12)
    }

    /// The delay and the level of what is in the window, by turning it back with a delay that is nearly right.
    private func point(_ guess: Double) -> (delay: Double, level: Double) {
        var sum = (real: 0.0, imaginary: 0.0)
        recent.withUnsafeBufferPointer { recent in
            var index = 0
            while index < Self.window {
                sum.real += recent[index].real * weights[index]
                sum.imaginary += recent[index].imaginary * weights[index]
                index += 1
            }
        }
        let middle = recent[Self.window / 2].time - guess
        let phase = atan2(sum.imaginary, sum.real)
        let level = (sum.real * sum.real + sum.imaginary * sum.imaginary).squareRoot() / (Double(Self.window) / 4)
        return (guess - phase / (2 * .pi * tone.frequency(middle)), 20 * log10(level / tone.amplitude + 1e-10))
    }

    /// Real, but for twice the frequency, while the delay is right: sin(φ + δ)·sin φ → cos δ / 2, and with the cosine → sin δ / 2.
    private func turned(_ place: Place) -> Place {
        guard let guess else { return place }
        var place = place
        let phase = tone.phase(place.time - guess)
        place.real = Double(place.sample) * sin(phase)
        place.imaginary = Double(place.sample) * cos(phase)
        return place
    }

    private func turnAgain(by guess: Double) {
        self.guess = guess
        for index in recent.indices { recent[index] = turned(recent[index]) }
    }

    /// Σ of a sound turned back. A late sound has a negative phase.
    private func turnedSum(
        _ sound: [(sample: Float, time: Double)], _ delay: Double, stride: Int
    ) -> (real: Double, imaginary: Double) {
        var real = 0.0
        var imaginary = 0.0
        var index = 0
        while index < sound.count {
            let phase = tone.phase(sound[index].time - delay)
            let value = Double(sound[index].sample)
            real += value * sin(phase)
            imaginary += value * cos(phase)
            index += stride
        }
        return (real, imaginary)
    }

    /// Looks at the hop in the middle of the last thirteen: from its window to the next that shares nothing with it, against what
    /// it did just before and after.
    private func judge(at now: Double) {
        let last = points.count - 1
        let before = points[last - 8].delay - points[last - 12].delay
        let here = points[last - 4].delay - points[last - 8].delay
        let after = points[last].delay - points[last - 4].delay
        let step = here - (before + after) / 2
        let level = points[last - 4].level - points[last - 8].level
        let high = highs[max(0, highs.count - 9)...max(0, highs.count - 7)].max() ?? -200
        guard isWatching else { return }
        if abs(step) > limits.step || abs(level) > limits.level || high > limits.breakdown {
            let at = now - 0.02
            if at - lastEvent > 0.05 { events.append(Event(at: at, highDB: high, step: step, levelDB: level)) }
            lastEvent = at
            // What was invented has any phase: from here on the delay must be found anew.
            if !isSearching { nextSearch = min(nextSearch, now + 0.1) }
            isExplained = true
        } else {
            extremes.highDB = max(extremes.highDB, high)
            extremes.step = max(extremes.step, abs(step))
            extremes.levelDB = max(extremes.levelDB, abs(level))
        }
    }

    // MARK: The search

    private func collect(_ place: (sample: Float, time: Double)) {
        search.append(place)
        guard search.count == Self.searchFrames else { return }
        let found = findDelay()
        let now = Double(heardFrames) / 48_000
        delays.append((now, found))
        if let guess, abs(found - (delay ?? guess)) > 0.0004 {
            if isWatching, !isExplained { slips += 1 }
            turnAgain(by: found)
            points.removeAll()
        } else if guess == nil {
            turnAgain(by: found)
        }
        search.removeAll(keepingCapacity: true)
        isSearching = false
        isExplained = false
        nextSearch = now + Self.searchEvery
    }

    /// Where half a second of gliding fits best; between periods decided by the gliding, within one by the phase.
    private func findDelay() -> Double {
        func strength(_ delay: Double) -> Double {
            let sum = turnedSum(search, delay, stride: 12)
            return sum.real * sum.real + sum.imaginary * sum.imaginary
        }
        var best = 0.0
        var most = -1.0
        var (from, to, step) = (0.0, Self.longestDelay, 0.001)
        if let delay = delay ?? guess { (from, to) = (max(0, delay - 0.03), delay + 0.03) }
        for _ in 0..<3 {
            var delay = from
            while delay <= to {
                let value = strength(delay)
                if value > most { (best, most) = (delay, value) }
                delay += step
            }
            (from, to, step) = (best - step, best + step, step / 8)
        }
        let sum = turnedSum(search, best, stride: 1)
        let middle = search[search.count / 2].time - best
        return best - atan2(sum.imaginary, sum.real) / (2 * .pi * tone.frequency(middle))
    }
}
