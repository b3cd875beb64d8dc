internal import Foundation
internal import Timing

/// One measured stretch, as it is printed and written as JSON.
package struct MediaReport: Encodable, Sendable {
    package struct Percentiles: Encodable, Sendable {
        /// In milliseconds.
        package var p50: Double
        package var p99: Double
        package var most: Double

        /// nil without any.
        init?(_ latencies: Latencies) {
            guard let p50 = latencies.percentile(0.5), let p99 = latencies.percentile(0.99) else { return nil }
            self.p50 = p50.seconds * 1e3
            self.p99 = p99.seconds * 1e3
            most = latencies.longest.seconds * 1e3
        }
    }

    package struct Core: Encodable, Sendable {
        /// Shares of the time, 0…1.
        package var busy: Double
        package var softInterrupts: Double
        package var stolen: Double
    }

    package var speakers: Int
    package var listeners: Int
    package var seconds: Double
    /// Copies that should have come.
    package var expected: Int
    package var lost: Int
    package var late: Int
    /// Of the samples, those that came later than 200 ms.
    package var overdue: Int
    package var samples: Int
    package var misnumbered: Int
    /// At the reader, whose fault they are: they count as lost all the same.
    package var droppedByReader: Int
    package var packetsPerSecond: Double
    package var latency: Percentiles?
    package var lastCopy: Percentiles?
    /// The server's processor time for each copy, in microseconds.
    package var serverMicroseconds: Double?
    package var serverShare: Double?
    package var serverBytes: Int?
    package var readerShare: Double
    package var cores: [Core]

    /// No more than one copy in ten thousand is missing or too late: a virtual machine is never quite still.
    package var isLossFree: Bool { expected > 0 && lost <= expected / 10_000 && overdue <= samples / 10_000 }

    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? String(decoding: encoder.encode(self), as: UTF8.self)) ?? "{}"
    }

    package var text: String {
        func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.2f ms", $0) } ?? "–" }
        var parts = [
            "\(speakers) × \(listeners)", String(format: "%.0f packets/s", packetsPerSecond),
            String(format: "lost %d of %d", lost, expected)
                + (overdue > 0 ? String(format: ", %.2f %% too late", 100 * Double(overdue) / Double(samples)) : ""),
            "delay p50 \(milliseconds(latency?.p50)), p99 \(milliseconds(latency?.p99))",
            "last copy p99 \(milliseconds(lastCopy?.p99))",
        ]
        if let serverMicroseconds, let serverShare, let serverBytes {
            parts.append(
                String(
                    format: "server %.2f µs a packet, %.0f %% of a core, %.0f MiB", serverMicroseconds,
                    100 * serverShare, Double(serverBytes) / 1_048_576))
        }
        parts.append(String(format: "reader %.0f %% of a core", 100 * readerShare))
        return parts.joined(separator: "; ")
    }
}
