/// A part of a picture, in pixels and parts of them.
struct PixelArea {
    var left: Double
    var top: Double
    var width: Double
    var height: Double
}

extension PixelChannel {
    /// The mean of what each pixel of the result covers: no detail is left out, and none is invented.
    /// - Parameter area: in values of this channel. What of it lies beyond the edge does not count.
    func scaled(_ area: PixelArea, width: Int, height: Int) -> [UInt8] {
        let (columns, rows) = (
            Coverage(from: area.left, length: area.width, into: width, of: self.width),
            Coverage(from: area.top, length: area.height, into: height, of: self.height)
        )
        let read = columns.all
        var row = [UInt8](repeating: 0, count: read.count)
        var sums = [Float](repeating: 0, count: read.count)
        return [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            row.withUnsafeMutableBufferPointer { row in
                sums.withUnsafeMutableBufferPointer { sums in
                    guard let rowBase = row.baseAddress, let sumBase = sums.baseAddress else { return }
                    for line in 0..<height {
                        sums.update(repeating: 0)
                        let covered = rows.covered(by: line)
                        for index in covered {
                            self.read(row: index, columns: read, into: rowBase)
                            let share = rows.share(of: index, in: line)
                            for column in 0..<read.count { sumBase[column] += share * Float(rowBase[column]) }
                        }
                        let whole = rows.whole(line)
                        for column in 0..<width {
                            let value = columns.sum(sums, for: column) / (whole * columns.whole(column))
                            target[line &* width &+ column] = UInt8(max(0, min(255, value.rounded())))
                        }
                    }
                }
            }
            count = width * height
        }
    }
}

/// Which places of a line each place of a shorter, or longer, one covers, and how much of each.
private struct Coverage {
    /// However small the part is, it covers something.
    private static let least = 1.0 / 256

    /// Of each place: where it begins and ends.
    private let edges: [(from: Double, to: Double)]
    private let ranges: [Range<Int>]
    let all: Range<Int>

    /// - Parameters:
    ///   - count: places of the result.
    ///   - limit: places that there are.
    init(from start: Double, length: Double, into count: Int, of limit: Int) {
        let end = Double(limit)
        edges = (0..<count).map { index in
            let from = min(max(0, start + length * Double(index) / Double(count)), end - Self.least)
            let to = min(end, max(start + length * Double(index + 1) / Double(count), from + Self.least))
            return (from, to)
        }
        ranges = edges.map { Int($0.from)..<max(Int($0.from) + 1, Int($0.to.rounded(.up))) }
        all = (ranges.first?.lowerBound ?? 0)..<(ranges.last?.upperBound ?? 1)
    }

    func covered(by place: Int) -> Range<Int> { ranges[place] }

    /// How much of the place at `index` is covered.
    func share(of index: Int, in place: Int) -> Float {
        Float(min(edges[place].to, Double(index + 1)) - max(edges[place].from, Double(index)))
    }

    func whole(_ place: Int) -> Float { Float(edges[place].to - edges[place].from) }

    /// - Parameter values: one for each of `all`.
    func sum(_ values: UnsafeMutableBufferPointer<Float>, for place: Int) -> Float {
        let (first, last) = (ranges[place].lowerBound, ranges[place].upperBound - 1)
        var sum = values[first - all.lowerBound] * share(of: first, in: place)
        guard last > first else { return sum }
        for index in first + 1..<last { sum += values[index &- all.lowerBound] }
        sum += values[last - all.lowerBound] * share(of: last, in: place)
        return sum
    }
}
