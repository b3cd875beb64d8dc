/// What both sides have agreed on.
package struct NegotiatedSession: Hashable, Sendable {
    package var answer: SessionDescription
    package var remote: RemoteTransport
    /// nil while the client's microphone line is inactive.
    package var microphone: Microphone?
    package var slots: [Slot]
    /// What the client sends pictures on.
    package var pictures: [Picture] = []
    /// What it receives pictures on.
    package var views: [View] = []
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
        /// Of packets with copies of earlier ones (RFC 2198); nil: not agreed on.
        package var redundantPayloadType: UInt8?
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
        /// Of packets with copies of earlier ones (RFC 2198); nil: not agreed on.
        package var redundantPayloadType: UInt8?
        package var ssrc: UInt32
        /// The client may ask for lost packets.
        package var hasNACK: Bool
    }

    /// A line on which the client sends pictures.
    package struct Picture: Hashable, Sendable {
        package var use: LineUse
        package var mid: String
        package var payloadType: UInt8
        /// The payload type of its repeats (RFC 4588).
        package var repeatPayloadType: UInt8?
        /// What the client announced, in the order of layers.
        package var sources: [MediaSource]
        package var repeatGroups: [RepeatGroup]
        /// The names of its layers, in the order in which they were offered.
        package var layers: [String]
        package var hasNACK: Bool
        /// It offered FIR and no PLI.
        package var wantsFullIntraRequests: Bool
    }

    /// A line on which the client receives pictures.
    package struct View: Hashable, Sendable {
        package var index: Int
        package var mid: String
        /// In the spare format: the client cannot show the session's.
        package var isSpare: Bool
        package var payloadType: UInt8
        package var repeatPayloadType: UInt8?
        package var ssrc: UInt32
        package var repeatSSRC: UInt32
        /// The client tells when each packet arrived, or else how much it takes.
        package var reportsArrivals: Bool
        package var statesMaximum: Bool
    }
}
