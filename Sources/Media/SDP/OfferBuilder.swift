/// What our own clients offer: a line for the microphone, then one for each slot that they want to hear, one for a camera if there is
/// one, and one for each picture that they want to see; see the protocol document, §8. The counterpart of `OfferAnswerer`.
package struct OfferBuilder: Sendable {
    package var ufrag: String
    package var password: String
    /// "sha-256 AB:CD:…"
    package var fingerprint: String
    package var sessionID: UInt64
    package var version: UInt64
    /// The microphone's source.
    package var microphone: SlotSource
    /// How many slots to hear.
    package var slots: Int
    /// A camera's stream.
    package var camera: ViewSource?
    /// How many pictures to see.
    package var pictures = 0
    package var opusPayloadType: UInt8 = 111
    /// Of sound with copies of earlier packets (RFC 2198), which either side may send then; nil: not offered.
    package var redundantPayloadType: UInt8? = 63
    /// What pictures come in, both ways.
    package var encoding = PictureEncoding.vp8
    package var picturePayloadType: UInt8 = 96
    /// Of the repeats of pictures.
    package var repeatPayloadType: UInt8 = 97
    package var extensions = [
        ExtensionMapping(id: 1, uri: ExtensionURI.audioLevel), ExtensionMapping(id: 4, uri: ExtensionURI.mid),
    ]

    package init(
        ufrag: String, password: String, fingerprint: String, sessionID: UInt64, version: UInt64,
        microphone: SlotSource, slots: Int
    ) {
        self.ufrag = ufrag
        self.password = password
        self.fingerprint = fingerprint
        self.sessionID = sessionID
        self.version = version
        self.microphone = microphone
        self.slots = slots
    }

    /// The mids are "0", "1", …: their line's number; "camera"; "picture-0", ….
    package func offer() -> SessionDescription {
        var offer = SessionDescription(sessionID: sessionID, version: version)
        for index in 0...max(0, slots) {
            var section = MediaSection(
                kind: "audio", port: 9, profile: "UDP/TLS/RTP/SAVPF", formats: [], mid: "\(index)")
            section.direction = index == 0 ? .sendonly : .recvonly
            section.codecs = [
                Codec(
                    payloadType: opusPayloadType, name: "opus", clockRate: 48_000, channels: 2,
                    parameters: "minptime=10;useinbandfec=1", feedback: ["nack"])
            ]
            if let redundantPayloadType {
                section.codecs.append(
                    Codec(
                        payloadType: redundantPayloadType, name: "red", clockRate: 48_000, channels: 2,
                        parameters: "\(opusPayloadType)/\(opusPayloadType)"))
            }
            section.formats = section.codecs.map { "\($0.payloadType)" }
            section.extensions = extensions
            section.hasRTCPMux = true
            section.hasReducedSizeRTCP = true
            section.transport.ufrag = ufrag
            section.transport.password = password
            section.transport.fingerprints = [fingerprint]
            section.transport.setup = .actpass
            if index == 0 {
                section.stream = microphone.stream
                section.sources = [MediaSource(ssrc: microphone.ssrc, cname: microphone.cname)]
            }
            offer.media.append(section)
        }
        if let camera {
            var section = pictureSection("camera", direction: .sendonly)
            section.stream = camera.stream
            section.sources = [
                MediaSource(ssrc: camera.ssrc, cname: camera.cname),
                MediaSource(ssrc: camera.repeatSSRC, cname: camera.cname),
            ]
            section.repeatGroups = [RepeatGroup(ssrc: camera.ssrc, repeats: camera.repeatSSRC)]
            offer.media.append(section)
        }
        for picture in 0..<max(0, pictures) {
            offer.media.append(pictureSection("\(Self.picturePrefix)\(picture)", direction: .recvonly))
        }
        offer.bundle = offer.media.compactMap(\.mid)
        return offer
    }

    fileprivate static let picturePrefix = "picture-"

    private func pictureSection(_ mid: String, direction: MediaSection.Direction) -> MediaSection {
        var section = MediaSection(
            kind: "video", port: 9, profile: "UDP/TLS/RTP/SAVPF",
            formats: ["\(picturePayloadType)", "\(repeatPayloadType)"], mid: mid)
        section.direction = direction
        section.codecs = [
            Codec(
                payloadType: picturePayloadType, name: encoding.name, clockRate: 90_000,
                parameters: encoding.parameters,
                feedback: ["nack", "nack pli", "ccm fir", "transport-cc"]),
            Codec(
                payloadType: repeatPayloadType, name: "rtx", clockRate: 90_000, parameters: "apt=\(picturePayloadType)"),
        ]
        section.extensions = [ExtensionMapping(id: 4, uri: ExtensionURI.mid)]
        section.hasRTCPMux = true
        section.hasReducedSizeRTCP = true
        section.transport.ufrag = ufrag
        section.transport.password = password
        section.transport.fingerprints = [fingerprint]
        section.transport.setup = .actpass
        return section
    }
}

/// What a client takes from the server's answer to its offer.
package struct AcceptedOffer: Hashable, Sendable {
    package struct Slot: Hashable, Sendable {
        package var index: Int
        package var mid: String
        package var payloadType: UInt8
        /// Of packets with copies of earlier ones; nil: the server sends none.
        package var redundantPayloadType: UInt8?
        package var ssrc: UInt32
    }

    package var ufrag: String
    package var password: String
    package var fingerprints: [String]
    package var candidates: [ICECandidate]
    /// The payload type to send with; nil if the server takes no sound now.
    package var microphonePayloadType: UInt8?
    /// The same for packets with copies of earlier ones.
    package var microphoneRedundantPayloadType: UInt8?
    /// The slots that the server sends. Lines that it refused are missing.
    package var slots: [Slot]
    /// The payload type to send the camera with; nil if the server takes no picture now.
    package var cameraPayloadType: UInt8?
    /// The pictures that the server sends.
    package var pictures: [Picture]
    package var extensions: [ExtensionMapping]

    package struct Picture: Hashable, Sendable {
        package var index: Int
        package var payloadType: UInt8
        package var repeatPayloadType: UInt8?
        package var ssrc: UInt32
        package var repeatSSRC: UInt32?
    }

    /// Throws `.unacceptable` if the answer lacks a transport, or the server would not be DTLS server.
    package init(answer: SessionDescription) throws(SDPError) {
        guard let transport = answer.bundleTransport, let ufrag = transport.ufrag, let password = transport.password,
            !transport.fingerprints.isEmpty
        else { throw SDPError(.unacceptable, "the answer has no transport") }
        guard transport.setup == .passive else {
            throw SDPError(.unacceptable, "the answer's a=setup is not passive")
        }
        self.ufrag = ufrag
        self.password = password
        fingerprints = transport.fingerprints
        candidates = transport.candidates
        let first = answer.media[0]
        if first.direction == .recvonly, !first.isRejected {
            microphonePayloadType = first.opusPayloadType
            microphoneRedundantPayloadType = first.redundantPayloadType
        }
        extensions = first.extensions
        pictures = []
        for section in answer.media where section.kind == "video" && !section.isRejected {
            guard let mid = section.mid, let codec = section.codecs.first, codec.isPicture
            else { continue }
            if section.direction == .recvonly { cameraPayloadType = codec.payloadType }
            guard section.direction == .sendonly, mid.hasPrefix(OfferBuilder.picturePrefix),
                let index = Int(mid.dropFirst(OfferBuilder.picturePrefix.count)), let source = section.sources.first
            else { continue }
            pictures.append(
                Picture(
                    index: index, payloadType: codec.payloadType,
                    repeatPayloadType: section.codecs.first { $0.repeated == codec.payloadType }?.payloadType,
                    ssrc: source.ssrc, repeatSSRC: section.repeatGroups.first { $0.ssrc == source.ssrc }?.repeats))
        }
        slots = []
        for (index, section) in answer.media.enumerated().dropFirst() {
            guard section.direction == .sendonly, !section.isRejected, let mid = section.mid,
                let payloadType = section.opusPayloadType, let source = section.sources.first
            else { continue }
            slots.append(
                Slot(
                    index: index - 1, mid: mid, payloadType: payloadType,
                    redundantPayloadType: section.redundantPayloadType, ssrc: source.ssrc))
        }
    }
}

extension MediaSection {
    fileprivate var opusPayloadType: UInt8? { codecs.first(where: \.isOpus)?.payloadType }

    fileprivate var redundantPayloadType: UInt8? {
        codecs.first(where: \.isOpus).flatMap { opus in codecs.first { $0.isRedundancy(of: opus) }?.payloadType }
    }
}
