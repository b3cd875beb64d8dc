import SDP
import SeededRandom
import Testing

@Suite struct SessionDescriptionTests {
    @Test("Chromium's offer is read: transport, codecs, extensions, sources")
    func chromium() throws {
        let offer = try SessionDescription(parsing: fixture("chromium-audio"))
        #expect(offer.bundle == ["0", "1", "2", "3", "4"])
        #expect(offer.media.map(\.mid) == ["0", "1", "2", "3", "4"])
        #expect(offer.media.map(\.direction) == [.sendonly] + [MediaSection.Direction](repeating: .recvonly, count: 4))
        let microphone = offer.media[0]
        #expect(microphone.codecs.first?.isOpus == true)
        #expect(microphone.codecs.first?.payloadType == 111)
        #expect(microphone.codecs.first?.parameter("useinbandfec") == "1")
        #expect(microphone.codecs.first?.parameter("stereo") == nil)
        #expect(microphone.codecs.first?.feedback == ["transport-cc"])
        #expect(microphone.codecs.map(\.payloadType) == [111, 63, 9, 0, 8, 13, 110, 126])
        #expect(microphone.codecs.filter(\.isOpus).count == 1)
        #expect(microphone.extensions.contains(ExtensionMapping(id: 4, uri: ExtensionURI.mid)))
        #expect(microphone.sources.count == 1)
        #expect(microphone.sources.first?.cname?.count == 16)
        #expect(microphone.stream?.stream == "-")
        #expect(microphone.hasRTCPMux)
        #expect(microphone.hasReducedSizeRTCP)
        let transport = try #require(offer.bundleTransport)
        #expect(transport.ufrag?.count == 4)
        #expect(transport.password?.count == 24)
        #expect(transport.setup == .actpass)
        #expect(transport.iceOptions == ["trickle"])
        #expect(transport.fingerprints.count == 1)
        #expect(transport.fingerprints.first?.hasPrefix("sha-256 ") == true)
        let length: Int = 8 + 32 * 3 - 1
        #expect(transport.fingerprints.first?.count == length)
    }

    @Test("Firefox's offer is read: fingerprint and options of the session, codecs after their parameters, bundle-only")
    func firefox() throws {
        let offer = try SessionDescription(parsing: fixture("firefox-audio"))
        #expect(offer.transport.fingerprints.count == 1)
        #expect(offer.media[0].transport.fingerprints.isEmpty)
        let transport = try #require(offer.bundleTransport)
        #expect(transport.fingerprints == offer.transport.fingerprints)
        #expect(transport.iceOptions == ["trickle"])
        #expect(transport.ufrag?.isEmpty == false)
        #expect(offer.media.map(\.isBundleOnly) == [false, true, true, true, true])
        #expect(offer.media.allSatisfy { !$0.isRejected })
        let opus = try #require(offer.media[0].codecs.first)
        #expect(opus.isOpus)
        #expect(opus.payloadType == 109)
        #expect(opus.parameter("maxplaybackrate") == "48000")
        #expect(opus.feedback == ["transport-cc"])
        #expect(offer.media[0].extensions.first { $0.id == 2 }?.uri == "urn:ietf:params:rtp-hdrext:csrc-audio-level")
    }

    @Test("A description that is printed is read back the same", arguments: fixtures)
    func printed(name: String) throws {
        let offer = try SessionDescription(parsing: fixture(name))
        let again = try SessionDescription(parsing: offer.text)
        #expect(again == offer)
        #expect(again.text == offer.text)
    }

    @Test("Candidates are read with unknown attributes skipped, and printed")
    func candidates() throws {
        let text = "842163049 1 UDP 1677729535 203.0.113.7 51234 typ srflx raddr 10.0.0.1 rport 9 generation 0"
        let candidate = try #require(ICECandidate(sdpValue: text))
        #expect(candidate.kind == .srflx)
        #expect(candidate.transport == "udp")
        #expect(candidate.sdpValue == "842163049 1 udp 1677729535 203.0.113.7 51234 typ srflx")
        let tcp = try #require(ICECandidate(sdpValue: "2 1 TCP 2105458943 a.local 9 typ host tcptype active"))
        #expect(tcp.tcpKind == "active")
        #expect(ICECandidate(sdpValue: tcp.sdpValue) == tcp)
        for broken in [
            "", "1 1 udp 1 a 9 typ", "1 1 udp 1 a 9 type host", "1 0 udp 1 a 9 typ host", "1 1 udp -1 a 9 typ host",
            "1 1 udp 1 a 65536 typ host", "1 1 udp 1 a 9 typ other",
            "\(String(repeating: "f", count: 33)) 1 udp 1 a 9 typ host",
        ] {
            #expect(ICECandidate(sdpValue: broken) == nil, "\(broken)")
        }
        let first = ICECandidate.host(address: "192.0.2.1", port: 7882, rank: 0)
        let second = ICECandidate.host(address: "2001:db8::1", port: 7882, rank: 1)
        #expect(first.priority > second.priority)
        #expect(first.foundation != second.foundation)
        #expect(first.priority == 126 << 24 | 65_535 << 8 | 255)
    }

    @Test(
        "What makes no sense is refused with the line's number",
        arguments: [
            ("", "empty"),
            ("hello", "x=…"),
            ("o=- 1 1 IN IP4 0.0.0.0", "v=0"),
            ("v=0\r\no=- one 1 IN IP4 0.0.0.0", "line 2"),
            ("v=0\r\no=- 1 1 IN", "line 2"),
            ("v=0\r\nm=audio", "line 2"),
            ("v=0\r\nm=audio 70000 UDP/TLS/RTP/SAVPF 111", "line 2"),
            ("v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF", "line 2"),
            ("v=0\r\nm=audio 9 X 1\r\na=rtpmap:128 opus/48000/2", "line 3"),
            ("v=0\r\nm=audio 9 X 1\r\na=rtpmap:1 opus", "line 3"),
            ("v=0\r\nm=audio 9 X 1\r\na=rtpmap:1 opus/48000/x", "line 3"),
            ("v=0\r\nm=audio 9 X 1\r\na=rtpmap:1 opus/48000/2\r\na=rtpmap:1 opus/48000/2", "line 4"),
            ("v=0\r\na=ice-ufrag:abc", "line 2"),
            ("v=0\r\na=ice-ufrag:ab-d", "line 2"),
            ("v=0\r\na=ice-pwd:short", "line 2"),
            ("v=0\r\na=setup:maybe", "line 2"),
        ])
    func refused(text: String, part: String) {
        let error = #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(
        "Every limit holds",
        arguments: [
            String(repeating: "a", count: SDPLimits.bytes + 1),
            "v=0\r\ns=" + String(repeating: "a", count: SDPLimits.lineBytes),
            "v=0\r\n" + String(repeating: "m=audio 9 X 1\r\n", count: SDPLimits.sections + 1),
            "v=0\r\nm=audio 9 X" + (0...SDPLimits.codecs).map { " \($0)" }.joined(),
            "v=0\r\nm=audio 9 X 1\r\n" + (0...SDPLimits.extensions).map { "a=extmap:\($0) u:\($0)\r\n" }.joined(),
            "v=0\r\nm=audio 9 X 1\r\n" + (0...SDPLimits.sources).map { "a=ssrc:\($0) cname:x\r\n" }.joined(),
            "v=0\r\nm=audio 9 X 1\r\n"
                + (0...SDPLimits.candidates).map { "a=candidate:\($0) 1 udp 1 a 1 typ host\r\n" }.joined(),
            "v=0\r\nm=audio 9 X 1\r\n"
                + String(repeating: "a=rtcp-fb:* nack\r\n", count: SDPLimits.feedbackPerCodec + 1),
            "v=0\r\nm=audio 9 X 1\r\n"
                + String(repeating: "a=rtcp-fb:1 nack\r\n", count: SDPLimits.feedbackPerCodec + 1),
            "v=0\r\n" + String(repeating: "a=fingerprint:sha-256 AB\r\n", count: SDPLimits.fingerprints + 1),
            "v=0\r\n" + String(repeating: "a=group:LS 1\r\n", count: SDPLimits.groups + 1),
            "v=0\r\na=group:BUNDLE" + String(repeating: " 1", count: SDPLimits.sections + 1),
        ])
    func limits(text: String) {
        let error = #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
        #expect(error?.code == .tooLarge)
    }

    @Test("Lone line feeds, unknown lines and a direction of the session are understood")
    func lenient() throws {
        let text = """
            v=0
            o=- 18446744073709551615 3 IN IP4 127.0.0.1
            s=-
            b=AS:100
            t=0 0
            a=recvonly
            a=unknown
            m=audio 9 UDP/TLS/RTP/SAVPF 96 97
            a=rtcp-fb:* nack
            a=rtpmap:97 OPUS/48000/2
            a=rtcp-fb:97 transport-cc
            a=extmap:300 urn:too-big
            a=candidate:what
            m=audio 9/2 X 1
            """
        // The last line's port range is not for us.
        #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
        let description = try SessionDescription(parsing: text.replacing("9/2", with: "0"))
        #expect(description.sessionID == .max)
        #expect(description.media[0].direction == .recvonly)
        #expect(description.media[0].codecs.map(\.payloadType) == [97])
        #expect(description.media[0].codecs[0].isOpus)
        #expect(description.media[0].codecs[0].feedback == ["transport-cc", "nack"])
        #expect(description.media[0].extensions.isEmpty)
        #expect(description.media[0].transport.candidates.isEmpty)
        #expect(description.media[1].isRejected)
    }

    @Test("A value with a line break inside is not printed")
    func smuggling() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-audio"))
        offer.media[0].sources[0].cname = "x\r\na=ice-lite"
        offer.media[1].stream = StreamIdentification(stream: "y\nm=video 9 X 1", track: nil)
        let again = try SessionDescription(parsing: offer.text)
        #expect(!again.isICELite)
        #expect(again.media.count == offer.media.count)
    }

    @Test("Damaged offers are read or refused, and what is read is answered or refused")
    func damaged() throws {
        var (read, answered, refused) = (0, 0, 0)
        for seed in UInt64(1)...600 {
            var random = SeededGenerator(seed: seed)
            var bytes = Array(try fixture(fixtures[Int(seed) % fixtures.count]).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: [0x0d, 0x0a, 0x61, 0x3d], at: place)
                default:
                    let end = min(bytes.count, place + .random(in: 0...200, using: &random))
                    bytes.insert(
                        contentsOf: Array(bytes[place..<end]), at: .random(in: 0..<bytes.count, using: &random))
                }
            }
            do throws(SDPError) {
                let offer = try SessionDescription(parsing: String(decoding: bytes, as: UTF8.self))
                read += 1
                let answer = try answerer().answer(offer).answer
                answered += 1
                #expect(answer.media.count == offer.media.count, "seed \(seed)")
                #expect(throws: Never.self, "seed \(seed)") { try SessionDescription(parsing: answer.text) }
            } catch {
                refused += 1
                #expect(!error.message.isEmpty, "seed \(seed)")
            }
        }
        // All three ends were reached.
        #expect(read > answered)
        #expect(answered > 100)
        #expect(refused > 50)
    }
}
