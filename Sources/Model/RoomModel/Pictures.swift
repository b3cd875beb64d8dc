/// How much of a picture one wants, or gets.
package enum PictureSize: String, Codable, Hashable, Sendable {
    /// Nothing is sent.
    case off
    case low
    case middle
    case high
}

/// Which picture: a seat's, the room's screen, or another room's host.
package enum PictureName: Hashable, Sendable {
    case seat(Int)
    case screen
    /// On that place beside the seats.
    case guest(Int)
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
    package var picture: PictureName
    package var size: PictureSize
    /// nil: as much as they want, and as there is.
    package var lack: PictureLack?

    package init(_ picture: PictureName, _ size: PictureSize, lack: PictureLack? = nil) {
        self.picture = picture
        self.size = size
        self.lack = lack
    }
}

extension PictureNews: Codable {
    private enum Keys: String, CodingKey { case seat, screen, guest, size, lack }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        let isScreen = try fields.decodeIfPresent(Bool.self, forKey: .screen) ?? false
        let guest = try fields.decodeIfPresent(Int.self, forKey: .guest)
        self.init(
            isScreen ? .screen : try guest.map { .guest($0) } ?? .seat(try fields.decode(Int.self, forKey: .seat)),
            try fields.decode(PictureSize.self, forKey: .size),
            // A later server may name one that is not known here.
            lack: try fields.decodeIfPresent(String.self, forKey: .lack).flatMap(PictureLack.init))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        switch picture {
        case .seat(let seat): try fields.encode(seat, forKey: .seat)
        case .screen: try fields.encode(true, forKey: .screen)
        case .guest(let place): try fields.encode(place, forKey: .guest)
        }
        try fields.encode(size, forKey: .size)
        try fields.encodeIfPresent(lack, forKey: .lack)
    }
}
