/// A small picture of what a live room shows now, for the room list. It is shown to everybody who looks at the list, so its size is
/// bounded in bytes and in pixels, and it carries nothing but the picture.
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
}

/// What the markers before the first scan of a JPEG say (ITU-T T.81 §B.2).
private enum JPEGOutline {
    case picture(width: Int, height: Int)
    /// There is something that is not needed to show it.
    case withMetadata
    case unreadable

    init(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8]) else {
            self = .unreadable
            return
        }
        var frame: JPEGOutline?
        var index = 2
        while let marker = Self.marker(in: bytes, at: &index) {
            guard index + 2 <= bytes.count else { break }
            let length = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            guard length >= 2, index + length <= bytes.count else { break }
            let segment = index + 2..<index + length
            switch marker {
            // JFIF, colour profile, Adobe's note on the colours; tables and restart interval.
            case 0xE0, 0xE2, 0xEE, 0xC4, 0xDB, 0xDD: break
            case 0xC0, 0xC2:
                guard frame == nil, let stated = Self.frame(bytes[segment]) else {
                    self = .unreadable
                    return
                }
                frame = stated
            case 0xDA:
                self = frame ?? .unreadable
                return
            case 0xE1...0xEF, 0xFE:
                self = .withMetadata
                return
            default:
                self = .unreadable
                return
            }
            index = segment.upperBound
        }
        self = .unreadable
    }

    /// Moves behind the next marker; any number of 0xFF may stand before its code (§B.1.1.2).
    private static func marker(in bytes: [UInt8], at index: inout Int) -> UInt8? {
        guard index < bytes.count, bytes[index] == 0xFF else { return nil }
        while index < bytes.count, bytes[index] == 0xFF { index += 1 }
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// §B.2.2: precision, lines, samples per line, components.
    private static func frame(_ segment: ArraySlice<UInt8>) -> JPEGOutline? {
        let bytes = Array(segment.prefix(6))
        guard bytes.count == 6, bytes[0] == 8, bytes[5] == 1 || bytes[5] == 3 else { return nil }
        return .picture(
            width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
    }
}
