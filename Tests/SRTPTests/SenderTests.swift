import RTP
import Testing

@testable import SRTP

@Suite struct SenderTests {
    @Test("An index is sealed once; a repeat is byte-identical", arguments: SRTPProfile.allCases)
    func sealedOnce(profile: SRTPProfile) throws {
        let link = Link(profile)
        let first = try #require(link.seal(mediaPacket(100)))
        #expect(link.seal(mediaPacket(100)) == nil)
        #expect(link.seal(mediaPacket(100, payload: 7)) == nil)
        #expect(link.seal(mediaPacket(100), again: true) == first)
        #expect(link.seal(mediaPacket(100), again: true) == first)
        // Never sealed, so not again either.
        #expect(link.seal(mediaPacket(99), again: true) == nil)
        #expect(link.seal(mediaPacket(101), again: true) == nil)
        #expect(link.seal(mediaPacket(100, ssrc: 5), again: true) == nil)
    }

    @Test("Packets may overtake each other within the window; further back they are refused")
    func outOfOrder() {
        let link = Link(.aeadAES128GCM)
        #expect(link.seal(mediaPacket(1_000)) != nil)
        #expect(link.seal(mediaPacket(1_000 - 127)) != nil)
        #expect(link.seal(mediaPacket(1_000 - 127)) == nil)
        #expect(link.seal(mediaPacket(1_000 - 128)) == nil)
        #expect(link.seal(mediaPacket(999)) != nil)
        #expect(link.seal(mediaPacket(999)) == nil)
        // More than half the range ahead is behind.
        #expect(link.seal(mediaPacket(1_000 + 32_769)) == nil)
        #expect(link.seal(mediaPacket(1_000 + 32_767)) != nil)
    }

    @Test("Before the first rollover there is nothing to go back to")
    func beforeZero() {
        let link = Link(.aeadAES128GCM)
        #expect(link.seal(mediaPacket(5)) != nil)
        #expect(link.seal(mediaPacket(65_530)) == nil)
        #expect(link.seal(mediaPacket(65_530), again: true) == nil)
    }

    @Test("Repeats reach back over a rollover", arguments: SRTPProfile.allCases)
    func repeatOverRollover(profile: SRTPProfile) throws {
        let link = Link(profile)
        var sealed: [[UInt8]] = []
        for index in UInt64(65_500)..<65_600 { sealed.append(try #require(link.seal(mediaPacket(index)))) }
        for (offset, packet) in sealed.enumerated() {
            #expect(link.seal(mediaPacket(UInt64(65_500 + offset)), again: true) == packet)
        }
        for (offset, packet) in sealed.enumerated() {
            let (result, opened) = link.open(packet)
            #expect(result == .opened(length: opened.count, extendedSequence: UInt64(65_500 + offset)))
        }
    }

    @Test("A payload may stand in place, behind the header", arguments: SRTPProfile.allCases)
    func inPlace(profile: SRTPProfile) throws {
        let packet = mediaPacket(1, hasExtension: true)
        let expected = try #require(Link(profile).seal(packet))
        let link = Link(profile)
        var buffer = packet + [UInt8](repeating: 0, count: profile.tagLength)
        let length = buffer.withUnsafeMutableBytes { buffer in
            link.sender.seal(
                headerLength: 20, payload: UnsafeRawBufferPointer(rebasing: buffer[20..<packet.count]), into: buffer)
        }
        #expect(length == buffer.count)
        #expect(buffer == expected)
    }

    @Test("A packet that does not fit, or whose header has another length, is not sealed and uses no index up")
    func doesNotFit() {
        let link = Link(.aeadAES128GCM)
        let payload = [UInt8](repeating: 1, count: 10)
        func seal(capacity: Int, headerLength: Int = 12) -> Int? {
            var buffer = mediaPacket(1, payload: 0) + [UInt8](repeating: 0, count: 40)
            return buffer.withUnsafeMutableBytes { buffer in
                payload.withUnsafeBytes {
                    link.sender.seal(
                        headerLength: headerLength, payload: $0,
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<capacity]))
                }
            }
        }
        #expect(seal(capacity: 37) == nil)
        #expect(seal(capacity: 52, headerLength: 16) == nil)
        #expect(seal(capacity: 52, headerLength: 8) == nil)
        #expect(seal(capacity: 52, headerLength: -1) == nil)
        #expect(seal(capacity: 38) == 38)
    }

    @Test("Wherever a source is looked for first, its packets are sealed alike, and it is found at once the next time")
    func likelySource() throws {
        for wrong in [-1, 0, 1, 2, 99, Int.max] {
            let (link, plain) = (Link(.aeadAES128GCM), Link(.aeadAES128GCM))
            for number in UInt64(1)...3 {
                for (place, ssrc) in [UInt32(70), 80].enumerated() {
                    let packet = mediaPacket(number, ssrc: ssrc)
                    let expected = try #require(plain.seal(packet))
                    var buffer = packet + [UInt8](repeating: 0, count: 16)
                    let payload = Array(packet[12...])
                    var source = wrong
                    let length = buffer.withUnsafeMutableBytes { buffer in
                        payload.withUnsafeBytes {
                            link.sender.seal(headerLength: 12, payload: $0, into: buffer, source: &source)
                        }
                    }
                    #expect(length == buffer.count && buffer == expected && source == place, "looked for at \(wrong)")
                }
            }
        }
    }

    @Test("Sources are bounded; one that was retired stays silent, and makes room")
    func retiring() {
        let link = Link(.aeadAES128GCM)
        for ssrc in 0..<UInt32(SRTPSender.maximumSources) { #expect(link.seal(mediaPacket(1, ssrc: ssrc)) != nil) }
        #expect(link.seal(mediaPacket(1, ssrc: 1_000)) == nil)
        #expect(link.sender.retire(SSRC(0)))
        #expect(link.seal(mediaPacket(2, ssrc: 0)) == nil)
        #expect(link.seal(mediaPacket(1, ssrc: 0), again: true) == nil)
        #expect(link.seal(mediaPacket(1, ssrc: 1_000)) != nil)
        // So many are remembered, and no more given up.
        #expect(link.sender.retire(SSRC(1)))
        for ssrc in 0..<UInt32(SRTPSender.maximumRetiredSources + 10) {
            let fresh = 10_000 + ssrc
            _ = link.sender.retire(SSRC(fresh - 1))
            _ = link.seal(mediaPacket(1, ssrc: fresh))
        }
        #expect(!link.sender.retire(SSRC(1_000)))
        #expect(link.seal(mediaPacket(2, ssrc: 1_000)) != nil)
    }

    @Test("A key of the wrong length makes neither sender nor receiver")
    func wrongKey() {
        let key = SRTPMasterKey(key: [UInt8](repeating: 1, count: 16), salt: [UInt8](repeating: 2, count: 12))
        #expect(SRTPSender(profile: .aeadAES128GCM, masterKey: key) != nil)
        #expect(SRTPSender(profile: .aes128CMHMACSHA1_80, masterKey: key) == nil)
        #expect(SRTPReceiver(profile: .aes128CMHMACSHA1_80, masterKey: key) == nil)
        let short = SRTPMasterKey(key: [1, 2], salt: key.salt)
        #expect(SRTPReceiver(profile: .aeadAES128GCM, masterKey: short) == nil)
    }

    #if DEBUG
        @Test("Sealing an index again with other content stops a debug build")
        func otherContent() async {
            await #expect(processExitsWith: .failure) {
                let link = Link(.aeadAES128GCM)
                _ = link.seal(mediaPacket(100))
                _ = link.seal(mediaPacket(100, payload: 39), again: true)
            }
        }
    #endif
}
