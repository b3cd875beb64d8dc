/// An offered line that we can serve: Opus over the one transport.
struct AudioLine {
    /// The extensions that we agree to, if offered. Transport-wide feedback is for pictures.
    static let extensions = [ExtensionURI.audioLevel, ExtensionURI.mid, ExtensionURI.songPosition]

    let offered: MediaSection
    let mid: String
    let opus: Codec
    /// The same with copies of earlier packets, where it is offered.
    let redundancy: Codec?

    init?(_ offered: MediaSection, in offer: SessionDescription) {
        guard offered.kind == "audio", !offered.isRejected, offered.hasRTCPMux,
            let mid = offered.servableMid(in: offer),
            let opus = offered.codecs.first(where: \.isOpus)
        else { return nil }
        self.offered = offered
        self.mid = mid
        self.opus = opus
        redundancy = offered.codecs.first { $0.isRedundancy(of: opus) }
    }

    var hasNACK: Bool { opus.feedback.contains("nack") }

    /// The line of our answer, but for direction and sources.
    func section(opus parameters: OpusParameters, transport: TransportDescription) -> MediaSection {
        var section = MediaSection(kind: "audio", port: 9, profile: offered.profile, formats: [], mid: mid)
        section.codecs = [
            Codec(
                payloadType: opus.payloadType, name: "opus", clockRate: 48_000, channels: 2,
                parameters: parameters.text, feedback: hasNACK ? ["nack"] : [])
        ]
        if let redundancy {
            section.codecs.append(
                Codec(
                    payloadType: redundancy.payloadType, name: "red", clockRate: 48_000, channels: 2,
                    parameters: "\(opus.payloadType)/\(opus.payloadType)"))
        }
        // RFC 3264 §6.1: in the order of the offer, which is the order of the client's preference. It sends the first.
        section.codecs.sort { order(of: $0) < order(of: $1) }
        section.formats = section.codecs.map { "\($0.payloadType)" }
        // Ids 1…14 go into the one-byte form, which is all that we write.
        section.extensions = offered.extensions.filter {
            AudioLine.extensions.contains($0.uri) && (1...14).contains($0.id)
        }.map(\.answered)
        section.hasRTCPMux = true
        section.hasReducedSizeRTCP = offered.hasReducedSizeRTCP
        section.transport = transport
        return section
    }

    private func order(of codec: Codec) -> Int {
        offered.formats.firstIndex(of: "\(codec.payloadType)") ?? .max
    }

    var microphone: NegotiatedSession.Microphone {
        let source = offered.sources.first
        return NegotiatedSession.Microphone(
            mid: mid, payloadType: opus.payloadType, redundantPayloadType: redundancy?.payloadType,
            ssrc: source?.ssrc, cname: source?.cname, hasNACK: hasNACK)
    }

    func slot(_ index: Int, ssrc: UInt32) -> NegotiatedSession.Slot {
        NegotiatedSession.Slot(
            index: index, mid: mid, payloadType: opus.payloadType, redundantPayloadType: redundancy?.payloadType,
            ssrc: ssrc, hasNACK: hasNACK)
    }
}

extension MediaSection {
    /// A mid must fit a one-byte header extension (RFC 8285 §4.2).
    private static let maximumMidLength = 16

    /// The mid of a line that can be served as far as its transport goes.
    func servableMid(in offer: SessionDescription) -> String? {
        guard !isRejected, hasRTCPMux, profile.hasSuffix("TLS/RTP/SAVPF") || profile.hasSuffix("TLS/RTP/SAVP"),
            let mid, (1...Self.maximumMidLength).contains(mid.utf8.count),
            offer.media.filter({ $0.mid == mid }).count == 1, offer.bundle?.contains(mid) ?? true
        else { return nil }
        return mid
    }
}
