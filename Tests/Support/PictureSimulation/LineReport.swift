package import Timing

/// What was seen and heard over a line, and how that compares with what was wanted.
package struct LineReport: Sendable {
    package internal(set) var scenario = LineScenario(name: "", steps: [])
    /// When the scenario began: its times count from here.
    package internal(set) var began = Instant(nanoseconds: 0)
    /// Frames of each picture, when they were shown, and of which layer.
    package internal(set) var shown: [Int: [(at: Instant, layer: Int)]] = [:]
    /// When sound was sent, and how long it waited.
    package internal(set) var sound: [(sent: Instant, waited: Interval)] = []
    /// What the line was thought to carry, and what it did.
    package internal(set) var estimates: [(at: Instant, estimate: Double, line: Double)] = []
    package internal(set) var repeats = 0
    package internal(set) var skipped = 0
    package internal(set) var filling = 0
    package internal(set) var keyFrames = 0
    package internal(set) var sentBytes = 0

    private func instant(_ time: Interval) -> Instant { began + time }

    package struct Freeze: Sendable {
        package var picture: Int
        package var end: Interval
        package var length: Interval
    }

    private static func text(_ freezes: [Freeze]) -> String {
        freezes.map { "\($0.length.milliseconds) ms at \($0.end.milliseconds)" }.joined(separator: ", ")
    }

    /// Gaps between frames that somebody would notice, with their ends: by picture.
    package func freezes(longerThan least: Interval = .milliseconds(300)) -> [Freeze] {
        var found: [Freeze] = []
        for (picture, frames) in shown.sorted(by: { $0.key < $1.key }) {
            for (before, after) in zip(frames, frames.dropFirst()) where after.at - before.at > least {
                found.append(Freeze(picture: picture, end: after.at - began, length: after.at - before.at))
            }
            if let last = frames.last, instant(scenario.length) - last.at > least {
                found.append(
                    Freeze(picture: picture, end: scenario.length, length: instant(scenario.length) - last.at))
            }
        }
        return found
    }

    private func layer(of picture: Int, at time: Interval) -> Int? {
        shown[picture]?.last { $0.at <= instant(time) }?.layer
    }

    /// How often the layer changed in a stretch.
    package func switches(of picture: Int, in stretch: ClosedRange<Interval>) -> Int {
        let frames = (shown[picture] ?? []).filter {
            $0.at >= instant(stretch.lowerBound) && $0.at <= instant(stretch.upperBound)
        }
        return zip(frames, frames.dropFirst()).filter { $0.layer != $1.layer }.count
    }

    /// The longest that sound waited in a stretch.
    package func longestWait(in stretch: ClosedRange<Interval>) -> Interval {
        sound.filter { $0.sent >= instant(stretch.lowerBound) && $0.sent <= instant(stretch.upperBound) }.map(\.waited)
            .max() ?? .zero
    }

    /// The highest layer that takes at most 85 % of the line, sound left aside.
    private func bestLayer(at rate: Double) -> Int {
        let all = scenario.layers.map { ($0 * 1.06 + 3_000) * Double(scenario.pictures) + 75_000 }
        return all.lastIndex { $0 <= 0.85 * rate } ?? 0
    }

    /// Stretches in which the line did not change, without the time that each goal gives to settle.
    package var settled: [ClosedRange<Interval>] {
        let ends = scenario.steps.dropFirst().map(\.begins) + [scenario.length]
        return zip(scenario.steps, ends).compactMap { step, end in
            let settling = Interval.seconds(step.begins == .zero ? 15 : scenario.falls.contains(step.begins) ? 8 : 12)
            let start = step.begins + settling
            return start < end ? start...end : nil
        }
    }

    // MARK: Goals

    /// What M6 asks for and was not so.
    package var missesOfM6: [String] {
        var misses: [String] = []
        let fallWindow: (Interval) -> Bool = { time in
            scenario.falls.contains { time >= $0 - .seconds(1) && time <= $0 + .seconds(4) }
        }
        let freezes = freezes().filter { $0.end > .seconds(4) }
        let atFalls = freezes.filter { fallWindow($0.end) }
        if atFalls.count > scenario.falls.count * scenario.pictures
            || atFalls.contains(where: { $0.length > .milliseconds(1_200) })
        {
            misses.append("freezes at the fall: \(atFalls.map(\.length.milliseconds)) ms")
        }
        let elsewhere = freezes.filter { !fallWindow($0.end) }
        if !elsewhere.isEmpty { misses.append("freezes elsewhere: \(Self.text(elsewhere))") }
        misses += missesOfLayers
        for fall in scenario.falls {
            let waited = longestWait(in: fall + .seconds(1)...fall + .seconds(10))
            if waited >= .milliseconds(250) { misses.append("sound waited \(waited.milliseconds) ms") }
        }
        for stretch in settled {
            for picture in 0..<scenario.pictures {
                let count = switches(of: picture, in: stretch)
                let allowed = max(1, Int((stretch.upperBound - stretch.lowerBound).seconds / 10))
                if count > allowed {
                    misses.append("switches of picture \(picture): \(count) from \(stretch.lowerBound.milliseconds) on")
                }
            }
        }
        return misses
    }

    private var missesOfLayers: [String] {
        var misses: [String] = []
        for (moments, time) in [(scenario.falls, Interval.seconds(3)), (scenario.rises, .seconds(8))] {
            for moment in moments {
                let best = bestLayer(at: scenario.rate(at: moment))
                for picture in 0..<scenario.pictures {
                    let seen = layer(of: picture, at: moment + time) ?? -1
                    guard seen != best else { continue }
                    misses.append(
                        "layer \(seen) of picture \(picture), not \(best), \(time.milliseconds) ms after \(moment.milliseconds)"
                    )
                }
            }
        }
        return misses
    }

    /// After an outage the picture is to be back within a second, and sound to wait no longer than before.
    package var missesOfOutage: [String] {
        guard let outage = scenario.outage else { return [] }
        var misses: [String] = []
        let late = outage.upperBound + .seconds(1)
        for picture in 0..<scenario.pictures {
            let back = shown[picture]?.first { $0.at > instant(outage.upperBound) }?.at
            if back ?? .distantFuture > instant(late) {
                misses.append(
                    "picture back after \(((back ?? .distantFuture) - instant(outage.upperBound)).milliseconds) ms")
            }
        }
        if freezes(longerThan: .milliseconds(1_500)).contains(where: { $0.end > late }) {
            misses.append("freezes later")
        }
        return misses
    }

    /// What M7 asks for and was not so.
    package var missesOfM7: [String] {
        var misses: [String] = []
        let freezes = freezes(longerThan: .milliseconds(1_500)).filter { $0.end > .seconds(4) }
        if !freezes.isEmpty { misses.append("freezes: \(Self.text(freezes))") }
        let over = estimates.filter { sample in
            settled.contains { $0.contains(sample.at - began) } && sample.estimate > 1.2 * sample.line
        }
        if let worst = over.max(by: { $0.estimate / $0.line < $1.estimate / $1.line }) {
            misses.append(
                "estimate \(Int(worst.estimate / 1000)) over \(Int(worst.line / 1000)) kbit/s, \(over.count) times")
        }
        for fall in scenario.falls {
            let waited = longestWait(in: fall + .seconds(2)...fall + .seconds(10))
            if waited >= .milliseconds(400) { misses.append("sound waited \(waited.milliseconds) ms") }
        }
        return misses
    }
}
