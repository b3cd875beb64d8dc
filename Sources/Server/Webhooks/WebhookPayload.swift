import Foundation
import RoomModel
import RoomPorts
import SignalProtocol

/// The body of a request: `{"type","timestamp","data":{"app","room",…}}`, as the Standard Webhooks specification proposes; the rest of
/// `data` is the event as it stands in the wire protocol.
struct StandardPayload: Encodable {
    enum Content {
        case created(RoomInfo)
        case event(RoomNewsEvent)
    }

    private struct Data: Encodable {
        enum Keys: String, CodingKey { case app, room, type, info }
        var key: RoomKey
        var content: Content

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Keys.self)
            try fields.encode(key.application.rawValue, forKey: .app)
            try fields.encode(key.room, forKey: .room)
            switch content {
            case .created(let info):
                try fields.encode(WebhookEventTypes.roomCreated, forKey: .type)
                try fields.encode(info, forKey: .info)
            case .event(let event): try WireEvent(event).encode(to: encoder)
            }
        }
    }

    /// A time in milliseconds since 1970 as the specification writes it (ISO 8601).
    static func timestamp(_ time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time) / 1_000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private var type: String
    private var timestamp: String
    private var data: Data

    init(type: String, time: Int64, key: RoomKey, content: Content) {
        self.type = type
        timestamp = Self.timestamp(time)
        data = Data(key: key, content: content)
    }
}

/// A published callback command (references.md).
struct CompatiblePayload: Encodable {
    struct Account: Encodable { var Member_Account: UserID }
    struct Element: Encodable {
        struct Content: Codable {
            var Text: String?
            var Data: String?
        }
        var MsgType: String
        var MsgContent: Content
    }

    var CallbackCommand: String
    var GroupId: String?
    var `Type`: String?
    var To_Account: UserID?
    var EventTime: Int64
    var Operator_Account: UserID?
    var Owner_Account: UserID?
    var Name: String?
    var MemberList: [Account]?
    var NewMemberList: [Account]?
    var ExitMemberList: [Account]?
    var JoinType: String?
    var ExitType: String?
    var From_Account: UserID?
    var MsgSeq: UInt64?
    var MsgTime: Int64?
    var OnlineOnlyFlag: Int?
    var MsgBody: [Element]?

    init(_ command: String, _ room: RoomID, at time: Int64) {
        CallbackCommand = command
        (GroupId, `Type`) = (RoomSlug.text(room), "AVChatRoom")
        EventTime = time
    }

    private init(_ command: String, to user: UserID, at time: Int64) {
        CallbackCommand = command
        To_Account = user
        EventTime = time
    }

    /// `nil` for what has no command.
    static func made(of content: StandardPayload.Content, _ key: RoomKey, at time: Int64) -> CompatiblePayload? {
        func payload(_ command: String) -> CompatiblePayload { CompatiblePayload(command, key.room, at: time) }
        switch content {
        case .created(let info):
            var made = payload("Group.CallbackAfterCreateGroup")
            (made.Operator_Account, made.Owner_Account, made.Name) = (info.owner.id, info.owner.id, info.name)
            made.MemberList = []
            return made
        case .event(.change(let change)):
            guard case .ended = change.what else { return nil }
            var made = payload("Group.CallbackAfterGroupDestroyed")
            made.MemberList = []
            return made
        case .event(.message(let message)):
            var made = payload("Group.CallbackAfterSendMsg")
            made.MsgSeq = message.chat
            made.MsgTime = message.time / 1_000
            made.take(message.body, from: message.from.id)
            return made
        case .event(.passing(.audienceEntered(let entry))):
            var made = payload("Group.CallbackAfterNewMemberJoin")
            (made.JoinType, made.Operator_Account) = ("Apply", entry.member.id)
            made.NewMemberList = [Account(Member_Account: entry.member.id)]
            return made
        case .event(.passing(.audienceLeft(let exit))):
            var made = payload("Group.CallbackAfterMemberExit")
            (made.ExitType, made.Operator_Account) = ("Quit", exit.user)
            made.ExitMemberList = [Account(Member_Account: exit.user)]
            return made
        default: return nil
        }
    }

    /// The question before a message is told.
    static func question(_ body: MessageBody, by user: UserID, to place: ReviewedPlace, at time: Int64)
        -> CompatiblePayload
    {
        var made =
            switch place {
            case .room(let key): CompatiblePayload("Group.CallbackBeforeSendMsg", key.room, at: time)
            case .person(let to, _): CompatiblePayload("C2C.CallbackBeforeSendMsg", to: to, at: time)
            }
        made.take(body, from: user)
        return made
    }

    private mutating func take(_ body: MessageBody, from user: UserID) {
        (From_Account, Operator_Account, OnlineOnlyFlag) = (user, user, 0)
        MsgBody =
            switch body {
            case .text(let text): [Element(MsgType: "TIMTextElem", MsgContent: .init(Text: text))]
            // The data that clients sent; of a room component's own commands what the published ones send.
            case .custom(let command, let message) where command.hasPrefix("TIMCustomElem"):
                [Element(MsgType: "TIMCustomElem", MsgContent: .init(Data: message))]
            case .custom(let command, let message):
                [
                    Element(
                        MsgType: "TIMCustomElem",
                        MsgContent: .init(
                            Data: String(
                                decoding: SignalText.encode(["command": command, "message": message]), as: UTF8.self)))
                ]
            }
    }
}
