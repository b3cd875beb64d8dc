internal import RTP
internal import Wire

/// One speaker as one listener hears them: which sequence number stands for which of the speaker's packets. A stream is known from its
/// first sample on; the packets between samples are told by their headers, which are in clear.
struct HeardStream {
    /// One packet in so many is opened: the same ones at all listeners, so that the last copy of each is known.
    static let samples: UInt32 = 16

    /// What a header says of a packet.
    struct Reading {
        var extendedSequence: UInt64
        var number: UInt32
        /// A later one of the stream has come before.
        var isLate: Bool
        var isSample: Bool { number.isMultiple(of: HeardStream.samples) }
    }

    let ssrc: SSRC
    let speaker: Int
    /// Of the newest packet.
    private var sequence: UInt64
    private var number: UInt32

    init(ssrc: SSRC, sequence: UInt64, _ packet: SpokenPacket) {
        self.ssrc = ssrc
        speaker = Int(packet.speaker)
        self.sequence = sequence
        number = packet.number
    }

    /// A packet by the number in its header.
    func read(_ sequenceNumber: SequenceNumber16) -> Reading {
        let distance = sequenceNumber.distance(from: SequenceNumber16(UInt16(truncatingIfNeeded: sequence)))
        return Reading(
            extendedSequence: sequence &+ UInt64(bitPattern: Int64(distance)),
            number: number &+ UInt32(bitPattern: Int32(distance)), isLate: distance <= 0)
    }

    /// The packet of that reading is here.
    mutating func take(_ reading: Reading) {
        guard !reading.isLate else { return }
        sequence = reading.extendedSequence
        number = reading.number
    }

    /// An opened packet says what it is. False if that is not what its header says after those before.
    mutating func confirm(_ packet: SpokenPacket, _ reading: Reading) -> Bool {
        guard packet.number != reading.number else { return true }
        number = packet.number
        sequence = reading.extendedSequence
        return false
    }
}
