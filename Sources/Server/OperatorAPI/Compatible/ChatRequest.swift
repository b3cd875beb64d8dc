import Foundation
import Hummingbird
import NIOCore
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol

/// A refusal as the published chat REST API gives it (references.md): in the body, under the status 200.
struct ChatFailure: Error, Sendable, Hashable {
    var code: Int
    var info: String

    init(_ code: Int, _ info: String) {
        self.code = code
        self.info = info
    }

    /// What a room refuses, by the documented numbers.
    init(_ refusal: Refusal) {
        let error = refusal.error
        let code =
            switch error.code {
            case .roomNotFound, .roomClosed: 10_010
            case .roomIDInvalid: 10_015
            case .roomIDTaken: 10_021
            case .roomsLimited: 10_036
            case .permissionDenied, .banned, .bannedForGood: 10_007
            case .chatMuted, .hostsOnly, .linksRefused: 10_017
            case .rateLimited, .slowMode: 10_023
            case .attributesFull: 10_048
            case .reviewRefused: 10_016
            case .textFiltered: 80_001
            case .messageTooLarge: 80_002
            case .userAway: error.code.number
            case .unavailable: 60_008
            case .internalError: 10_002
            default: 10_004
            }
        self.init(code, error.message)
    }

    static func invalid(_ field: String) -> ChatFailure { ChatFailure(10_004, "\(field) is missing or wrong") }
}

/// One call of the compatible chat REST API: who calls, and with what.
struct ChatRequest {
    let application: ApplicationID
    /// The admin whose ticket came with it.
    let admin: UserProfile
    private let body: [String: Any]

    init(application: ApplicationID, admin: UserProfile, body: [String: Any]) {
        self.application = application
        self.admin = admin
        self.body = body
    }

    /// An admin may do everything.
    var caller: Operator { Operator(admin.id, scopes: Set(OperatorScope.allCases)) }

    // MARK: Fields

    func text(_ name: String) throws(ChatFailure) -> String {
        guard let text = try optionalText(name) else { throw .invalid(name) }
        return text
    }

    func optionalText(_ name: String) throws(ChatFailure) -> String? {
        guard let value = body[name], !(value is NSNull) else { return nil }
        guard let text = value as? String else { throw .invalid(name) }
        return text
    }

    func optionalNumber(_ name: String, in range: ClosedRange<Int>) throws(ChatFailure) -> Int? {
        guard let value = body[name], !(value is NSNull) else { return nil }
        guard let number = wholeNumber(value), range.contains(number) else { throw .invalid(name) }
        return number
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(ChatFailure) -> Int {
        guard let number = try optionalNumber(name, in: range) else { throw .invalid(name) }
        return number
    }

    func texts(_ name: String, limit: Int) throws(ChatFailure) -> [String] {
        guard let texts = body[name] as? [String], (1...limit).contains(texts.count) else { throw .invalid(name) }
        return texts
    }

    /// Names, each by itself or as `{"key": …}`.
    func names(_ name: String, limit: Int) throws(ChatFailure) -> [String] {
        guard let values = body[name] as? [Any], (1...limit).contains(values.count) else { throw .invalid(name) }
        var names: [String] = []
        for value in values {
            guard let text = value as? String ?? (value as? [String: Any])?["key"] as? String else {
                throw .invalid(name)
            }
            names.append(text)
        }
        return names
    }

    func objects(_ name: String, limit: Int) throws(ChatFailure) -> [[String: Any]] {
        guard let objects = body[name] as? [[String: Any]], (1...limit).contains(objects.count) else {
            throw .invalid(name)
        }
        return objects
    }

    func has(_ name: String) -> Bool {
        guard let value = body[name], !(value is NSNull) else { return false }
        return (value as? [Any])?.isEmpty != true
    }

    /// A group is a room: the number's digits, or the text.
    func group(_ name: String = "GroupId") throws(ChatFailure) -> RoomID {
        guard let room = RoomSlug.id(try text(name)) else { throw ChatFailure(10_015, "\(name) is no group's id") }
        return room
    }

    func user(_ name: String) throws(ChatFailure) -> UserID {
        guard let user = UserID(try text(name)) else { throw .invalid(name) }
        return user
    }

    func users(_ name: String, limit: Int) throws(ChatFailure) -> [UserID] {
        var users: [UserID] = []
        for text in try texts(name, limit: limit) {
            guard let user = UserID(text) else { throw .invalid(name) }
            users.append(user)
        }
        return users
    }
}

/// The id of a group that has none yet.
enum GroupName {
    /// A new one, in the published form.
    static func make() -> RoomID? {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        return RoomID(string: "@TGS#" + String((0..<12).map { _ in letters[Int.random(in: letters.indices)] }))
    }
}

/// The answer: `ActionStatus`, `ErrorInfo`, `ErrorCode`, and what the call has to tell beside them.
struct ChatReply<More: Encodable>: Encodable {
    var status = "OK"
    var info = ""
    var code = 0
    var more: More?

    private enum Keys: String, CodingKey { case ActionStatus, ErrorInfo, ErrorCode }

    func encode(to encoder: any Encoder) throws {
        try more?.encode(to: encoder)
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(status, forKey: .ActionStatus)
        try fields.encode(info, forKey: .ErrorInfo)
        try fields.encode(code, forKey: .ErrorCode)
    }
}
