/// Whether a text from outside can be compared, hashed and normalised in a time that grows with its length.
///
/// Unicode sorts the combining marks behind a letter before it compares them, and Swift's `String` does so whenever it hashes or compares.
/// The time for that grows with the square of their number. The Stream-Safe Text Format (UAX #15 §13) has at most 30 in a row, which is
/// more than any language needs. Stepping backwards through flags is the other operation of that kind: whether two regional indicators
/// are one flag depends on all that stand before them (UAX #29, GB12).
///
/// The bytes are judged as they came, before anything is made of them: what they will be once they are decoded is told by `Notation`.
package enum StreamSafeText {
    /// Marks in a row.
    package static let mostMarks = 30
    /// Regional indicators in a row; a flag is two.
    package static let mostIndicators = 128

    /// How the bytes stand for characters.
    package enum Notation: Sendable {
        /// UTF-8.
        case plain
        /// JSON (RFC 8259): `\u0301` stands for a character too. See `isJSONText`.
        case json
        /// A URI (RFC 3986 §2.1): `%CC%81` stands for two bytes.
        case percentEncoded
    }

    package static func holds(_ bytes: UnsafeRawBufferPointer, in notation: Notation = .plain) -> Bool {
        var runs = Runs()
        var position = 0
        while position < bytes.count {
            if runs.isEmpty { position = firstOfInterest(bytes, from: position, in: notation) }
            guard let scalar = next(bytes, &position, in: notation) else { break }
            guard runs.take(scalar) else { return false }
        }
        return true
    }

    /// Whether bytes can be JSON in UTF-8, as it is sent between systems (RFC 8259 §8.1). Decoders recognise UTF-16 and UTF-32 by the zero
    /// bytes of their ASCII characters, and read marks in them that `holds` has not seen: no such text may come to a decoder. In UTF-8 no
    /// JSON has a zero byte, since control characters are written as escapes.
    package static func isJSONText(_ bytes: some Collection<UInt8>) -> Bool {
        let hasZero = bytes.withContiguousStorageIfAvailable { $0.contains(0) } ?? bytes.contains(0)
        return !hasZero
    }

    package static func holds(_ bytes: some Collection<UInt8>, in notation: Notation = .plain) -> Bool {
        bytes.withContiguousStorageIfAvailable { holds(UnsafeRawBufferPointer($0), in: notation) }
            ?? Array(bytes).withUnsafeBytes { holds($0, in: notation) }
    }

    package static func holds(_ text: some StringProtocol, in notation: Notation = .plain) -> Bool {
        holds(text.utf8, in: notation)
    }

    // MARK: Counting

    private struct Runs {
        private var marks = 0
        private var indicators = 0

        var isEmpty: Bool { marks == 0 && indicators == 0 }

        /// - Returns: false if the run is too long.
        mutating func take(_ scalar: UInt32) -> Bool {
            guard scalar >= StreamSafeText.firstMark else {
                self = Runs()
                return true
            }
            let count = StreamSafeText.marks(in: scalar)
            marks = count == 0 ? 0 : marks + count
            indicators = (0x1f1e6...0x1f1ff).contains(scalar) ? indicators + 1 : 0
            return marks <= StreamSafeText.mostMarks && indicators <= StreamSafeText.mostIndicators
        }
    }

    /// COMBINING GRAVE ACCENT: no scalar before it is a mark.
    private static let firstMark: UInt32 = 0x300

    /// How many marks a scalar begins with or is, once it is taken apart. Besides those that have a combining class these are the scalars
    /// without one that become nothing but marks (three Tibetan vowels canonically, two half-width kana marks by compatibility).
    package static func marks(in scalar: UInt32) -> Int {
        switch scalar {
        case 0x0344, 0x0f73, 0x0f75, 0x0f81: 2
        case 0xff9e, 0xff9f: 1
        // Letters of Europe before the marks, and Han and Hangul behind them, are most of what is asked about.
        case ..<firstMark, 0x3400...0xa66e, 0xac00...0xd7ff: 0
        default:
            Unicode.Scalar(scalar).map { $0.properties.canonicalCombiningClass != .notReordered } == true ? 1 : 0
        }
    }

    // MARK: Reading

    /// Skips what cannot begin a run: eight bytes of ASCII at a time.
    private static func firstOfInterest(
        _ bytes: UnsafeRawBufferPointer, from start: Int, in notation: Notation
    ) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        // The byte that begins an escape, eight times; where there is none, one that is not ASCII and stops here anyway.
        let escape: UInt64 =
            switch notation {
            case .plain: high
            case .json: ones &* UInt64(UInt8(ascii: "\\"))
            case .percentEncoded: ones &* UInt64(UInt8(ascii: "%"))
            }
        var position = start
        while position + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let difference = word ^ escape
            guard word & high == 0, (difference &- ones) & ~difference & high == 0 else { break }
            position += 8
        }
        return position
    }

    /// The next scalar; 0 for what is none.
    private static func next(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int, in notation: Notation
    ) -> UInt32? {
        switch notation {
        case .json where position < bytes.count && bytes[position] == UInt8(ascii: "\\"):
            return escaped(bytes, &position)
        default:
            guard let first = byte(bytes, &position, in: notation) else { return nil }
            return scalar(first, bytes, &position, in: notation)
        }
    }

    /// A byte of UTF-8, whichever way it is written.
    private static func byte(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int, in notation: Notation
    ) -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        guard case .percentEncoded = notation, byte == UInt8(ascii: "%"), position + 2 <= bytes.count,
            let upper = digit(bytes[position]), let lower = digit(bytes[position + 1])
        else { return byte }
        position += 2
        return UInt8(truncatingIfNeeded: upper << 4 | lower)
    }

    /// The scalar that a byte begins. A byte that begins none is skipped by itself, so that nothing behind it is lost.
    private static func scalar(
        _ first: UInt8, _ bytes: UnsafeRawBufferPointer, _ position: inout Int, in notation: Notation
    ) -> UInt32 {
        let (length, bits): (Int, UInt32)
        switch first {
        case 0xc2...0xdf: (length, bits) = (1, UInt32(first & 0x1f))
        case 0xe0...0xef: (length, bits) = (2, UInt32(first & 0x0f))
        case 0xf0...0xf4: (length, bits) = (3, UInt32(first & 0x07))
        default: return first < 0x80 ? UInt32(first) : 0
        }
        var value = bits
        var end = position
        for _ in 0..<length {
            guard let next = byte(bytes, &end, in: notation), next & 0xc0 == 0x80 else { return 0 }
            value = value << 6 | UInt32(next & 0x3f)
        }
        position = end
        return value
    }

    /// `\u0301`, or two of them for a scalar beyond U+FFFF; any other escape is no mark.
    private static func escaped(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32 {
        guard let unit = codeUnit(bytes, at: position) else {
            position = min(position + 2, bytes.count)
            return 0
        }
        position += 6
        guard (0xd800...0xdbff).contains(unit), let low = codeUnit(bytes, at: position),
            (0xdc00...0xdfff).contains(low)
        else { return unit }
        position += 6
        return 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
    }

    private static func codeUnit(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt32? {
        guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        var value: UInt32 = 0
        for index in position + 2..<position + 6 {
            guard let digit = digit(bytes[index]) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
