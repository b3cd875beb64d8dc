import Foundation
import RoomModel
import RoomPorts
import RoomRules

/// What exactly was done, or seen: a JSON object with what there is to say.
struct AuditDetail: Encodable {
    struct Said: Encodable {
        /// In scalars: enough to see what it was. (A single character can be as long as a message.)
        static let most = 500

        var chat: UInt64
        var time: Int64
        var text: String
        var command: String?
        var deleted: Bool?

        init(_ message: Message) {
            chat = message.chat
            time = message.time
            switch message.body {
            case .text(let text): self.text = Self.cut(text)
            case .custom(let command, let text):
                self.command = command
                self.text = Self.cut(text)
            }
            if message.deleted { deleted = true }
        }

        private static func cut(_ text: String) -> String {
            String(text.unicodeScalars.prefix(most))
        }
    }

    /// Before and after.
    struct Change<Value: Encodable>: Encodable {
        var before: Value
        var after: Value

        init?(_ before: Value, _ after: Value?) where Value: Equatable {
            guard let after, after != before else { return nil }
            self.before = before
            self.after = after
        }
    }

    var name: String?
    var seat: Int?
    var on: Bool?
    var reported: UInt64?
    var messages: [Said]?
    var kind: RestrictionKind?
    var seconds: Int?
    var everywhere: Bool?
    var role: Change<String>?
    var title: Change<String>?
    var cover: Change<String>?
    var tags: Change<[String]>?
    var needsRequest: Change<Bool>?
    var slowSeconds: Change<Int>?
    var hostsOnly: Change<Bool>?
    var noLinks: Change<Bool>?
    /// Names alone: what they stand for is the app's.
    var attributes: [String]?
    /// How many changes of the same person came before this one and have no line of their own.
    var merged: Int?

    init(
        name: String? = nil, seat: Int? = nil, reported: UInt64? = nil, messages: [Said]? = nil
    ) {
        self.name = name
        self.seat = seat
        self.reported = reported
        self.messages = messages
    }

    /// Whom a command is about, what exactly it is, and why.
    static func of(
        _ command: RoomCommand, in state: DurableRoomState, message: Message?
    ) -> (target: UserID?, detail: AuditDetail, reason: String?) {
        var detail = AuditDetail()
        func of(_ asked: some SeatPayload, on: Bool? = nil) -> (target: UserID?, detail: AuditDetail, reason: String?) {
            (detail.seat, detail.on) = (asked.seat, on)
            let isThere = state.seats.indices.contains(asked.seat)
            return (isThere ? state.seats[asked.seat].occupant?.profile.id : nil, detail, nil)
        }
        switch command {
        case .kickSeat(let asked): return of(asked)
        case .muteSeat(let asked): return of(asked, on: asked.muted)
        case .closeSeat(let asked): return of(asked, on: asked.closed)
        case .allowCamera(let asked): return of(asked, on: asked.allowed)
        case .deleteMessage(let asked):
            detail.reported = asked.chat
            detail.messages = message.map { [Said($0)] }
            return (message?.from.id, detail, nil)
        case .setRestriction(let draft):
            (detail.kind, detail.seconds) = (draft.kind, draft.seconds)
            if draft.everywhere { detail.everywhere = true }
            return (draft.user, detail, draft.reason)
        case .liftRestriction(let asked):
            detail.kind = asked.kind
            return (asked.user, detail, nil)
        case .setRole(let asked):
            detail.role = Change(state.role(of: asked.user).rawValue, asked.role.rawValue)
            return (asked.user, detail, nil)
        case .setOwner(let asked): return (asked.user, detail, nil)
        case .updateRoom(let update):
            let settings = state.details.settings
            detail.title = Change(settings.name, update.name)
            detail.cover = Change(settings.cover, update.cover)
            detail.tags = Change(settings.tags, update.tags)
            detail.needsRequest = Change(settings.needsRequest, update.needsRequest)
            detail.slowSeconds = Change(settings.chat.slowSeconds, update.slowSeconds)
            detail.hostsOnly = Change(settings.chat.hostsOnly, update.hostsOnly)
            detail.noLinks = Change(settings.chat.noLinks, update.noLinks)
            return (nil, detail, nil)
        case .setAttributes(let draft):
            detail.attributes = (Array(draft.set.keys) + draft.add.keys + draft.remove).sorted()
            return (nil, detail, nil)
        default: return (nil, detail, nil)
        }
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail to be encoded: no number is out of range.
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
