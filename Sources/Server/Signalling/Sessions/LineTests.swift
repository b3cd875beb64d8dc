package import HTTP
package import RoomModel
package import RoomPorts
package import RoomService
import SignalProtocol
import Synchronization
import Timing

/// Test peers: for a few seconds somebody sends a picture that nobody sees, to learn what their line carries before going live. Each is
/// a stage of its own, and takes as much of this server's line as a camera.
package final class LineTests: Sendable {
    /// How long a test sends.
    static let length = Interval.seconds(6)
    /// Beside that, what connecting may take; then the path is closed, whatever still comes.
    static let patience = Interval.seconds(6)
    /// What a test may send, in bits a second: enough for a camera's largest layers.
    static let bitrate = 3_000_000
    /// Together no more than ten cameras would take.
    static let atOnce = 10
    /// From one address: some people who go live behind one router, and no stream of tests.
    static let allowance = Allowance(burst: 6, perSecond: 0.1)

    private let media: any MediaControl
    private let rooms: RoomDirectory
    private let clock: any TimeSource
    private let rates = AddressRates(LineTests.allowance)
    private let running = Mutex<[SessionToken: MediaPlace]>([:])

    package init(rooms: RoomDirectory, media: any MediaControl, clock: any TimeSource) {
        self.rooms = rooms
        self.media = media
        self.clock = clock
    }

    /// - Returns: the answer to the offer. The session's former test ends.
    /// - Throws: `rate_limited` for too many tests of one address, or at once; `media_refused`.
    package func begin(_ sdp: String, by session: SessionToken, from address: ClientAddress) async throws(RoomError)
        -> String
    {
        if let wait = rates.take(address, now: clock.now) {
            throw RoomError(.rateLimited, "too many line tests from this address", retryAfterMs: wait)
        }
        end(session)
        let place = rooms.placeApart()
        let isFree = running.withLock { running in
            guard running.count < Self.atOnce else { return false }
            running[session] = place
            return true
        }
        guard isFree else {
            throw RoomError(
                .rateLimited, "too many line tests at once",
                retryAfterMs: Int(Self.length.nanoseconds / 1_000_000))
        }
        media.openStage(place.stage, slots: 1, kind: .live(.vp8))
        media.admit(place.peer, on: place.stage)
        media.assign(slot: 0, to: place.peer, muted: true, dark: false, on: place.stage) {}
        clock.schedule(at: clock.now + Self.length + Self.patience) { [self] in end(session, place) }
        do throws(MediaRefusal) {
            let lines: [String: MediaLine] = [:]
            return try await media.answer(
                MediaOffer(stage: place.stage, peer: place.peer, number: 1, sdp: sdp, lines: lines)
            ).sdp
        } catch {
            end(session, place)
            throw RoomError(error)
        }
    }

    /// Ends the session's test, if there is one.
    package func end(_ session: SessionToken) {
        if let place = running.withLock({ $0[session] }) { end(session, place) }
    }

    private func end(_ session: SessionToken, _ place: MediaPlace) {
        let isRunning = running.withLock { running in
            guard running[session] == place else { return false }
            running[session] = nil
            return true
        }
        guard isRunning else { return }
        media.closePeer(place.peer, on: place.stage)
        media.closeStage(place.stage)
    }
}
