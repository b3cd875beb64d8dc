package import Codecs
package import RTP
package import Timing

/// A packet of a picture as it came, in its layer's own numbers.
package struct PicturePacket: Hashable, Sendable {
    package var ssrc: SSRC
    /// Its place among those that were offered.
    package var layer: Int
    /// With its wraps counted.
    package var sequence: UInt64
    /// In ticks of 90 kHz, modulo 2³².
    package var timestamp: UInt32
    /// The last packet of its frame.
    package var marker: Bool
    package var format: VideoFormat
    package var arrival: Instant

    package init(
        ssrc: SSRC, layer: Int, sequence: UInt64, timestamp: UInt32, marker: Bool, format: VideoFormat,
        arrival: Instant
    ) {
        self.ssrc = ssrc
        self.layer = layer
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.format = format
        self.arrival = arrival
    }
}

/// What is kept of a packet beside its payload.
struct LayerPacket: Hashable, Sendable {
    var sequence: UInt64
    var timestamp: UInt32
    var marker: Bool
    /// nil for a packet without content: padding.
    var payload: VideoPayload?
    var arrival = Instant.distantPast
}
