/// What we know of a session description (RFC 8866) as browsers write it (RFC 9429). Attributes that we have no use for
/// are not kept.
package struct SessionDescription: Hashable, Sendable {
    /// From the `o=` line; together with `version` it tells a renegotiation from a new session.
    package var sessionID: UInt64
    package var version: UInt64
    /// The mids of the BUNDLE group (RFC 9143), nil without one.
    package var bundle: [String]?
    /// The side answers connectivity checks and makes none (RFC 8445 §2.5).
    package var isICELite: Bool
    /// What the session level says of the transport; it holds for each section that says nothing itself.
    package var transport: TransportDescription
    package var media: [MediaSection]

    package init(
        sessionID: UInt64, version: UInt64, bundle: [String]? = nil, isICELite: Bool = false,
        transport: TransportDescription = TransportDescription(), media: [MediaSection] = []
    ) {
        self.sessionID = sessionID
        self.version = version
        self.bundle = bundle
        self.isICELite = isICELite
        self.transport = transport
        self.media = media
    }

    /// The section's own transport, filled up from the session level.
    package func transport(of section: MediaSection) -> TransportDescription {
        var result = section.transport
        if result.ufrag == nil { result.ufrag = transport.ufrag }
        if result.password == nil { result.password = transport.password }
        if result.iceOptions.isEmpty { result.iceOptions = transport.iceOptions }
        if result.fingerprints.isEmpty { result.fingerprints = transport.fingerprints }
        if result.setup == nil { result.setup = transport.setup }
        return result
    }

    /// The transport that all bundled sections share: that of the first section. A changed `ufrag` in a later offer is
    /// an ICE restart (RFC 8839 §4.4.1.1.1). nil without any section.
    package var bundleTransport: TransportDescription? { media.first.map(transport(of:)) }
}

/// ICE and DTLS of one transport (RFC 8839, RFC 8842).
package struct TransportDescription: Hashable, Sendable {
    /// Who opens the DTLS connection (RFC 4145 §4).
    package enum Setup: String, Sendable {
        case active
        case passive
        case actpass
        case holdconn
    }

    package var ufrag: String?
    package var password: String?
    package var iceOptions: [String] = []
    /// Values of `a=fingerprint`, "sha-256 AB:CD:…".
    package var fingerprints: [String] = []
    package var setup: Setup?
    package var candidates: [ICECandidate] = []
    package var isEndOfCandidates = false

    package init() {}
}

/// One `m=` line and what belongs to it.
package struct MediaSection: Hashable, Sendable {
    package enum Direction: String, Sendable {
        case sendrecv
        case sendonly
        case recvonly
        case inactive
    }

    /// "audio", "video", "application".
    package var kind: String
    /// 0 = rejected or no longer used, unless `isBundleOnly`.
    package var port: UInt16
    /// "UDP/TLS/RTP/SAVPF".
    package var profile: String
    /// Payload types, or what else the profile counts.
    package var formats: [String]
    package var mid: String?
    package var direction: Direction = .sendrecv
    /// In the order of `formats`, that is of preference.
    package var codecs: [Codec] = []
    package var extensions: [ExtensionMapping] = []
    package var sources: [MediaSource] = []
    /// Pairs of a source and the one for its repeats (`a=ssrc-group:FID`, RFC 5576 §4.2).
    package var repeatGroups: [RepeatGroup] = []
    /// Layers that are named (RFC 8851), in the order of their lines.
    package var layers: [LayerName] = []
    /// The value of `a=simulcast` (RFC 8853) as it stands.
    package var simulcast: String?
    package var stream: StreamIdentification?
    package var transport = TransportDescription()
    package var hasRTCPMux = false
    package var hasReducedSizeRTCP = false
    /// Port 0 does not mean rejected: the section has no transport of its own (RFC 9143 §6).
    package var isBundleOnly = false

    package init(kind: String, port: UInt16, profile: String, formats: [String], mid: String? = nil) {
        self.kind = kind
        self.port = port
        self.profile = profile
        self.formats = formats
        self.mid = mid
    }

    /// The side has given the section up, or refused it.
    package var isRejected: Bool { port == 0 && !isBundleOnly }
}

/// A payload type and what it stands for.
package struct Codec: Hashable, Sendable {
    package var payloadType: UInt8
    package var name: String
    package var clockRate: UInt32
    /// 1 where the line says nothing.
    package var channels: UInt8
    /// The `a=fmtp` line as it stands, without the payload type.
    package var parameters: String?
    /// The `a=rtcp-fb` lines, those for all payload types ("*") included: "nack", "nack pli", "transport-cc".
    package var feedback: [String] = []

    package init(
        payloadType: UInt8, name: String, clockRate: UInt32, channels: UInt8 = 1, parameters: String? = nil,
        feedback: [String] = []
    ) {
        self.payloadType = payloadType
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.parameters = parameters
        self.feedback = feedback
    }

    package var isVP8: Bool { name.uppercased() == "VP8" && clockRate == 90_000 }
    /// RFC 4588 §8.6: which payload type this one repeats.
    package var repeated: UInt8? { name.lowercased() == "rtx" ? parameter("apt").flatMap { UInt8($0) } : nil }

    /// RFC 7587 §7: always 48,000 and two channels, whatever is really sent.
    package var isOpus: Bool { name.lowercased() == "opus" && clockRate == 48_000 && channels == 2 }

    /// RFC 2198 §4: packets with copies, of that payload type in all places.
    package func isRedundancy(of opus: Codec) -> Bool {
        guard name.lowercased() == "red", clockRate == opus.clockRate, channels == opus.channels,
            payloadType != opus.payloadType
        else { return false }
        let types = (parameters ?? "").split(separator: "/").map { UInt8($0.filter { $0 != " " }) }
        return types.count >= 2 && types.allSatisfy { $0 == opus.payloadType }
    }

    /// A parameter of the `a=fmtp` line by its name.
    package func parameter(_ name: String) -> String? {
        for pair in (parameters ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if parts.count == 2, parts[0].lowercased() == name { return parts[1] }
        }
        return nil
    }
}

/// Which id a header extension has in this session (RFC 8285 §5).
package struct ExtensionMapping: Hashable, Sendable {
    package var id: UInt8
    package var uri: String
    /// As the side that says it sees it; nil: as the section.
    package var direction: MediaSection.Direction?

    package init(id: UInt8, uri: String, direction: MediaSection.Direction? = nil) {
        self.id = id
        self.uri = uri
        self.direction = direction
    }

    /// What the other side says to it.
    var answered: ExtensionMapping {
        var answered = self
        switch direction {
        case .sendonly: answered.direction = .recvonly
        case .recvonly: answered.direction = .sendonly
        case .sendrecv, .inactive, nil: break
        }
        return answered
    }
}

/// A source and the one that sends its packets again.
package struct RepeatGroup: Hashable, Sendable {
    package var ssrc: UInt32
    package var repeats: UInt32

    package init(ssrc: UInt32, repeats: UInt32) {
        self.ssrc = ssrc
        self.repeats = repeats
    }
}

/// `a=rid`: a layer, and whether the side that says it sends it.
package struct LayerName: Hashable, Sendable {
    package var name: String
    package var isSent: Bool

    package init(name: String, isSent: Bool) {
        self.name = name
        self.isSent = isSent
    }
}

/// The header extensions that a session of ours may use.
package enum ExtensionURI {
    package static let audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
    package static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    /// Ours: what of the song the singer heard, on the microphone of a chorus room.
    package static let songPosition = "urn:ovation:params:rtp-hdrext:song-position"
    package static let layer = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
    package static let repairedLayer = "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
    package static let transportNumber =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    package static let playoutDelay = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
}

/// A source that a section announces (RFC 5576).
package struct MediaSource: Hashable, Sendable {
    package var ssrc: UInt32
    package var cname: String?

    package init(ssrc: UInt32, cname: String?) {
        self.ssrc = ssrc
        self.cname = cname
    }
}

/// `a=msid` (RFC 8830): which stream and track the section's media belongs to, as the page's JavaScript sees it.
package struct StreamIdentification: Hashable, Sendable {
    /// "-" = no stream.
    package var stream: String
    package var track: String?

    package init(stream: String, track: String?) {
        self.stream = stream
        self.track = track
    }
}
