package import RoomModel

/// A seat in the room's state: the case holds what is valid in it, so that a closed seat cannot have a user.
package struct SeatPlace: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        /// → `used` by sitting down, → `closed`.
        case empty
        /// → `empty` by leaving, → `closed` after its user has left.
        case used(Occupant)
        /// → `empty` by opening.
        case closed(by: UserID?)
    }

    package struct Occupant: Hashable, Sendable {
        package var profile: UserProfile
        /// The user's own mute. A user who sits down speaks: taking a seat starts the microphone.
        package var micMuted: Bool
        /// Means something in live rooms only. Whoever sits down is not seen before they say so.
        package var camera = CameraState.off
        /// When the user last moved here from another seat, in milliseconds since 1970.
        package var movedAt: Int64?
    }

    package var condition: Condition
    /// The host's mute.
    package var muted: Bool
    package var mutedBy: UserID?

    package init(_ setup: SeatSetup, by owner: UserID) {
        condition = setup.closed ? .closed(by: owner) : .empty
        muted = setup.muted
        mutedBy = setup.muted ? owner : nil
    }

    package var occupant: Occupant? {
        if case .used(let occupant) = condition { occupant } else { nil }
    }

    package var isClosed: Bool {
        if case .closed = condition { true } else { false }
    }

    /// Whether the sound of whoever sits here is cut: by the host's mute or by the user's own. Undoing one never undoes
    /// the other.
    package var isSilent: Bool { muted || occupant?.micMuted == true }

    /// Whether whoever sits here is seen.
    package var isSeen: Bool { occupant?.camera == .on }

    package func view(_ index: Int, presence: Presence, hasPictures: Bool) -> Seat {
        var seat = Seat(index: index, muted: muted, by: muted ? mutedBy : nil)
        switch condition {
        case .empty: seat.state = .empty
        case .used(let occupant):
            seat.state = .used
            seat.user = occupant.profile.id
            seat.micMuted = occupant.micMuted
            seat.camera = hasPictures ? occupant.camera : nil
            seat.presence = presence
        case .closed(let closer):
            seat.state = .closed
            seat.by = closer ?? seat.by
        }
        return seat
    }
}
