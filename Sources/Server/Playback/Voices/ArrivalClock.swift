/// Tells from arrivals alone when a singer's samples were captured.
///
/// A packet is never early: its arrival is its capture plus the way plus whatever held it up. The packets that nothing held
/// up lie on a straight line, whose slope is the drift of the singer's clock; it is the lower hull of all arrivals, taken
/// where it passes under their middle (the estimate of Moon, Skelly and Towsley). The way itself is left in.
struct ArrivalClock {
    /// Only the least delayed packet of 250 ms counts: enough of them for a network that jitters.
    private static let period: Int64 = 12_000
    /// 20 s: clocks wander with temperature, ways change.
    private static let periodsKept = 80
    /// Before 4 s a slope tells more of the jitter than of the clock.
    private static let slopeSpan = 192_000.0
    /// What ordinary crystals of two machines differ by at most.
    private static let slopeLimit = 300e-6

    private struct Point {
        var period: Int64
        var timestamp: Double
        /// Arrival minus timestamp.
        var offset: Double
    }

    private var points: [Point] = []
    private var hull: [Point] = []

    /// `timestamp`: of the frame after the packet's last; `arrival`: the place on the room's line.
    mutating func add(timestamp: Int64, arrival: Double) {
        let point = Point(
            period: timestamp / Self.period, timestamp: Double(timestamp), offset: arrival - Double(timestamp))
        if let last = points.last, point.period <= last.period {
            // One that comes very late tells nothing.
            guard point.period == last.period, point.offset < last.offset else { return }
            points[points.count - 1] = point
        } else {
            points.append(point)
            if points.count > Self.periodsKept { points.removeFirst() }
        }
    }

    /// Arrival minus timestamp of a packet that nothing holds up; nil before the first.
    mutating func offset(at timestamp: Double) -> Double? {
        guard let first = points.first, let last = points.last else { return nil }
        guard last.timestamp - first.timestamp >= Self.slopeSpan else {
            return points.reduce(first.offset) { min($0, $1.offset) }
        }
        let (slope, base) = line()
        // Some seconds beyond the last packet nothing is known any more.
        let reach = min(timestamp, last.timestamp + Self.slopeSpan)
        return base.offset + slope * (reach - base.timestamp)
    }

    /// The edge of the lower hull under the middle of all points.
    private mutating func line() -> (slope: Double, base: Point) {
        hull.removeAll(keepingCapacity: true)
        var middle = 0.0
        for point in points {
            middle += point.timestamp
            while hull.count >= 2, isAbove(hull[hull.count - 1], hull[hull.count - 2], point) { hull.removeLast() }
            hull.append(point)
        }
        middle /= Double(points.count)
        let after = max(1, hull.firstIndex { $0.timestamp >= middle } ?? 1)
        guard after < hull.count else { return (0, hull[0]) }
        let (a, b) = (hull[after - 1], hull[after])
        let slope = (b.offset - a.offset) / (b.timestamp - a.timestamp)
        // The nearer one carries: with a limited slope they are not on one line.
        let base = middle - a.timestamp < b.timestamp - middle ? a : b
        return (max(-Self.slopeLimit, min(Self.slopeLimit, slope)), base)
    }

    /// Whether `point` lies above the line from `a` to `b`, or on it.
    private func isAbove(_ point: Point, _ a: Point, _ b: Point) -> Bool {
        (point.offset - a.offset) * (b.timestamp - a.timestamp) >= (b.offset - a.offset)
            * (point.timestamp - a.timestamp)
    }
}
