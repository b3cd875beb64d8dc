package import HTTP
package import RoomModel
package import RoomPorts
package import RoomService
import SignalProtocol
import Timing

/// How often one person may change a room, by all their connections together. Each change is told to everybody there, so that one who takes
/// and leaves a seat as fast as a connection allows costs a large room as much as all its messages. Whoever runs the room may more. Coming
/// in is a change too, by whatever way: so often at most somebody goes again, which nobody is refused.
///
/// A call that comes too often is refused before the room hears of it; a command also before more of it is read than its name.
package struct ChangeLimit: Sendable {
    /// Not the stay or the session: whoever comes again has what they left.
    private struct Person: Hashable, Sendable {
        var application: ApplicationID
        var user: UserID
        var room: RoomID?
    }

    private let rooms: RoomDirectory
    private let clock: any TimeSource
    private let members: (perSecond: Double, buckets: SharedBuckets<Person>)
    private let hosts: (perSecond: Double, buckets: SharedBuckets<Person>)

    package init(_ limits: AdmissionLimits, rooms: RoomDirectory, clock: any TimeSource) {
        self.rooms = rooms
        self.clock = clock
        members = (limits.changes.perSecond, SharedBuckets(limits.changes))
        hosts = (limits.hostsChanges.perSecond, SharedBuckets(limits.hostsChanges))
    }

    /// Takes one by what the first bytes of a call say it is. A call whose id they do not tell is decoded first: a refusal without it
    /// would answer nothing.
    /// - Returns: why there is none.
    func take(_ outline: CallOutline, by session: Session) -> RoomError? {
        guard case .command(let name) = outline.method, outline.id != nil, name.type.allowance == .needed else {
            return nil
        }
        return take(by: session)
    }

    /// Takes one for what the call turned out to be, as far as its first bytes had not told.
    func take(_ call: Call, after outline: CallOutline, by session: Session) -> RoomError? {
        switch call.body {
        case .rooms(.enterRoom(let asked)):
            let refusal = take(from: session.user, of: session.application, in: asked.room)
            // Who is there learns what they missed, and nobody is told. To a client a refusal on its way back is the end of its connection.
            return asked.privateMapKey == nil && session.isStaying(in: asked.room) ? nil : refusal
        case .rooms(.createRoom(let asked)) where asked.creation.room != nil || asked.key != nil:
            // It may lead into a room that is there, by its id or the key of an earlier call, and change its settings.
            return take(from: session.user, of: session.application, in: asked.creation.room)
        case .rooms(.command(_, let command, _)):
            switch command.name.type.allowance {
            case .needed where outline.method != call.method || outline.id == nil: return take(by: session)
            case .neededToBegin where command.payload.usesRights: return take(by: session)
            case .needed, .neededToBegin, .notNeeded, .measuredByRoom: return nil
            }
        default: return nil
        }
    }

    private func take(by session: Session) -> RoomError? {
        take(from: session.user, of: session.application, in: session.place?.key.room)
    }

    /// - Parameter room: `nil`: none yet.
    package func take(from user: UserID, of application: ApplicationID, in room: RoomID?) -> RoomError? {
        let isHost = room.map { rooms.isRun(RoomKey(application: application, room: $0), by: user) } ?? false
        let (perSecond, buckets) = isHost ? hosts : members
        let person = Person(application: application, user: user, room: room)
        guard let wait = buckets.take(person, now: clock.now) else { return nil }
        return RoomError(
            .rateLimited,
            "too many changes: you may make \(Int(perSecond)) a second in a room (limits.changes_per_second)",
            retryAfterMs: wait)
    }
}
