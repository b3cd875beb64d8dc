package import RoomModel

/// Everything about a room that outlives the process: exactly what applying its journal gives. Who is connected is not
/// in it.
package struct DurableRoomState: Equatable, Sendable {
    package var progress: RoomProgress
    package var beginning = RoomBeginning()
    package var details = RoomDetails()
    package var hosts = RoomHosts()
    package var seats = Seats()
    package var invitations = Invitations()
    package var restrictions = Restrictions()
    package var chorus = Chorus()
    package var stage = LiveStage()
    package var links = HostLinks()
    package var figures = RoomFigures()
    package var answers = AnswerLedger()

    package init(room: RoomID) { progress = RoomProgress(room: room) }

    package var room: RoomID { progress.room }

    package var owner: UserProfile { hosts.owner }

    package func role(of user: UserID) -> Role { hosts.role(of: user) }

    /// Whether that user is the owner or an admin.
    package func runs(_ user: UserID) -> Bool { role(of: user) != .member }

    package func seat(of user: UserID) -> Int? { seats.seat(of: user) }

    /// Who would own the room if the owner did not come back: the first appointed admin who is connected.
    package func heir(among people: [UserID: DecisionContext.Person]) -> UserProfile? { hosts.heir(among: people) }
}
