internal import Foundation
internal import Ovation

/// A custom message of the chat client as a room carries it: the command word says what it is, how much it matters, and whether its
/// bytes are no text.
///
/// `TIMCustomElem` `TIMCustomElem;High` `TIMCustomElem;Low` `TIMCustomElem;High;base64`
enum GroupMessage {
    /// What a back end tells all in a group by `send_group_system_notification`.
    static let notice = "TIMGroupSystemNotice"
    private static let word = "TIMCustomElem"
    private static let binary = "base64"

    /// Whether a room's custom message is one.
    static func isOne(_ command: String) -> Bool { command == word || command.hasPrefix(word + ";") }

    static func body(_ data: Data, _ priority: V2TIMMessagePriority) -> MessageBody {
        var parts = [word]
        switch priority {
        case .PRIORITY_HIGH: parts.append("High")
        case .PRIORITY_LOW: parts.append("Low")
        case .PRIORITY_DEFAULT, .PRIORITY_NORMAL: break
        }
        // What is no UTF-8 would be replaced.
        let text = String(decoding: data, as: UTF8.self)
        if text.utf8.elementsEqual(data) {
            return .custom(command: parts.joined(separator: ";"), message: text)
        }
        parts.append(binary)
        return .custom(command: parts.joined(separator: ";"), message: data.base64EncodedString())
    }

    /// What listeners get: the bytes that were sent; of a room component's own commands what the published ones send.
    static func data(command: String, message: String) -> Data? {
        guard isOne(command) else {
            return try? JSONSerialization.data(
                withJSONObject: ["version": "1.0", "action": 301, "command": command, "message": message],
                options: .sortedKeys)
        }
        let isBinary = command.split(separator: ";").dropFirst().contains { $0 == binary }
        return isBinary ? Data(base64Encoded: message) : Data(message.utf8)
    }
}

extension V2TIMMessagePriority {
    var ofMessage: MessagePriority {
        switch self {
        case .PRIORITY_HIGH: .high
        case .PRIORITY_LOW: .low
        case .PRIORITY_DEFAULT, .PRIORITY_NORMAL: .normal
        }
    }
}

/// A group of the chat client is a room: the number's digits for a room with a number, as in the published components; else the
/// text, such as the `@TGS#…` that servers make. A text of digits alone has a tilde in front, as in a room's link.
enum GroupID {
    static func room(_ group: String) -> RoomID? {
        if !group.isEmpty, group.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return UInt32(group).flatMap { RoomID(number: $0) }
        }
        return RoomID(string: isMarked(group) && group.hasPrefix("~") ? String(group.dropFirst()) : group)
    }

    static func text(_ room: RoomID) -> String {
        switch room {
        case .number(let number): String(number)
        case .string(let text): isMarked(text) ? "~" + text : text
        }
    }

    /// Digits, with tildes in front or none: what needs one more, so that it is not taken for a number.
    private static func isMarked(_ text: String) -> Bool {
        let digits = text.drop { $0 == "~" }
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
