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

// How seats stand in a snapshot.

extension SeatPlace: Codable {
    private enum CodingKeys: String, CodingKey { case condition, muted, mutedBy }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        condition = try fields.decode(Condition.self, forKey: .condition)
        muted = try fields.decodeIfPresent(Bool.self, forKey: .muted) ?? false
        mutedBy = try fields.decodeIfPresent(UserID.self, forKey: .mutedBy)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(condition, forKey: .condition)
        try fields.encode(muted, forKey: .muted)
        try fields.encodeIfPresent(mutedBy, forKey: .mutedBy)
    }
}

// `{"empty":{}}`, `{"used":{"_0":{…}}}` or `{"closed":{"by":…}}`: the first release's words.
extension SeatPlace.Condition: Codable {
    private enum CodingKeys: String, CodingKey { case empty, used, closed }
    private enum UsedKeys: String, CodingKey { case occupant = "_0" }
    private enum ClosedKeys: String, CodingKey { case by }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if fields.contains(.used) {
            let used = try fields.nestedContainer(keyedBy: UsedKeys.self, forKey: .used)
            self = .used(try used.decode(SeatPlace.Occupant.self, forKey: .occupant))
        } else if fields.contains(.closed) {
            let closed = try fields.nestedContainer(keyedBy: ClosedKeys.self, forKey: .closed)
            self = .closed(by: try closed.decodeIfPresent(UserID.self, forKey: .by))
        } else if fields.contains(.empty) {
            self = .empty
        } else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a seat of a newer server"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .empty: _ = fields.nestedContainer(keyedBy: ClosedKeys.self, forKey: .empty)
        case .used(let occupant):
            var used = fields.nestedContainer(keyedBy: UsedKeys.self, forKey: .used)
            try used.encode(occupant, forKey: .occupant)
        case .closed(let by):
            var closed = fields.nestedContainer(keyedBy: ClosedKeys.self, forKey: .closed)
            try closed.encodeIfPresent(by, forKey: .by)
        }
    }
}

extension SeatPlace.Occupant: Codable {
    private enum CodingKeys: String, CodingKey { case profile, micMuted, camera, movedAt }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        profile = try fields.decode(UserProfile.self, forKey: .profile)
        micMuted = try fields.decodeIfPresent(Bool.self, forKey: .micMuted) ?? false
        camera = try fields.decodeIfPresent(CameraState.self, forKey: .camera) ?? .off
        movedAt = try fields.decodeIfPresent(Int64.self, forKey: .movedAt)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(profile, forKey: .profile)
        try fields.encode(micMuted, forKey: .micMuted)
        try fields.encode(camera, forKey: .camera)
        try fields.encodeIfPresent(movedAt, forKey: .movedAt)
    }
}
