package import RoomModel

/// Finds people wherever they are signed in, in a room or in none.
package protocol PeopleReach: Sendable {
    /// Whether somebody can be asked something from another room now.
    func reach(_ user: UserID, in application: ApplicationID) -> Reach
    /// Tells all their sessions of an invitation. Never waits.
    func tell(_ news: InvitationNews, of room: RoomInfo, to user: UserID, in application: ApplicationID)
}

/// Where nobody is reached who is not in the room.
package struct NobodyElsewhere: PeopleReach {
    package init() {}
    package func reach(_ user: UserID, in application: ApplicationID) -> Reach { .away }
    package func tell(_ news: InvitationNews, of room: RoomInfo, to user: UserID, in application: ApplicationID) {}
}
