internal import RTP
internal import SDP

/// What we chose for one peer before its first answer, at random where it must not be guessed or met twice.
struct PeerTerms {
    /// For the `o=` line: 62 bits, since some read it as a signed number (RFC 9429 §5.2.1).
    let sessionID: UInt64
    let reportSSRC: SSRC
    /// Names our end (RFC 7022).
    let cname: String
    let sources: [SlotSource]
    /// Where each slot's numbers start.
    let starts: [Start]
    let views: [ViewSource]
    let viewStarts: [Start]
    /// What all pictures come in, both ways.
    let encoding: PictureEncoding

    struct Start {
        let sequence: UInt16
        let timestamp: UInt32
        /// On the stream for repeats.
        let repeatSequence: UInt16

        init(using generator: inout some RandomNumberGenerator) {
            sequence = UInt16.random(in: 0...(.max), using: &generator)
            timestamp = UInt32.random(in: 0...(.max), using: &generator)
            repeatSequence = UInt16.random(in: 0...(.max), using: &generator)
        }
    }

    init(
        slots: Int, pictures: Int = 0, encoding: PictureEncoding = .vp8,
        using generator: inout some RandomNumberGenerator
    ) {
        self.encoding = encoding
        sessionID = UInt64.random(in: 1..<(1 << 62), using: &generator)
        var taken: Set<UInt32> = [0]
        func ssrc() -> UInt32 {
            while true {
                let candidate = UInt32.random(in: 1...(.max), using: &generator)
                if taken.insert(candidate).inserted { return candidate }
            }
        }
        reportSSRC = SSRC(ssrc())
        let name = String(UInt64.random(in: 0...(.max), using: &generator), radix: 36)
        cname = name
        // Each slot is a stream of its own, so that browsers do not delay one speaker to match another.
        sources = (0..<slots).map {
            SlotSource(
                ssrc: ssrc(), cname: "\(name)-\($0)",
                stream: StreamIdentification(stream: "slot-\($0)", track: "slot-\($0)-audio"))
        }
        starts = (0..<slots).map { _ in Start(using: &generator) }
        // With the seat's sound, so that browsers play both together.
        views = (0..<pictures).map {
            ViewSource(
                ssrc: ssrc(), repeatSSRC: ssrc(), cname: "\(name)-\($0)",
                stream: StreamIdentification(stream: "slot-\($0)", track: "slot-\($0)-video"))
        }
        viewStarts = (0..<pictures).map { _ in Start(using: &generator) }
    }
}
