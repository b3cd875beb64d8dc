import Foundation

/// What the same work costs again and again, and whether it costs more in the end.
struct Aging: Encodable {
    struct Window: Encodable {
        /// Processor time.
        var microsecondsPerUnit: Double
        var residentMiB: Double
    }

    /// The last windows may cost so much more than the first.
    private static let limit = 1.1

    var name: String
    var units: Int
    var windows: [Window]
    /// Which part of them is compared: a tenth, or a third where a window is short or the machine has much else to do.
    var part = 10
    /// What else went wrong, in words.
    var broken: [String] = []

    private var costRatio: Double { ratio(\.microsecondsPerUnit) }
    private var memoryRatio: Double { ratio(\.residentMiB) }

    private func ratio(_ figure: KeyPath<Window, Double>) -> Double {
        func median(_ some: ArraySlice<Window>) -> Double {
            let sorted = some.map { $0[keyPath: figure] }.sorted()
            return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
        }
        let count = max(1, windows.count / part)
        return median(windows.suffix(count)) / median(windows.prefix(count))
    }

    var problems: [String] {
        // What cannot be told counts as a problem too.
        (costRatio <= Self.limit ? [] : ["costs more"]) + (memoryRatio <= Self.limit ? [] : ["holds more memory"])
            + broken
    }

    var text: String {
        let costs = windows.map { String(format: "%.1f", $0.microsecondsPerUnit) }.joined(separator: " ")
        let memory = windows.map { String(format: "%.1f", $0.residentMiB) }.joined(separator: " ")
        return """
            \(units) \(name)
              µs of processor time each, by windows: \(costs)   (last ÷ first \(String(format: "%.2f", costRatio)))
              MiB after each: \(memory)   (last ÷ first \(String(format: "%.2f", memoryRatio)))
            """ + problems.map { "\n  PROBLEM: \($0)" }.joined()
    }
}
