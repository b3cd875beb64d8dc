import ICE
import NetworkSimulation
import SeededRandom
import Testing
import Wire

@Suite struct STUNMessageTests {
    /// RFC 5769 §2.1: a request with the password VOkJxbRl1RmTxUk/WvJxBt.
    static let sampleRequest = bytes(
        """
        000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff
        80290008932ff9b151263b36000600096576746a3a68367659202020000800149aeaa70cbfd8cb56781ef2b5b2d3f249
        c1b571a280280004e57a3bcf
        """)
    /// RFC 5769 §2.2 and §2.3: responses with 192.0.2.1 and 2001:db8:1234:5678:11:2233:4455:6677, port 32853.
    static let sampleResponse4 = bytes(
        """
        0101003c2112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000080001a147e112a643
        000800142b91f599fd9e90c38c7489f92af9ba53f06be7d780280004c07d4c96
        """)
    static let sampleResponse6 = bytes(
        """
        010100482112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000140002a1470113a9fa
        a5d3f179bc25f4b5bed2b9d900080014a382954e4be67bf11784c97c8292c275bfe3ed4180280004c8fb0b4c
        """)
    static let password = "VOkJxbRl1RmTxUk/WvJxBt"

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter(\.isHexDigit)
        return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    static func parse(_ bytes: [UInt8]) -> STUNMessage? {
        bytes.withUnsafeBytes { STUNMessage.parse($0) }
    }

    static func isAuthentic(_ bytes: [UInt8], _ password: String) -> Bool {
        bytes.withUnsafeBytes { buffer in
            STUNMessage.parse(buffer)?.isAuthentic(in: buffer, key: STUNIntegrityKey(password: password)) ?? false
        }
    }

    static func write(_ body: (UnsafeMutableRawBufferPointer) -> Int?) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 1200, alignment: 8) { buffer in
            body(buffer).map { Array(buffer[..<$0]) }
        }
    }

    @Test("the sample request of RFC 5769 is read and authentic")
    func rfcRequest() throws {
        let message = try #require(Self.parse(Self.sampleRequest))
        #expect(message.messageClass == .request)
        #expect(message.method == STUNMessage.binding)
        #expect(message.transaction == STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae))
        #expect(message.priority == 0x6e00_01ff)
        #expect(message.controlled == 0x932f_f9b1_5126_3b36)
        #expect(message.controlling == nil)
        #expect(message.hasFingerprint)
        let name = message.username.map { String(decoding: Self.sampleRequest[$0], as: UTF8.self) }
        #expect(name == "evtj:h6vY")
        let ufrag = Self.sampleRequest.withUnsafeBytes { message.destinationUfrag(in: $0).map { Array($0) } }
        #expect(ufrag == Array("evtj".utf8))
        #expect(Self.isAuthentic(Self.sampleRequest, Self.password))
        #expect(!Self.isAuthentic(Self.sampleRequest, Self.password + "x"))
    }

    @Test("the sample responses of RFC 5769 are read and authentic")
    func rfcResponses() throws {
        let v4 = try #require(Self.parse(Self.sampleResponse4))
        #expect(v4.messageClass == .success)
        #expect(v4.mappedAddress == TransportAddress(ip: IPAddress(v4: 192, 0, 2, 1), port: 32853))
        #expect(Self.isAuthentic(Self.sampleResponse4, Self.password))
        let v6 = try #require(Self.parse(Self.sampleResponse6))
        let ip = IPAddress(high: 0x2001_0db8_1234_5678, low: 0x0011_2233_4455_6677)
        #expect(v6.mappedAddress == TransportAddress(ip: ip, port: 32853))
        #expect(Self.isAuthentic(Self.sampleResponse6, Self.password))
    }

    @Test("what is written is read back, with its code and fingerprint")
    func roundTrip() throws {
        let transaction = STUNTransactionID(high: 7, low: 0x0102_0304_0506_0708)
        let key = STUNIntegrityKey(password: "secretsecretsecretsecret")
        let request = try #require(
            Self.write { buffer in
                var writer = STUNWriter(into: buffer, .request, transaction: transaction)
                writer.addUsername("server:client")
                writer.addPriority(123_456)
                writer.addControlling(tieBreaker: 99)
                writer.addUseCandidate()
                return writer.finish(key: key)
            })
        let message = try #require(Self.parse(request))
        #expect(message.transaction == transaction)
        #expect(message.usesCandidate)
        #expect(message.controlling == 99)
        #expect(message.priority == 123_456)
        #expect(message.hasFingerprint)
        #expect(message.username.map { Array(request[$0]) } == Array("server:client".utf8))
        #expect(Self.isAuthentic(request, "secretsecretsecretsecret"))

        let refusal = try #require(
            Self.write { buffer in
                var writer = STUNWriter(into: buffer, .error, transaction: transaction)
                writer.addErrorCode(420)
                writer.addUnknownAttributes([0x0077, 0x0078, 0x0079])
                return writer.finish(key: nil)
            })
        let error = try #require(Self.parse(refusal))
        #expect(error.messageClass == .error)
        #expect(error.errorCode == 420)
        #expect(error.integrityOffset == nil)
    }

    @Test("addresses of both families survive the mask")
    func addresses() throws {
        var random = SeededGenerator(seed: 5)
        for round in 0..<200 {
            let transaction = STUNTransactionID(high: UInt32(truncatingIfNeeded: random.next()), low: random.next())
            let ip =
                round % 2 == 0
                ? IPAddress(v4: 10, 1, 2, UInt8(round)) : IPAddress(high: random.next() | 1, low: random.next())
            let address = TransportAddress(ip: ip, port: UInt16(truncatingIfNeeded: random.next()))
            let response = try #require(
                Self.write { buffer in
                    var writer = STUNWriter(into: buffer, .success, transaction: transaction)
                    writer.addMappedAddress(address)
                    return writer.finish(key: nil)
                })
            #expect(Self.parse(response)?.mappedAddress == address)
        }
    }

    @Test("every message that is cut short or has a flipped bit is refused, or at least not authentic")
    func damage() {
        for length in 0..<Self.sampleRequest.count {
            #expect(Self.parse(Array(Self.sampleRequest[..<length])) == nil, "cut to \(length)")
        }
        for bit in 0..<Self.sampleRequest.count * 8 {
            var copy = Self.sampleRequest
            copy[bit / 8] ^= 1 << (bit % 8)
            // Only the fingerprint's own attribute can be damaged without the code noticing.
            let message = Self.parse(copy)
            #expect(message == nil || message?.hasFingerprint == false, "bit \(bit)")
        }
    }

    @Test("attributes behind MESSAGE-INTEGRITY do not count, attributes behind FINGERPRINT end the message")
    func misplacedAttributes() throws {
        let transaction = STUNTransactionID(high: 1, low: 2)
        let message = try #require(
            Self.write { buffer in
                var writer = STUNWriter(into: buffer, .request, transaction: transaction)
                writer.addUsername("a:b")
                return writer.finish(key: STUNIntegrityKey(password: "p"))
            })
        // USE-CANDIDATE slipped in between the code and the (removed) fingerprint.
        var slipped = Array(message.dropLast(8)) + [0x00, 0x25, 0, 0]
        slipped[3] = UInt8(slipped.count - 20)
        let parsed = try #require(Self.parse(slipped))
        #expect(!parsed.usesCandidate)
        #expect(Self.isAuthentic(slipped, "p"))
        var appended = message + [0x00, 0x25, 0, 0]
        appended[3] = UInt8(appended.count - 20)
        #expect(Self.parse(appended) == nil)
    }

    @Test("random bytes never trap", arguments: UInt64(1)...4)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            var noise = (0..<random.next() % 160).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if noise.count >= 20 {
                // Most of the time past the first checks.
                noise[0] &= 0x01
                noise[2] = 0
                noise[3] = UInt8(noise.count - 20)
                noise.replaceSubrange(4..<8, with: [0x21, 0x12, 0xa4, 0x42])
                for offset in stride(from: 20, to: noise.count - 4, by: 8) where random.chance(0.7) {
                    let types: [UInt8] = [0x06, 0x08, 0x09, 0x20, 0x24, 0x25, 0x28, 0x29, 0x2a]
                    noise[offset] = random.chance(0.3) ? 0x80 : 0
                    noise[offset + 1] = types[Int(random.next() % 9)]
                    noise[offset + 2] = 0
                    noise[offset + 3] = UInt8(random.next() % 24)
                }
            }
            _ = Self.isAuthentic(noise, "p")
        }
    }
}
