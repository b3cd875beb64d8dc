import MediaCodecs
import RoomPorts

extension PictureOrder {
    /// As words of a command line: `still none 360x15360`, `photograph part:16:9:0:0:1000000:1000000 1280x163840 320x16384`.
    var arguments: [String] { [kind.rawValue, cropWord] + sizes.map { "\($0.side)x\($0.bytes)" } }

    private var cropWord: String {
        switch crop {
        case .none: "none"
        case .card: "card"
        case .part(let part):
            (["part"] + [part.across, part.down, part.left, part.top, part.width, part.height].map(String.init))
                .joined(separator: ":")
        }
    }

    /// A still is of one size when it comes; of a photograph all sizes are made here.
    var isMadeSmaller: Bool { if case .part = crop { true } else { false } }

    /// - Returns: `nil` for what is no such order.
    init?(_ arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count >= 3, let kind = Kind(rawValue: words[0]), let crop = Crop(word: words[1]) else { return nil }
        var sizes: [Size] = []
        for word in words.dropFirst(2) {
            guard let numbers = Self.numbers(word, "x"), numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else {
                return nil
            }
            sizes.append(Size(side: numbers[0], bytes: numbers[1]))
        }
        self.init(kind, crop: crop, sizes: sizes)
    }

    /// - Returns: `nil` if something else is among them.
    fileprivate static func numbers(_ text: some StringProtocol, _ separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}

extension PictureOrder.Crop {
    fileprivate init?(word: String) {
        switch word {
        case "none": self = .none
        case "card": self = .card
        default:
            guard word.hasPrefix("part:"), let numbers = PictureOrder.numbers(word.dropFirst(5), ":"),
                numbers.count == 6, numbers[0] > 0, numbers[1] > 0
            else { return nil }
            var part = PictureOrder.Part(across: numbers[0], down: numbers[1])
            (part.left, part.top, part.width, part.height) = (numbers[2], numbers[3], numbers[4], numbers[5])
            self = .part(part)
        }
    }
}

extension PicturePart {
    init(_ part: PictureOrder.Part) {
        let whole = Double(PictureOrder.Part.whole)
        self.init(
            left: Double(part.left) / whole, top: Double(part.top) / whole, width: Double(part.width) / whole,
            height: Double(part.height) / whole, aspect: Double(part.across) / Double(part.down))
    }
}

/// What reading a picture may take.
struct PictureLimits {
    /// Of the file.
    let bytes: Int
    /// Private data.
    let memory: UInt64
    let processorSeconds: UInt64
    /// In milliseconds: on a busy machine the seconds of a processor take longer.
    let patience: Int32
    /// So many are read at once, and so many wait: more are a flood, whose senders are told to come again.
    let atOnce: Int
    let mostWaiting: Int

    func line(_ name: String) -> InspectionLine {
        InspectionLine("pictures.\(name)", atOnce: atOnce, mostWaiting: mostWaiting)
    }
}

extension PictureOrder.Kind {
    var limits: PictureLimits {
        switch self {
        // One takes some 50 ms: it is decoded once and encoded some five times for each size. Out of date after ten seconds.
        case .still:
            PictureLimits(
                bytes: 8 << 20, memory: 256 << 20, processorSeconds: 2, patience: 10_000, atOnce: InspectionLine.half,
                mostWaiting: 64)
        // 40 million pixels of a progressive JPEG with a colour for each pixel take 360 MB and three seconds; those of a telephone a quarter
        // of it. Two at once, so that a small machine has memory left; a line of their own, so that no still waits for them.
        case .photograph:
            PictureLimits(
                bytes: PictureOrder.photographBytes, memory: 448 << 20, processorSeconds: 12, patience: 30_000,
                atOnce: min(2, InspectionLine.half), mostWaiting: 8)
        }
    }
}
