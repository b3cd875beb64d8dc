public import RoomModel

/// Who is signed in, and how the connection does.
public struct ClientState: Sendable, Hashable {
    /// How the connection does.
    public enum Phase: Sendable, Hashable {
        /// Nobody is signed in. With an error: why the last session ended.
        case signedOut(OvationError?)
        /// Signing in.
        case connecting
        /// Signed in and connected.
        case ready
        /// Signed in, the connection is lost; calls wait as long as their time allows. `tryingAgainIn` is the wait before the next
        /// try, absent while one is under way.
        case reconnecting(OvationError, tryingAgainIn: Duration?)
    }

    /// What the server allows.
    public struct Limits: Sendable, Hashable {
        /// A message has at most so many bytes of UTF-8.
        public var textBytes: Int
        /// A room has at most so many seats.
        public var seats: Int
        /// So many calls go at once, and more wait for their turn.
        public var callsAtOnce: Int
        /// So many calls a second go in the long run.
        public var callsPerSecond: Int
    }

    /// How the connection does.
    public internal(set) var phase: Phase = .signedOut(nil)
    /// Who is signed in, as the server tells it.
    public internal(set) var user: UserProfile?
    /// What the server allows; absent before the first sign-in.
    public internal(set) var limits: Limits?
    /// Round trip of the signalling connection; absent before it was measured.
    public internal(set) var roundTrip: Duration?

    /// Whether somebody is signed in, connected or not.
    public var isSignedIn: Bool {
        switch phase {
        case .ready, .reconnecting: true
        case .signedOut, .connecting: false
        }
    }
}

extension OvationClient {
    /// Something that happened to the connection or the session.
    public enum Event: Sendable, Hashable {
        /// The connection is lost. It reconnects automatically.
        case connectionLost(OvationError)
        /// The connection is back, and so is the room.
        case connectionRestored
        /// The ticket runs out. If the client can renew it, it does so by itself; else call `renew(ticket:)`.
        case ticketExpiring(in: Duration)
        /// There is a new ticket; nothing was interrupted.
        case ticketRenewed
        /// Renewing failed; it is tried again while there is time.
        case ticketRenewalFailed(OvationError)
        /// The session has ended for good: signed out, replaced (6208), ticket expired and not renewed (6206), or refused.
        case signedOut(OvationError)
    }
}
