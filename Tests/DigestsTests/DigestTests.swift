import Digests
import Testing

/// Vectors of the standards.
@Suite struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    @Test(
        "SHA-256: the vectors of FIPS 180-4 and none",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, digest: String) {
        #expect(hex(SHA256.hash(Array(text.utf8))) == digest)
    }

    @Test("HMAC: the vectors of RFC 2202 and RFC 4231, keys longer than a block and empty ones among them")
    func hmac() {
        let hi = Array("Hi There".utf8)
        let jefe = Array("what do ya want for nothing?".utf8)
        #expect(
            hex(HMACKey(.sha1, key: Array(repeating: 0x0b, count: 20)).code(of: hi))
                == "b617318655057264e28bc0b6fb378c8ef146be00")
        #expect(
            hex(HMACKey(.sha1, key: Array("Jefe".utf8)).code(of: jefe)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            hex(HMACKey(.sha256, key: Array(repeating: 0x0b, count: 20)).code(of: hi))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(HMACKey(.sha256, key: Array("Jefe".utf8)).code(of: jefe))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = HMACKey(.sha256, key: Array(repeating: 0xaa, count: 131))
        #expect(
            hex(long.code(of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(
            hex(HMACKey(.sha256, key: []).code(of: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("a code with any bit changed, cut or longer, or of another message, is none")
    func forgeries() {
        let key = HMACKey(.sha1, key: [1, 2, 3])
        let message: [UInt8] = [4, 5, 6]
        let code = key.code(of: message)
        #expect(key.isCode(code, of: message))
        for bit in 0..<(code.count * 8) {
            var forged = code
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isCode(forged, of: message))
        }
        #expect(!key.isCode(Array(code.dropLast()), of: message) && !key.isCode(code + [0], of: message))
        #expect(!key.isCode([], of: message) && !key.isCode(code, of: [4, 5, 7]))
    }
}
