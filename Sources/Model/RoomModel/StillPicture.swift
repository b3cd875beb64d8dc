/// A small picture of what a live room shows now, for the room list. It is shown to everybody who looks at the list, so its size is
/// bounded in bytes and in pixels. What a server shows it has read and written anew; what is looked at here keeps it from reading what costs
/// much or cannot be shown.
package struct StillPicture: Hashable, Sendable {
    /// The most bytes: a list of 30 rooms is then as much as one photograph.
    package static let byteLimit = 15 << 10
    /// The most pixels of either side. A JPEG of a few bytes can state 65,535 by 65,535, which takes a browser 16 GB.
    package static let sideLimit = 360

    /// The most bytes of one that comes with a request: a host may have a hundred of them before them.
    package static let requestByteLimit = 8 << 10

    /// A JPEG (ITU-T T.81), baseline or progressive.
    package let jpeg: [UInt8]

    /// - Parameter field: where it stands in the call; a refusal names it.
    /// - Throws: `invalid_params` of the field, with what is wrong.
    package init(jpeg: [UInt8], byteLimit: Int = Self.byteLimit, field: String = "picture") throws(RoomError) {
        guard jpeg.count <= byteLimit else {
            throw .invalid(field, "a still has at most \(byteLimit) bytes here, before base64")
        }
        switch JPEGOutline(jpeg) {
        case .picture(let width, let height):
            guard (1...Self.sideLimit).contains(width), (1...Self.sideLimit).contains(height) else {
                throw .invalid(field, "a still has at most \(Self.sideLimit) pixels on each side")
            }
        case .withMetadata: throw .invalid(field, "a still carries no metadata, such as Exif with a place")
        case .unreadable: throw .invalid(field, "a still is a JPEG in base64")
        }
        self.jpeg = jpeg
    }

    /// What a call carries under that name, in base64; `nil`: nothing.
    package init?<Field: CodingKey>(
        ifPresentIn fields: KeyedDecodingContainer<Field>, _ field: Field, byteLimit: Int = Self.byteLimit
    ) throws {
        guard fields.contains(field), try !fields.decodeNil(forKey: field) else { return nil }
        guard let text = try? fields.decode(String.self, forKey: field), let jpeg = PictureText.bytes(of: text) else {
            throw RoomError.invalid(field.stringValue, "a still is a JPEG in base64")
        }
        try self.init(jpeg: jpeg, byteLimit: byteLimit, field: field.stringValue)
    }

    /// As a call carries it.
    package var base64: String { PictureText.text(of: jpeg) }
}

/// What the markers of a JPEG say, from its first to its last byte (ITU-T T.81 §B.2). Nothing is decoded.
private enum JPEGOutline {
    case picture(width: Int, height: Int)
    /// There is something that is not needed to show it.
    case withMetadata
    case unreadable

    /// A progressive picture of the usual encoders has ten scans; each costs its reader a walk over the whole picture.
    private static let mostScans = 24

    init(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8]) else {
            self = .unreadable
            return
        }
        var frame: JPEGOutline?
        var scans = 0
        var index = 2
        self = .unreadable
        while let marker = Self.marker(in: bytes, at: &index) {
            if marker == 0xD9 {
                // What stands behind the picture's end would go along unseen.
                self = index < bytes.count ? .withMetadata : scans > 0 ? frame ?? .unreadable : .unreadable
                return
            }
            guard index + 2 <= bytes.count else { return }
            let length = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            guard length >= 2, index + length <= bytes.count else { return }
            let segment = index + 2..<index + length
            index = segment.upperBound
            switch marker {
            // JFIF, colour profile, Adobe's note on the colours.
            case 0xE0 where scans == 0, 0xE2 where scans == 0, 0xEE where scans == 0: break
            // Tables and restart interval.
            case 0xC4, 0xDB, 0xDD: break
            case 0xC0, 0xC2:
                guard frame == nil, let stated = Self.frame(bytes[segment]) else { return }
                frame = stated
            case 0xDA:
                scans += 1
                guard frame != nil, scans <= Self.mostScans else { return }
                Self.skipScan(in: bytes, at: &index)
            case 0xE0...0xEF, 0xFE:
                self = .withMetadata
                return
            default: return
            }
        }
    }

    /// Moves behind the next marker; any number of 0xFF may stand before its code (§B.1.1.2).
    private static func marker(in bytes: [UInt8], at index: inout Int) -> UInt8? {
        guard index < bytes.count, bytes[index] == 0xFF else { return nil }
        while index < bytes.count, bytes[index] == 0xFF { index += 1 }
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Moves to the marker that ends a scan: 0xFF that is neither stuffed nor a restart (§B.1.1.5).
    private static func skipScan(in bytes: [UInt8], at index: inout Int) {
        while index + 1 < bytes.count {
            guard bytes[index] == 0xFF else {
                index += 1
                continue
            }
            switch bytes[index + 1] {
            case 0x00, 0xD0...0xD7: index += 2
            default: return
            }
        }
    }

    /// §B.2.2: precision, lines, samples per line, components.
    private static func frame(_ segment: ArraySlice<UInt8>) -> JPEGOutline? {
        let bytes = Array(segment.prefix(6))
        guard bytes.count == 6, bytes[0] == 8, bytes[5] == 1 || bytes[5] == 3 else { return nil }
        return .picture(
            width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
    }
}
