import RTP
import Testing
import Wire

@Suite struct HeaderExtensionsTests {
    /// A packet whose extension has this profile and body, filled up with zeros to a word.
    private func elements(_ profile: UInt16, _ body: [UInt8]) -> [(id: UInt8, value: [UInt8])] {
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let packet: [UInt8] =
            [0x90, 111, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
            + [UInt8(profile >> 8), UInt8(truncatingIfNeeded: profile), 0, UInt8(padded.count / 4)] + padded + [
                1, 2, 3,
            ]
        return packet.withUnsafeBytes { bytes in
            guard let header = RTPHeader.parse(bytes) else { return [] }
            return HeaderExtensions(of: header, in: bytes).map { ($0.id, Array(bytes[$0.range])) }
        }
    }

    @Test("One-byte elements with padding between them are found in order")
    func oneByte() {
        let found = elements(0xbede, [0x10, 0x7f, 0, 0, 0x22, 1, 2, 3, 0xe0, 9])
        #expect(found.map(\.id) == [1, 2, 14])
        #expect(found.map(\.value) == [[0x7f], [1, 2, 3], [9]])
    }

    @Test("Id 15 of the one-byte form ends the walk; id 0 is padding whatever its length bits say")
    func reservedIds() {
        #expect(elements(0xbede, [0x10, 1, 0xf0, 5, 0x20, 2]).map(\.id) == [1])
        #expect(elements(0xbede, [0x03, 0x10, 1]).map(\.id) == [1])
    }

    @Test("Two-byte elements may be empty and long, with any appbits; 15 is an id like others")
    func twoByte() {
        let long = [UInt8](repeating: 7, count: 40)
        for profile: UInt16 in [0x1000, 0x100f] {
            let found = elements(profile, [1, 0, 0, 15, 1, 5, 200, 40] + long)
            #expect(found.map(\.id) == [1, 15, 200])
            #expect(found.map(\.value) == [[], [5], long])
        }
    }

    @Test("An element that runs past the end is none, and nothing after it")
    func pastTheEnd() {
        #expect(elements(0xbede, [0x10, 1, 0x2f, 1, 2, 3, 4, 5]).map(\.id) == [1])
        #expect(elements(0x1000, [1, 1, 9, 2, 200, 0, 0, 0]).map(\.id) == [1])
        #expect(elements(0x1000, [1, 1, 9, 2]).map(\.id) == [1])
    }

    @Test("An extension of another profile has no elements")
    func otherProfile() {
        #expect(elements(0x1010, [0x10, 1, 0, 0]).isEmpty)
        #expect(elements(0xabac, [0x10, 1, 0, 0]).isEmpty)
    }

    @Test("A map tells kinds by id and ids by kind; 0 and 15 cannot be negotiated")
    func map() {
        var map = HeaderExtensionMap()
        #expect(map.id(of: .mid) == nil)
        #expect(map.kind(of: 0) == nil)
        #expect(map.set(.mid, id: 0) == false)
        #expect(map.set(.mid, id: 15) == false)
        #expect(map.set(.mid, id: 4) == true)
        #expect(map.set(.audioLevel, id: 200) == true)
        #expect(map.id(of: .mid) == 4)
        #expect(map.kind(of: 200) == .audioLevel)
        #expect(map.kind(of: 5) == nil)
        #expect(HeaderExtensionKind(uri: "urn:ietf:params:rtp-hdrext:sdes:mid") == .mid)
        #expect(HeaderExtensionKind(uri: "urn:ietf:params:rtp-hdrext:ssrc-audio-level") == .audioLevel)
        #expect(HeaderExtensionKind(uri: "urn:ietf:params:rtp-hdrext:toffset") == nil)
    }

    @Test("An audio level keeps voice flag and attenuation; without the extension there is none")
    func audioLevel() {
        #expect(AudioLevel(byte: 0x85) == AudioLevel(attenuation: 5, isVoice: true))
        #expect(AudioLevel(attenuation: 200, isVoice: false).byte == 127)
        let plain: [UInt8] = [0x80, 111, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
        plain.withUnsafeBytes { packet in
            var map = HeaderExtensionMap()
            map.set(.audioLevel, id: 1)
            #expect(RTPHeader.parse(packet)?.audioLevel(in: packet, map) == nil)
            #expect(RTPHeader.parse(packet)?.mid(in: packet, map) == nil)
        }
    }

    @Test("D04-S a song position is four bytes, whatever it is; anything else is none")
    func songPosition() {
        #expect(HeaderExtensionKind(uri: "urn:ovation:params:rtp-hdrext:song-position") == .songPosition)
        var map = HeaderExtensionMap()
        map.set(.songPosition, id: 5)
        #expect(map.kind(of: 5) == .songPosition && map.id(of: .songPosition) == 5)
        for position in [0, 1, 48_000, UInt32.max] {
            let read: UInt32? = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 4) { buffer in
                var writer = RTPHeaderWriter(
                    into: buffer, payloadType: PayloadType(111), sequenceNumber: 1, timestamp: 2, ssrc: SSRC(3))
                withUnsafeBytes(of: position.bigEndian) { writer.add(extension: $0, id: 5) }
                let packet = UnsafeRawBufferPointer(rebasing: buffer[..<(writer.finish() ?? 0)])
                return RTPHeader.parse(packet)?.songPosition(in: packet, map)
            }
            #expect(read == position)
        }
        // Three bytes, and none.
        let short: [UInt8] = [0x90, 111, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xbe, 0xde, 0, 1, 0x52, 1, 2, 3]
        let plain: [UInt8] = [0x80, 111, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
        for bytes in [short, plain] {
            let read = bytes.withUnsafeBytes { RTPHeader.parse($0)?.songPosition(in: $0, map) }
            #expect(read == nil)
        }
    }

    @Test("A mid holds 1 to 16 bytes")
    func mid() {
        #expect(Mid("") == nil)
        #expect(Mid("0123456789abcdefg") == nil)
        for text in ["0", "17", "abcdefgh", "abcdefghi", "0123456789abcdef"] {
            #expect(Mid(text)?.description == text)
        }
        #expect(Mid("a") != Mid("b"))
        #expect(Mid("abcdefgha") != Mid("abcdefghb"))
        #expect(Mid("a") != Mid("a\0"))
    }
}
