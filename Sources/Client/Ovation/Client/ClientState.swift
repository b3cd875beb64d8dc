public import RoomModel

/// Who is signed in, and the state of the connection.
public struct ClientState: Sendable, Hashable {
    /// The state of the connection.
    @nonexhaustive public enum Phase: Sendable, Hashable {
        /// Nobody is signed in. With an error: why the last session ended.
        case signedOut(OvationError?)
        /// Signing in.
        case connecting
        /// Signed in and connected.
        case ready
        /// Signed in, but the connection is lost. Calls wait for it until their timeout. `tryingAgainIn` is the time until the next
        /// attempt, and `nil` during an attempt.
        case reconnecting(OvationError, tryingAgainIn: Duration?)
    }

    /// The server's limits.
    public struct Limits: Sendable, Hashable {
        /// The longest message, in bytes of UTF-8.
        public var textBytes: Int
        /// The most seats that a room can have.
        public var seats: Int
        /// How many calls are sent at once. The client holds back the others.
        public var callsAtOnce: Int
        /// How many calls a second are sent in the long run.
        public var callsPerSecond: Int
    }

    /// The state of the connection.
    public internal(set) var phase: Phase = .signedOut(nil)
    /// The profile of the user who is signed in, as the server has it.
    public internal(set) var user: UserProfile?
    /// The server's limits; `nil` before the first sign-in.
    public internal(set) var limits: Limits?
    /// Round trip time of the signalling connection; `nil` until it has been measured.
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
    @nonexhaustive public enum Event: Sendable, Hashable {
        /// The connection is lost. It reconnects automatically.
        case connectionLost(OvationError)
        /// The connection is back, and so is the room.
        case connectionRestored
        /// The ticket expires soon. If the client can renew it, it does so automatically. If not, call `renew(ticket:)`.
        case ticketExpiring(in: Duration)
        /// The ticket was renewed without an interruption.
        case ticketRenewed
        /// Renewing failed. The client tries again until the ticket expires.
        case ticketRenewalFailed(OvationError)
        /// Somebody who runs a room in which the user is not invites them there, or the invitation was settled: see `invitation.state`. Enter
        /// the room to accept it, or call `rejectInvitation(_:reason:)`.
        case invitation(InvitationNews, RoomInfo)
        /// Somebody, or a program of the operator's, tells the user something, wherever they are.
        case signal(Signal)
        /// The session has ended and will not come back: signed out, replaced (6208), expired without a new ticket (6206), or refused.
        case signedOut(OvationError)
    }
}
