import Synchronization
package import Timing

/// What was asked over HTTP, and how long the answers took.
package final class RequestCounters: Sendable {
    /// What a request is about; paths have too many values for a label.
    package enum Area: String, CaseIterable, Sendable {
        case rest, compatible, media, songs, pages
    }

    /// Upper bounds of the buckets, in seconds.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct Line {
        var byStatus: [Int: UInt64] = [:]
        var buckets = [UInt64](repeating: 0, count: RequestCounters.bounds.count)
        var count: UInt64 = 0
        var seconds = 0.0
    }

    private let lines = Mutex<[Area: Line]>([:])

    package init() {}

    package func note(_ area: Area, status: Int, took time: Interval) {
        lines.withLock { lines in
            var line = lines[area] ?? Line()
            line.byStatus[status, default: 0] += 1
            line.count += 1
            line.seconds += time.seconds
            if let bucket = Self.bounds.firstIndex(where: { time.seconds <= $0 }) { line.buckets[bucket] += 1 }
            lines[area] = line
        }
    }

    package func write(to metrics: inout MetricsText) {
        let lines = lines.withLock { $0 }
        let areas = Area.allCases.filter { lines[$0] != nil }
        metrics.add(
            "ovation_http_requests_total", "Requests that were answered.", .counter,
            areas.flatMap { area in
                (lines[area]?.byStatus ?? [:]).sorted { $0.key < $1.key }.map {
                    (labels: [("area", area.rawValue), ("status", "\($0.key)")], value: Double($0.value))
                }
            })
        metrics.add(
            "ovation_http_request_seconds", "How long the answers took.",
            histograms: areas.compactMap { area in
                lines[area].map { line in
                    (
                        labels: [("area", area.rawValue)],
                        buckets: zip(Self.bounds, line.buckets).map { (bound: $0, count: $1) }, count: line.count,
                        sum: line.seconds
                    )
                }
            })
    }
}
