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

    package init(
        ssrc: SSRC, stream: Int, sequence: UInt64, timestamp: UInt32, marker: Bool, startsSource: Bool = false
    ) {
        self.ssrc = ssrc
        self.stream = stream
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.startsSource = startsSource
    }
}
