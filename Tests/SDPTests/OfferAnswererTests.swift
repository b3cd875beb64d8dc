import SDP
import Testing

@Suite struct OfferAnswererTests {
    @Test(
        "A browser's offer of a microphone and four slots is answered line by line",
        arguments: ["chromium-audio", "firefox-audio"])
    func browser(name: String) throws {
        let offer = try SessionDescription(parsing: fixture(name))
        let agreed = try answerer(slots: 4).answer(offer)
        let opus = try #require(offer.media[0].codecs.first?.payloadType)
        #expect(agreed.microphone?.payloadType == opus)
        #expect(agreed.microphone?.mid == "0")
        #expect(agreed.microphone?.ssrc == offer.media[0].sources.first?.ssrc)
        #expect(agreed.microphone?.cname == offer.media[0].sources.first?.cname)
        #expect(agreed.microphone?.hasNACK == false)
        #expect(agreed.slots.map(\.index) == [0, 1, 2, 3])
        #expect(agreed.slots.map(\.mid) == ["1", "2", "3", "4"])
        #expect(agreed.slots.map(\.ssrc) == [1_000, 1_001, 1_002, 1_003])
        #expect(agreed.slots.allSatisfy { $0.payloadType == opus && !$0.hasNACK })
        #expect(agreed.remote.ufrag == offer.bundleTransport?.ufrag)
        #expect(agreed.remote.password == offer.bundleTransport?.password)
        #expect(agreed.remote.fingerprints == offer.bundleTransport?.fingerprints)
        #expect(Set(agreed.extensions.map(\.uri)) == [ExtensionURI.audioLevel, ExtensionURI.mid])

        let answer = agreed.answer
        #expect(answer.isICELite)
        #expect(answer.bundle == ["0", "1", "2", "3", "4"])
        #expect(answer.media.map(\.direction) == [.recvonly, .sendonly, .sendonly, .sendonly, .sendonly])
        for (index, section) in answer.media.enumerated() {
            #expect(section.port == 9)
            // Chromium offers copies (RFC 2198) as well, after Opus; Firefox does not.
            #expect(section.codecs.map(\.name) == (name == "chromium-audio" ? ["opus", "red"] : ["opus"]))
            #expect(section.codecs[0].payloadType == opus)
            #expect(section.codecs[0].parameters == "minptime=10;useinbandfec=1;usedtx=1")
            #expect(section.codecs[0].feedback.isEmpty)
            #expect(section.hasRTCPMux)
            #expect(section.hasReducedSizeRTCP == offer.media[index].hasReducedSizeRTCP)
            #expect(section.transport.setup == .passive)
            #expect(section.transport.ufrag == "serverufrag")
            #expect(section.transport.candidates.count == (index == 0 ? 2 : 0))
            #expect(section.transport.isEndOfCandidates == (index == 0))
            #expect(section.extensions == agreed.extensions)
        }
        #expect(answer.media[2].stream == StreamIdentification(stream: "slot-1", track: "audio-1"))
        #expect(answer.media[2].sources == [MediaSource(ssrc: 1_001, cname: "cname-1")])
        #expect(answer.media[0].sources.isEmpty)
        #expect(try SessionDescription(parsing: answer.text) == answer)
        // What the text of a line must hold, whatever our own parser thinks of it.
        for line in [
            "a=ice-lite", "a=group:BUNDLE 0 1 2 3 4", "a=setup:passive", "a=end-of-candidates", "a=rtcp-mux",
            "a=rtpmap:\(opus) opus/48000/2", "a=fmtp:\(opus) minptime=10;useinbandfec=1;usedtx=1",
            "a=ssrc:1003 cname:cname-3", "a=msid:slot-3 audio-3",
            "a=candidate:1 1 udp 2130706431 192.0.2.1 7882 typ host",
        ] {
            #expect(answer.text.contains("\r\n\(line)\r\n"), "\(line)")
        }
    }

    @Test("packets with copies are agreed on where they are offered for Opus, in the order of the offer")
    func redundancy() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-audio"))
        let agreed = try answerer(slots: 4).answer(offer)
        #expect(agreed.microphone?.redundantPayloadType == 63)
        #expect(agreed.slots.allSatisfy { $0.redundantPayloadType == 63 })
        #expect(agreed.answer.media[0].formats == ["111", "63"])
        #expect(agreed.answer.text.contains("\r\na=fmtp:63 111/111\r\n"))
        offer.media[0].formats = ["63", "111"]
        #expect(try answerer(slots: 4).answer(offer).answer.media[0].formats == ["63", "111"])
        // Of something else than Opus, or not at all.
        for parameters in ["111/8", "8/8", "111", nil] {
            for index in offer.media[0].codecs.indices where offer.media[0].codecs[index].name == "red" {
                offer.media[0].codecs[index].parameters = parameters
            }
            let without = try answerer(slots: 4).answer(offer)
            #expect(without.microphone?.payloadType == 111 && without.microphone?.redundantPayloadType == nil)
            #expect(without.answer.media[0].formats == ["111"])
        }
    }

    @Test(
        "Lines for more slots than there are, video, data and stopped lines are refused one by one",
        arguments: ["chromium-video", "firefox-video", "chromium-stopped", "firefox-stopped"])
    func refusedLines(name: String) throws {
        let offer = try SessionDescription(parsing: fixture(name))
        let agreed = try answerer(slots: 3).answer(offer)
        let isStopped = name.hasSuffix("stopped")
        #expect(agreed.slots.map(\.index) == (isStopped ? [0, 2] : [0, 1, 2]))
        #expect(agreed.answer.bundle == (isStopped ? ["0", "1", "3"] : ["0", "1", "2", "3"]))
        #expect(agreed.answer.media.count == offer.media.count)
        for (offered, answered) in zip(offer.media, agreed.answer.media) {
            #expect(answered.kind == offered.kind)
            #expect(answered.profile == offered.profile)
            #expect(answered.mid == offered.mid)
            let isServed = agreed.slots.contains { $0.mid == answered.mid } || answered.mid == "0"
            #expect(answered.isRejected == !isServed)
            #expect(!answered.formats.isEmpty)
        }
        #expect(agreed.answer.text.contains("m=application 0 UDP/DTLS/SCTP webrtc-datachannel\r\n"))
    }

    @Test("Repeats are agreed to where they were offered", arguments: ["chromium-nack", "firefox-nack"])
    func nack(name: String) throws {
        let agreed = try answerer().answer(SessionDescription(parsing: fixture(name)))
        #expect(agreed.microphone?.hasNACK == true)
        #expect(agreed.slots.map(\.hasNACK) == [true])
        #expect(agreed.answer.media[0].codecs[0].feedback == ["nack"])
        #expect(agreed.answer.media[1].codecs[0].feedback == ["nack"])
    }

    @Test(
        "A microphone that is offered sendrecv is received only", arguments: ["chromium-balanced", "firefox-balanced"])
    func sendrecv(name: String) throws {
        let offer = try SessionDescription(parsing: fixture(name))
        #expect(offer.media[0].direction == .sendrecv)
        let agreed = try answerer().answer(offer)
        #expect(agreed.answer.media[0].direction == .recvonly)
        #expect(agreed.microphone != nil)
    }

    @Test("What the offer may say of directions, and what comes of it")
    func directions() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-audio"))
        offer.media[0].direction = .inactive
        offer.media[1].direction = .inactive
        offer.media[2].direction = .sendonly
        offer.media[3].direction = .sendrecv
        let agreed = try answerer(slots: 4).answer(offer)
        #expect(agreed.microphone == nil)
        #expect(agreed.answer.media.map(\.direction) == [.inactive, .inactive, .inactive, .sendonly, .sendonly])
        #expect(agreed.slots.map(\.index) == [2, 3])
        #expect(agreed.answer.media[1].sources.isEmpty)
        #expect(agreed.answer.bundle == ["0", "1", "2", "3", "4"])
    }

    @Test("A slot's line without Opus, out of the bundle, without rtcp-mux, with a long or doubled mid is refused")
    func unusableSlots() throws {
        func slots(_ change: (inout SessionDescription) -> Void) throws -> [Int] {
            var offer = try SessionDescription(parsing: fixture("chromium-audio"))
            change(&offer)
            let agreed = try answerer(slots: 4).answer(offer)
            #expect(agreed.answer.media[2].isRejected != agreed.slots.contains { $0.index == 1 })
            #expect(agreed.answer.bundle?.contains("2") == agreed.slots.contains { $0.index == 1 })
            return agreed.slots.map(\.index)
        }
        #expect(try slots { _ in } == [0, 1, 2, 3])
        #expect(try slots { $0.media[2].codecs.removeFirst() } == [0, 2, 3])
        #expect(try slots { $0.media[2].codecs[0].channels = 1 } == [0, 2, 3])
        #expect(try slots { $0.media[2].codecs[0].clockRate = 16_000 } == [0, 2, 3])
        #expect(try slots { $0.bundle?.remove(at: 2) } == [0, 2, 3])
        #expect(try slots { $0.media[2].hasRTCPMux = false } == [0, 2, 3])
        #expect(try slots { $0.media[2].profile = "RTP/AVP" } == [0, 2, 3])
        #expect(try slots { $0.media[2].mid = nil } == [0, 2, 3])
        #expect(
            try slots {
                $0.media[2].mid = "aaaaaaaaaaaaaaaaa"
                $0.bundle?[2] = "aaaaaaaaaaaaaaaaa"
            } == [0, 2, 3])
        #expect(try slots { $0.media[2].mid = "1" } == [2, 3])
    }

    @Test("Extension ids that do not fit the one-byte form, or mean two things, are left out")
    func extensions() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-audio"))
        offer.media[0].extensions = [
            ExtensionMapping(id: 15, uri: ExtensionURI.mid), ExtensionMapping(id: 2, uri: ExtensionURI.audioLevel),
        ]
        offer.media[1].extensions = [
            ExtensionMapping(id: 3, uri: ExtensionURI.audioLevel), ExtensionMapping(id: 2, uri: ExtensionURI.mid),
            ExtensionMapping(id: 5, uri: "urn:other"),
        ]
        offer.media[2].extensions = [ExtensionMapping(id: 2, uri: ExtensionURI.audioLevel)]
        let agreed = try answerer(slots: 2).answer(offer)
        // The third slot's line is refused, and does not count.
        #expect(agreed.extensions == [ExtensionMapping(id: 2, uri: ExtensionURI.audioLevel)])
        #expect(agreed.answer.media[1].extensions.isEmpty)
        #expect(agreed.answer.media[2].extensions == agreed.extensions)
    }

    @Test("An offer that cannot be served as a whole is refused, and says why")
    func refusedOffers() throws {
        func refusal(_ change: (inout SessionDescription) -> Void) throws -> String {
            var offer = try SessionDescription(parsing: fixture("chromium-audio"))
            change(&offer)
            let error = #expect(throws: SDPError.self) { try answerer().answer(offer) }
            #expect(error?.code == .unacceptable)
            return error?.message ?? ""
        }
        #expect(try refusal { $0.media = [] }.contains("no media line"))
        #expect(
            try refusal { offer in for line in offer.media.indices { offer.media[line].kind = "text" } }.contains(
                "no line"))
        #expect(try refusal { $0.media[0].hasRTCPMux = false }.contains("rtcp-mux"))
        #expect(try refusal { $0.media[0].codecs = [] }.contains("Opus"))
        #expect(try refusal { $0.media[0].port = 0 }.contains("stopped"))
        #expect(try refusal { $0.bundle = nil }.contains("BUNDLE"))
        #expect(try refusal { $0.bundle = ["1", "2"] }.contains("begin with"))
        #expect(try refusal { $0.bundle = ["1", "0", "2"] }.contains("begin with"))
        #expect(try refusal { $0.media[1].mid = "0" }.contains("mid"))
        #expect(try refusal { $0.media[0].transport.ufrag = nil }.contains("ICE"))
        #expect(try refusal { $0.media[0].transport.fingerprints = [] }.contains("fingerprint"))
        #expect(try refusal { $0.media[0].transport.setup = .passive }.contains("setup"))
        #expect(try refusal { $0.media[0].transport.setup = .holdconn }.contains("setup"))
    }

    @Test("A lone microphone needs no bundle")
    func lone() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-audio"))
        offer.media.removeLast(4)
        offer.bundle = nil
        let agreed = try answerer().answer(offer)
        #expect(agreed.answer.bundle == nil)
        #expect(agreed.microphone != nil)
    }

    @Test("Stereo and a bitrate are asked for where the server wants them")
    func opusParameters() throws {
        var answerer = answerer()
        answerer.opus.isStereo = true
        answerer.opus.maximumAverageBitrate = 128_000
        let answer = try answerer.answer(SessionDescription(parsing: fixture("chromium-audio"))).answer
        #expect(
            answer.media[0].codecs[0].parameters
                == "minptime=10;useinbandfec=1;usedtx=1;stereo=1;maxaveragebitrate=128000")
    }

    @Test("Our own client's offer is answered, and it understands the answer")
    func ownClient() throws {
        var builder = OfferBuilder(
            ufrag: "clientufrag", password: "clientpasswordclientpassword", fingerprint: fingerprint("01"),
            sessionID: 5, version: 1,
            microphone: SlotSource(ssrc: 42, cname: "me", stream: StreamIdentification(stream: "mine", track: "a")),
            slots: 5)
        builder.opusPayloadType = 100
        let offer = try SessionDescription(parsing: builder.offer().text)
        #expect(offer == builder.offer())
        let agreed = try answerer(slots: 3).answer(offer)
        #expect(agreed.microphone?.ssrc == 42)
        #expect(agreed.microphone?.hasNACK == true)
        #expect(agreed.remote.ufrag == "clientufrag")
        let accepted = try AcceptedOffer(answer: SessionDescription(parsing: agreed.answer.text))
        #expect(accepted.microphonePayloadType == 100)
        #expect(accepted.ufrag == "serverufrag")
        #expect(accepted.fingerprints == [fingerprint("AB")])
        #expect(accepted.candidates.map(\.address) == ["192.0.2.1", "2001:db8::1"])
        #expect(accepted.slots.map(\.ssrc) == [1_000, 1_001, 1_002])
        #expect(accepted.slots.map(\.index) == [0, 1, 2])
        #expect(accepted.slots.map(\.mid) == ["1", "2", "3"])
        #expect(accepted.extensions == builder.extensions)

        var active = agreed.answer
        active.media[0].transport.setup = .active
        #expect(throws: SDPError.self) { try AcceptedOffer(answer: active) }
        #expect(throws: SDPError.self) { try AcceptedOffer(answer: SessionDescription(sessionID: 1, version: 1)) }
    }
}
