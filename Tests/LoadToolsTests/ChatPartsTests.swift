import SeededRandom
import Testing
import Timing

@testable import LoadTools

@Suite struct ChatPartsTests {
    private let text = ChatText(size: 40)

    @Test("texts are found in whatever stands around them, and frames however they are cut")
    func cut() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        var (stream, expected, found): ([UInt8], [UInt32], [UInt32]) = ([], [], [])
        for _ in 0..<200 {
            var payload: [UInt8] = []
            for _ in 0..<Int.random(in: 0...2_000, using: &random) % 40 {
                payload += Array(#"{"text":""#.utf8)
                let number = UInt32.random(in: 0...(.max), using: &random)
                expected.append(number)
                payload += text.bytes(number: number, sent: Instant(nanoseconds: Int64(number)))
                payload += Array(#""},"#.utf8)
            }
            // As servers send them: without a mask.
            let masked = ChatFrame.masked(0x1, payload)
            let head = masked.count - payload.count - 4
            stream.append(masked[0])
            stream.append(masked[1] & 0x7f)
            stream += masked[2..<head]
            stream += payload
        }
        var carry: [UInt8] = []
        while !stream.isEmpty {
            let part = Int.random(in: 1...3_000, using: &random)
            carry += stream.prefix(part)
            stream.removeFirst(min(part, stream.count))
            try carry.withUnsafeBytes { bytes in
                var rest = bytes
                while let (frame, length) = try ChatFrame.first(of: rest) {
                    rest = UnsafeRawBufferPointer(rebasing: rest[length...])
                    guard case .text(let payload) = frame else { continue }
                    let isWhole = text.each(in: payload) { number, sent in
                        #expect(sent.nanoseconds == Int64(number))
                        found.append(number)
                    }
                    #expect(isWhole)
                }
                carry = Array(rest)
            }
        }
        #expect(found == expected && carry.isEmpty, "seed \(seed)")
    }

    @Test("bytes from anywhere are frames, not whole yet, or refused with a sentence; none of them traps")
    func anything() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { bytes in
                guard let read = try? ChatFrame.first(of: bytes) else { return }
                #expect((2...bytes.count).contains(read.length), "seed \(seed)")
            }
            let payload = Array("~~".utf8) + bytes
            payload.withUnsafeBytes { _ = text.each(in: $0) { _, _ in } }
        }
    }

    @Test("a text that is cut off is no text")
    func pieces() {
        let bytes = text.bytes(number: 1, sent: Instant(nanoseconds: 2)).dropLast()
        Array(bytes).withUnsafeBytes { bytes in
            #expect(!text.each(in: bytes) { _, _ in Issue.record("there is none") })
        }
    }

    @Test("a delivery is whole with each number once, and only then")
    func delivery() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        for isKept in [false, true] {
            var whole = MemberDelivery()
            for number in (UInt32(0)..<300).shuffled(using: &random) { whole.take(number, isKept: isKept) }
            #expect(whole.isWhole(300) && !whole.isWhole(299) && !whole.isWhole(301))
            var doubled = whole
            doubled.take(7, isKept: isKept)
            #expect(!doubled.isWhole(300))
            var missing = MemberDelivery()
            for number in UInt32(0)..<300 where number != 123 { missing.take(number, isKept: isKept) }
            #expect(!missing.isWhole(300) && !missing.has(123))
            // What a snapshot tells is not doubled, and is not missing.
            if isKept {
                missing.know(123)
                missing.know(5)
                #expect(missing.isWhole(300) && missing.has(123))
            }
        }
    }
}
