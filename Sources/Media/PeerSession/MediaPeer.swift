package import DTLS
package import ICE
package import RTP
package import Timing
package import Wire

/// One peer's media path: ICE, DTLS, SRTP, its streams and their reports in one machine without sockets and clocks.
///
/// Owned by one thread. The contract: each call that changes the peer (`receive`, `advance`, `restartICE`, `close`,
/// `sendReport`) is followed by draining `nextOutput` until it is nil, and by reading `nextDeadline`.
package final class MediaPeer {
    package let configuration: PeerConfiguration

    /// Without an authentic packet for this long, the peer is reported lost.
    package static let silenceUntilLost = Interval.seconds(6)
    /// RFC 7675 §5.1: consent to send expires after 30 s.
    package static let silenceUntilClosed = Interval.seconds(30)
    /// From the first moment to keys.
    package static let connectTimeout = Interval.seconds(30)

    /// Throws if OpenSSL has no memory left.
    package init(_ configuration: PeerConfiguration, context: DTLSContext, at now: Instant) throws(DTLSError) {
        self.configuration = configuration
    }

    /// Where media goes to; nil until a path is nominated.
    package var mediaPath: NetworkPath? { nil }
    /// When `advance(to:)` must be called at the latest; `distantFuture` if nothing is due.
    package var nextDeadline: Instant { .distantFuture }
    package private(set) var stats = PeerStats()

    /// Takes a datagram that came by `path`: the first `length` bytes of `datagram`, which is deciphered in place.
    package func receive(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant
    ) -> Received {
        .dropped(.malformed)
    }

    /// Does what is due: checks, repeats of handshake flights, reports, requests for repeats, time-outs.
    package func advance(to now: Instant) {}

    /// The next thing to send or to tell; nil if there is none. `buffer` has room for at least `maximumDatagramLength`.
    package func nextOutput(into buffer: UnsafeMutableRawBufferPointer) -> PeerOutput? { nil }

    /// Nothing that this module makes itself is longer than this.
    package static let maximumDatagramLength = 1200

    /// Declares a stream that we are going to send, before its first packet. Streams that were opened are told of in
    /// sender reports. False if the peer has `maximumSendStreams` already, or knows this SSRC.
    @discardableResult
    package func openSendStream(_ ssrc: SSRC, clockRate: UInt32, cname: String) -> Bool { false }
    package static let maximumSendStreams = 32

    package func closeSendStream(_ ssrc: SSRC) {}

    /// Enciphers one packet of an open stream. The header stands at the start of `destination`; `payload` lies elsewhere
    /// or right behind the header. Returns the length of the SRTP packet, nil if there are no keys yet, the stream
    /// is not open, or it does not fit. It leaves by `mediaPath`.
    package func seal(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        at now: Instant
    ) -> Int? { nil }

    /// Enciphers a packet once more that was sealed before as number `index` (its extended sequence number): the
    /// bytes must be the same, header included.
    package func sealAgain(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        index: UInt64
    ) -> Int? { nil }

    /// Reports on a stream at once, without waiting for its turn: after a stream starts or its source changes.
    package func sendReport(for ssrc: SSRC, at now: Instant) {}

    /// New credentials of both sides (RFC 8445 §9). Keys, streams and the present path stay; checks with the old
    /// credentials are answered for a while yet. A client passes the paths to try in `paths`.
    package func restartICE(
        local: ICECredentials, remote: ICECredentials, paths: [NetworkPath] = [], at now: Instant
    ) {}

    /// Says goodbye to the other side. `closed(.local)` is the last event.
    package func close(at now: Instant) {}
}
