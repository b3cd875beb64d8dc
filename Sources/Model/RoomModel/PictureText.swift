/// A picture as a call carries it: base64 (RFC 4648 §4), with padding and without anything between.
enum PictureText {
    private static let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let pad = UInt8(ascii: "=")

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0...group.count { text.append(signs[Int(bits >> (18 - 6 * UInt32(place)) & 63)]) }
            for _ in group.count..<3 { text.append(pad) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil`: it is none.
    static func bytes(of text: String) -> [UInt8]? {
        let signs = Array(text.utf8)
        guard signs.count.isMultiple(of: 4) else { return nil }
        let padding = signs.suffix(2).reversed().prefix { $0 == pad }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(signs.count / 4 * 3)
        var (bits, held) = (UInt32(0), 0)
        for sign in signs.dropLast(padding) {
            guard let value = value(of: sign) else { return nil }
            bits = bits << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        return bytes
    }

    private static func value(of sign: UInt8) -> UInt32? {
        switch sign {
        case 0x41...0x5a: UInt32(sign - 0x41)
        case 0x61...0x7a: UInt32(sign - 0x61 + 26)
        case 0x30...0x39: UInt32(sign - 0x30 + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
