/// Switches one's own camera.
package struct SetCamera: CommandPayload {
    package static let name = RoomCommand.Name.setCamera
    package static let allowance = ChangeAllowance.neededToBegin
    package var asCommand: RoomCommand { .setCamera(self) }

    package var on: Bool

    package init(on: Bool) {
        self.on = on
    }

    /// Whoever is seen no more needs no right to.
    package var usesRights: Bool { on }
}

/// Switches off the camera of whoever sits there, or allows it again.
package struct AllowCamera: SeatPayload {
    package static let name = RoomCommand.Name.allowCamera
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/seats/{seat}/camera") }
    package var asCommand: RoomCommand { .allowCamera(self) }

    package var seat: Int
    package var allowed: Bool

    package init(_ seat: Int, allowed: Bool) {
        self.seat = seat
        self.allowed = allowed
    }
}

/// Shares one's screen.
package struct StartScreen: CommandPayload {
    package static let name = RoomCommand.Name.startScreen
    package var asCommand: RoomCommand { .startScreen }

    package init() {}
}

/// Ends the sharing of a screen.
package struct StopScreen: CommandPayload {
    package static let name = RoomCommand.Name.stopScreen
    package static let allowance = ChangeAllowance.notNeeded
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}/screen") }
    package var asCommand: RoomCommand { .stopScreen }

    package init() {}
}

/// How much of a picture one wants, or gets.
package enum PictureSize: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing is sent.
    case off
    case low
    case middle
    case high
}

/// Which picture: a seat's, the room's screen, or another room's host.
package enum PictureView: Hashable, Sendable {
    case seat(Int)
    case screen
    /// On that place beside the seats.
    case guest(Int)
}

// As a part of what else is said of it: `"seat":0`, `"screen":true` or `"guest":0`.
extension PictureView: Codable {
    private enum CodingKeys: String, CodingKey { case seat, screen, guest }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if try fields.decodeIfPresent(Bool.self, forKey: .screen) == true {
            self = .screen
        } else if let place = try fields.decodeIfPresent(Int.self, forKey: .guest) {
            self = .guest(place)
        } else {
            self = .seat(try fields.decode(Int.self, forKey: .seat))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .seat(let seat): try fields.encode(seat, forKey: .seat)
        case .screen: try fields.encode(true, forKey: .screen)
        case .guest(let place): try fields.encode(place, forKey: .guest)
        }
    }
}

/// Why somebody gets less of a picture than they want.
package enum PictureLack: String, Codable, Hashable, Sendable, CaseIterable {
    /// Their own line carries no more.
    case line
    /// Nothing comes from who shows it, and something did.
    case sender
}

/// What somebody gets of one picture of a room.
package struct PictureNews: Hashable, Sendable {
    package var picture: PictureView
    package var size: PictureSize
    /// nil: as much as they want, and as there is.
    package var lack: PictureLack?

    package init(_ picture: PictureView, _ size: PictureSize, lack: PictureLack? = nil) {
        self.picture = picture
        self.size = size
        self.lack = lack
    }
}

extension PictureNews: Codable {
    private enum Keys: String, CodingKey { case size, lack }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        self.init(
            try PictureView(from: decoder), try fields.decode(PictureSize.self, forKey: .size),
            // A later server may name one that is not known here.
            lack: (try? fields.decodeIfPresent(PictureLack.self, forKey: .lack)) ?? nil)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try picture.encode(to: encoder)
        try fields.encode(size, forKey: .size)
        try fields.encodeIfPresent(lack, forKey: .lack)
    }
}

// MARK: - Events

/// In a live room, somebody seated is seen from now on, or no longer.
public struct CameraChanged: EventPayload, Codable, Hashable, Sendable {
    /// Who.
    public var user: UserID
    /// Whether they are seen.
    public var camera: CameraState
    /// The index of their seat.
    public var seat: Int
    /// Who did it: the user, or the host.
    public var by: UserID?

    /// Somebody's camera.
    public init(user: UserID, camera: CameraState, seat: Int, by: UserID? = nil) {
        self.user = user
        self.camera = camera
        self.seat = seat
        self.by = by
    }

    package var type: EventType { .cameraChanged }
}

/// In a live room, somebody shares a screen from now on, or nobody does any more.
public struct ScreenChanged: StoredPayload, Codable, Hashable, Sendable {
    /// Whose screen is seen; `nil`: nobody's.
    public var user: UserID?
    /// Who did it.
    public var by: UserID?

    /// Somebody's screen, or nobody's.
    public init(user: UserID?, by: UserID? = nil) {
        self.user = user
        self.by = by
    }

    package var type: EventType { .screenChanged }
}

/// What one gets of the pictures of a live room: of all that there is something to say about.
package struct PicturesChanged: EventPayload {
    package var pictures: [PictureNews]

    package init(_ pictures: [PictureNews]) { self.pictures = pictures }

    package var type: EventType { .mediaPictures }
    package var wireSize: Int { WireSize.object * (1 + pictures.count) }
}

/// How large somebody wants one's camera, and whether anybody wants it in VP8 since they cannot show the room's format.
package struct CameraWanted: EventPayload {
    package var camera: PictureSize
    package var spare: Bool

    package init(_ camera: PictureSize, spare: Bool = false) {
        self.camera = camera
        self.spare = spare
    }

    private enum CodingKeys: String, CodingKey { case camera, spare }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(PictureSize.self, forKey: .camera),
            spare: try fields.decodeIfPresent(Bool.self, forKey: .spare) ?? false)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(camera, forKey: .camera)
        if spare { try fields.encode(true, forKey: .spare) }
    }

    package var type: EventType { .mediaWanted }
}
