import BandwidthEstimation
package import RTP
import SRTP
package import Timing
import Wire

/// Our streams and their packets. What leaves for listeners goes by `lane` directly.
extension MediaPeer {
    /// Declares a stream that we are going to send, before its first packet. Streams that were opened are told of in
    /// sender reports. Returns the stream's number; nil if the peer has `maximumSendStreams` already, or knows this SSRC.
    @discardableResult
    package func openSendStream(_ terms: SendStreamTerms) -> Int? { lane.open(terms) }

    /// The same for a stream whose headers the caller writes itself.
    @discardableResult
    package func openSendStream(_ ssrc: SSRC, clockRate: UInt32, cname: String) -> Bool {
        openSendStream(SendStreamTerms(ssrc: ssrc, clockRate: clockRate, cname: cname)) != nil
    }

    /// Another payload type, mid or extension for a stream, from its next packet on. What went out before is not repeated any more.
    package func describeSendStream(
        _ number: Int, payloadType: PayloadType, mid: Mid?, midID: UInt8, transportNumberID: UInt8 = 0,
        repeatPayloadType: PayloadType? = nil
    ) {
        lane.describe(
            number, payloadType: payloadType, mid: mid, midID: midID, transportNumberID: transportNumberID,
            repeatPayloadType: repeatPayloadType)
    }

    /// Begins to measure what the line carries: the other side tells of arrivals, or of what it takes.
    package func measureLine() {
        guard bandwidth == nil else { return }
        let made = SendBandwidth(firstNumber: UInt16(truncatingIfNeeded: configuration.seed >> 40), at: now)
        bandwidth = made
        lane.setBandwidth(made)
    }

    /// Ends a stream. Its SSRC cannot be opened again: its packet numbers are used up.
    package func closeSendStream(_ ssrc: SSRC) {
        guard lane.close(ssrc), case .connected(let media) = phase else { return }
        media.sender.retire(ssrc)
    }

    /// Enciphers one packet of an open stream. The header stands at the start of `destination`; `payload` lies
    /// elsewhere or right behind the header. Returns the length of the SRTP packet, nil if there are no keys yet, the
    /// stream is not open, or it does not fit. It leaves by `mediaPath`.
    /// - Parameter stream: the stream's number; nothing is searched then.
    package func seal(
        stream: Int = 0, headerLength: Int, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Int? {
        lane.seal(stream: stream, headerLength: headerLength, payload: payload, into: destination, at: now)
    }

    /// Enciphers a packet once more that was sealed before: the bytes must be the same, header included. nil where
    /// `seal` would give nil, and for what was never sealed.
    package func sealAgain(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        lane.sealAgain(headerLength: headerLength, payload: payload, into: destination)
    }

    /// Reports on a stream at once, without waiting for its turn: after a stream starts or its source changes.
    package func sendReport(for stream: Int, at now: Instant) {
        self.now = max(self.now, now)
        lane.wantReport(stream)
    }
}
