internal import CLibAV

/// The values of a decoded picture, however they are arranged: channels of eight bits, read row by row, so that nothing as large as the
/// picture is copied. What is transparent lies on white.
struct FramePixels {
    /// What the channels are.
    enum Colours {
        case grey
        /// Brightness and the two differences of colour, blue's first.
        /// - Parameter isNarrow: as video has them, from 16 on.
        case differences(isNarrow: Bool)
        /// Red, green, blue.
        case primaries
    }

    let width: Int
    let height: Int
    let colours: Colours
    let channels: [PixelChannel]

    /// - Parameter isNarrow: if brightness and differences have the range of video.
    /// - Returns: `nil` for arrangements that are not read.
    init?(_ frame: UnsafePointer<AVFrame>, isNarrow: Bool) {
        let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
        guard width > 0, height > 0 else { return nil }
        let planes = FramePlanes(frame, width: width, height: height)
        guard let read = Self.read(AVPixelFormat(frame.pointee.format), planes, isNarrow: isNarrow) else { return nil }
        (colours, channels) = read
        (self.width, self.height) = (width, height)
    }

    private static func read(
        _ format: AVPixelFormat, _ planes: FramePlanes, isNarrow: Bool
    ) -> (Colours, [PixelChannel])? {
        func differences(_ across: Int, _ down: Int, hasAlpha: Bool = false) -> (Colours, [PixelChannel])? {
            planes.differences(across, down, hasAlpha: hasAlpha, isNarrow: isNarrow).map {
                (.differences(isNarrow: isNarrow), $0)
            }
        }
        func primaries(_ channels: [PixelChannel]?) -> (Colours, [PixelChannel])? {
            channels.map { (.primaries, $0) }
        }
        func grey(_ channels: [PixelChannel]?) -> (Colours, [PixelChannel])? { channels.map { (.grey, $0) } }
        return switch format {
        case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P: differences(2, 2)
        case AV_PIX_FMT_YUVA420P: differences(2, 2, hasAlpha: true)
        case AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P: differences(2, 1)
        case AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P: differences(1, 1)
        // Four printing colours: the decoder has multiplied the fourth in.
        case AV_PIX_FMT_YUVA444P: differences(1, 1)
        case AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P: differences(1, 2)
        case AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUV411P: differences(4, 1)
        case AV_PIX_FMT_GBRP, AV_PIX_FMT_GBRAP: primaries(planes.planar([2, 0, 1]))
        case AV_PIX_FMT_RGB24: primaries(planes.packed([0, 1, 2], step: 3))
        case AV_PIX_FMT_RGBA: primaries(planes.packed([0, 1, 2], step: 4, alpha: 3))
        case AV_PIX_FMT_ARGB: primaries(planes.packed([1, 2, 3], step: 4, alpha: 0))
        case AV_PIX_FMT_BGRA: primaries(planes.packed([2, 1, 0], step: 4, alpha: 3))
        // Of sixteen bits, the upper eight.
        case AV_PIX_FMT_RGB48BE: primaries(planes.packed([0, 2, 4], step: 6))
        case AV_PIX_FMT_RGBA64BE: primaries(planes.packed([0, 2, 4], step: 8, alpha: 6))
        case AV_PIX_FMT_PAL8: primaries(planes.palette())
        case AV_PIX_FMT_GRAY8: grey(planes.packed([0], step: 1))
        case AV_PIX_FMT_GRAY16BE: grey(planes.packed([0], step: 2))
        case AV_PIX_FMT_YA8: grey(planes.packed([0], step: 2, alpha: 1))
        case AV_PIX_FMT_YA16BE: grey(planes.packed([0], step: 4, alpha: 2))
        case AV_PIX_FMT_MONOBLACK: grey(planes.bits())
        default: nil
        }
    }
}

/// One channel of a picture.
struct PixelChannel {
    enum Values {
        /// A value every so many bytes.
        case bytes(step: Int)
        /// The number of a value in a table.
        case table([UInt8])
        /// Eight pixels in a byte, the first in its highest bit: black or white.
        case bits
    }

    /// How much of each pixel is seen, of 255.
    struct Alpha {
        var base: UnsafePointer<UInt8>
        var stride: Int
        var step: Int
        /// What shows through.
        var under: UInt8
    }

    var base: UnsafePointer<UInt8>
    /// Bytes from a row to the next.
    var stride: Int
    var values: Values
    var width: Int
    var height: Int
    /// Pixels beside and below each other that share a value.
    var across = 1
    var down = 1
    var alpha: Alpha?

    /// - Parameter columns: within the channel.
    func read(row: Int, columns: Range<Int>, into target: UnsafeMutablePointer<UInt8>) {
        let start = base + row * stride
        switch values {
        case .bytes(step: 1): target.update(from: start + columns.lowerBound, count: columns.count)
        case .bytes(let step):
            for column in columns { target[column &- columns.lowerBound] = start[column &* step] }
        case .table(let table):
            for column in columns { target[column &- columns.lowerBound] = table[Int(start[column])] }
        case .bits:
            for column in columns {
                target[column &- columns.lowerBound] = start[column &>> 3] & (0x80 >> UInt8(column & 7)) == 0 ? 0 : 255
            }
        }
        guard let alpha else { return }
        let seen = alpha.base + row * down * alpha.stride
        for column in columns {
            let share = Int(seen[column &* across &* alpha.step])
            let value = Int(target[column &- columns.lowerBound])
            target[column &- columns.lowerBound] = UInt8(
                truncatingIfNeeded: (value &* share &+ Int(alpha.under) &* (255 &- share) &+ 127) / 255)
        }
    }
}

/// The memory of a frame, taken apart into channels. Nothing is taken that does not lie within a row of it.
private struct FramePlanes {
    let width: Int
    let height: Int
    private let planes: [(base: UnsafePointer<UInt8>, stride: Int)?]

    init(_ frame: UnsafePointer<AVFrame>, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let (data, strides) = (frame.pointee.data, frame.pointee.linesize)
        planes = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2), (data.3, strides.3)].map {
            base, stride in base.map { (UnsafePointer($0), Int(stride)) }
        }
    }

    /// A plane whose rows have that many bytes.
    private func plane(_ index: Int, rowBytes: Int) -> (base: UnsafePointer<UInt8>, stride: Int)? {
        guard let plane = planes[index], plane.stride >= rowBytes else { return nil }
        return plane
    }

    func differences(_ across: Int, _ down: Int, hasAlpha: Bool, isNarrow: Bool) -> [PixelChannel]? {
        let (columns, rows) = ((width + across - 1) / across, (height + down - 1) / down)
        guard let brightness = plane(0, rowBytes: width), let blue = plane(1, rowBytes: columns),
            let red = plane(2, rowBytes: columns)
        else { return nil }
        var channels = [
            PixelChannel(
                base: brightness.base, stride: brightness.stride, values: .bytes(step: 1), width: width, height: height)
        ]
        for (base, stride) in [blue, red] {
            channels.append(
                PixelChannel(
                    base: base, stride: stride, values: .bytes(step: 1), width: columns, height: rows, across: across,
                    down: down))
        }
        guard hasAlpha else { return channels }
        guard let alpha = plane(3, rowBytes: width) else { return nil }
        let white: UInt8 = isNarrow ? 235 : 255
        for (index, under) in [white, 128, 128].enumerated() {
            channels[index].alpha = .init(base: alpha.base, stride: alpha.stride, step: 1, under: under)
        }
        return channels
    }

    /// A plane for each channel.
    func planar(_ indexes: [Int]) -> [PixelChannel]? {
        let found = indexes.compactMap { plane($0, rowBytes: width) }
        guard found.count == indexes.count else { return nil }
        return found.map {
            PixelChannel(base: $0.base, stride: $0.stride, values: .bytes(step: 1), width: width, height: height)
        }
    }

    /// All channels beside each other in one plane.
    /// - Parameters:
    ///   - offsets: where each is within a pixel.
    ///   - step: bytes of a pixel.
    func packed(_ offsets: [Int], step: Int, alpha: Int? = nil) -> [PixelChannel]? {
        guard let plane = plane(0, rowBytes: width * step) else { return nil }
        return offsets.map { offset in
            PixelChannel(
                base: plane.base + offset, stride: plane.stride, values: .bytes(step: step), width: width,
                height: height,
                alpha: alpha.map { .init(base: plane.base + $0, stride: plane.stride, step: step, under: 255) })
        }
    }

    /// Numbers of colours; the colours themselves are the second plane, four bytes each.
    func palette() -> [PixelChannel]? {
        guard let plane = plane(0, rowBytes: width), let table = planes[1] else { return nil }
        let colours = UnsafeRawPointer(table.base).bindMemory(to: UInt32.self, capacity: 256)
        return [16, 8, 0].map { shift in
            let values = (0..<256).map { index -> UInt8 in
                let (share, value) = (Int(colours[index] >> 24), Int(colours[index] >> UInt32(shift) & 255))
                return UInt8((value * share + 255 * (255 - share) + 127) / 255)
            }
            return PixelChannel(
                base: plane.base, stride: plane.stride, values: .table(values), width: width, height: height)
        }
    }

    func bits() -> [PixelChannel]? {
        guard let plane = plane(0, rowBytes: (width + 7) / 8) else { return nil }
        return [PixelChannel(base: plane.base, stride: plane.stride, values: .bits, width: width, height: height)]
    }
}
