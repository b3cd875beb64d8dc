package import RTP
package import Timing
package import Wire

/// What became of a datagram.
package enum Received {
    /// An authentic media packet, now in clear at the start of the buffer.
    case media(ReceivedMedia)
    /// ICE, DTLS or RTCP, which the peer has handled.
    case handled
    case dropped(DropReason)
}

/// A media packet in clear. It lies in the buffer that was handed in, which the caller may overwrite afterwards.
package struct ReceivedMedia {
    package var header: RTPHeader
    /// Header and payload, without the authentication tag.
    package var length: Int
    /// The sequence number, with its wraps counted.
    package var extendedSequence: UInt64
    /// Where the payload lies in the buffer.
    package var payload: Range<Int>
    /// Which track and layer it belongs to; nil if that is not known.
    package var place: StreamPlace?
    /// It came again, after it had got lost. Header and number are those of the packet itself.
    package var isRepeat = false
}

/// Why a datagram was thrown away. Counted in `PeerStats`.
package enum DropReason: Int, CaseIterable, Sendable {
    /// Shorter or longer than a packet of its kind can be, or not parseable.
    case malformed
    /// The first byte belongs to no protocol that is served here (RFC 7983 §7).
    case unknownProtocol
    /// DTLS or SRTP from an address that has not passed an ICE check.
    case unvalidatedPath
    /// ICE credentials that are not ours, or a wrong MESSAGE-INTEGRITY.
    case wrongCredentials
    /// SRTP before the DTLS handshake is through.
    case noKeys
    /// The SRTP tag is wrong.
    case authenticationFailed
    case replayed
    /// More SSRCs than a peer may have.
    case tooManyStreams
    /// Repeats a packet of a stream of which nothing is known.
    case unknownRepeat
    /// More RTCP than a peer has any use for.
    case tooMuchControl
    /// After `closed`.
    case closed
}

/// Why a peer is gone for good.
package enum CloseReason: Hashable, Sendable {
    /// The other side said so (DTLS close_notify).
    case remote
    /// `close()` was called.
    case local
    /// ICE and DTLS were not through in time.
    case neverConnected
    /// Nothing authentic for as long as RFC 7675 §5.1 lets us go on sending.
    case consentExpired
    /// The DTLS handshake failed, or showed another certificate than was promised.
    case handshakeFailed
}

/// What the owner of a peer is told.
package enum PeerEvent: Hashable, Sendable {
    /// ICE and DTLS are through: media flows from now on. Comes once.
    case connected
    /// Nothing authentic came for `MediaPeer.silenceUntilLost`.
    case lost
    /// Packets again after `lost`.
    case recovered
    /// The last event of a peer.
    case closed(CloseReason)
    /// The other side misses `sequence` of our stream with that number, and each `sequence + 1 + n` whose bit n is set in `following`.
    case nack(stream: Int, SSRC, sequence: SequenceNumber16, following: UInt16)
    /// The other side cannot go on with our stream of that number without a key frame.
    case keyFrameWanted(stream: Int)
    /// How the other side's stream maps to its wall clock, and when that was by ours.
    case senderReport(SSRC, ntp: UInt64, timestamp: RTPTimestamp, made: Instant, at: Instant)
    /// How one of our streams arrives at the other side. `roundTrip` is nil until the other side has seen a sender report of ours;
    /// `fractionLost` is in 256ths since the report before.
    case receiverReport(SSRC, roundTrip: Interval?, fractionLost: UInt8)
}

/// What a peer wants done: drain it after each `receive`, `advance`, and any other call that changes the peer.
package enum PeerOutput: Hashable, Sendable {
    /// `length` bytes in the buffer that was handed in are to be sent.
    case datagram(length: Int, NetworkPath)
    case event(PeerEvent)
}
