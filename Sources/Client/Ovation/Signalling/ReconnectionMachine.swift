internal import RoomModel
internal import Timing

/// When a connection with the server connects, signs in, waits, renews its ticket and gives up. Pure: it is told what
/// happened and when, and says what to do.
///
/// A connection that has never been ready fails at once, so that whoever signs in hears of it; one that has been comes back
/// until nothing can mend it.
struct ReconnectionMachine: Sendable {
    /// Documentation/build/protocol.md §7: from 0.5 s, doubled up to 10 s, 30 % either way, so that a crowd does not come back in one
    /// moment.
    static let firstWait = Interval.milliseconds(500)
    static let lastWait = Interval.seconds(10)
    static let jitterPercent: Int64 = 30
    /// A connection that held this long ends a row of failures.
    static let steady = Interval.seconds(5)
    /// From the first packet to `ready`; some networks swallow packets without a word.
    static let openingLimit = Interval.seconds(10)
    /// The application's renewal of the ticket may take so long.
    static let renewalLimit = Interval.seconds(30)

    enum Phase: Sendable, Equatable {
        /// → opening
        case idle
        /// The socket, then the sign-in, then the rooms. → ready, waiting, renewing, closed
        case opening(Step, until: Instant)
        /// → waiting, renewing, closed
        case ready(since: Instant)
        /// A new ticket is being fetched. → opening, waiting, closed
        case renewing(OvationError, until: Instant)
        /// → opening, closed
        case waiting(until: Instant, OvationError)
        /// For good.
        case closed(OvationError)
    }

    enum Step: Sendable, Equatable { case socket, signIn, rooms }

    enum Input: Sendable, Equatable {
        case start
        case socketOpened
        case signedIn
        case roomsResumed
        /// The handshake was refused or had no answer.
        case handshakeFailed(OvationError)
        /// The socket is gone: its close code if it had one, and what the server said before.
        case socketClosed(code: UInt16?, farewell: OvationError?)
        /// No bytes for too long.
        case silent
        /// What came of `renewTicket`; `nil`: there is a new ticket.
        case ticketFetched(OvationError?)
        /// The application gave a new ticket by itself.
        case ticketGiven
        /// Try now instead of waiting.
        case retryNow
        /// The application is done.
        case stop(OvationError)
        /// `nextDeadline` has come.
        case deadline
    }

    enum Action: Sendable, Equatable {
        case openSocket
        case signIn
        case resumeRooms
        /// The calls that waited may go.
        case ready
        /// Give the socket up; no more of it is heard.
        case dropSocket
        case renewTicket
        /// Not before: `nil` while a ticket is fetched.
        case lost(OvationError, retryAt: Instant?)
        /// For good; the socket, if there was one, has been dropped.
        case close(OvationError)
    }

    private(set) var phase = Phase.idle
    private(set) var hasBeenReady = false
    /// Whether the application can fetch tickets.
    var canRenewTicket: Bool
    /// The present ticket has been fetched for the present row of failures: another refusal is final.
    private var ticketIsFresh = false
    private var failures = 0
    private var random: SplitMix64

    init(canRenewTicket: Bool, seed: UInt64) {
        self.canRenewTicket = canRenewTicket
        random = SplitMix64(seed: seed)
    }

    /// When `deadline` is to be handed in.
    var nextDeadline: Instant? {
        switch phase {
        case .opening(_, let until), .waiting(let until, _), .renewing(_, let until): until
        case .idle, .ready, .closed: nil
        }
    }

    private var hasSocket: Bool {
        switch phase {
        case .opening, .ready: true
        case .idle, .renewing, .waiting, .closed: false
        }
    }

    /// What happened, and what is to be done about it, in this order. Inputs that come too late for the phase do nothing.
    mutating func handle(_ input: Input, at now: Instant) -> [Action] {
        switch (input, phase) {
        case (_, .closed): return []
        case (.stop(let error), _): return close(error)
        case (.start, .idle), (.retryNow, .waiting): return open(at: now)

        case (.socketOpened, .opening(.socket, let until)):
            phase = .opening(.signIn, until: until)
            return [.signIn]
        case (.signedIn, .opening(.signIn, let until)):
            phase = .opening(.rooms, until: until)
            ticketIsFresh = false
            return [.resumeRooms]
        case (.roomsResumed, .opening(.rooms, _)):
            phase = .ready(since: now)
            hasBeenReady = true
            return [.ready]

        case (.handshakeFailed(let error), .opening): return [.dropSocket] + failed(error, at: now)
        case (.socketClosed(let code, let farewell), .opening), (.socketClosed(let code, let farewell), .ready):
            return socketClosed(code, farewell, at: now)
        case (.silent, .ready), (.silent, .opening):
            return [.dropSocket] + failed(OvationError(.connectionLost, "the server stopped responding"), at: now)
        case (.deadline, .opening(_, let until)):
            guard now >= until else { return [] }
            return [.dropSocket] + failed(OvationError(.timeout, "the connection did not open in time"), at: now)
        case (.deadline, .waiting(let until, _)): return now >= until ? open(at: now) : []

        case (.ticketFetched(nil), .renewing), (.ticketFetched(nil), .waiting):
            ticketIsFresh = true
            return open(at: now)
        case (.deadline, .renewing(let refusal, let until)):
            guard now >= until else { return [] }
            return hasBeenReady ? wait(refusal, at: now) : close(refusal)
        case (.ticketFetched(let failure?), .renewing(let refusal, _)):
            // No server, no ticket: try again later. A refusal is final.
            guard hasBeenReady, Self.isPassing(failure) else { return close(refusal) }
            return wait(refusal, at: now)
        case (.ticketGiven, .renewing), (.ticketGiven, .waiting):
            return open(at: now)

        default: return []
        }
    }

    private mutating func open(at now: Instant) -> [Action] {
        phase = .opening(.socket, until: now + Self.openingLimit)
        return [.openSocket]
    }

    private mutating func close(_ error: OvationError) -> [Action] {
        let actions: [Action] = hasSocket ? [.dropSocket, .close(error)] : [.close(error)]
        phase = .closed(error)
        return actions
    }

    private mutating func socketClosed(_ code: UInt16?, _ farewell: OvationError?, at now: Instant) -> [Action] {
        switch code {
        case 1000, 4006: return [.dropSocket] + finish(OvationError(.signedOut))
        case 4001: return [.dropSocket] + finish(farewell ?? OvationError(.sessionReplaced))
        case 4007: return [.dropSocket] + finish(farewell ?? OvationError(.bannedHereForGood))
        case 4002: return [.dropSocket] + failed(farewell ?? OvationError(.sessionExpired), at: now)
        default:
            // What the server said before (too slow, flood) is worth a line in a log, but mends nothing by itself.
            return [.dropSocket] + failed(farewell ?? OvationError(.connectionLost), at: now)
        }
    }

    /// Closes when the socket has been dropped already.
    private mutating func finish(_ error: OvationError) -> [Action] {
        phase = .closed(error)
        return [.close(error)]
    }

    private mutating func failed(_ error: OvationError, at now: Instant) -> [Action] {
        if case .ready(let since) = phase, now - since >= Self.steady { failures = 0 }
        if error.isOfTicket, canRenewTicket, !ticketIsFresh {
            phase = .renewing(error, until: now + Self.renewalLimit)
            return [.lost(error, retryAt: nil), .renewTicket]
        }
        guard hasBeenReady, !Self.isFinal(error) else { return finish(error) }
        return wait(error, at: now)
    }

    private mutating func wait(_ error: OvationError, at now: Instant) -> [Action] {
        let delay = max(nextWait(), Self.interval(error.retryAfter))
        phase = .waiting(until: now + delay, error)
        return [.lost(error, retryAt: now + delay)]
    }

    private mutating func nextWait() -> Interval {
        var wait = Self.firstWait
        for _ in 0..<min(failures, 10) where wait < Self.lastWait { wait = wait * 2 }
        wait = min(wait, Self.lastWait)
        failures += 1
        let spread = Int64(random.next(upperBound: UInt64(2 * Self.jitterPercent * 1_000 + 1)))
        return wait * (100_000 - Self.jitterPercent * 1_000 + spread) / 100_000
    }

    /// A hint of the server, at most a minute: nobody is kept out by a number.
    private static func interval(_ duration: Duration?) -> Interval {
        guard let duration else { return .zero }
        return duration >= .seconds(60) ? .seconds(60) : Interval(duration)
    }

    /// Failures of this side or the network's, which pass.
    private static func isPassing(_ error: OvationError) -> Bool {
        [.serverUnreachable, .timeout, .connectionLost, .offline, .unavailable].contains(error.code)
    }

    /// Refusals that no repetition mends.
    private static func isFinal(_ error: OvationError) -> Bool {
        let codes: [OvationError.Code] = [
            .appUnknown, .userIDInvalid, .ticketEmpty, .ticketFailed, .ticketExpired, .ticketNotYetValid,
            .sessionExpired, .sessionReplaced, .bannedHere, .bannedHereForGood, .nameTaken, .invalidParams,
            .methodNotFound, .signedOut, .invalidAnswer, OvationError.Code(rawValue: "origin_refused"),
        ]
        return codes.contains(error.code)
    }
}

extension OvationError {
    /// A refusal of `session.open` that a newer ticket may mend.
    var isOfTicket: Bool { [.ticketExpired, .sessionExpired, .ticketFailed, .ticketEmpty].contains(code) }
}
