/// What forwarding decides of one packet for one receiver: which of its streams, and where in it. The stream adds the rest of the header.
package struct OutgoingPacket: Hashable, Sendable {
    package var ssrc: SSRC
    /// The stream's number at its peer: nothing is searched.
    package var stream: Int
    /// Never wraps; its lower 16 bits go out, the whole is the packet's index in SRTP.
    package var sequence: UInt64
    package var timestamp: UInt32
    package var marker: Bool
    /// The receiver gets another source, or the first, from here on: it should get a sender report soon.
    package var startsSource: Bool
    /// What stands between header and payload, in place of the payload's own beginning.
    package var patch: PayloadPatch
    /// nil: the stream's own.
    package var payloadType: PayloadType?
    /// So many bytes at the end of the payload are padding (RFC 3550 §5.1), the last of which says how many.
    package var padding: UInt8

    package init(
        ssrc: SSRC, stream: Int, sequence: UInt64, timestamp: UInt32, marker: Bool, startsSource: Bool = false,
        patch: PayloadPatch = PayloadPatch(), payloadType: PayloadType? = nil, padding: UInt8 = 0
    ) {
        self.ssrc = ssrc
        self.stream = stream
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.startsSource = startsSource
        self.patch = patch
        self.payloadType = payloadType
        self.padding = padding
    }
}

/// Up to 16 bytes that are written in front of a payload for one receiver: a rewritten descriptor, or what precedes a copy.
package struct PayloadPatch: Hashable, Sendable {
    package static let maximumLength = 16

    private var words: (UInt64, UInt64) = (0, 0)
    package private(set) var count = 0

    /// Nothing.
    package init() {}

    /// What `write` puts into 16 bytes, as many as it says.
    package init(_ write: (UnsafeMutableRawBufferPointer) -> Int) {
        count = withUnsafeMutableBytes(of: &words) { min(max(write($0), 0), Self.maximumLength) }
    }

    /// `start` has room for 16 bytes.
    @inline(__always)
    package func write(to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: words.0, as: UInt64.self)
        start.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
    }

    package static func == (a: Self, b: Self) -> Bool { a.words == b.words && a.count == b.count }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(count)
    }
}
