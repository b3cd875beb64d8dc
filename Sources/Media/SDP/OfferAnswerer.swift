/// The server's answer to a client's offer of audio: one line for its microphone, then one for each slot that it wants
/// to hear. Everything else is refused line by line. The server is ICE-lite and DTLS server, over one transport.
package struct OfferAnswerer: Sendable {
    /// The transport's local side. A repeated offer gets the same values, unless its own `ufrag` is new.
    package var ufrag: String
    package var password: String
    /// "sha-256 AB:CD:…"
    package var fingerprint: String
    package var candidates: [ICECandidate]
    /// Stay the same as long as the peer lives (`sessionID`), and grow with each answer (`version`).
    package var sessionID: UInt64
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

    /// Throws `.unacceptable` if the offer as a whole cannot be served; see the protocol document, §8.
    package func answer(_ offer: SessionDescription) throws(SDPError) -> NegotiatedSession {
        throw SDPError(.unacceptable, "")
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
