/// What the head of a picture's file says of it: what it is, how large, and how it is turned. Nothing is decoded, and nothing is believed:
/// whoever decodes it looks again.
package struct PictureHead: Hashable, Sendable {
    /// What the bytes are; names and stated types prove nothing.
    package enum Format: String, Hashable, Sendable, CaseIterable { case jpeg, png, webp }

    package var format: Format
    /// As it is stored, before it is turned upright.
    package var width: Int
    package var height: Int
    package var turn = PictureTurn.none
    /// Several pictures in one file, of which no decoder here makes one.
    package var isAnimated = false

    /// - Returns: `nil` for what is no picture of these formats, or breaks off.
    package init?(_ bytes: [UInt8]) {
        let file = FileBytes(bytes)
        guard let head = Self.jpeg(file) ?? Self.png(file) ?? Self.webp(file), head.width > 0, head.height > 0 else {
            return nil
        }
        self = head
    }

    private init(_ format: Format, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }

    // MARK: JPEG (ITU-T T.81 §B.2)

    private static func jpeg(_ file: FileBytes) -> PictureHead? {
        guard file.starts(with: [0xFF, 0xD8], at: 0) else { return nil }
        var place = 2
        var turn: PictureTurn?
        while file[place] == 0xFF {
            // Any number of 0xFF may stand before a marker's code.
            while file[place] == 0xFF { place += 1 }
            guard let marker = file[place], let length = file.big16(place + 1), length >= 2 else { return nil }
            let body = place + 3
            switch marker {
            case 0xE1 where file.starts(with: FileBytes.exif, at: body):
                turn = turn ?? PictureTurn(tiff: file.slice(body + FileBytes.exif.count, body + length - 2))
            // Baseline, extended and progressive; no others are written by anybody.
            case 0xC0, 0xC1, 0xC2:
                guard let height = file.big16(body + 1), let width = file.big16(body + 3),
                    file.holds([0xFF, 0xD9], behind: body)
                else { return nil }
                var head = PictureHead(.jpeg, width: width, height: height)
                head.turn = turn ?? .none
                return head
            // Where the picture's own bytes begin, or a kind of frame that nobody reads.
            case 0xDA, 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xD0...0xD9: return nil
            default: break
            }
            place += 1 + length
        }
        return nil
    }

    // MARK: PNG (ISO/IEC 15948 §11.2)

    private static func png(_ file: FileBytes) -> PictureHead? {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), file.big32(8) == 13,
            file.isNamed("IHDR", at: 12), let width = file.big32(16), let height = file.big32(20)
        else { return nil }
        var head = PictureHead(.png, width: width, height: height)
        // How it is turned may stand in front of the picture or behind it.
        var place = 33
        while let length = file.big32(place) {
            if file.isNamed("IEND", at: place + 4) { return head }
            if file.isNamed("eXIf", at: place + 4) {
                head.turn = PictureTurn(tiff: file.slice(place + 8, place + 8 + length)) ?? .none
            }
            place += 12 + length
        }
        return nil
    }

    // MARK: WebP (RFC 9649 §2)

    private static func webp(_ file: FileBytes) -> PictureHead? {
        guard file.isNamed("RIFF", at: 0), let riff = file.little32(4), file.slice(8, 8 + riff) != nil,
            file.isNamed("WEBP", at: 8)
        else { return nil }
        let body = 20
        if file.isNamed("VP8 ", at: 12) {
            guard file.starts(with: [0x9D, 0x01, 0x2A], at: body + 3), let width = file.little16(body + 6),
                let height = file.little16(body + 8)
            else { return nil }
            return PictureHead(.webp, width: width & 0x3FFF, height: height & 0x3FFF)
        }
        if file.isNamed("VP8L", at: 12) {
            guard file[body] == 0x2F, let low = file.little16(body + 1), let high = file.little16(body + 3) else {
                return nil
            }
            let bits = low | high << 16
            return PictureHead(.webp, width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
        guard file.isNamed("VP8X", at: 12), let flags = file[body], let width = file.little24(body + 4),
            let height = file.little24(body + 7)
        else { return nil }
        var head = PictureHead(.webp, width: width + 1, height: height + 1)
        head.isAnimated = flags & 0x02 != 0
        var place = 12
        // Nothing behind the file's stated end is part of it.
        while place < 8 + riff, let length = file.little32(place + 4) {
            if file.isNamed("EXIF", at: place) {
                // Some writers put JPEG's mark before it.
                let start = place + 8 + (file.starts(with: FileBytes.exif, at: place + 8) ? FileBytes.exif.count : 0)
                head.turn = PictureTurn(tiff: file.slice(start, place + 8 + length)) ?? .none
                break
            }
            place += 8 + length + length % 2
        }
        return head
    }
}

/// How a stored picture becomes upright (Exif's Orientation): its rows and columns change places first, if they do, and then it is
/// mirrored.
package struct PictureTurn: Hashable, Sendable {
    /// What is stored as a row is a column.
    package var swapsSides = false
    /// Of the stored picture: what is right becomes left.
    package var mirrorsColumns = false
    package var mirrorsRows = false

    package static let none = PictureTurn()

    /// - Parameter number: Exif's, from 1 to 8.
    package init?(_ number: Int) {
        guard (1...8).contains(number) else { return nil }
        swapsSides = number >= 5
        mirrorsColumns = [2, 3, 7, 8].contains(number)
        mirrorsRows = [3, 4, 6, 7].contains(number)
    }

    private init() {}

    /// - Parameter tiff: Exif's fields as they stand in a file (TIFF 6.0 §2).
    fileprivate init?(tiff: FileBytes?) {
        guard let tiff else { return nil }
        let isLittle = tiff.isNamed("II", at: 0)
        guard isLittle || tiff.isNamed("MM", at: 0) else { return nil }
        func number16(_ place: Int) -> Int? { isLittle ? tiff.little16(place) : tiff.big16(place) }
        guard number16(2) == 42, let first = isLittle ? tiff.little32(4) : tiff.big32(4), let count = number16(first)
        else { return nil }
        for field in 0..<count {
            let place = first + 2 + 12 * field
            guard let tag = number16(place) else { return nil }
            // Orientation, one number of 16 bits.
            if tag == 0x0112, number16(place + 2) == 3, let value = number16(place + 8) {
                self.init(value)
                return
            }
        }
        return nil
    }
}

/// Bytes of a file: what stands behind their end is `nil`.
private struct FileBytes {
    static let exif: [UInt8] = Array("Exif\0\0".utf8)

    private let bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    subscript(place: Int) -> UInt8? {
        place >= 0 && place < bytes.count ? bytes[bytes.startIndex + place] : nil
    }

    /// - Returns: `nil` for what does not stand whole in the file.
    func slice(_ from: Int, _ to: Int) -> FileBytes? {
        guard from >= 0, from <= to, to <= bytes.count else { return nil }
        return FileBytes(bytes[bytes.startIndex + from..<bytes.startIndex + to])
    }

    func starts(with mark: [UInt8], at place: Int) -> Bool {
        mark.indices.allSatisfy { self[place + $0] == mark[$0] }
    }

    /// Looks from the end on, where it is usually found at once.
    func holds(_ mark: [UInt8], behind place: Int) -> Bool {
        stride(from: bytes.count - mark.count, through: place, by: -1).contains { starts(with: mark, at: $0) }
    }

    func isNamed(_ name: StaticString, at place: Int) -> Bool {
        name.withUTF8Buffer { name in name.indices.allSatisfy { self[place + $0] == name[$0] } }
    }

    func little16(_ place: Int) -> Int? { number(place, 2, isLittle: true) }
    func little24(_ place: Int) -> Int? { number(place, 3, isLittle: true) }
    func little32(_ place: Int) -> Int? { number(place, 4, isLittle: true) }
    func big16(_ place: Int) -> Int? { number(place, 2, isLittle: false) }
    func big32(_ place: Int) -> Int? { number(place, 4, isLittle: false) }

    private func number(_ place: Int, _ count: Int, isLittle: Bool) -> Int? {
        var value = 0
        for index in 0..<count {
            guard let byte = self[place + (isLittle ? count - 1 - index : index)] else { return nil }
            value = value << 8 | Int(byte)
        }
        return value
    }
}
