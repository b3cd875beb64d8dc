/// A frame that a server sends (RFC 6455 §5), as a load reads it: whole texts, nothing compressed. What a case holds lies in the bytes
/// that were read.
enum ChatFrame {
    case text(UnsafeRawBufferPointer)
    case ping(UnsafeRawBufferPointer)
    case close(code: UInt16)
    case other

    /// Larger ones are not what a room's news look like.
    static let most = 16 << 20

    /// The frame at the front of `bytes`, and its length; nil if it is not whole yet.
    static func first(of bytes: UnsafeRawBufferPointer) throws(LoadFailure) -> (frame: ChatFrame, length: Int)? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[0] & 0x80 != 0, bytes[0] & 0x70 == 0, bytes[1] & 0x80 == 0 else {
            throw LoadFailure("the server sends fragments, compressed or masked frames, which a load does not read")
        }
        let (opcode, short) = (bytes[0] & 0x0f, Int(bytes[1]))
        let width = short == 126 ? 2 : short == 127 ? 8 : 0
        guard bytes.count >= 2 + width else { return nil }
        let stated = bytes[2..<2 + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard stated <= UInt64(most) else { throw LoadFailure("the server sends a frame of \(stated) bytes") }
        let length = width == 0 ? short : Int(stated)
        let head = 2 + width
        guard bytes.count >= head + length else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[head..<head + length])
        let frame: ChatFrame =
            switch opcode {
            case 0x1: .text(payload)
            case 0x8: .close(code: payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : 1005)
            case 0x9: .ping(payload)
            default: .other
            }
        return (frame, head + length)
    }

    /// What a client sends: a text (1) or a pong (10). The mask is zero: it protects caches between, of which there are none.
    static func masked(_ opcode: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        bytes.reserveCapacity(payload.count + 14)
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...0xffff: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default:
            bytes.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        bytes += [0, 0, 0, 0]
        bytes += payload
        return bytes
    }
}
