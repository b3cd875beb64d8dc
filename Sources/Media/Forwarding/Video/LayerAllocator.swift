internal import Timing

/// Divides what a viewer's line carries among the pictures that it wants: the lowest layer of each first, then better ones, in their
/// order. It lowers before it pauses, and is quick to lower and slow to raise.
struct LayerAllocator {
    struct Decision: Hashable {
        /// The highest layer of each picture; `PictureDemand.nothing`: it is paused.
        var layers: [Int]
        /// What is sent above that ends at once, since the line is full.
        var isUrgent: Bool
    }

    /// Raised when so much more is there than is needed; lowered when so much less is, for a while or at once.
    private static let raising = 1.06
    private static let lowering = 0.90
    private static let urgent = 0.70
    private static let dwell = Interval.milliseconds(500)
    /// Nothing is paused before the line has been too narrow for so long.
    private static let patience = Interval.seconds(2)
    /// A raise that did not last so long has failed, and waits longer each time.
    private static let lasting = Interval.seconds(10)
    private static let firstWait = Interval.seconds(10)
    private static let longestWait = Interval.seconds(40)

    private var narrowSince: Instant?
    private var tooNarrowSince: Instant?
    private var raisedAt = Instant.distantPast
    private var wait = LayerAllocator.firstWait
    private var raisesAfter = Instant.distantPast
    /// Where so much more is there than what failed, the line is another one.
    private static let wider = 1.3
    /// What the last raise that failed needed.
    private var failedNeed = Double.infinity

    /// - Parameters:
    ///   - pictures: in the order of their importance.
    ///   - isSettled: no probe is under way that may tell of more.
    mutating func decide(
        _ pictures: [PictureDemand], available: Double, isSettled: Bool, at now: Instant
    ) -> Decision {
        let present = pictures.map(\.present)
        let need = cost(present, pictures)
        if available < Self.urgent * need {
            let layers = divide(pictures, Self.urgent * available, pauses: mayPause(pictures, available, at: now))
            if cost(layers, pictures) < need {
                noteFailure(need, at: now)
                narrowSince = nil
                return Decision(layers: layers, isUrgent: true)
            }
        } else {
            tooNarrowSince = nil
        }
        if available < Self.lowering * need {
            guard now - (narrowSince ?? now) >= Self.dwell else {
                narrowSince = narrowSince ?? now
                return Decision(layers: present, isUrgent: false)
            }
            narrowSince = nil
            let layers = divide(pictures, Self.lowering * available, pauses: false)
            if cost(layers, pictures) < need { noteFailure(need, at: now) }
            return Decision(layers: lower(of: layers, present, pictures), isUrgent: false)
        }
        narrowSince = nil
        let layers = divide(pictures, available / Self.raising, pauses: present.contains(PictureDemand.nothing))
        let raised = cost(layers, pictures)
        // Better for less needs no room.
        if raised <= need, zip(layers, present).allSatisfy(>=) { return Decision(layers: layers, isUrgent: false) }
        guard raised > need, isSettled,
            now >= raisesAfter || raised < Self.lowering * failedNeed || available > Self.wider * failedNeed
        else {
            return Decision(layers: present, isUrgent: false)
        }
        raisedAt = now
        return Decision(layers: layers, isUrgent: false)
    }

    /// What all pictures take as they are wanted.
    static func wanted(_ pictures: [PictureDemand]) -> Double { pictures.reduce(0) { $0 + $1.cost($1.best ?? -1) } }

    /// What the lowest layers of all pictures take.
    static func least(_ pictures: [PictureDemand]) -> Double { pictures.reduce(0) { $0 + $1.cost($1.lowest ?? -1) } }

    private func cost(_ layers: [Int], _ pictures: [PictureDemand]) -> Double {
        zip(layers, pictures).reduce(0) { $0 + $1.1.cost($1.0) }
    }

    /// Of each picture what takes less.
    private func lower(of layers: [Int], _ present: [Int], _ pictures: [PictureDemand]) -> [Int] {
        pictures.indices.map { index in
            let (one, other) = (layers[index], present[index])
            let (cost, otherCost) = (pictures[index].cost(one), pictures[index].cost(other))
            return cost == otherCost ? min(one, other) : cost < otherCost ? one : other
        }
    }

    private mutating func noteFailure(_ need: Double, at now: Instant) {
        if now - raisedAt < Self.lasting {
            wait = raisesAfter == .distantPast ? Self.firstWait : min(wait * 2, Self.longestWait)
            raisesAfter = now + wait
            failedNeed = need
        } else {
            wait = Self.firstWait
            raisesAfter = .distantPast
            failedNeed = .infinity
        }
        raisedAt = .distantPast
    }

    /// Whether the lowest layers of all have been too much for long enough.
    private mutating func mayPause(_ pictures: [PictureDemand], _ available: Double, at now: Instant) -> Bool {
        guard available < Self.urgent * Self.least(pictures) else {
            tooNarrowSince = nil
            return false
        }
        tooNarrowSince = tooNarrowSince ?? now
        return now - (tooNarrowSince ?? now) >= Self.patience
    }

    private func divide(_ pictures: [PictureDemand], _ budget: Double, pauses: Bool) -> [Int] {
        var left = budget
        var layers = pictures.map { picture in
            guard let lowest = picture.lowest else { return PictureDemand.nothing }
            guard !pauses || picture.cost(lowest) <= left else { return PictureDemand.nothing }
            left -= picture.cost(lowest)
            return lowest
        }
        for (index, picture) in pictures.enumerated() where layers[index] >= 0 {
            while let next = picture.above(layers[index]) {
                let more = picture.cost(next) - picture.cost(layers[index])
                // A layer of which nothing is known yet is not begun.
                guard picture.cost(next) > 0, more <= left else { break }
                left -= more
                layers[index] = next
            }
        }
        return layers
    }
}
