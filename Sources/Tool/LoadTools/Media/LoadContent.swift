internal import Timing

/// What a load's speakers send.
package enum LoadContent: Sendable, Hashable {
    /// Sound: packets of what might be 20 ms of Opus.
    case sound(speakers: Int, packetsPerSecond: Int)
    /// One person films and says nothing: VP8, 1280 × 720, 30 frames a second with some 2 Mbit/s, and a key frame of five times the size
    /// every three seconds and whenever one is asked for.
    case picture

    var speakers: Int {
        switch self {
        case .sound(let speakers, _): speakers
        case .picture: 1
        }
    }

    /// From what a speaker sends at once to the next.
    var period: Interval {
        switch self {
        case .sound(_, let packetsPerSecond): .seconds(1) / Int64(packetsPerSecond)
        case .picture: .seconds(1) / 30
        }
    }

    var isPicture: Bool { self == .picture }
}

/// The packets of one frame of VP8, as far as servers read them.
struct FilmedFrame {
    /// The packets of a frame, of about one size: 7 of them 30 times a second are 2.0 Mbit/s.
    static let packets = 7
    static let packetsOfKeyFrame = 35
    private static let payloadLength = 1_190
    /// Frames from one key frame to the next, if nobody asks for one.
    static let distance: UInt32 = 90
    static let ticks: UInt32 = 3_000
    /// Behind this, a packet says what it is (`SpokenPacket`).
    static let prefixLength = 14
    /// RFC 6386 §9.1: the frame's tag, and of a key frame the start code, 1280 and 720.
    private static let keyHeader: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x05, 0xd0, 0x02]
    private static let header: [UInt8] = [0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    var number: UInt32
    var isKeyFrame: Bool

    var packets: Int { isKeyFrame ? Self.packetsOfKeyFrame : Self.packets }

    /// A browser cuts a frame into packets that differ by one byte, the shorter ones first.
    func payloadLength(of packet: Int) -> Int {
        packet < Int(number) % packets ? Self.payloadLength - 1 : Self.payloadLength
    }

    /// The payload descriptor (RFC 7741 §4.2) with a picture id of 15 bits, and in a frame's first packet its header (RFC 6386 §9.1).
    func writePrefix(of packet: Int, into payload: UnsafeMutableRawBufferPointer) {
        let isFirst = packet == 0
        payload[0] = 0x80 | (isFirst ? 0x10 : 0)
        payload[1] = 0x80
        payload[2] = 0x80 | UInt8(truncatingIfNeeded: number >> 8 & 0x7f)
        payload[3] = UInt8(truncatingIfNeeded: number)
        let header = isFirst && isKeyFrame ? Self.keyHeader : Self.header
        for index in header.indices { payload[4 + index] = header[index] }
    }
}
