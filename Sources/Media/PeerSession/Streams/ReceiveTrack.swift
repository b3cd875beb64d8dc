package import RTP
import Timing

/// The name of one layer of a section (RFC 8852), as short as a mid.
package typealias Rid = Mid

/// What the other side may send on one media section: how its streams are told from others, and what to do when packets are lost.
package struct ReceiveTrack: Hashable, Sendable {
    /// A payload type that was agreed on.
    package struct Format: Hashable, Sendable {
        package var payloadType: PayloadType
        /// Ticks a second.
        package var clockRate: UInt32
        /// The payload type of its repeats (RFC 4588); nil: they come on the stream itself.
        package var repeats: PayloadType?

        package init(payloadType: PayloadType, clockRate: UInt32, repeats: PayloadType? = nil) {
            self.payloadType = payloadType
            self.clockRate = clockRate
            self.repeats = repeats
        }
    }

    /// A stream that was announced.
    package struct Source: Hashable, Sendable {
        package var ssrc: SSRC
        package var repeats: SSRC?

        package init(ssrc: SSRC, repeats: SSRC? = nil) {
            self.ssrc = ssrc
            self.repeats = repeats
        }
    }

    /// How a key frame is asked for.
    package enum KeyFrameRequest: Hashable, Sendable {
        /// PLI (RFC 4585 §6.3.1).
        case pictureLoss
        /// FIR (RFC 5104 §4.3.1), for those who did not offer PLI.
        case fullIntra
    }

    package var mid: Mid?
    package var formats: [Format]
    /// In the order of layers. A browser that names layers announces none.
    package var sources: [Source]
    /// In the same order.
    package var rids: [Rid]
    package var repeats: RepeatPolicy
    package var keyFrameRequest: KeyFrameRequest

    package init(
        mid: Mid?, formats: [Format], sources: [Source] = [], rids: [Rid] = [], repeats: RepeatPolicy,
        keyFrameRequest: KeyFrameRequest = .pictureLoss
    ) {
        self.mid = mid
        self.formats = formats
        self.sources = sources
        self.rids = rids
        self.repeats = repeats
        self.keyFrameRequest = keyFrameRequest
    }

    func format(_ payloadType: PayloadType) -> Format? { formats.first { $0.payloadType == payloadType } }
    func format(repeatedBy payloadType: PayloadType) -> Format? { formats.first { $0.repeats == payloadType } }
}

/// When a lost packet is asked for again, and until when.
package struct RepeatPolicy: Hashable, Sendable {
    /// A hole may be mere reordering; asking at once wastes bandwidth on both ways.
    var reorderTolerance: Interval
    /// Between two requests for the same packet lies a round trip and a bit, but never less than this.
    var shortestRetry: Interval
    var maximumRequests: Int
    /// Later than that, a repeat is of no use any more.
    var maximumAge: Interval
    /// A longer hole is an outage, not loss.
    var maximumMissing: Int

    /// Sound waits in a jitter buffer for a few hundred milliseconds at most, and 64 packets are more than a second of it.
    package static let sound = RepeatPolicy(
        reorderTolerance: .milliseconds(20), shortestRetry: .milliseconds(40), maximumRequests: 5,
        maximumAge: .milliseconds(400), maximumMissing: 64)
    /// A picture stands still until the packet is there. A key frame has a hundred packets and more.
    package static let picture = RepeatPolicy(
        reorderTolerance: .milliseconds(5), shortestRetry: .milliseconds(20), maximumRequests: 10,
        maximumAge: .seconds(1), maximumMissing: 512)
    /// The other side keeps nothing.
    package static let none = RepeatPolicy(
        reorderTolerance: .zero, shortestRetry: .zero, maximumRequests: 0, maximumAge: .zero, maximumMissing: 0)

    var isNone: Bool { maximumMissing == 0 }
}

/// Which track and layer a stream belongs to.
package struct StreamPlace: Hashable, Sendable {
    package var track: Int
    /// Its place among those that were offered.
    package var layer: Int
}
