public import RoomModel

/// Singing by two who are far apart, in rooms of the kind `chorus`.
///
/// The room tells how late the singers hear each other (`RoomState.network`, `Event.networkChanged`). Beyond
/// `SingersApart.tightLimitMs` nobody keeps time by hearing the other; then one of them can lead. `RoomState.duet` says who does,
/// and each client does its part by itself (`RoomAudio.singing`): the leader hears the song and none of the other singers, these
/// hear the leader, and the song as much later as the leader's voice comes. The audience hears all of them in step.
extension RoomSession {
    /// How the singers' ways do, as the server measures them; without singers before it was told.
    public var network: NetworkReport { state.network }

    /// One leads and the others follow. By whoever sits, the owner and admins.
    /// - Parameter leader: who sits and is to lead; `nil`: whoever sits foremost. Without a seat: `not_seated`.
    public func leadAndFollow(leader: UserID? = nil) async throws(OvationError) {
        try await ask(.setDuetMode(.leadFollow, leader: leader))
    }

    /// All sing at once again, as at first. That is also so when the leader has left the seat.
    public func singTogether() async throws(OvationError) { try await ask(.setDuetMode(.together, leader: nil)) }
}
