/// Reads fields of any width, highest bit first. Past the end everything is 0, and `isOver` says so: a header is read to its end and
/// judged once.
struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    /// In bits.
    private var position = 0
    /// H.264 §7.4.1: a 3 behind two zeros is no content.
    private let skipsPrevention: Bool
    private(set) var isOver = false

    init(_ bytes: UnsafeRawBufferPointer, skipsPrevention: Bool = false) {
        self.bytes = bytes
        self.skipsPrevention = skipsPrevention
    }

    mutating func readFlag() -> Bool { read(1) == 1 }

    /// - Parameter count: 32 at most.
    mutating func read(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | nextBit() }
        return value
    }

    mutating func skip(_ count: Int) { for _ in 0..<count { _ = nextBit() } }

    /// A number in Exp-Golomb's code (H.264 §9.1), which AV1 has too (§4.10.3). What has more than 32 bits is no field of a header.
    mutating func readGolomb() -> Int {
        var zeros = 0
        while !isOver, nextBit() == 0 { zeros += 1 }
        guard zeros < 32 else {
            isOver = true
            return 0
        }
        return (1 << zeros | read(zeros)) - 1
    }

    private mutating func nextBit() -> Int {
        if position & 7 == 0 { skipPrevention() }
        guard position >> 3 < bytes.count else {
            isOver = true
            return 0
        }
        defer { position += 1 }
        return Int(bytes[position >> 3] >> UInt8(7 - position & 7)) & 1
    }

    private mutating func skipPrevention() {
        let index = position >> 3
        guard skipsPrevention, index >= 2, index < bytes.count, bytes[index] == 3, bytes[index - 1] == 0,
            bytes[index - 2] == 0
        else { return }
        position += 8
    }
}
