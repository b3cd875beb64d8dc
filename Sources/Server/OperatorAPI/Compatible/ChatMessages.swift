import Digests
import Foundation
import RoomModel
import SignalProtocol

/// How messages of the chat API stand in a room.
enum ChatMessages {
    /// Of one call: more is a program that means something else.
    static let elements = 10

    /// A room carries a custom element as a custom message, whose command word says how much it matters: the client's façade reads it back.
    static func bodies(
        _ elements: [[String: Any]], _ priority: MessagePriority
    ) throws(ChatFailure) -> [MessageBody] {
        var bodies: [MessageBody] = []
        for element in elements {
            guard let type = element["MsgType"] as? String, let content = element["MsgContent"] as? [String: Any] else {
                throw .invalid("MsgBody")
            }
            switch type {
            case "TIMTextElem":
                guard let text = content["Text"] as? String else { throw .invalid("MsgContent.Text") }
                bodies.append(.text(text))
            case "TIMCustomElem":
                guard let data = content["Data"] as? String else { throw .invalid("MsgContent.Data") }
                bodies.append(.custom(command: word(type, priority), message: data))
            case "TIMFaceElem":
                guard let index = wholeNumber(content["Index"]) else { throw .invalid("MsgContent.Index") }
                let face: [String: Any] = ["Index": index, "Data": content["Data"] as? String ?? ""]
                guard let text = try? JSONSerialization.data(withJSONObject: face, options: .sortedKeys) else {
                    throw .invalid("MsgContent.Data")
                }
                bodies.append(.custom(command: word(type, priority), message: String(decoding: text, as: UTF8.self)))
            default: throw ChatFailure(10_004, "messages of the type \(type.prefix(40)) are not taken")
            }
        }
        return bodies
    }

    private static func word(_ type: String, _ priority: MessagePriority) -> String {
        switch priority {
        case .high: type + ";High"
        case .normal: type
        case .low: type + ";Low"
        }
    }

    /// Capitals and small letters matter, as documented.
    static func priority(_ name: String?) throws(ChatFailure) -> MessagePriority {
        switch name {
        case nil, "Normal": .normal
        case "High": .high
        case "Low": .low
        default: throw .invalid("MsgPriority")
        }
    }

    /// By which a repeat is known: the documented `Random` and what is said.
    static func key(random: Int?, _ body: MessageBody, index: Int) -> IdempotencyKey? {
        guard let random else { return nil }
        let text =
            switch body {
            case .text(let text): text
            case .custom(let command, let message): command + "\u{0}" + message
            }
        // A repeat has the same text; who wants two messages says another number.
        let digest = Data(SHA256.hash(Array(text.utf8)).prefix(8)).base64EncodedString()
        return IdempotencyKey("im \(random) \(index) \(digest)")
    }
}
