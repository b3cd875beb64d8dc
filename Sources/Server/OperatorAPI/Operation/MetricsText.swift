/// Figures as Prometheus reads them (text format 0.0.4).
package struct MetricsText: Sendable {
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    /// The type of the answer.
    package static let type = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""
    private var names: Set<String> = []

    package init() {}

    /// One figure, or those of a family with labels. A family stands together, so its figures come in one call.
    package mutating func add(
        _ name: String, _ help: String, _ kind: Kind, _ figures: [(labels: [(String, String)], value: Double)]
    ) {
        precondition(names.insert(name).inserted, "a family stands once")
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for figure in figures { line(name, figure.labels, figure.value) }
    }

    package mutating func add(_ name: String, _ help: String, _ kind: Kind, _ value: some BinaryInteger) {
        add(name, help, kind, [(labels: [], value: Double(value))])
    }

    package mutating func add(_ name: String, _ help: String, _ kind: Kind, _ value: Double) {
        add(name, help, kind, [(labels: [], value: value)])
    }

    /// Durations in seconds, by the upper bounds of their buckets.
    package mutating func add(
        _ name: String, _ help: String,
        histograms: [(
            labels: [(String, String)], buckets: [(bound: Double, count: UInt64)], count: UInt64, sum: Double
        )]
    ) {
        precondition(names.insert(name).inserted, "a family stands once")
        text += "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
        for histogram in histograms {
            var sum: UInt64 = 0
            for bucket in histogram.buckets {
                sum += bucket.count
                line(name + "_bucket", histogram.labels + [("le", "\(bucket.bound)")], Double(sum))
            }
            line(name + "_bucket", histogram.labels + [("le", "+Inf")], Double(histogram.count))
            line(name + "_sum", histogram.labels, histogram.sum)
            line(name + "_count", histogram.labels, Double(histogram.count))
        }
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
        }
        text += " \(Int64(exactly: value).map(String.init) ?? "\(value)")\n"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
