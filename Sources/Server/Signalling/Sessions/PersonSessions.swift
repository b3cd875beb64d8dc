package import HTTP
package import RoomModel
package import RoomPorts
import RoomService
package import Timing

/// What people opened by requests alone, without a session: media that comes or goes over HTTP (WHIP, WHEP). It ends with what gave them
/// a right to it.
package protocol HTTPMedia: Sendable {
    /// Ends all of a person's. Returns once nothing of it is heard or sent any more.
    func end(_ user: UserID, in application: ApplicationID) async
    /// Ends what tickets of other keys gave a right to. Returns once nothing of it is heard or sent any more.
    func endTickets(of application: ApplicationID, notMadeBy makers: Set<TicketMaker>) async
}

/// All ways by which people are here: signed in over WebSockets, and publishing or playing over HTTP.
package struct PersonSessions: Sendable {
    package let sessions: SessionRegistry
    package let httpMedia: any HTTPMedia

    package init(
        sessions: SessionRegistry, httpMedia: any HTTPMedia
    ) {
        self.sessions = sessions
        self.httpMedia = httpMedia
    }

    /// Signs a person out everywhere: who wants to come back signs in anew, if they may. Returns once nothing of them is heard or sent any
    /// more.
    package func end(_ user: UserID, in application: ApplicationID, why reason: SocketCloseReason) async {
        await sessions.signOut(user, in: application, why: reason)
        await httpMedia.end(user, in: application)
    }

    /// Ends what tickets gave a right to whose secret key the application has no more (A10): whoever has stolen a key loses with it what
    /// they opened by it. Who gets a new ticket comes back to the same seat. Returns once nothing of them is heard or sent any more.
    package func endTickets(of application: Application, now: Instant) async {
        let makers = Set(application.keys.map(TicketMaker.init))
        await sessions.endTickets(of: application.id, notMadeBy: makers, now: now)
        await httpMedia.endTickets(of: application.id, notMadeBy: makers)
    }

    /// The operator's mute of somebody is over, or has begun: they are told in the rooms where they are.
    package func tellMute(of user: UserID, in application: ApplicationID, lifted: Restriction?) async {
        for session in sessions.all(of: user, in: application) {
            await session.place?.room.tellMute(of: user, lifted: lifted)
        }
    }
}
