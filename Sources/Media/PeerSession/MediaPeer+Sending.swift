package import RTP
import SRTP
package import Timing
import Wire

/// Our streams and their packets.
extension MediaPeer {
    /// Declares a stream that we are going to send, before its first packet. Streams that were opened are told of in
    /// sender reports. False if the peer has `maximumSendStreams` already, or knows this SSRC.
    @discardableResult
    package func openSendStream(_ ssrc: SSRC, clockRate: UInt32, cname: String) -> Bool {
        reports.openSendStream(ssrc, clockRate: clockRate, cname: cname)
    }

    /// Ends a stream. Its SSRC cannot be opened again: its packet numbers are used up.
    package func closeSendStream(_ ssrc: SSRC) {
        guard reports.closeSendStream(ssrc), case .connected(let media) = phase else { return }
        media.sender.retire(ssrc)
    }

    /// Enciphers one packet of an open stream. The header stands at the start of `destination`; `payload` lies
    /// elsewhere or right behind the header. Returns the length of the SRTP packet, nil if there are no keys yet, the
    /// stream is not open, or it does not fit. It leaves by `mediaPath`.
    /// - Parameter stream: how many streams were opened before this one; nothing is searched then, unless one was closed.
    package func seal(
        stream: Int = 0, headerLength: Int, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Int? {
        guard let sealer, headerLength >= RTPHeader.fixedLength, destination.count >= RTPHeader.fixedLength else {
            return nil
        }
        let bytes = UnsafeRawBufferPointer(destination)
        guard let stream = reports.sendStream(SSRC(bytes.bigEndianUInt32(at: 8)), likely: stream) else { return nil }
        let timestamp = RTPTimestamp(bytes.bigEndianUInt32(at: 4))
        var source = reports.sending[stream].source
        // Once for each listener of each packet: no reference is counted.
        let length = sealer._withUnsafeGuaranteedRef {
            $0.seal(headerLength: headerLength, payload: payload, into: destination, source: &source)
        }
        guard let length else { return nil }
        reports.sent(stream, timestamp: timestamp, payloadLength: payload.count, source: source, at: now)
        stats.packetsSent &+= 1
        return length
    }

    /// Enciphers a packet once more that was sealed before: the bytes must be the same, header included. nil where
    /// `seal` would give nil, and for what was never sealed.
    package func sealAgain(
        headerLength: Int, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard case .connected(let media) = phase,
            let length = media.sender.sealAgain(headerLength: headerLength, payload: payload, into: destination)
        else { return nil }
        stats.repeatsSent &+= 1
        return length
    }

    /// Reports on a stream at once, without waiting for its turn: after a stream starts or its source changes.
    package func sendReport(for ssrc: SSRC, at now: Instant) {
        self.now = max(self.now, now)
        reports.wantReport(for: ssrc)
    }
}
