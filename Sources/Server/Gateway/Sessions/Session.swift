import NIOCore
import RoomModel
import RoomPorts
import RoomService
import Synchronization
import Timing

/// A signed-in user on one client. Outlives its connections: whoever brings the secret takes it over.
final class Session: Sendable {
    let token: SessionToken
    let application: ApplicationID
    let user: UserID
    /// Takes the session over after a broken connection; 128 random bits, known to the client alone.
    let secret: String

    /// The room that a session is in, or is entering.
    struct Place: Sendable {
        var key: RoomKey
        var room: Room
    }

    struct State: Sendable {
        var profile: UserProfile
        /// When the ticket runs out.
        var ticketEnd: WallTime
        /// Grows with each ticket, so that an earlier one's alarms are void.
        var ticketNumber = 0
        var place: Place?
        /// A room is being created, which the session will be in.
        var isCreating = false
        /// The connection that speaks for the session; `nil` while it is lost.
        var connection: SocketConnection?
        var lostAt: Instant?
    }

    private let state: Mutex<State>

    init(
        token: SessionToken, secret: String, application: ApplicationID, profile: UserProfile, ticketEnd: WallTime,
        connection: SocketConnection
    ) {
        self.token = token
        self.secret = secret
        self.application = application
        self.user = profile.id
        self.state = Mutex(State(profile: profile, ticketEnd: ticketEnd, connection: connection))
    }

    func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result { state.withLock(body) }

    var profile: UserProfile { state.withLock { $0.profile } }
    var place: Place? { state.withLock { $0.place } }

    /// The room has let go of the session, which is free to enter another.
    func departed() { state.withLock { $0.place = nil } }

    func speaks(through connection: SocketConnection) -> Bool {
        state.withLock { $0.connection === connection }
    }
}
