import RoomModel
import RoomPorts
import RoomRules
import Timing

extension RoomTurn {
    /// For how long somebody lost is waited for.
    var graceTime: Interval { .seconds(Int64(policy().seatGraceSeconds)) }

    /// What everybody should see: a connection, and for the seated a way for their sound, unless it never came.
    func presence(of user: UserID) -> Presence {
        guard attendance.isConnected(user) else { return .reconnecting }
        guard state.seat(of: user) != nil, let microphone = attendance.microphone(of: user) else { return .online }
        return attendance.sessions[microphone.session]?.media == .lost ? .reconnecting : .online
    }

    /// When somebody without a connection will be gone, in milliseconds since 1970: with the last of their sessions.
    func lossTime(of user: UserID) -> Int64 {
        let last = attendance.sessions(of: user).compactMap { deadlines.time(of: .grace($0)) }.max()
        let end = last ?? deadlines.time(of: .absence(user)) ?? now + graceTime
        return wallNow + (end - now).nanoseconds / 1_000_000
    }

    /// What is told now of who came or went; `nil`: in big rooms only how many are here, at most once a second.
    mutating func told(ofPeople news: PassingNews) -> PassingNews? {
        switch news {
        case .audienceEntered, .audienceLeft:
            guard attendance.count > RoomPeople.bigRoom else { return news }
            if !deadlines.isSet(.count) { deadlines.set(.count, at: now + .seconds(1)) }
            return nil
        default: return news
        }
    }
}

extension Attendance.Session {
    /// Tells whoever was let in that this stay is over.
    func tellDeparture(_ departure: Departure) {
        if admission.isGranted { attendee.departed(stay, departure) }
    }
}
