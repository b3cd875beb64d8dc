package import RoomModel
package import RoomPorts
import SignalProtocol
import Synchronization
import Timing

/// Reaches people through their sessions. Nobody is asked more often than a person answers, whoever asks.
package final class SessionReach: PeopleReach {
    /// Invitations that one person gets from rooms in which they are not: five, then one in twelve seconds.
    static let allowance = Allowance(burst: 5, perSecond: 1.0 / 12)

    private let sessions: SessionRegistry
    private let clock: any TimeSource
    private let rates = Mutex(TokenBuckets<PersonKey>(SessionReach.allowance))

    package init(sessions: SessionRegistry, clock: any TimeSource) {
        self.sessions = sessions
        self.clock = clock
    }

    package func reach(_ user: UserID, in application: ApplicationID) -> Reach {
        guard !sessions.connections(of: user, in: application).isEmpty else { return .away }
        let wait = rates.withLock { $0.wait(PersonKey(application: application, user: user), now: clock.now) }
        return wait == 0 ? .there : .busy(retryAfterMs: wait)
    }

    package func tell(_ news: InvitationNews, of room: RoomInfo, to user: UserID, in application: ApplicationID) {
        if news.invitation.state == .waiting {
            _ = rates.withLock { $0.take(PersonKey(application: application, user: user), now: clock.now) }
        }
        let text = InvitationNotice.text(news, of: room)
        for connection in sessions.connections(of: user, in: application) { connection.send(text) }
    }
}
