package import RoomModel

// What the journal has of seats and of whoever sits on them. People are told more of it: the seat as it is afterwards.

extension Journal {
    package struct SeatTaken: Hashable, Sendable, JournalPayload {
        package var seat: Int
        package var user: UserProfile
        package var micMuted: Bool
        package var camera: CameraState
        /// From another seat, in the same command; the user's own mute and the camera come along.
        package var moved: Bool

        package init(_ seat: Int, user: UserProfile, micMuted: Bool, camera: CameraState = .off, moved: Bool) {
            self.seat = seat
            self.user = user
            self.micMuted = micMuted
            self.camera = camera
            self.moved = moved
        }

        private enum CodingKeys: String, CodingKey {
            case seat, camera, moved
            case user = "from"
            case micMuted = "muted"
        }

        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try fields.decode(Int.self, forKey: .seat), user: try fields.decode(UserProfile.self, forKey: .user),
                micMuted: try fields.decodeIfPresent(Bool.self, forKey: .micMuted) ?? false,
                camera: try fields.decodeIfPresent(CameraState.self, forKey: .camera) ?? .off,
                moved: try fields.decodeIfPresent(Bool.self, forKey: .moved) ?? false)
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(seat, forKey: .seat)
            try fields.encode(user, forKey: .from)
            if micMuted { try fields.encode(true, forKey: .muted) }
            if camera != .off { try fields.encode(camera, forKey: .camera) }
            if moved { try fields.encode(true, forKey: .moved) }
        }
    }

    package struct SeatLeft: Hashable, Sendable, JournalPayload {
        package var seat: Int
        package var user: UserProfile
        package var reason: SeatLeaveReason

        package init(_ seat: Int, user: UserProfile, reason: SeatLeaveReason) {
            self.seat = seat
            self.user = user
            self.reason = reason
        }

        private enum CodingKeys: String, CodingKey {
            case seat, reason
            case user = "from"
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(seat, forKey: .seat)
            try fields.encode(user, forKey: .from)
            try fields.encode(reason, forKey: .reason)
        }
    }

    /// The host's mute.
    package struct SeatMuted: Hashable, Sendable, JournalPayload {
        package var seat: Int
        package var muted: Bool

        package init(_ seat: Int, muted: Bool) {
            self.seat = seat
            self.muted = muted
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(seat, forKey: .seat)
            try fields.encode(muted, forKey: .muted)
        }
    }

    package struct SeatClosed: Hashable, Sendable, JournalPayload {
        package var seat: Int
        package var closed: Bool

        package init(_ seat: Int, closed: Bool) {
            self.seat = seat
            self.closed = closed
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(seat, forKey: .seat)
            try fields.encode(closed, forKey: .closed)
        }
    }

    /// The user's own mute.
    package struct MicrophoneMuted: Hashable, Sendable, JournalPayload {
        package var user: UserID
        package var muted: Bool

        package init(_ user: UserID, muted: Bool) {
            self.user = user
            self.muted = muted
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(user, forKey: .user)
            try fields.encode(muted, forKey: .muted)
        }
    }

    /// By its user, or by the host.
    package struct CameraChanged: Hashable, Sendable, JournalPayload {
        package var user: UserID
        package var camera: CameraState

        package init(_ user: UserID, _ camera: CameraState) {
            self.user = user
            self.camera = camera
        }

        func write(to fields: inout KeyedEncodingContainer<RoomEvent.CodingKeys>) throws {
            try fields.encode(user, forKey: .user)
            try fields.encode(camera, forKey: .camera)
        }
    }
}
