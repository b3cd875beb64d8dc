public import RoomModel

/// Duets over a distance, in chorus rooms.
///
/// The server measures how late the singers hear each other (`RoomState.network`, `Event.networkChanged`). Above
/// `SingersApart.tightLimitMs` they cannot keep time by hearing each other. Then one of them can lead (`RoomState.duet`). The clients
/// handle the rest (`RoomAudio.singing`): the leader hears the song but not the other singers. The others hear the leader, and the
/// song delayed to match the leader's voice. The audience hears everything in step.
extension RoomSession {
    /// The singers' network quality as the server measures it. Empty until the first report.
    public var network: NetworkReport { state.network }

    /// Lets one singer lead and the others follow. For everybody on a seat, the owner and admins.
    /// - Parameter leader: a user on a seat; `nil`: the one on the first taken seat. A user without a seat is refused (`not_seated`).
    public func leadAndFollow(leader: UserID? = nil) async throws(OvationError) {
        try await ask(SetDuetMode(.leadFollow, leader: leader))
    }

    /// Lets everybody sing together again, which is the default. It also ends when the leader leaves the seat.
    public func singTogether() async throws(OvationError) { try await ask(SetDuetMode(.together, leader: nil)) }
}
