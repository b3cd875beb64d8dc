package import PeerSession
package import Timing

/// What becomes of a media path.
package enum PathEvent: Sendable, Hashable {
    /// Sound flows from now on. Comes once.
    case connected
    /// Nothing came for 6 s; it may come back by itself, or by an ICE restart.
    case lost
    case recovered
    /// For good: only a new path helps. Nothing follows.
    case closed(CloseReason)
}

/// How a media path does. Counts only grow.
package struct PathStatistics: Sendable, Hashable {
    package var packetsSent: UInt64 = 0
    package var repeatsSent: UInt64 = 0
    package var packetsReceived: UInt64 = 0
    package var repeatsRequested: UInt64 = 0
    /// Holes in the numbers of what was received that have not been filled.
    package var packetsMissing: UInt64 = 0
    /// Frames that could not be sent: no path, or too many at once.
    package var framesDropped: UInt64 = 0
    /// nil until the other side has reported.
    package var roundTrip: Interval?
    /// The share of our packets that were missing in the other side's last report, 0…1.
    package var lossSent = 0.0

    package init() {}
}

/// What arrived, without its payload.
package struct IncomingPacket: Sendable, Hashable {
    /// The seat's line.
    package var slot: Int
    /// With wraps counted.
    package var sequence: UInt64
    package var timestamp: UInt32
    package var ssrc: UInt32
    /// The first after silence, or of another speaker.
    package var marker = false
    package var arrival: Instant
    /// The packet itself got lost: this is a copy that a later one carried.
    package var isCopy = false

    package init(
        slot: Int, sequence: UInt64, timestamp: UInt32, ssrc: UInt32, marker: Bool = false, arrival: Instant
    ) {
        self.slot = slot
        self.sequence = sequence
        self.timestamp = timestamp
        self.ssrc = ssrc
        self.marker = marker
        self.arrival = arrival
    }
}

/// Why a media path cannot be opened or changed.
package enum MediaTransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Sockets, threads or memory.
    case system(String)
    /// OpenSSL.
    case cryptography(String)
    /// What the server answered cannot be read or lacks something; says what.
    case badAnswer(String)
    case closed

    package var description: String {
        switch self {
        case .system(let message): message
        case .cryptography(let message): "cryptography: \(message)"
        case .badAnswer(let message): "the server's answer cannot be used: \(message)"
        case .closed: "the media path is closed"
        }
    }
}
