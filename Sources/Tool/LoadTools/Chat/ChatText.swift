internal import Foundation
internal import Timing

/// What a load says: a text of a fixed size that tells its number and when it was sent, and is found in whatever a server puts around it.
struct ChatText: Sendable {
    /// In bytes.
    let size: Int

    /// Mark, instant, number, mark.
    static let least = 2 + 16 + 8 + 2
    private static let mark: [UInt8] = [UInt8(ascii: "~"), UInt8(ascii: "~")]
    private static let digits = Array("0123456789abcdef".utf8)

    func bytes(number: UInt32, sent: Instant) -> [UInt8] {
        var text = Self.mark
        text.reserveCapacity(size)
        Self.write(UInt64(bitPattern: sent.nanoseconds), digits: 16, to: &text)
        Self.write(UInt64(number), digits: 8, to: &text)
        text += repeatElement(UInt8(ascii: "."), count: size - Self.least)
        return text + Self.mark
    }

    /// Calls `take` with each text in the payload of a frame. Gives back whether each was whole.
    func each(in payload: UnsafeRawBufferPointer, _ take: (_ number: UInt32, _ sent: Instant) -> Void) -> Bool {
        var rest = payload
        while let start = rest.offset(of: Self.mark) {
            guard rest.count - start >= size, rest[start + size - 2] == Self.mark[0],
                rest[start + size - 1] == Self.mark[1],
                let sent = Self.read(rest[start + 2..<start + 18]),
                let number = Self.read(rest[start + 18..<start + 26])
            else { return false }
            take(UInt32(truncatingIfNeeded: number), Instant(nanoseconds: Int64(bitPattern: sent)))
            rest = UnsafeRawBufferPointer(rebasing: rest[(start + size)...])
        }
        return true
    }

    private static func write(_ value: UInt64, digits count: Int, to text: inout [UInt8]) {
        for digit in (0..<count).reversed() { text.append(digits[Int(value >> (4 * UInt64(digit)) & 0xf)]) }
    }

    private static func read(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var value: UInt64 = 0
        for byte in bytes {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt64(byte - 0x30)
            case 0x61...0x66: value = value << 4 | UInt64(byte - 0x61 + 10)
            default: return nil
            }
        }
        return value
    }
}

extension UnsafeRawBufferPointer {
    /// Where those bytes stand first. Whole payloads are searched for marks that they hardly have: the C library does it fast.
    func offset(of wanted: [UInt8]) -> Int? {
        guard let baseAddress, let first = wanted.first else { return nil }
        var start = 0
        while count - start >= wanted.count,
            let found = memchr(baseAddress + start, Int32(first), count - start - wanted.count + 1)
        {
            let place = UnsafeRawPointer(found) - baseAddress
            if memcmp(baseAddress + place, wanted, wanted.count) == 0 { return place }
            start = place + 1
        }
        return nil
    }
}
