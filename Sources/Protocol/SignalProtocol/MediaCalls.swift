package import RoomModel

// What is negotiated and said of a caller's sound and pictures.

/// Offers how media is to flow.
package struct OfferMedia: NamedCall {
    package static let name = CallName.mediaOffer
    package var asCall: Call.Body { .offerMedia(self) }

    package var room: RoomID
    package var number: UInt32
    package var sdp: String
    /// What each line is for, by mid, where the client says it.
    package var lines: [String: MediaLineName]

    package init(_ room: RoomID, number: UInt32, sdp: String, lines: [String: MediaLineName] = [:]) {
        self.room = room
        self.number = number
        self.sdp = sdp
        self.lines = lines
    }

    package func check() throws(RoomError) {
        guard lines.count <= MediaLineName.mostLines else {
            throw .invalid("lines", "an offer has at most \(MediaLineName.mostLines) lines")
        }
        try lines.keys.map { SaidText(.mediaLine, $0, "lines") }.checkSizes()
    }

    private enum CodingKeys: String, CodingKey { case room, number, sdp, lines }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(RoomID.self, forKey: .room), number: try fields.decode(UInt32.self, forKey: .number),
            sdp: try fields.decode(String.self, forKey: .sdp),
            lines: try fields.decodeIfPresent([String: MediaLineName].self, forKey: .lines) ?? [:])
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try fields.encode(number, forKey: .number)
        try fields.encode(sdp, forKey: .sdp)
        if !lines.isEmpty { try fields.encode(lines, forKey: .lines) }
    }
}

/// Says how much of a picture is to be sent here.
package struct ViewPicture: NamedCall {
    package static let name = CallName.mediaView
    package var asCall: Call.Body { .viewPicture(self) }

    package var room: RoomID
    package var picture: PictureView
    package var size: PictureSize

    package init(_ room: RoomID, _ picture: PictureView, _ size: PictureSize) {
        self.room = room
        self.picture = picture
        self.size = size
    }

    package func check() throws(RoomError) {
        switch picture {
        case .seat(let seat): try RoomError.check(seat, in: 0...Int(UInt16.max), "seat")
        case .guest(let place): try RoomError.check(place, in: 0...Int(UInt16.max), "guest")
        case .screen: break
        }
    }

    private enum CodingKeys: String, CodingKey { case room, size }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(RoomID.self, forKey: .room), try PictureView(from: decoder),
            try fields.decode(PictureSize.self, forKey: .size))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try picture.encode(to: encoder)
        try fields.encode(size, forKey: .size)
    }
}

/// Ends sound and pictures.
package struct CloseMedia: NamedCall {
    package static let name = CallName.mediaClose
    package var asCall: Call.Body { .closeMedia(self) }

    package var room: RoomID

    package init(_ room: RoomID) {
        self.room = room
    }
}

/// For some seconds a picture may be sent that nobody sees.
package struct TestLine: NamedCall {
    package static let name = CallName.lineTest
    package var asCall: Call.Body { .testLine(self) }

    package var sdp: String

    package init(sdp: String) {
        self.sdp = sdp
    }
}

/// Ends the test.
package struct EndLineTest: NamedCall {
    package static let name = CallName.lineEnd
    package var asCall: Call.Body { .endLineTest }

    package init() {}
}

/// Says how long sound is on its way at a singer's.
package struct StateLatency: NamedCall {
    package static let name = CallName.songLatency
    package var asCall: Call.Body { .stateLatency(self) }

    package var room: RoomID
    package var statement: LatencyStatement

    package init(_ room: RoomID, _ statement: LatencyStatement) {
        self.room = room
        self.statement = statement
    }

    package func check() throws(RoomError) { try statement.check() }

    private enum CodingKeys: String, CodingKey { case room }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try fields.decode(RoomID.self, forKey: .room), try LatencyStatement(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try statement.encode(to: encoder)
    }
}

/// What a client says of its equipment and its way, in milliseconds.
package struct LatencyStatement: CallPayload {
    /// From playing until it is heard.
    package var outputMs: Int
    /// From singing until it is captured.
    package var inputMs: Int
    /// To the server and back, on the way of the sound; absent: as stated before.
    package var roundTripMs: Int?
    /// How long the other singers' sound waits before it is played; absent: as stated before.
    package var bufferMs: Int?

    package init(outputMs: Int, inputMs: Int, roundTripMs: Int? = nil, bufferMs: Int? = nil) {
        self.outputMs = outputMs
        self.inputMs = inputMs
        self.roundTripMs = roundTripMs
        self.bufferMs = bufferMs
    }

    package func check() throws(RoomError) {
        // What equipment takes at most, in milliseconds: wireless headphones take 300.
        let equipment = 0...500
        try RoomError.check(outputMs, in: equipment, "outputMs")
        try RoomError.check(inputMs, in: equipment, "inputMs")
        // A way that takes longer carries no duet, nor a conversation.
        if let roundTripMs { try RoomError.check(roundTripMs, in: 0...2_000, "roundTripMs") }
        // More no jitter buffer of a conversation holds.
        if let bufferMs { try RoomError.check(bufferMs, in: 0...1_000, "bufferMs") }
    }
}
