import Testing

@testable import SDP

@Suite struct PictureTests {
    @Test(
        "L11-S a browser's camera with three layers, its screen and two pictures are answered line by line",
        arguments: ["chromium", "firefox"])
    func simulcast(browser: String) throws {
        let offer = try SessionDescription(parsing: fixture("\(browser)-simulcast"))
        let agreed = try pictureAnswerer().answer(offer)
        let vp8 = try #require(offer.media[3].codecs.first(where: \.isVP8)?.payloadType)
        let rtx = try #require(offer.media[3].codecs.first { $0.repeated == vp8 }?.payloadType)

        #expect(agreed.microphone?.mid == "0" && agreed.slots.map(\.index) == [0, 1])
        #expect(agreed.pictures.map(\.use) == [.camera, .screen] && agreed.pictures.map(\.mid) == ["3", "4"])
        let camera = agreed.pictures[0]
        #expect(camera.layers == ["q", "h", "f"] && camera.payloadType == vp8 && camera.repeatPayloadType == rtx)
        #expect(
            camera.hasNACK && camera.sources.isEmpty && camera.repeatGroups.isEmpty, "layers are told by their names")
        let screen = agreed.pictures[1]
        #expect(
            screen.layers.isEmpty && screen.sources.count == 1
                && screen.repeatGroups.map(\.ssrc) == screen.sources.map(\.ssrc))
        #expect(agreed.views.map(\.index) == [0, 1] && agreed.views.map(\.mid) == ["5", "6"])
        #expect(agreed.views.map(\.ssrc) == [2_000, 2_001] && agreed.views.map(\.repeatSSRC) == [3_000, 3_001])
        #expect(agreed.views.allSatisfy { $0.payloadType == vp8 && $0.repeatPayloadType == rtx })
        #expect(
            Set(agreed.extensions.map(\.uri)) == [
                ExtensionURI.audioLevel, ExtensionURI.mid, ExtensionURI.layer, ExtensionURI.repairedLayer,
                ExtensionURI.transportNumber, ExtensionURI.playoutDelay,
            ])

        let answer = agreed.answer
        #expect(
            answer.media.map(\.direction) == [
                .recvonly, .sendonly, .sendonly, .recvonly, .recvonly, .sendonly, .sendonly,
            ])
        #expect(answer.bundle == ["0", "1", "2", "3", "4", "5", "6"] && !answer.media.contains(where: \.isRejected))
        #expect(answer.media[3].simulcast == "recv q;h;f" && answer.media[4].simulcast == nil)
        #expect(
            Set(answer.media[3].codecs[0].feedback).isSuperset(of: ["nack", "nack pli", "ccm fir", "transport-cc"]))
        #expect(
            answer.media[5].codecs[0].feedback.contains("transport-cc")
                && answer.media[5].extensions.contains { $0.uri == ExtensionURI.transportNumber })
        #expect(
            answer.media.map { $0.extensions.contains { $0.uri == ExtensionURI.playoutDelay } }
                == [false, false, false, false, false, true, true], "it is for those who watch")
        #expect(agreed.views.allSatisfy { $0.reportsArrivals && !$0.statesMaximum })
        #expect(answer.media[5].repeatGroups == [RepeatGroup(ssrc: 2_000, repeats: 3_000)])
        #expect(try SessionDescription(parsing: answer.text) == answer)
        var lines = [
            "a=rid:q recv", "a=rid:h recv", "a=rid:f recv", "a=simulcast:recv q;h;f", "a=ssrc-group:FID 2001 3001",
            "a=ssrc:3001 cname:cname-1", "a=fmtp:\(rtx) apt=\(vp8)", "a=rtcp-fb:\(vp8) nack pli",
            "a=msid:slot-1 picture-1",
        ]
        // What was offered in one direction only is answered in the other.
        if browser == "firefox" { lines.append("a=extmap:9/recvonly \(ExtensionURI.layer)") }
        for line in lines { #expect(answer.text.contains("\r\n\(line)\r\n"), "\(line)") }
    }

    @Test("a camera with one layer is known by its announced streams", arguments: ["chromium", "firefox"])
    func single(browser: String) throws {
        let offer = try SessionDescription(parsing: fixture("\(browser)-camera"))
        let agreed = try pictureAnswerer().answer(offer)
        let camera = try #require(agreed.pictures.first)
        #expect(camera.layers.isEmpty && camera.sources.count == 1 && camera.repeatGroups.count == 1)
        #expect(camera.repeatGroups[0].ssrc == camera.sources[0].ssrc && agreed.answer.media[3].layers.isEmpty)
    }

    @Test("L11-S streams that are announced without names are layers, the first the lowest, and three at most")
    func announced() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-camera"))
        let line = try #require(offer.media.firstIndex { $0.kind == "video" && $0.direction == .sendonly })
        let small = offer.media[line].sources[0]
        offer.media[line].sources += [1, 2, 3, 4].map { MediaSource(ssrc: $0, cname: small.cname) }
        offer.media[line].repeatGroups.append(RepeatGroup(ssrc: 1, repeats: 2))
        let camera = try #require(try pictureAnswerer().answer(offer).pictures.first)
        #expect(camera.sources.map(\.ssrc) == [small.ssrc, 1, 3])
        #expect(camera.repeatGroups.last?.ssrc == 1 && camera.layers.isEmpty)
    }

    @Test("key frames are asked for by FIR where it alone was offered, else by PLI")
    func fullIntraRequests() throws {
        let browser = try fixture("chromium-camera")
        func wants(_ isLeftOut: (Substring) -> Bool) throws -> Bool? {
            let lines = browser.split(separator: "\r\n").filter { !isLeftOut($0) }
            let offer = try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
            return try pictureAnswerer().answer(offer).pictures.first?.wantsFullIntraRequests
        }
        #expect(try wants { _ in false } == false)
        #expect(try wants { $0.hasPrefix("a=rtcp-fb:") && $0.hasSuffix(" nack pli") } == true)
        #expect(try wants { $0.hasPrefix("a=rtcp-fb:") } == false, "PLI is what is tried where nothing was said")
    }

    @Test("where there are no pictures, lines for them are refused, and the sound is not")
    func none() throws {
        let offer = try SessionDescription(parsing: fixture("chromium-simulcast"))
        let agreed = try answerer().answer(offer)
        #expect(agreed.pictures.isEmpty && agreed.views.isEmpty && agreed.slots.count == 2)
        #expect(agreed.answer.media[3...].allSatisfy { $0.isRejected && $0.layers.isEmpty && $0.simulcast == nil })
    }

    @Test("what a client says of its lines counts, and its order does not; each use once")
    func said() throws {
        let offer = try SessionDescription(parsing: fixture("chromium-camera"))
        var answerer = pictureAnswerer(slots: 4, pictures: 9)
        answerer.uses = ["0": .sound(3), "1": .microphone, "3": .screen, "5": .picture(8), "6": .picture(8)]
        let agreed = try answerer.answer(offer)
        // The line that should receive sound only sends, and the other way round.
        #expect(agreed.slots.isEmpty && agreed.microphone == nil)
        #expect(agreed.answer.media[0].direction == .inactive && agreed.answer.media[1].direction == .inactive)
        #expect(
            agreed.pictures.map(\.use) == [.screen] && agreed.views.map(\.index) == [8]
                && agreed.views.map(\.mid) == ["5"])
        #expect(
            agreed.answer.media[2].isRejected && agreed.answer.media[4].isRejected && agreed.answer.media[6].isRejected)
        // A picture that there is none of, and a use of another kind.
        answerer.uses = ["5": .picture(9), "6": .camera, "3": .sound(0)]
        let other = try answerer.answer(offer)
        #expect(other.views.isEmpty && other.pictures.isEmpty)
    }

    @Test("who only receives has no microphone, and needs none; a line without VP8 is refused alone")
    func receiving() throws {
        var offer = try SessionDescription(parsing: fixture("chromium-camera"))
        offer.media.removeFirst()
        offer.bundle?.removeFirst()
        offer.media[0].transport = try SessionDescription(parsing: fixture("chromium-camera")).media[0].transport
        let agreed = try pictureAnswerer().answer(offer)
        #expect(agreed.microphone == nil && agreed.slots.map(\.index) == [0, 1] && agreed.views.count == 2)
        #expect(agreed.answer.media[0].transport.candidates.count == 2)
        offer.media[4].codecs.removeAll(where: \.isVP8)
        let without = try pictureAnswerer().answer(offer)
        #expect(without.views.map(\.index) == [1] && without.answer.media[4].isRejected)
    }

    @Test("more layers and groups than anybody has are refused; a layer's name that fits no extension is left out")
    func limits() throws {
        let text = try fixture("chromium-simulcast")
        let many = text.replacing("a=rid:q send\r\n", with: (0..<20).map { "a=rid:r\($0) send\r\n" }.joined())
        #expect(throws: SDPError.self) { try SessionDescription(parsing: many) }
        let group = "a=ssrc-group:FID 1 2\r\n"
        let groups = text.replacing("a=rid:q send\r\n", with: [String](repeating: group, count: 40).joined())
        #expect(throws: SDPError.self) { try SessionDescription(parsing: groups) }
        let long = text.replacing("a=rid:h send", with: "a=rid:\(String(repeating: "h", count: 17)) send")
        #expect(
            try pictureAnswerer().answer(try SessionDescription(parsing: long)).pictures.first?.layers == ["q", "f"])
    }

    @Test(
        "L02-S in a room of H.264 a browser sends and receives it with repeats and layers, and one without it receives VP8"
    )
    func h264() throws {
        var answerer = pictureAnswerer()
        answerer.encoding = .h264
        let agreed = try answerer.answer(try SessionDescription(parsing: fixture("chromium-simulcast")))
        let camera = agreed.pictures[0]
        #expect(camera.payloadType == 108 && camera.repeatPayloadType == 109 && camera.layers == ["q", "h", "f"])
        #expect(
            agreed.pictures.count == 2
                && agreed.views.allSatisfy { $0.payloadType == 108 && $0.repeatPayloadType == 109 && !$0.isSpare })
        #expect(agreed.answer.media[3].formats == ["108", "109"])
        #expect(
            agreed.answer.text.contains(
                "a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r\n"))
        let offer = try SessionDescription(parsing: fixture("firefox-simulcast"))
        let without = try answerer.answer(offer)
        #expect(without.pictures.isEmpty && !without.views.isEmpty && without.slots.count == 2)
        #expect(without.views.allSatisfy { $0.isSpare })
        for (section, asked) in zip(without.answer.media, offer.media).dropFirst(3) {
            #expect(section.isRejected == (asked.direction == .sendonly))
            #expect(section.isRejected || section.codecs[0].name == "VP8")
        }
        // What it sends itself is in VP8 too, if it says so; in a room of VP8 that is no use of a line.
        for (index, section) in offer.media.enumerated() where section.kind == "video" {
            answerer.uses[section.mid ?? ""] =
                section.direction == .sendonly ? .spare : .picture(index)
        }
        #expect(try answerer.answer(offer).pictures.map(\.use) == [.spare])
        answerer.encoding = .vp8
        #expect(try answerer.answer(offer).pictures.isEmpty)
    }

    @Test(
        "in a room of VP9 or AV1 the profile that every decoder shows is agreed on, with repeats and layers",
        arguments: [
            (PictureEncoding.vp9, "chromium-simulcast"), (.av1, "chromium-simulcast"), (.vp9, "firefox-simulcast"),
        ])
    func newer(encoding: PictureEncoding, browser: String) throws {
        var answerer = pictureAnswerer()
        answerer.encoding = encoding
        let agreed = try answerer.answer(try SessionDescription(parsing: fixture(browser)))
        let camera = try #require(agreed.pictures.first)
        #expect(camera.layers.count == 3 && camera.repeatPayloadType != nil && !agreed.views.isEmpty)
        for section in agreed.answer.media where section.kind == "video" && !section.isRejected {
            #expect(section.codecs.map(\.name) == [encoding.name, "rtx"])
            let profile = section.codecs[0].parameter(encoding == .vp9 ? "profile-id" : "profile") ?? "0"
            #expect(profile == "0")
        }
        let otherProfile = Codec(
            payloadType: 100, name: encoding.name, clockRate: 90_000, parameters: "profile-id=2;profile=1")
        #expect(encoding.sent(among: [otherProfile]) == nil && encoding.shown(among: [otherProfile]) == nil)
    }

    @Test(
        "constrained baseline is known by each of its names, and shown by decoders that know more (RFC 6184 §8.1)",
        arguments: [
            ("packetization-mode=1;profile-level-id=42e01f", true, true),
            ("profile-level-id=42C01F; Packetization-Mode=1", true, true),
            ("packetization-mode=1;profile-level-id=42401f", true, true),
            ("packetization-mode=1;profile-level-id=4d801f", true, true),
            ("packetization-mode=1;profile-level-id=58c01f", true, true),
            ("packetization-mode=1;profile-level-id=42001f", false, true),
            ("packetization-mode=1;profile-level-id=4d001f", false, true),
            ("packetization-mode=1;profile-level-id=640c1f", false, true),
            ("packetization-mode=1;profile-level-id=58401f", false, false),
            ("packetization-mode=1;profile-level-id=f4001f", false, false),
            ("packetization-mode=0;profile-level-id=42e01f", false, false),
            ("profile-level-id=42e01f", false, false), ("packetization-mode=1", false, false),
            ("packetization-mode=1;profile-level-id=42e01", false, false),
            ("packetization-mode=1;profile-level-id=+42e01", false, false),
            ("packetization-mode=1;profile-level-id=42e01g", false, false),
        ])
    func profiles(parameters: String, isSent: Bool, isShown: Bool) throws {
        let codecs = [Codec(payloadType: 100, name: "h264", clockRate: 90_000, parameters: parameters)]
        #expect((PictureEncoding.h264.sent(among: codecs) != nil) == isSent)
        #expect((PictureEncoding.h264.shown(among: codecs) != nil) == isShown)
        #expect(PictureEncoding.vp8.shown(among: codecs) == nil)
    }
}
