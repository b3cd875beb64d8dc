internal import CLibAV

/// A picture in the one arrangement that is written: brightness for each pixel, two differences of colour for each four (4:2:0), full
/// range.
struct Planes {
    let width: Int
    let height: Int
    private(set) var brightness: [UInt8]
    private(set) var blue: [UInt8]
    private(set) var red: [UInt8]

    var samples: [UInt8] { brightness + blue + red }

    var colourWidth: Int { (width + 1) / 2 }
    var colourHeight: Int { (height + 1) / 2 }

    init(width: Int, height: Int, brightness: [UInt8], blue: [UInt8], red: [UInt8]) {
        self.width = width
        self.height = height
        self.brightness = brightness
        self.blue = blue
        self.red = red
    }

    /// All of a picture, pixel by pixel.
    init(_ pixels: FramePixels) {
        let whole = PixelArea(left: 0, top: 0, width: Double(pixels.width), height: Double(pixels.height))
        self.init(pixels, whole, width: pixels.width, height: pixels.height)
    }

    /// A part of a picture, brought to that size.
    init(_ pixels: FramePixels, _ area: PixelArea, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        (brightness, blue, red) = ([], [], [])
        let channels = pixels.channels
        switch pixels.colours {
        case .grey:
            brightness = channels[0].scaled(area, width: width, height: height)
            blue = [UInt8](repeating: 128, count: colourWidth * colourHeight)
            red = blue
        case .differences(let isNarrow):
            brightness = channels[0].scaled(area, width: width, height: height)
            (blue, red) = (differences(channels[1], area), differences(channels[2], area))
            if isNarrow { widen() }
        case .primaries:
            take(channels.map { $0.scaled(area, width: width, height: height) })
        }
    }

    /// One value for each two by two pixels of the result: the mean of what they cover.
    private func differences(_ channel: PixelChannel, _ area: PixelArea) -> [UInt8] {
        let (across, down) = (Double(channel.across), Double(channel.down))
        // An odd picture's last pixels share theirs with nobody.
        let shared = PixelArea(
            left: area.left / across, top: area.top / down,
            width: area.width / across * Double(2 * colourWidth) / Double(width),
            height: area.height / down * Double(2 * colourHeight) / Double(height))
        return channel.scaled(shared, width: colourWidth, height: colourHeight)
    }

    /// From the range of video to the whole one (ITU-T H.273 §8.3).
    private mutating func widen() {
        func table(_ lowest: Float, _ range: Float, _ middle: Float) -> [UInt8] {
            (0..<256).map { Self.byte((Float($0) - lowest) * 255 / range + middle) }
        }
        let (light, colour) = (table(16, 219, 0), table(128, 224, 128))
        brightness = brightness.map { light[Int($0)] }
        blue = blue.map { colour[Int($0)] }
        red = red.map { colour[Int($0)] }
    }

    /// The three colours themselves (ITU-T T.871 §7).
    private mutating func take(_ primaries: [[UInt8]]) {
        var (first, second) = (
            [UInt8](repeating: 0, count: width * height), [UInt8](repeating: 0, count: width * height)
        )
        brightness = first
        for index in 0..<width * height {
            let (r, g, b) = (Float(primaries[0][index]), Float(primaries[1][index]), Float(primaries[2][index]))
            brightness[index] = Self.byte(0.299 * r + 0.587 * g + 0.114 * b)
            first[index] = Self.byte(128 - 0.168736 * r - 0.331264 * g + 0.5 * b)
            second[index] = Self.byte(128 + 0.5 * r - 0.418688 * g - 0.081312 * b)
        }
        let whole = PixelArea(left: 0, top: 0, width: Double(width), height: Double(height))
        blue = PixelChannel.with(first, width: width) { differences($0, whole) }
        red = PixelChannel.with(second, width: width) { differences($0, whole) }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }

    /// The same picture, smaller.
    func scaled(width: Int, height: Int) -> Planes {
        func scaled(_ plane: [UInt8], _ columns: Int, _ rows: Int, _ width: Int, _ height: Int) -> [UInt8] {
            let whole = PixelArea(left: 0, top: 0, width: Double(columns), height: Double(rows))
            return PixelChannel.with(plane, width: columns) { $0.scaled(whole, width: width, height: height) }
        }
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        return Planes(
            width: width, height: height, brightness: scaled(brightness, self.width, self.height, width, height),
            blue: scaled(blue, colourWidth, colourHeight, columns, rows),
            red: scaled(red, colourWidth, colourHeight, columns, rows))
    }

    func turned(_ turn: PictureTurn) -> Planes {
        if turn == .none { return self }
        func turned(_ plane: [UInt8], _ columns: Int, _ rows: Int) -> [UInt8] {
            let (width, height) = turn.swapsSides ? (rows, columns) : (columns, rows)
            return [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
                for y in 0..<height {
                    for x in 0..<width {
                        let (column, row) = turn.swapsSides ? (y, x) : (x, y)
                        let place =
                            (turn.mirrorsRows ? rows - 1 - row : row) * columns
                            + (turn.mirrorsColumns ? columns - 1 - column : column)
                        target[y * width + x] = plane[place]
                    }
                }
                count = width * height
            }
        }
        return Planes(
            width: turn.swapsSides ? height : width, height: turn.swapsSides ? width : height,
            brightness: turned(brightness, width, height), blue: turned(blue, colourWidth, colourHeight),
            red: turned(red, colourWidth, colourHeight))
    }

    /// - Parameter frame: of this size, with memory of its own.
    func write(to frame: UnsafeMutablePointer<AVFrame>) {
        let parts = [
            (frame.pointee.data.0, frame.pointee.linesize.0, brightness, width),
            (frame.pointee.data.1, frame.pointee.linesize.1, blue, colourWidth),
            (frame.pointee.data.2, frame.pointee.linesize.2, red, colourWidth),
        ]
        for (data, stride, plane, columns) in parts {
            guard let data else { continue }
            for row in 0..<plane.count / columns {
                (data + row * Int(stride)).update(
                    from: Array(plane[row * columns..<(row + 1) * columns]), count: columns)
            }
        }
    }
}

extension PixelChannel {
    /// The values of an array, as a channel of that width.
    fileprivate static func with<Result>(_ values: [UInt8], width: Int, _ body: (PixelChannel) -> Result) -> Result {
        values.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("a plane has values") }
            return body(
                PixelChannel(
                    base: base, stride: width, values: .bytes(step: 1), width: width, height: values.count / width))
        }
    }
}
