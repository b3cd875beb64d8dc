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

    /// - Returns: `nil` for what no JPEG of ours has: four colours, more than eight bits.
    init?(_ frame: UnsafePointer<AVFrame>) {
        width = Int(frame.pointee.width)
        height = Int(frame.pointee.height)
        guard width > 0, height > 0 else { return nil }
        brightness = []
        blue = []
        red = []
        switch AVPixelFormat(frame.pointee.format) {
        case AV_PIX_FMT_GRAY8:
            brightness = Self.plane(0, of: frame, width, height)
            blue = [UInt8](repeating: 128, count: colourWidth * colourHeight)
            red = blue
        case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P: take(frame, 2, 2)
        case AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P: take(frame, 2, 1)
        case AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P: take(frame, 1, 1)
        case AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P: take(frame, 1, 2)
        case AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUV411P: take(frame, 4, 1)
        case AV_PIX_FMT_GBRP: takeColours(frame)
        default: return nil
        }
    }

    /// - Parameters:
    ///   - across: pixels side by side that share their colour.
    ///   - down: pixels below each other that do.
    private mutating func take(_ frame: UnsafePointer<AVFrame>, _ across: Int, _ down: Int) {
        brightness = Self.plane(0, of: frame, width, height)
        let (columns, rows) = ((width + across - 1) / across, (height + down - 1) / down)
        blue = shared(Self.plane(1, of: frame, columns, rows), columns, rows, across, down)
        red = shared(Self.plane(2, of: frame, columns, rows), columns, rows, across, down)
    }

    /// The three colours themselves (ITU-T T.871 §7).
    private mutating func takeColours(_ frame: UnsafePointer<AVFrame>) {
        let planes = (0..<3).map { Self.plane($0, of: frame, width, height) }
        var (first, second) = (
            [UInt8](repeating: 0, count: width * height), [UInt8](repeating: 0, count: width * height)
        )
        brightness = first
        for index in 0..<width * height {
            let (g, b, r) = (Float(planes[0][index]), Float(planes[1][index]), Float(planes[2][index]))
            brightness[index] = Self.byte(0.299 * r + 0.587 * g + 0.114 * b)
            first[index] = Self.byte(128 - 0.168736 * r - 0.331264 * g + 0.5 * b)
            second[index] = Self.byte(128 + 0.5 * r - 0.418688 * g - 0.081312 * b)
        }
        blue = shared(first, width, height, 1, 1)
        red = shared(second, width, height, 1, 1)
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }

    private static func plane(_ index: Int, of frame: UnsafePointer<AVFrame>, _ columns: Int, _ rows: Int) -> [UInt8] {
        let data = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2][index]
        let stride = [frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2][index]
        guard let data, Int(stride) >= columns else { return [UInt8](repeating: 128, count: columns * rows) }
        var plane: [UInt8] = []
        plane.reserveCapacity(columns * rows)
        for row in 0..<rows { plane += UnsafeBufferPointer(start: data + row * Int(stride), count: columns) }
        return plane
    }

    /// One value for each two by two pixels: the mean of those that there are.
    private func shared(_ plane: [UInt8], _ columns: Int, _ rows: Int, _ across: Int, _ down: Int) -> [UInt8] {
        if across == 2, down == 2 { return plane }
        var result = [UInt8](repeating: 0, count: colourWidth * colourHeight)
        for row in 0..<colourHeight {
            for column in 0..<colourWidth {
                var (sum, count) = (0, 0)
                for y in [2 * row, min(2 * row + 1, height - 1)] {
                    for x in [2 * column, min(2 * column + 1, width - 1)] {
                        sum += Int(plane[min(y / down, rows - 1) * columns + min(x / across, columns - 1)])
                        count += 1
                    }
                }
                result[row * colourWidth + column] = UInt8((sum + count / 2) / count)
            }
        }
        return result
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
