/// What a line of a media offer is for, as `media.offer` names it: "microphone", "camera", "spare", "screen", "sound:3", "picture:3".
package enum MediaLineName: Codable, Hashable, Sendable {
    case microphone
    case camera
    /// The camera's pictures in VP8, where the room's come in another format.
    case spare
    case screen
    /// To hear a seat.
    case sound(Int)
    /// To see a seat; the number after the last seat's is the room's screen.
    case picture(Int)

    /// An offer has no more lines.
    package static let mostLines = 64

    package init?(_ name: String) {
        switch name {
        case "microphone": self = .microphone
        case "camera": self = .camera
        case "spare": self = .spare
        case "screen": self = .screen
        default:
            let parts = name.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let index = Int(parts[1]), (0...Int(UInt8.max)).contains(index) else { return nil }
            switch parts[0] {
            case "sound": self = .sound(index)
            case "picture": self = .picture(index)
            default: return nil
            }
        }
    }

    package var name: String {
        switch self {
        case .microphone: "microphone"
        case .camera: "camera"
        case .spare: "spare"
        case .screen: "screen"
        case .sound(let index): "sound:\(index)"
        case .picture(let index): "picture:\(index)"
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let line = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no line is named so")
        }
        self = line
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
