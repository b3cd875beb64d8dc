/// The server's answer to a client's offer of audio: one line for its microphone, then one for each slot that it wants
/// to hear. Everything else is refused line by line. The server is ICE-lite and DTLS server, over one transport.
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
    /// What line n + 1 carries. Lines beyond are refused.
    package var slots: [SlotSource]
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

    /// Answers an offer. Its first line must be the microphone; see the protocol document, §8.
    ///
    /// Throws `.unacceptable` if the offer as a whole cannot be served.
    package func answer(_ offer: SessionDescription) throws(SDPError) -> NegotiatedSession {
        guard let first = offer.media.first else { throw SDPError(.unacceptable, "the offer has no media line") }
        let remote = try OfferAnswerer.remoteTransport(offer.transport(of: first))
        let microphoneLine = try OfferAnswerer.microphoneLine(of: offer)

        var extensions: [ExtensionMapping] = []
        var sections: [MediaSection] = []
        var microphone: NegotiatedSession.Microphone?
        var agreedSlots: [NegotiatedSession.Slot] = []
        for (index, offered) in offer.media.enumerated() {
            let slotIndex = index - 1
            guard index == 0 || slots.indices.contains(slotIndex),
                let line = index == 0 ? microphoneLine : AudioLine(offered, in: offer)
            else {
                sections.append(offered.rejected)
                continue
            }
            var section = line.section(opus: opus, transport: localTransport(isFirst: index == 0))
            for mapping in section.extensions where !extensions.contains(mapping) {
                // RFC 9143 §9.1: an id means the same throughout the bundle. Whoever breaks that keeps the first meaning.
                guard !extensions.contains(where: { $0.id == mapping.id || $0.uri == mapping.uri }) else { continue }
                extensions.append(mapping)
            }
            section.extensions.removeAll { !extensions.contains($0) }

            if index == 0 {
                section.direction = offered.direction == .inactive ? .inactive : .recvonly
                if section.direction == .recvonly { microphone = line.microphone }
            } else {
                switch offered.direction {
                case .recvonly, .sendrecv:
                    let source = slots[slotIndex]
                    section.direction = .sendonly
                    section.stream = source.stream
                    section.sources = [MediaSource(ssrc: source.ssrc, cname: source.cname)]
                    agreedSlots.append(line.slot(slotIndex, ssrc: source.ssrc))
                case .sendonly, .inactive:
                    section.direction = .inactive
                }
            }
            sections.append(section)
        }

        var answer = SessionDescription(sessionID: sessionID, version: version, isICELite: true, media: sections)
        if offer.bundle != nil { answer.bundle = sections.filter { !$0.isRejected }.compactMap(\.mid) }
        return NegotiatedSession(
            answer: answer, remote: remote, microphone: microphone, slots: agreedSlots, extensions: extensions)
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

    private static func microphoneLine(of offer: SessionDescription) throws(SDPError) -> AudioLine {
        let first = offer.media[0]
        guard first.kind == "audio" else {
            throw SDPError(.unacceptable, "the first line must be the microphone, not \(first.kind.prefix(20))")
        }
        guard first.hasRTCPMux else { throw SDPError(.unacceptable, "a=rtcp-mux is required") }
        guard first.direction != .recvonly else {
            throw SDPError(.unacceptable, "the first line must be the microphone: sendonly")
        }
        if offer.bundle == nil, offer.media.count > 1 {
            throw SDPError(.unacceptable, "a=group:BUNDLE is required")
        }
        // RFC 9143 §7.3.1: the transport that remains is that of the group's first line.
        guard offer.bundle == nil || offer.bundle?.first == first.mid else {
            throw SDPError(.unacceptable, "a=group:BUNDLE must begin with the first line, the microphone")
        }
        guard let line = AudioLine(first, in: offer) else {
            throw SDPError(
                .unacceptable,
                "the first line must not be stopped, must have a mid of 1 to 16 characters, and offer Opus")
        }
        return line
    }
}

/// An offered line that we can serve: Opus over the one transport.
private struct AudioLine {
    /// A mid must fit a one-byte header extension (RFC 8285 §4.2).
    static let maximumMidLength = 16
    /// The extensions that we agree to, if offered. Transport-wide feedback comes with video.
    static let extensions = [ExtensionURI.audioLevel, ExtensionURI.mid, ExtensionURI.songPosition]

    let offered: MediaSection
    let mid: String
    let opus: Codec

    init?(_ offered: MediaSection, in offer: SessionDescription) {
        guard offered.kind == "audio", !offered.isRejected, offered.hasRTCPMux,
            offered.profile.hasSuffix("TLS/RTP/SAVPF") || offered.profile.hasSuffix("TLS/RTP/SAVP"),
            let mid = offered.mid, (1...AudioLine.maximumMidLength).contains(mid.utf8.count),
            offer.media.filter({ $0.mid == mid }).count == 1,
            offer.bundle?.contains(mid) ?? true,
            let opus = offered.codecs.first(where: \.isOpus)
        else { return nil }
        self.offered = offered
        self.mid = mid
        self.opus = opus
    }

    var hasNACK: Bool { opus.feedback.contains("nack") }

    /// The line of our answer, but for direction and sources.
    func section(opus parameters: OpusParameters, transport: TransportDescription) -> MediaSection {
        var section = MediaSection(
            kind: "audio", port: 9, profile: offered.profile, formats: ["\(opus.payloadType)"], mid: mid)
        section.codecs = [
            Codec(
                payloadType: opus.payloadType, name: "opus", clockRate: 48_000, channels: 2,
                parameters: parameters.text, feedback: hasNACK ? ["nack"] : [])
        ]
        // Ids 1…14 go into the one-byte form, which is all that we write.
        section.extensions = offered.extensions.filter {
            AudioLine.extensions.contains($0.uri) && (1...14).contains($0.id)
        }
        section.hasRTCPMux = true
        section.hasReducedSizeRTCP = offered.hasReducedSizeRTCP
        section.transport = transport
        return section
    }

    var microphone: NegotiatedSession.Microphone {
        let source = offered.sources.first
        return NegotiatedSession.Microphone(
            mid: mid, payloadType: opus.payloadType, ssrc: source?.ssrc, cname: source?.cname, hasNACK: hasNACK)
    }

    func slot(_ index: Int, ssrc: UInt32) -> NegotiatedSession.Slot {
        NegotiatedSession.Slot(index: index, mid: mid, payloadType: opus.payloadType, ssrc: ssrc, hasNACK: hasNACK)
    }
}

extension MediaSection {
    /// The line as an answer refuses it (RFC 3264 §6): the same, with port 0. It must still have a format.
    fileprivate var rejected: MediaSection {
        var section = MediaSection(kind: kind, port: 0, profile: profile, formats: formats, mid: mid)
        section.direction = .inactive
        return section
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
    fileprivate var text: String {
        var parts = ["minptime=10", "useinbandfec=1", "usedtx=1"]
        if isStereo { parts.append("stereo=1") }
        if let maximumAverageBitrate { parts.append("maxaveragebitrate=\(maximumAverageBitrate)") }
        return parts.joined(separator: ";")
    }
}

/// What both sides have agreed on.
package struct NegotiatedSession: Hashable, Sendable {
    package var answer: SessionDescription
    package var remote: RemoteTransport
    /// nil while the client's microphone line is inactive.
    package var microphone: Microphone?
    package var slots: [Slot]
    /// One map for all lines (RFC 9143 §9.1 wants the same id for the same extension throughout a bundle).
    package var extensions: [ExtensionMapping]

    /// The other side of the transport.
    package struct RemoteTransport: Hashable, Sendable {
        package var ufrag: String
        package var password: String
        /// One at least.
        package var fingerprints: [String]
    }

    package struct Microphone: Hashable, Sendable {
        package var mid: String
        package var payloadType: UInt8
        /// What the client announced; a browser may also start without.
        package var ssrc: UInt32?
        package var cname: String?
        /// Lost packets may be asked for again.
        package var hasNACK: Bool
    }

    package struct Slot: Hashable, Sendable {
        /// 0…: line `index` + 1.
        package var index: Int
        package var mid: String
        package var payloadType: UInt8
        package var ssrc: UInt32
        /// The client may ask for lost packets.
        package var hasNACK: Bool
    }
}
