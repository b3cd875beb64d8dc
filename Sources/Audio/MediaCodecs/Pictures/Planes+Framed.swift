extension Planes {
    /// So few pixels across that only colours are left.
    private static let blurredWidth = 24
    /// Of the picture behind: of 256.
    private static let dimmed = 110

    /// All of the picture, as large as it fits, before itself, blurred and darkened.
    /// - Parameters: both even.
    func framed(width: Int, height: Int) -> Planes {
        // The sides of the picture within the frame, even so that colours meet their pixels.
        let scale = min(Double(width) / Double(self.width), Double(height) / Double(self.height))
        let inner = (
            width: max(2, min(width, Int(Double(self.width) * scale) & ~1)),
            height: max(2, min(height, Int(Double(self.height) * scale) & ~1))
        )
        let edge = (left: (width - inner.width) / 2 & ~1, top: (height - inner.height) / 2 & ~1)
        let behind = (width: Self.blurredWidth, height: max(2, Self.blurredWidth * height / width))
        func layers(_ plane: Raster, of size: (Int, Int), half: Int, dark: UInt8) -> [UInt8] {
            var small = plane.scaled(width: behind.width, height: behind.height)
            small.draw(to: dark, by: Self.dimmed)
            var frame = small.scaled(width: size.0, height: size.1)
            frame.put(
                plane.scaled(width: inner.width / half, height: inner.height / half), left: edge.left / half,
                top: edge.top / half)
            return frame.values
        }
        let colour = ((width + 1) / 2, (height + 1) / 2)
        return Planes(
            width: width, height: height,
            brightness: layers(
                Raster(brightness, width: self.width), of: (width, height), half: 1, dark: 0),
            blue: layers(Raster(blue, width: colourWidth), of: colour, half: 2, dark: 128),
            red: layers(Raster(red, width: colourWidth), of: colour, half: 2, dark: 128))
    }
}

/// One value for each pixel.
private struct Raster {
    private(set) var values: [UInt8]
    let width: Int
    var height: Int { values.count / width }

    init(_ values: [UInt8], width: Int) {
        self.values = values
        self.width = width
    }

    /// Where a row or column of the result lies in this one: the first of two beside each other, and how near the second is, of 256.
    private static func places(_ count: Int, in length: Int) -> (firsts: [Int], shares: [Int]) {
        var (firsts, shares) = ([Int](), [Int]())
        for index in 0..<count {
            let place = max(0, (256 * (2 * index + 1) * length / count - 256) / 2)
            let isLast = place >> 8 >= length - 1
            firsts.append(min(place >> 8, max(0, length - 2)))
            shares.append(length == 1 ? 0 : isLast ? 256 : place & 255)
        }
        return (firsts, shares)
    }

    /// Between the four nearest values: along the rows first, then down them.
    func scaled(width: Int, height: Int) -> Raster {
        wider(width).higher(height)
    }

    private func wider(_ width: Int) -> Raster {
        let (firsts, shares) = Self.places(width, in: self.width)
        let (source, rows, step) = (self.width, height, self.width > 1 ? 1 : 0)
        return Raster(
            [UInt8](unsafeUninitializedCapacity: width * rows) { target, count in
                values.withUnsafeBufferPointer { values in
                    for row in 0..<rows {
                        for column in 0..<width {
                            let place = row &* source &+ firsts[column]
                            let (one, other) = (Int(values[place]), Int(values[place &+ step]))
                            target[row &* width &+ column] = UInt8(
                                truncatingIfNeeded: (one &* 256 &+ (other &- one) &* shares[column]) &>> 8)
                        }
                    }
                }
                count = width * rows
            }, width: width)
    }

    private func higher(_ height: Int) -> Raster {
        let (firsts, shares) = Self.places(height, in: self.height)
        let (width, step) = (self.width, self.height > 1 ? self.width : 0)
        return Raster(
            [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
                values.withUnsafeBufferPointer { values in
                    for row in 0..<height {
                        let (place, share) = (firsts[row] &* width, shares[row])
                        for column in 0..<width {
                            let one = Int(values[place &+ column])
                            let other = Int(values[place &+ column &+ step])
                            target[row &* width &+ column] = UInt8(
                                truncatingIfNeeded: (one &* 256 &+ (other &- one) &* share) &>> 8)
                        }
                    }
                }
                count = width * height
            }, width: width)
    }

    /// - Parameter share: of 256, what is left of the distance to the value.
    mutating func draw(to value: UInt8, by share: Int) {
        for index in values.indices {
            values[index] = UInt8(Int(value) + (Int(values[index]) - Int(value)) * share / 256)
        }
    }

    mutating func put(_ other: Raster, left: Int, top: Int) {
        for row in 0..<min(other.height, height - top) {
            let from = row * other.width
            let to = (top + row) * width + left
            values.replaceSubrange(to..<to + other.width, with: other.values[from..<from + other.width])
        }
    }
}
