internal import RoomModel
internal import Timing

/// When a room's media path is opened, reconnected, and given up. Pure: it is told what happened and says what to do.
///
/// The first try after a loss restarts ICE and keeps keys and streams; further ones begin anew, with growing waits. Without
/// signalling no offer arrives, so it waits for the room to be resumed.
struct MediaPathMachine: Sendable {
    /// From an answer to a connection; then the path is tried anew.
    static let connectingLimit = Interval.seconds(6)
    static let firstWait = Interval.milliseconds(500)
    static let lastWait = Interval.seconds(15)

    enum Phase: Sendable, Equatable {
        /// → offering
        case idle
        /// An offer is under way. → connecting, waiting, idle
        case offering
        /// Answered; sound does not flow yet. → connected, waiting
        case connecting(until: Instant)
        /// → offering
        case connected
        /// The next try is then, or when the room is resumed. → offering
        case waiting(until: Instant)
        /// For good.
        case closed
    }

    enum Input: Sendable, Equatable {
        /// The room is entered, or is back: with the epoch of the server's media plane.
        case resumed(mediaEpoch: UInt64)
        case signallingLost
        case answered(mediaEpoch: UInt64)
        case refused(OvationError)
        case connected
        case lost
        /// The engine has given the path up.
        case pathClosed
        case deadline
        case stop
    }

    enum Action: Sendable, Equatable {
        /// Make a new path and send its offer.
        case open
        /// Send an offer of the present path that seeks its way anew.
        case restart
        case close
    }

    private(set) var phase = Phase.idle
    /// The media plane that the present path belongs to.
    private var epoch: UInt64?
    private var attempts = 0
    private var hasSignalling = false
    private(set) var error: OvationError?
    /// The server has closed the way, and a new one is opened in a moment.
    var isReopening: Bool {
        if case .waiting = phase { return error == nil && epoch == nil && hasSignalling }
        return false
    }

    var nextDeadline: Instant? {
        switch phase {
        case .connecting(let until), .waiting(let until): until
        case .idle, .offering, .connected, .closed: nil
        }
    }

    mutating func handle(_ input: Input, at now: Instant) -> [Action] {
        if phase == .closed { return [] }
        switch input {
        case .stop:
            phase = .closed
            return [.close]
        case .resumed(let mediaEpoch):
            hasSignalling = true
            if let epoch, epoch != mediaEpoch { return begin() }
            switch phase {
            case .idle, .waiting: return again()
            case .offering, .connecting, .connected, .closed: return []
            }
        case .signallingLost:
            hasSignalling = false
            // The answer will not come; the sound itself may go on.
            if phase == .offering { phase = .waiting(until: .distantFuture) }
            return []
        case .answered(let mediaEpoch):
            guard phase == .offering else { return [] }
            epoch = mediaEpoch
            error = nil
            phase = .connecting(until: now + Self.connectingLimit)
            return []
        case .refused(let error):
            guard phase == .offering else { return [] }
            return failed(error, at: now)
        case .connected:
            switch phase {
            case .connecting, .connected: break
            // Sound may flow again while a restart is under way or waits: then the path needs nothing.
            case .waiting, .offering: guard epoch != nil else { return [] }
            case .idle, .closed: return []
            }
            phase = .connected
            error = nil
            attempts = 0
            return []
        case .lost:
            guard phase == .connected else { return [] }
            return again()
        case .pathClosed:
            switch phase {
            case .offering, .connecting, .connected: break
            case .idle, .waiting, .closed: return []
            }
            epoch = nil
            // The server closes the way of whoever is to leave the room before it says so: that is no failure yet.
            if attempts == 0, hasSignalling {
                phase = .waiting(until: now + Self.firstWait)
                return []
            }
            return failed(OvationError(.mediaFailed, "the sound connection has ended"), at: now)
        case .deadline: return deadline(at: now)
        }
    }

    private mutating func deadline(at now: Instant) -> [Action] {
        switch phase {
        case .connecting(let until) where now >= until:
            return failed(OvationError(.mediaFailed, "no path to the media server"), at: now)
        case .waiting(let until) where now >= until: return again()
        default: return []
        }
    }

    private mutating func failed(_ error: OvationError, at now: Instant) -> [Action] {
        self.error = error
        let isFinal =
            [.notInRoom, .roomNotFound, .roomClosed, .sessionReplaced, .signedOut].contains(error.code)
        if isFinal {
            phase = .closed
            return [.close]
        }
        var wait = Self.firstWait
        for _ in 0..<min(attempts, 10) where wait < Self.lastWait { wait = wait * 2 }
        let asked = error.retryAfter.map { min(Interval($0), .seconds(60)) } ?? .zero
        phase = .waiting(until: now + max(min(wait, Self.lastWait), asked))
        return []
    }

    private mutating func again() -> [Action] {
        guard hasSignalling else {
            phase = .waiting(until: .distantFuture)
            return []
        }
        attempts += 1
        guard attempts == 1, epoch != nil else { return begin() }
        phase = .offering
        return [.restart]
    }

    private mutating func begin() -> [Action] {
        epoch = nil
        phase = .offering
        return [.open]
    }
}
