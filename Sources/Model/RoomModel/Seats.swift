/// A command about one seat.
package protocol SeatPayload: CommandPayload {
    /// Its number, from 0.
    var seat: Int { get }
}

extension SeatPayload {
    package func check() throws(RoomError) { try RoomError.check(seat, in: 0...Int(UInt16.max), "seat") }
}

/// Sits down on a free seat.
package struct TakeSeat: SeatPayload {
    package static let name = RoomCommand.Name.takeSeat
    package var asCommand: RoomCommand { .takeSeat(self) }

    package var seat: Int

    package init(_ seat: Int) {
        self.seat = seat
    }
}

/// Gives up one's own seat.
package struct LeaveSeat: CommandPayload {
    package static let name = RoomCommand.Name.leaveSeat
    package static let allowance = ChangeAllowance.notNeeded
    package var asCommand: RoomCommand { .leaveSeat }

    package init() {}
}

/// Goes to another seat.
package struct MoveSeat: SeatPayload {
    package static let name = RoomCommand.Name.moveSeat
    package var asCommand: RoomCommand { .moveSeat(self) }

    package var seat: Int

    package init(_ seat: Int) {
        self.seat = seat
    }
}

/// Puts somebody on a seat.
package struct PickSeat: SeatPayload {
    package static let name = RoomCommand.Name.pickSeat
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/seats/{seat}/user") }
    package var asCommand: RoomCommand { .pickSeat(self) }

    package var seat: Int
    package var user: UserID

    package init(_ seat: Int, _ user: UserID) {
        self.seat = seat
        self.user = user
    }
}

/// Takes a seat away from whoever sits there.
package struct KickSeat: SeatPayload {
    package static let name = RoomCommand.Name.kickSeat
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}/seats/{seat}/user") }
    package var asCommand: RoomCommand { .kickSeat(self) }

    package var seat: Int

    package init(_ seat: Int) {
        self.seat = seat
    }
}

/// Mutes a seat, whoever sits there, or does so no more.
package struct MuteSeat: SeatPayload {
    package static let name = RoomCommand.Name.muteSeat
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/seats/{seat}/muted") }
    package var asCommand: RoomCommand { .muteSeat(self) }

    package var seat: Int
    package var muted: Bool

    package init(_ seat: Int, muted: Bool) {
        self.seat = seat
        self.muted = muted
    }
}

/// Closes a seat, or opens it.
package struct CloseSeat: SeatPayload {
    package static let name = RoomCommand.Name.closeSeat
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/seats/{seat}/closed") }
    package var asCommand: RoomCommand { .closeSeat(self) }

    package var seat: Int
    package var closed: Bool

    package init(_ seat: Int, closed: Bool) {
        self.seat = seat
        self.closed = closed
    }
}

/// Switches one's own microphone.
package struct SetMicrophone: CommandPayload {
    package static let name = RoomCommand.Name.setMicrophone
    package static let allowance = ChangeAllowance.neededToBegin
    package var asCommand: RoomCommand { .setMicrophone(self) }

    package var muted: Bool

    package init(muted: Bool) {
        self.muted = muted
    }

    /// Whoever falls silent needs no right to.
    package var usesRights: Bool { !muted }
}

/// Whether a seat can be taken.
@nonexhaustive public enum SeatState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Free.
    case empty
    /// Somebody sits there.
    case used
    /// Nobody may sit there.
    case closed
}

/// Whether somebody who sits in a live room is seen.
@nonexhaustive public enum CameraState: String, Codable, Hashable, Sendable, CaseIterable {
    /// By their own choice not.
    case off
    /// They show their camera.
    case on
    /// The host has switched it off, until the host allows it again. It stays off then until its user switches it on.
    case blocked
}

/// A seat as everybody sees it.
public struct Seat: Codable, Hashable, Sendable {
    /// Its number, from 0.
    public var index: Int
    /// Whether it can be taken.
    public var state: SeatState
    /// Who sits there.
    public var user: UserID?
    /// The host's mute. It stays with the seat: whoever sits down next is muted too.
    public var muted: Bool
    /// The user's own mute; absent while nobody sits there.
    public var micMuted: Bool?
    /// Whether the user's camera is seen; only in live rooms, and absent while nobody sits there.
    public var camera: CameraState?
    /// Absent while nobody sits there.
    public var presence: Presence?
    /// Who muted or closed the seat, while it is muted or closed.
    public var by: UserID?

    /// A free seat, where nothing else is given.
    public init(
        index: Int, state: SeatState = .empty, user: UserID? = nil, muted: Bool = false, micMuted: Bool? = nil,
        camera: CameraState? = nil, presence: Presence? = nil, by: UserID? = nil
    ) {
        self.index = index
        self.state = state
        self.user = user
        self.muted = muted
        self.micMuted = micMuted
        self.camera = camera
        self.presence = presence
        self.by = by
    }
}

/// How a seat starts out.
public struct SeatSetup: Codable, Hashable, Sendable {
    /// Whether it is muted by the host, whoever sits there.
    public var muted: Bool
    /// Whether it is closed.
    public var closed: Bool

    /// An open seat that may be heard, where nothing else is given.
    public init(muted: Bool = false, closed: Bool = false) {
        self.muted = muted
        self.closed = closed
    }

    private enum CodingKeys: String, CodingKey { case muted, closed }

    // By hand, since it stands in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            muted: try fields.decodeIfPresent(Bool.self, forKey: .muted) ?? false,
            closed: try fields.decodeIfPresent(Bool.self, forKey: .closed) ?? false)
    }
}

/// Why somebody has no longer the seat.
@nonexhaustive public enum SeatLeaveReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// By their own will.
    case left
    /// The host took it away.
    case kicked
    /// The seat was closed under them.
    case closed
    /// They left the room.
    case exited
    /// Their connection did not come back within the grace time.
    case lost
    /// They went to another seat.
    case moved
}

// MARK: - Events

/// Somebody has taken a seat.
public struct SeatTaken: EventPayload, Codable, Hashable, Sendable {
    /// The seat, as it is now.
    public var seat: Seat
    /// Who sits there now.
    public var user: UserProfile
    /// That user, or who picked them.
    public var by: UserID?

    /// Somebody on a seat.
    public init(_ seat: Seat, user: UserProfile, by: UserID? = nil) {
        self.seat = seat
        self.user = user
        self.by = by
    }

    package var type: EventType { .seatTaken }
    package var wireSize: Int { 4 * WireSize.object + user.wireSize }
}

/// Somebody has left a seat.
package struct SeatLeft: EventPayload {
    package var seat: Seat
    package var user: UserProfile
    package var reason: SeatLeaveReason
    package var by: UserID?

    package init(_ seat: Seat, user: UserProfile, reason: SeatLeaveReason, by: UserID? = nil) {
        self.seat = seat
        self.user = user
        self.reason = reason
        self.by = by
    }

    package var type: EventType { .seatLeft }
    package var wireSize: Int { 4 * WireSize.object + user.wireSize }
}

/// The host has muted or unmuted a seat.
public struct SeatMuted: EventPayload, Codable, Hashable, Sendable {
    /// The seat: `seat.muted` tells which.
    public var seat: Seat
    /// Who did it.
    public var by: UserID?

    /// A seat that is muted now, or no longer.
    public init(_ seat: Seat, by: UserID? = nil) {
        self.seat = seat
        self.by = by
    }

    package var type: EventType { .seatMuted }
}

/// A seat was closed or opened.
public struct SeatClosed: EventPayload, Codable, Hashable, Sendable {
    /// The seat: `seat.state` tells which.
    public var seat: Seat
    /// Who did it.
    public var by: UserID?

    /// A seat that is closed now, or open.
    public init(_ seat: Seat, by: UserID? = nil) {
        self.seat = seat
        self.by = by
    }

    package var type: EventType { .seatClosed }
}

/// Somebody seated has muted or unmuted their own microphone.
public struct MicrophoneMuted: EventPayload, Codable, Hashable, Sendable {
    /// Who.
    public var user: UserID
    /// Whether it is muted now.
    public var muted: Bool
    /// The index of their seat.
    public var seat: Int

    /// Somebody's own mute.
    public init(user: UserID, muted: Bool, seat: Int) {
        self.user = user
        self.muted = muted
        self.seat = seat
    }

    package var type: EventType { .microphoneMuted }
}
