package import RoomModel
import RoomPorts
import Synchronization

/// People elsewhere, as a test has them.
package final class RecordingReach: PeopleReach {
    package struct Told: Sendable {
        package var user: UserID
        package var news: InvitationNews
        package var room: RoomInfo
    }

    private let state = Mutex<(people: [UserID: Reach], told: [Told])>(([:], []))
    package init() {}

    package var told: [Told] { state.withLock { $0.told } }
    package func set(_ reach: Reach, for user: UserID) { state.withLock { $0.people[user] = reach } }

    package func reach(_ user: UserID, in application: ApplicationID) -> Reach {
        state.withLock { $0.people[user] ?? .away }
    }

    package func tell(_ news: InvitationNews, of room: RoomInfo, to user: UserID, in application: ApplicationID) {
        state.withLock { $0.told.append(Told(user: user, news: news, room: room)) }
    }
}
