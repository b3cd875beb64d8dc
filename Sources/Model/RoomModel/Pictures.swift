/// Switches one's own camera.
package struct SetCamera: CommandPayload {
    package static let name = RoomCommand.Name.setCamera
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
    package var asCommand: RoomCommand { .stopScreen }

    package init() {}
}

/// How much of a picture one wants, or gets.
package enum PictureSize: String, Codable, Hashable, Sendable {
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
package enum PictureLack: String, Codable, Hashable, Sendable {
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
            lack: try fields.decodeIfPresent(String.self, forKey: .lack).flatMap(PictureLack.init))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try picture.encode(to: encoder)
        try fields.encode(size, forKey: .size)
        try fields.encodeIfPresent(lack, forKey: .lack)
    }
}
