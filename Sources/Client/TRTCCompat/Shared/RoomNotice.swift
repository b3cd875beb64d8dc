internal import Ovation

/// What a room component tells its app, in values that may go from thread to thread: each component makes its own types of them, on
/// the callback queue.
enum RoomNotice: Sendable {
    case error(Int32, String)
    case warning(Int32, String)
    case log(String)
    case destroyed(RoomID)
    case info(ListedRoom, memberCount: Int)
    case seats([Seat])
    case seatTaken(Int, RoomPerson)
    case seatLeft(Int, RoomPerson)
    case seatMuted(Int, Bool)
    case seatClosed(Int, Bool)
    case microphone(UserID, muted: Bool)
    case entered(RoomPerson)
    case left(RoomPerson)
    case volumes([VolumeReading], total: Int)
    case text(String, from: RoomPerson)
    case custom(command: String, message: String, from: RoomPerson)
    case invited(Invitation)
    case accepted(id: String, by: UserID)
    case rejected(id: String, by: UserID)
    case cancelled(id: String, inviter: UserID)
    case quality(local: TRTCQuality, remote: [UserID: TRTCQuality])
    case musicStarted(Int32)
    case musicProgress(Int32, milliseconds: Int, of: Int)
    case musicCompleted(Int32)
    case songAnnounced(String, milliseconds: Int)
}

/// Somebody, as the published user types have them.
struct RoomPerson: Sendable, Hashable {
    var profile: UserProfile
    /// Whether nothing is sent.
    var isMuted: Bool
}

/// The volume of a user's voice.
struct VolumeReading: Sendable, Hashable {
    /// The user id; empty for the local user.
    var user: String
    var volume: Int
}

extension Seat {
    /// 0 unused, 1 used, 2 closed.
    var status: Int {
        switch state {
        case .empty: 0
        case .used: 1
        case .closed: 2
        }
    }
}

extension RoomID {
    /// As integers tell it: rooms with a string id have none, 0.
    var number: Int {
        switch self {
        case .number(let number): Int(number)
        case .string: 0
        }
    }

    /// As texts tell it.
    var text: String {
        switch self {
        case .number(let number): String(number)
        case .string(let text): text
        }
    }
}
