/// An offered line of pictures that we can serve: in the session's format, over the one transport.
struct VideoLine {
    /// A browser sends three layers at most.
    private static let maximumLayers = 3
    /// The extensions that we agree to where the client sends, if offered.
    private static let sendingExtensions = [
        ExtensionURI.mid, ExtensionURI.layer, ExtensionURI.repairedLayer, ExtensionURI.transportNumber,
    ]
    /// And where it receives.
    private static let receivingExtensions = [
        ExtensionURI.mid, ExtensionURI.playoutDelay, ExtensionURI.transportNumber,
    ]
    private static let feedback = ["nack", "nack pli", "ccm fir", "transport-cc"]
    /// What a receiver says of its line where it does not tell of arrivals.
    private static let statedMaximum = "goog-remb"

    private let offered: MediaSection
    private let mid: String
    private let codec: Codec
    /// Its repeats on a stream of their own.
    private let repeats: Codec?

    /// A line on which the client sends.
    init?(sending offered: MediaSection, in offer: SessionDescription, as encoding: PictureEncoding) {
        self.init(offered, in: offer, encoding.sent(among: offered.codecs))
    }

    /// A line on which it receives.
    init?(receiving offered: MediaSection, in offer: SessionDescription, as encoding: PictureEncoding) {
        self.init(offered, in: offer, encoding.shown(among: offered.codecs))
    }

    private init?(_ offered: MediaSection, in offer: SessionDescription, _ codec: Codec?) {
        guard offered.kind == "video", let mid = offered.servableMid(in: offer), let codec else { return nil }
        self.offered = offered
        self.mid = mid
        self.codec = codec
        repeats = offered.codecs.first { $0.repeated == codec.payloadType && $0.clockRate == codec.clockRate }
    }

    /// Layers that the client wants to send, in the order of its preference, which tells nothing of their sizes.
    private var layers: [String] {
        guard offered.simulcast != nil else { return [] }
        return offered.layers.filter { $0.isSent && (1...16).contains($0.name.utf8.count) }.prefix(Self.maximumLayers)
            .map(\.name)
    }

    private func section(_ extensions: [String], feedback: [String], transport: TransportDescription) -> MediaSection {
        var section = MediaSection(
            kind: "video", port: 9, profile: offered.profile,
            formats: [codec, repeats].compactMap { $0.map { "\($0.payloadType)" } }, mid: mid)
        section.codecs = [
            Codec(
                payloadType: codec.payloadType, name: codec.name, clockRate: codec.clockRate,
                parameters: codec.parameters, feedback: codec.feedback.filter(feedback.contains))
        ]
        if let repeats {
            section.codecs.append(
                Codec(
                    payloadType: repeats.payloadType, name: repeats.name, clockRate: repeats.clockRate,
                    parameters: "apt=\(codec.payloadType)"))
        }
        section.extensions = offered.extensions.filter { extensions.contains($0.uri) && (1...14).contains($0.id) }
            .map(\.answered)
        section.hasRTCPMux = true
        section.hasReducedSizeRTCP = offered.hasReducedSizeRTCP
        section.transport = transport
        return section
    }

    // MARK: The client sends

    func receiving(transport: TransportDescription) -> MediaSection {
        var section = section(Self.sendingExtensions, feedback: Self.feedback, transport: transport)
        section.direction = .recvonly
        if !layers.isEmpty {
            section.layers = layers.map { LayerName(name: $0, isSent: false) }
            section.simulcast = "recv \(layers.joined(separator: ";"))"
        }
        return section
    }

    func picture(_ use: LineUse) -> NegotiatedSession.Picture {
        let repeating = Set(offered.repeatGroups.map(\.repeats))
        return NegotiatedSession.Picture(
            use: use, mid: mid, payloadType: codec.payloadType, repeatPayloadType: repeats?.payloadType,
            sources: layers.isEmpty
                ? Array(offered.sources.filter { !repeating.contains($0.ssrc) }.prefix(Self.maximumLayers)) : [],
            repeatGroups: layers.isEmpty ? offered.repeatGroups : [], layers: layers,
            hasNACK: codec.feedback.contains("nack"),
            wantsFullIntraRequests: codec.feedback.contains("ccm fir") && !codec.feedback.contains("nack pli"))
    }

    // MARK: The client receives

    func sending(_ source: ViewSource, transport: TransportDescription) -> MediaSection {
        var section = section(
            Self.receivingExtensions.filter { reportsArrivals || $0 != ExtensionURI.transportNumber },
            feedback: reportsArrivals
                ? Self.feedback : Self.feedback.filter { $0 != "transport-cc" } + [Self.statedMaximum],
            transport: transport)
        section.direction = .sendonly
        section.stream = source.stream
        section.sources = [MediaSource(ssrc: source.ssrc, cname: source.cname)]
        if repeats != nil {
            section.repeatGroups = [RepeatGroup(ssrc: source.ssrc, repeats: source.repeatSSRC)]
            section.sources.append(MediaSource(ssrc: source.repeatSSRC, cname: source.cname))
        }
        return section
    }

    /// The client tells when each packet arrived. Numbers for that need a stream of its own for repeats: a packet goes out with one only.
    private var reportsArrivals: Bool {
        repeats != nil && codec.feedback.contains("transport-cc")
            && offered.extensions.contains { $0.uri == ExtensionURI.transportNumber && (1...14).contains($0.id) }
    }

    func view(_ index: Int, _ source: ViewSource, isSpare: Bool) -> NegotiatedSession.View {
        NegotiatedSession.View(
            index: index, mid: mid, isSpare: isSpare, payloadType: codec.payloadType,
            repeatPayloadType: repeats?.payloadType, ssrc: source.ssrc, repeatSSRC: source.repeatSSRC,
            reportsArrivals: reportsArrivals,
            statesMaximum: !reportsArrivals && codec.feedback.contains(Self.statedMaximum))
    }
}
