/// The server's answer to a client's offer, line by line: what the client sends, the slots of sound and the pictures that it wants to
/// get. Everything else is refused. The server is ICE-lite and DTLS server, over one transport.
package struct OfferAnswerer: Sendable {
    /// The transport's local side. A repeated offer gets the same values, unless its own `ufrag` is new.
    package var ufrag: String
    package var password: String
    /// "sha-256 AB:CD:…"
    package var fingerprint: String
    package var candidates: [ICECandidate]
    /// Stays the same as long as the peer lives; at most 2^63 − 1 (RFC 9429 §5.2.1).
    package var sessionID: UInt64
    /// Grows with each answer.
    package var version: UInt64
    /// The slots of sound. Lines beyond are refused.
    package var slots: [SlotSource]
    /// The pictures. Empty where there are none; then none are taken either.
    package var views: [ViewSource] = []
    /// What all pictures come in.
    package var encoding = PictureEncoding.vp8
    /// What the client says its lines are for, by mid; see `SectionPlan`.
    package var uses: [String: LineUse] = [:]
    package var opus = OpusParameters()

    package init(
        ufrag: String, password: String, fingerprint: String, candidates: [ICECandidate], sessionID: UInt64,
        version: UInt64, slots: [SlotSource]
    ) {
        self.ufrag = ufrag
        self.password = password
        self.fingerprint = fingerprint
        self.candidates = candidates
        self.sessionID = sessionID
        self.version = version
        self.slots = slots
    }

    /// Answers an offer; see the protocol document, §8.
    ///
    /// Throws `.unacceptable` if the offer as a whole cannot be served.
    package func answer(_ offer: SessionDescription) throws(SDPError) -> NegotiatedSession {
        guard let first = offer.media.first else { throw SDPError(.unacceptable, "the offer has no media line") }
        let remote = try OfferAnswerer.remoteTransport(offer.transport(of: first))
        try OfferAnswerer.checkBundle(of: offer)
        let plan = SectionPlan(offer, uses: uses)
        try OfferAnswerer.checkMicrophone(of: offer, plan)

        var session = NegotiatedSession(
            answer: SessionDescription(sessionID: sessionID, version: version, isICELite: true), remote: remote,
            microphone: nil, slots: [], extensions: [])
        var hasTransport = false
        for (offered, use) in zip(offer.media, plan.uses) {
            let transport = localTransport(isFirst: !hasTransport)
            guard let use, var section = answer(offered, use, in: offer, transport, &session) else {
                session.answer.media.append(offered.rejected)
                continue
            }
            hasTransport = true
            for mapping in section.extensions where !session.extensions.contains(mapping) {
                // RFC 9143 §9.1: an id means the same throughout the bundle. Whoever breaks that keeps the first meaning.
                guard !session.extensions.contains(where: { $0.id == mapping.id || $0.uri == mapping.uri }) else {
                    continue
                }
                session.extensions.append(mapping)
            }
            section.extensions.removeAll { mapping in
                !session.extensions.contains { $0.id == mapping.id && $0.uri == mapping.uri }
            }
            session.answer.media.append(section)
        }
        if offer.bundle != nil {
            session.answer.bundle = session.answer.media.filter { !$0.isRejected }.compactMap(\.mid)
        }
        return session
    }

    /// The answer to one line, and what it means, entered in `session`; nil if it is refused.
    private func answer(
        _ offered: MediaSection, _ use: LineUse, in offer: SessionDescription, _ transport: TransportDescription,
        _ session: inout NegotiatedSession
    ) -> MediaSection? {
        switch use {
        case .microphone:
            guard let line = AudioLine(offered, in: offer) else { return nil }
            var section = line.section(opus: opus, transport: transport)
            section.direction = offered.isSending ? .recvonly : .inactive
            if offered.isSending { session.microphone = line.microphone }
            return section
        case .sound(let index):
            guard slots.indices.contains(index), let line = AudioLine(offered, in: offer) else { return nil }
            var section = line.section(opus: opus, transport: transport)
            section.direction = .inactive
            if offered.isReceiving {
                let source = slots[index]
                section.direction = .sendonly
                section.stream = source.stream
                section.sources = [MediaSource(ssrc: source.ssrc, cname: source.cname)]
                session.slots.append(line.slot(index, ssrc: source.ssrc))
            }
            return section
        case .camera, .spare, .screen:
            guard !views.isEmpty, let encoding = use == .spare ? encoding.spare : encoding,
                let line = VideoLine(sending: offered, in: offer, as: encoding)
            else { return nil }
            var section = line.receiving(transport: transport)
            if offered.isSending { session.pictures.append(line.picture(use)) } else { section.direction = .inactive }
            return section
        case .picture(let index):
            guard views.indices.contains(index) else { return nil }
            let usual = VideoLine(receiving: offered, in: offer, as: encoding)
            guard let line = usual ?? encoding.spare.flatMap({ VideoLine(receiving: offered, in: offer, as: $0) })
            else { return nil }
            var section = line.sending(views[index], transport: transport)
            if offered.isReceiving {
                session.views.append(line.view(index, views[index], isSpare: usual == nil))
            } else {
                section.direction = .inactive
                section.sources = []
                section.repeatGroups = []
                section.stream = nil
            }
            return section
        }
    }

    /// All lines share one transport. Each names it, which RFC 9143 does not ask for but older browsers do; the
    /// candidates stand on the first.
    private func localTransport(isFirst: Bool) -> TransportDescription {
        var transport = TransportDescription()
        transport.ufrag = ufrag
        transport.password = password
        transport.fingerprints = [fingerprint]
        transport.setup = .passive
        if isFirst {
            transport.candidates = candidates
            transport.isEndOfCandidates = true
        }
        return transport
    }

    private static func remoteTransport(
        _ transport: TransportDescription
    ) throws(SDPError) -> NegotiatedSession.RemoteTransport {
        guard let ufrag = transport.ufrag, let password = transport.password else {
            throw SDPError(.unacceptable, "the first line has no ICE credentials")
        }
        guard !transport.fingerprints.isEmpty else {
            throw SDPError(.unacceptable, "the first line has no certificate fingerprint")
        }
        switch transport.setup {
        case .actpass, .active, nil: break
        case .passive, .holdconn: throw SDPError(.unacceptable, "a=setup must be actpass: the server is DTLS server")
        }
        return NegotiatedSession.RemoteTransport(
            ufrag: ufrag, password: password, fingerprints: transport.fingerprints)
    }

    private static func checkBundle(of offer: SessionDescription) throws(SDPError) {
        let first = offer.media[0]
        guard first.hasRTCPMux else { throw SDPError(.unacceptable, "a=rtcp-mux is required") }
        if offer.bundle == nil, offer.media.count > 1 {
            throw SDPError(.unacceptable, "a=group:BUNDLE is required")
        }
        // RFC 9143 §7.3.1: the transport that remains is that of the group's first line.
        guard offer.bundle == nil || offer.bundle?.first == first.mid else {
            throw SDPError(.unacceptable, "a=group:BUNDLE must begin with the first line")
        }
    }

    /// Who sends sound must be able to: a microphone that is refused would be noticed by nobody.
    private static func checkMicrophone(of offer: SessionDescription, _ plan: SectionPlan) throws(SDPError) {
        guard let index = plan.uses.firstIndex(of: .microphone) else {
            guard plan.uses.contains(where: { $0 != nil }) else {
                throw SDPError(.unacceptable, "the offer has no line of sound or pictures")
            }
            return
        }
        guard AudioLine(offer.media[index], in: offer) != nil else {
            throw SDPError(
                .unacceptable,
                "the microphone's line must not be stopped, must have a mid of 1 to 16 characters, and offer Opus")
        }
    }
}

extension MediaSection {
    /// The line as an answer refuses it (RFC 3264 §6): the same, with port 0. It must still have a format.
    var rejected: MediaSection {
        var section = MediaSection(kind: kind, port: 0, profile: profile, formats: formats, mid: mid)
        section.direction = .inactive
        return section
    }
}

/// Under which names a picture is sent.
package struct ViewSource: Hashable, Sendable {
    package var ssrc: UInt32
    /// For repeats.
    package var repeatSSRC: UInt32
    package var cname: String
    package var stream: StreamIdentification

    package init(ssrc: UInt32, repeatSSRC: UInt32, cname: String, stream: StreamIdentification) {
        self.ssrc = ssrc
        self.repeatSSRC = repeatSSRC
        self.cname = cname
        self.stream = stream
    }
}

/// Under which names a slot's sound is sent.
package struct SlotSource: Hashable, Sendable {
    package var ssrc: UInt32
    package var cname: String
    package var stream: StreamIdentification

    package init(ssrc: UInt32, cname: String, stream: StreamIdentification) {
        self.ssrc = ssrc
        self.cname = cname
        self.stream = stream
    }
}

/// What we ask of a client's Opus encoder (RFC 7587 §6.1).
package struct OpusParameters: Hashable, Sendable {
    package var isStereo = false
    /// Bits a second; nil leaves it to the client.
    package var maximumAverageBitrate: UInt32?

    package init() {}

    /// Forward error correction and silence without packets always; 10 ms packets are welcome.
    var text: String {
        var parts = ["minptime=10", "useinbandfec=1", "usedtx=1"]
        if isStereo { parts.append("stereo=1") }
        if let maximumAverageBitrate { parts.append("maxaveragebitrate=\(maximumAverageBitrate)") }
        return parts.joined(separator: ";")
    }
}
