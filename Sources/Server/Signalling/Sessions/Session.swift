import HTTP
import NIOCore
package import RoomModel
package import RoomPorts
package import RoomService
import Synchronization
import Timing

/// A signed-in user on one client. Outlives its connections: whoever brings the secret takes it over.
package final class Session: Sendable {
    package let token: SessionToken
    package let application: ApplicationID
    package let user: UserID
    /// Takes the session over after a broken connection; 128 random bits, known to the client alone.
    package let secret: String

    /// The room that a session is in, or is entering.
    package struct Place: Sendable {
        package var key: RoomKey
        package var room: Room
        /// The stay that the room has told of; nil while it has not let the session in yet.
        var stay: StayNumber?
        /// What the session may do there.
        package var rights = RoomRights.all
        /// Entries that the room has not answered yet.
        package var entering = 0
    }

    package struct State: Sendable {
        package var profile: UserProfile
        /// Grows with each ticket, so that an earlier one's alarms are void.
        var ticketNumber = 0
        /// `nil`: what the last one gave a right to has been ended.
        var ticketMaker: TicketMaker?
        package var place: Place?
        /// A room is being created, which the session will be in.
        var isCreating = false
        /// Exits that the room has not answered yet.
        var exits = 0
        /// The connection that speaks for the session; `nil` while it is lost.
        package var connection: SocketConnection?
        var lostAt: Instant?
        var stills = StillTurns()
    }

    private let state: Mutex<State>

    init(
        token: SessionToken, secret: String, application: ApplicationID, profile: UserProfile,
        ticketMaker: TicketMaker? = nil, connection: SocketConnection
    ) {
        self.token = token
        self.secret = secret
        self.application = application
        self.user = profile.id
        self.state = Mutex(State(profile: profile, ticketMaker: ticketMaker, connection: connection))
    }

    package func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result { state.withLock(body) }

    package var profile: UserProfile { state.withLock { $0.profile } }
    package var place: Place? { state.withLock { $0.place } }

    // MARK: the room

    /// Takes the session out of its room; returns once nothing of it is heard or sent any more.
    func leaveRoom(why: DetachReason) async {
        guard let place else { return }
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        await place.room.detach(token, why: why) { finish.finish() }
        for await _ in done {}
    }

    /// Whether the session is in that room and has not asked to be let out.
    func isStaying(in room: RoomID) -> Bool {
        state.withLock { state in
            guard let place = state.place, state.exits == 0 else { return false }
            return place.key.room == room && place.stay != nil
        }
    }

    /// The session asks to be let out. The room answers once what came before is stored, and may let it in again meanwhile.
    func beginsExit() { state.withLock { $0.exits += 1 } }

    /// The room has answered an exit, with `departed` before if the session was there.
    func endsExit() { state.withLock { $0.exits -= 1 } }

    /// The session asks to be let into a room.
    /// - Returns: false if it is in another one, or on the way there.
    func begins(entering room: Room) -> Bool {
        state.withLock { state in
            if state.isCreating { return false }
            if let place = state.place, place.room === room {
                state.place?.entering += 1
                return true
            }
            // A room of the same id was created anew: the former one is over, and each stay in it.
            guard state.place.map({ $0.key == room.key }) ?? true else { return false }
            state.place = Place(key: room.key, room: room, entering: 1)
            return true
        }
    }

    /// The room has answered an entry, with `entered` before if it let the session in.
    func ends(entering room: Room) {
        state.withLock { state in
            guard state.place?.room === room else { return }
            state.place?.entering -= 1
            if let place = state.place, place.entering <= 0, place.stay == nil { state.place = nil }
        }
    }

    /// The room says that the session is in it.
    package func entered(_ room: Room, _ stay: StayNumber, with rights: RoomRights = .all) {
        state.withLock { state in
            let entering = state.place?.room === room ? state.place?.entering ?? 0 : 0
            state.place = Place(key: room.key, room: room, stay: stay, rights: rights, entering: entering)
        }
    }

    /// That stay is over: the session is free to enter another room, unless it is on its way into this one again.
    func departed(_ stay: StayNumber, from room: Room) {
        state.withLock { state in
            guard let place = state.place, place.room === room, place.stay == stay else { return }
            state.place?.stay = nil
            if place.entering <= 0 { state.place = nil }
        }
    }

    /// A still of this session is to be read: it is told its number.
    func beginsStill(at now: Instant) throws(RoomError) -> Int {
        let begun = state.withLock { state -> Result<Int, RoomError> in
            do throws(RoomError) { return .success(try state.stills.begin(at: now)) } catch { return .failure(error) }
        }
        return try begun.get()
    }

    func speaks(through connection: SocketConnection) -> Bool {
        state.withLock { $0.connection === connection }
    }
}
