import ClientMedia
import Timing

/// What one singer heard of the other over a long time, and what of it must not be.
package struct DuetReport: Encodable, Sendable {
    /// The delay from singing to hearing, in milliseconds: when watching began, at the end, and what lay between.
    package var firstMs = Double.nan
    package var lastMs = Double.nan
    package var leastMs = Double.nan
    package var mostMs = Double.nan
    /// Of the delay in the buffer from its target.
    package var furthestMs = 0.0
    package var furthestAt = 0.0
    package var targetsMs: [Double] = []
    package var driftPPM = 0.0
    /// Where the sound was broken.
    package var breaks: [Double] = []
    /// Those of them where no sound was made up, so that another reason is to be found.
    package var unexplainedBreaks: [Double] = []
    /// Whole periods of the tone left out or put in.
    package var slips = 0
    /// The loudest that was heard above the tone's band, relative to it; largest steps of delay and level, where nothing was broken.
    package var highDB = 0.0
    package var stepMicroseconds = 0.0
    package var levelDB = 0.0
    package var concealedFrames: UInt64 = 0
    package var splicedFrames: UInt64 = 0
    package var late: UInt64 = 0
    package var discarded: UInt64 = 0
    package var received: UInt64 = 0

    /// Two packets of sound.
    package static let twoFramesMs = 10.0

    /// What must not be, in words; empty if all is well. Where packets get lost, they are heard to be missing.
    package func faults(isLossFree: Bool) -> [String] {
        var faults: [String] = []
        if !(abs(lastMs - firstMs) <= Self.twoFramesMs) {
            faults.append("the delay has wandered from \(firstMs) to \(lastMs) ms")
        }
        if !(mostMs - leastMs <= 2 * Self.twoFramesMs) {
            faults.append("the delay moved between \(leastMs) and \(mostMs) ms")
        }
        if furthestMs > Self.twoFramesMs {
            faults.append("the buffer was \(furthestMs) ms from its target at \(furthestAt) s")
        }
        if let first = unexplainedBreaks.first {
            faults.append("\(unexplainedBreaks.count) breaks where nothing was missing, the first at \(first) s")
        }
        guard isLossFree else { return faults }
        if !breaks.isEmpty { faults.append("\(breaks.count) breaks in the sound, the first at \(breaks[0]) s") }
        if slips > 0 { faults.append("\(slips) times whole periods were left out or put in") }
        if concealedFrames > 0 { faults.append("\(concealedFrames) samples were made up") }
        if splicedFrames > 0 { faults.append("\(splicedFrames) samples were cut out or put in") }
        if late > 0 || discarded > 0 { faults.append("\(late) packets late, \(discarded) left out") }
        return faults
    }
}

extension VirtualDuet {
    /// What the singer of that number has heard since `watch()`.
    package func report(_ singer: Int) -> DuetReport {
        let ear = ears[singer]
        let statistics = singers[singer].statistics
        let before = ear.before
        func ms(_ interval: Interval) -> Double { interval.seconds * 1_000 }
        var report = DuetReport()
        let delays = ear.watch.delays.filter { $0.at >= ear.watchedFrom }.map { $0.delay * 1_000 }
        report.firstMs = delays.first ?? .nan
        report.lastMs = delays.last ?? .nan
        report.leastMs = delays.min() ?? .nan
        report.mostMs = delays.max() ?? .nan
        report.furthestMs = ms(ear.furthest)
        report.furthestAt = ear.furthestAt
        report.targetsMs = ear.targets.map { [ms($0.lowerBound), ms($0.upperBound)] } ?? []
        report.driftPPM = statistics.driftPPM
        report.breaks = ear.watch.events.map(\.at)
        // A block and what lies in the limiter and in the watch's window lie between making up and noticing.
        report.unexplainedBreaks = report.breaks.filter { at in
            !ear.concealments.contains { ($0 - 0.05...$0 + 0.1).contains(at) }
        }
        report.slips = ear.watch.slips
        report.highDB = ear.watch.extremes.highDB
        report.stepMicroseconds = ear.watch.extremes.step * 1e6
        report.levelDB = ear.watch.extremes.levelDB
        report.concealedFrames = statistics.concealedFrames &- before.concealedFrames
        report.splicedFrames =
            statistics.shortenedFrames &+ statistics.lengthenedFrames &- before.shortenedFrames
            &- before.lengthenedFrames
        report.late = statistics.late &- before.late
        report.discarded = statistics.discarded &- before.discarded
        report.received = statistics.received &- before.received
        return report
    }

    /// What can be done to the sound on purpose, to see whether it is noticed.
    package enum Spoiling: String, Sendable, CaseIterable {
        case sampleLost, sampleDoubled
        /// A packet comes so late that some milliseconds are made up in its place.
        case concealed
    }

    /// How many of `count` spoilings at various places of the tone the second singer's watch noticed.
    package func noticed(_ spoiling: Spoiling, of count: Int) -> Int {
        let ear = ears[1]
        var noticed = 0
        for number in 0..<count {
            // Odd lengths: another place of the tone each time.
            run(0.4 + 0.0137 * Double(number % 7))
            let before = ear.watch.events.count
            switch spoiling {
            case .sampleLost: ear.spoil = 1
            case .sampleDoubled: ear.spoil = -1
            case .concealed: stage.holdUp = (1, singers[1].statistics.delay + .microseconds(2_500))
            }
            run(0.15)
            if ear.watch.events.count > before { noticed += 1 }
        }
        return noticed
    }
}
