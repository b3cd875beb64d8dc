import Forwarding
import RTP

/// One person of a fuzzed room: both ends of the path, and how what the hostile one sends is numbered.
final class FuzzedPerson {
    let path: FuzzedPath
    let viewer: PictureViewer
    /// Numbers of the server's streams, by slot.
    var sound: [Int: Int] = [:]
    var pictures: [Int: Int] = [:]
    /// How its next packets are numbered, by source.
    private(set) var numbers: [UInt32: UInt16] = [:]
    var picture: UInt8 = 0
    var transport: UInt16 = 0
    /// Up to where it has told of arrivals, from the server's first number on.
    var told: UInt16 = 0

    init(path: FuzzedPath, viewer: PictureViewer) {
        self.path = path
        self.viewer = viewer
    }

    func next(_ ssrc: UInt32, _ steps: [Int], _ which: UInt8) -> UInt16 {
        let number = (numbers[ssrc] ?? 65_500) &+ UInt16(truncatingIfNeeded: steps[Int(which) % steps.count])
        numbers[ssrc] = number
        return number
    }

    static func header(
        _ type: PayloadType, _ number: UInt16, _ timestamp: UInt32, _ ssrc: UInt32, marker: Bool, _ transport: UInt16?
    ) -> [UInt8] {
        var bytes: [UInt8] = [transport == nil ? 0x80 : 0x90, type.rawValue | (marker ? 0x80 : 0)]
        func append(_ value: UInt32) { for shift in [24, 16, 8, 0] { bytes.append(UInt8(value >> shift & 0xff)) } }
        bytes += [UInt8(number >> 8), UInt8(number & 0xff)]
        append(timestamp)
        append(ssrc)
        // RFC 8285 §4.2: one element, id 3, two bytes.
        if let transport { bytes += [0xbe, 0xde, 0, 1, 0x31, UInt8(transport >> 8), UInt8(transport & 0xff), 0] }
        return bytes
    }
}
