internal import Foundation

/// One measured stretch of a room's messages, as it is printed and written as JSON.
package struct ChatReport: Encodable, Sendable {
    package typealias Percentiles = MediaReport.Percentiles
    package typealias Core = MediaReport.Core

    package var members: Int
    /// As they were to be said, each second.
    package var rate: Double
    package var seconds: Double
    package var said: Int
    package var refused: Int
    /// Copies that should have come, and that came.
    package var expected: Int
    package var delivered: Int
    /// Members who did not get each text exactly once.
    package var incomplete: Int
    package var deliveriesPerSecond: Double
    package var bytesPerDelivery: Double
    package var textsPerFrame: Double
    /// From when a text was to be said until it was read.
    package var latency: Percentiles?
    /// The server's processor time for each copy and for each frame, in microseconds.
    package var serverMicroseconds: Double?
    package var frameMicroseconds: Double?
    package var serverShare: Double?
    package var serverBytes: Int?
    package var readerShare: Double
    package var cores: [Core]

    package var isWhole: Bool { said > 0 && refused == 0 && incomplete == 0 }

    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? String(decoding: encoder.encode(value), as: UTF8.self)) ?? "{}"
    }

    package var text: String {
        func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.2f ms", $0) } ?? "–" }
        var parts = [
            "\(members) members", String(format: "%.0f messages/s, %.0f deliveries/s", rate, deliveriesPerSecond),
            "\(delivered) of \(expected)" + (refused > 0 ? ", \(refused) refused" : "")
                + (incomplete > 0 ? ", incomplete for \(incomplete)" : ""),
            "p50 \(milliseconds(latency?.p50)), p99 \(milliseconds(latency?.p99)), most \(milliseconds(latency?.most))",
            String(format: "%.1f in a frame", textsPerFrame),
        ]
        if let serverMicroseconds, let frameMicroseconds, let serverShare, let serverBytes {
            parts.append(
                String(
                    format: "server %.2f µs a delivery, %.2f a frame, %.0f %% of a core, %.0f MiB", serverMicroseconds,
                    frameMicroseconds, 100 * serverShare, Double(serverBytes) / 1_048_576))
        }
        parts.append(String(format: "reader %.0f %% of a core", 100 * readerShare))
        return parts.joined(separator: "; ")
    }
}

/// What becomes of seats while far more is said than the room lets through.
package struct FloodReport: Encodable, Sendable {
    package var members: Int
    package var rate: Double
    package var seconds: Double
    package var said: Int
    /// Messages that the room has taken, and those whose senders were told that they are too much.
    package var taken: Int
    package var refused: Int
    /// Copies of what was taken that should have come, and that came.
    package var expected: Int
    package var delivered: Int
    package var seatChanges: Int
    /// Copies of seat news that should have come, and that came.
    package var seatsExpected: Int
    package var seatsDelivered: Int
    /// From when a seat was to be changed until a member has read it.
    package var seatLatency: ChatReport.Percentiles?
    package var serverShare: Double?

    package var text: String {
        func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.2f ms", $0) } ?? "–" }
        let server = serverShare.map { String(format: "; server %.0f %% of a core", 100 * $0) } ?? ""
        return
            "\(members) members, \(Int(rate)) messages/s: \(taken) of \(said) taken, \(refused) refused, \(delivered) of \(expected) copies; \(seatChanges) seat changes, \(seatsDelivered) of \(seatsExpected) copies, p50 \(milliseconds(seatLatency?.p50)), p99 \(milliseconds(seatLatency?.p99)), most \(milliseconds(seatLatency?.most))\(server)"
    }
}

/// What lines cost that are there and say nothing.
package struct LinesReport: Encodable, Sendable {
    package var members: Int
    /// Until all of them were in.
    package var seconds: Double
    /// What the server's memory has grown by, for each.
    package var serverBytes: Double?
    /// What the kernel's has (`Slab` of /proc/meminfo), for each: both ends, where both are on this machine.
    package var kernelBytes: Double

    package var text: String {
        let server = serverBytes.map { String(format: "server %.1f KiB each, ", $0 / 1_024) } ?? ""
        return String(
            format: "%d lines in %.1f s; %@kernel %.1f KiB each", members, seconds, server, kernelBytes / 1_024)
    }
}

/// How everybody came back after the server had gone.
package struct ReturnReport: Encodable, Sendable {
    package var members: Int
    /// From the loss, and from the first connection that was taken again, until everybody was in the room again.
    package var sinceLoss: Double
    package var sinceAccepted: Double
    /// Entries that were answered with a snapshot.
    package var snapshots: Int
    /// Messages that the server had taken.
    package var taken: Int
    /// Copies of those that did not come, and copies that came twice.
    package var lost: Int
    package var doubled: Int

    package var text: String {
        String(
            format:
                "%d members back %.2f s after the loss, %.2f s after the first connection; %d by snapshot; %d messages taken, %d copies lost, %d doubled",
            members, sinceLoss, sinceAccepted, snapshots, taken, lost, doubled)
    }
}
