internal import ClientMedia
public import Foundation
internal import Platform
internal import SignalProtocol
package import Timing

/// The server's clock as this client knows it, so that everybody in a room can act at the same moment.
///
/// The client reads it repeatedly over the connection, more often while a song depends on it. Of all readings it uses the fastest
/// way there and the fastest way back. The stated error is at most half of the shortest round trip, plus the drift since then.
public final class RoomClock: Sendable {
    /// One reading.
    public struct Reading: Sendable, Hashable {
        /// What the server's clock shows.
        public let date: Date
        /// The true time differs from `date` by at most this much.
        public let error: Duration
    }

    /// Whole milliseconds are told as the last one that has passed.
    private static let coarse = Interval.microseconds(500)

    private let known = Mutex(RoomClockEstimator())
    private let skew: (@Sendable (Instant) -> Instant)?

    /// `skew`: what this client's clock shows at a moment of the machine's. Benchmarks make it wrong by it; without, it is the
    /// machine's.
    init(skew: (@Sendable (Instant) -> Instant)? = nil) { self.skew = skew }

    /// This client's clock at a moment of the machine's monotonic clock, which event loops and sound devices go by.
    func local(_ machine: Instant) -> Instant { skew?(machine) ?? machine }

    /// This client's clock now: the one of the engine and its devices.
    var now: Instant { local(RoomAudioConfiguration.systemClock()) }

    /// The server's time now; `nil` until it has been read for the first time.
    public var reading: Reading? {
        estimate(at: now).map {
            Reading(date: Date(timeIntervalSince1970: Double($0.server) / 1e9), error: Duration($0.error))
        }
    }

    /// The server's time now, in whole milliseconds since 1970.
    package var milliseconds: Int64? { estimate(at: now).map { $0.server / 1_000_000 } }

    /// What the server's clock shows at a moment of ours (`now`): nanoseconds since 1970, with the bound of the error.
    package func estimate(at instant: Instant) -> RoomClockEstimator.Estimate? {
        known.withLock { $0.estimate(at: instant) }
    }

    /// All that is known of it now.
    var estimator: RoomClockEstimator { known.withLock { $0 } }

    /// When the server's clock shows that (milliseconds since 1970), on our clock.
    package func instant(ofServer milliseconds: Int64) -> Instant? {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return nil }
        return known.withLock { $0.instant(ofServer: nanoseconds, near: now) }
    }

    func add(_ reading: ClockReading, sent: Instant, received: Instant) {
        let microseconds = reading.timeUs.map { ($0, false) } ?? (reading.time.multipliedReportingOverflow(by: 1_000))
        let (nanoseconds, overflow) = microseconds.0.multipliedReportingOverflow(by: 1_000)
        guard !microseconds.1, !overflow else { return }
        let isCoarse = reading.timeUs == nil
        known.withLock {
            $0.add(
                sent: sent, received: received,
                server: isCoarse ? nanoseconds &+ Self.coarse.nanoseconds : nanoseconds,
                resolution: isCoarse ? Self.coarse : .zero)
        }
    }

    var roundTrip: Duration? { known.withLock { $0.roundTrip.map(Duration.init) } }
}
