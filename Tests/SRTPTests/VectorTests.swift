import RTP
import Testing
import Wire

@testable import SRTP

/// The RFCs' own figures.
@Suite struct VectorTests {
    private let gcmKeys = SessionKeys(
        encryption: bytes("000102030405060708090a0b0c0d0e0f"), authentication: [],
        salt: bytes("51756964 2070726f 2071756f"))

    @Test("RFC 3711 B.2: the key stream of AES in counter mode")
    func keyStream() throws {
        let keys = SessionKeys(
            encryption: bytes("2B7E151628AED2A6ABF7158809CF4F3C"),
            authentication: [UInt8](repeating: 0, count: 20), salt: bytes("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"))
        let cipher = PacketCipher(keys, profile: .aes128CMHMACSHA1_80, direction: .seal)
        // Block counters 0 to 0xFF01.
        let zeros = [UInt8](repeating: 0, count: 0xff02 * 16)
        var stream = zeros
        let done = stream.withUnsafeMutableBufferPointer { output in
            zeros.withUnsafeBytes {
                cipher?.applyKeystream(source: 0, index: 0, payload: $0, output: output.baseAddress!)
            }
        }
        #expect(done == true)
        #expect(
            Array(stream.prefix(48))
                == bytes(
                    """
                    E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB
                    41E95B3BB0A2E8DD477901E4FCA894C0
                    """))
        #expect(
            Array(stream.suffix(48))
                == bytes(
                    """
                    EC8CDF7398607CB0F2D21675EA9EA1E4 362B7C3C6773516318A077D7FC5073AE
                    6A2CC3787889374FBEB4C81B17BA6C44
                    """))
    }

    @Test("RFC 3711 B.3: session keys from a master key")
    func keyDerivation() throws {
        let master = SRTPMasterKey(
            key: bytes("E1F97A0D3E018BE0D64FA32C06DE4139"), salt: bytes("0EC675AD498AFEEBB6960B3AABE6"))
        let keys = try #require(SessionKeys(master, profile: .aes128CMHMACSHA1_80, use: .media))
        #expect(keys.encryption == bytes("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(keys.salt == bytes("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(keys.authentication == bytes("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    }

    @Test("RFC 7714 §16.1: an RTP packet with AES-128-GCM, sealed and opened")
    func gcmMedia() {
        let clear = bytes("8040f17b 8041f8d3 5501a0b2")
        let plain = Array("Gallia est omnis divisa in partes tres".utf8)
        let sealed = bytes(
            """
            f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833
            899d7f27 beb16a91 52cf765e e4390cce
            """)
        check(clear: clear, plain: plain, sealed: sealed, source: 0x5501_a0b2, index: 0xf17b, trailer: nil)
    }

    @Test("RFC 7714 §17.1: an RTCP packet with AES-128-GCM, sealed and opened")
    func gcmControl() {
        let clear = bytes("81c8000d 4d617273")
        let plain = bytes(
            """
            4e545031 4e545032 52545020 0000042a 0000e930 4c756e61
            deadbeef deadbeef deadbeef deadbeef deadbeef
            """)
        let sealed = bytes(
            """
            63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda 4ce09b46 86303ded
            0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade
            """)
        check(
            clear: clear, plain: plain, sealed: sealed, source: 0x4d61_7273, index: 0x5d4, trailer: 0x8000_05d4)
    }

    private func check(
        clear: [UInt8], plain: [UInt8], sealed: [UInt8], source: UInt32, index: UInt64, trailer: UInt32?
    ) {
        let sealing = PacketCipher(gcmKeys, profile: .aeadAES128GCM, direction: .seal)
        var buffer = plain + [UInt8](repeating: 0, count: 16)
        let isSealed = buffer.withUnsafeMutableBufferPointer { output in
            clear.withUnsafeBytes { clear in
                plain.withUnsafeBytes {
                    sealing?.sealGCM(
                        source: source, index: index, clear: clear, trailer: trailer, payload: $0,
                        output: output.baseAddress!, tag: output.baseAddress! + plain.count)
                }
            }
        }
        #expect(isSealed == true)
        #expect(buffer == sealed)

        let opening = PacketCipher(gcmKeys, profile: .aeadAES128GCM, direction: .open)
        let isOpened = buffer.withUnsafeMutableBufferPointer { whole in
            clear.withUnsafeBytes {
                opening?.openGCM(
                    source: source, index: index, clear: $0, trailer: trailer,
                    payload: UnsafeMutableRawBufferPointer(start: whole.baseAddress, count: plain.count),
                    tag: whole.baseAddress! + plain.count)
            }
        }
        #expect(isOpened == true)
        #expect(Array(buffer.prefix(plain.count)) == plain)
    }

    @Test("RFC 2202: HMAC-SHA1 over a message, and over a message with a trailer")
    func hmac() {
        func tag(_ key: [UInt8], _ message: [UInt8], trailer: UInt32? = nil) -> [UInt8] {
            var tag = [UInt8](repeating: 0, count: 20)
            tag.withUnsafeMutableBufferPointer { tag in
                message.withUnsafeBytes {
                    HMACSHA1(key: key).authenticate($0, trailer: trailer, into: tag.baseAddress!)
                }
            }
            return tag
        }
        let key = [UInt8](repeating: 0x0b, count: 20)
        #expect(tag(key, Array("Hi There".utf8)) == bytes("b617318655057264e28bc0b6fb378c8ef146be00"))
        #expect(tag(key, Array("Hi T".utf8), trailer: 0x6865_7265) == tag(key, Array("Hi There".utf8)))
        #expect(
            tag(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
                == bytes("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
    }

    @Test("RFC 5764 §4.2: the exporter's bytes are client key, server key, client salt, server salt")
    func exporter() throws {
        for profile in SRTPProfile.allCases {
            let exported = (0..<profile.exporterLength).map { UInt8($0) }
            let keys = try #require(SRTPMasterKey.split(exported: exported, profile: profile))
            #expect(keys.client.key == Array(exported[..<16]))
            #expect(keys.server.key == Array(exported[16..<32]))
            #expect(keys.client.salt == Array(exported[32..<32 + profile.saltLength]))
            #expect(keys.server.salt == Array(exported[(32 + profile.saltLength)...]))
            #expect(SRTPMasterKey.split(exported: exported + [0], profile: profile) == nil)
        }
        #expect(SRTPProfile.openSSLNames == "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80")
        #expect(SRTPProfile.aeadAES128GCM.exporterLength == 56)
        #expect(SRTPProfile.aes128CMHMACSHA1_80.exporterLength == 60)
    }
}

/// Hexadecimal digits, white space allowed.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
