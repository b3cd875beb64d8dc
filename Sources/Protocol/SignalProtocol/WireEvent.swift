package import RoomModel

/// One event of `room.events`: `type`, for a change `seq` and `time`, and the fields of the payload.
package struct WireEvent: Sendable, Hashable, Encodable {
    package var event: RoomNewsEvent
    package init(_ event: RoomNewsEvent) { self.event = event }

    enum Keys: String, CodingKey { case type, seq, time }

    package func encode(to encoder: any Encoder) throws {
        let payload = event.payload
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(payload.type.rawValue, forKey: .type)
        if case .change(let change) = event {
            try fields.encode(change.seq, forKey: .seq)
            try fields.encode(change.time, forKey: .time)
        }
        try payload.encode(to: encoder)
    }
}

/// The notification `invitation.elsewhere {room, invitation, by?}`: news of an invitation of a room in which the reader is not.
package enum InvitationNotice {
    package static func text(_ news: InvitationNews, of room: RoomInfo) -> [UInt8] {
        struct Params: Encodable {
            var room: RoomInfo
            var invitation: Invitation
            var by: UserID?
        }
        return FrameText.notification(
            "invitation.elsewhere", Params(room: room, invitation: news.invitation, by: news.by))
    }
}

/// The notification `signal`: somebody tells the reader something, in no room.
package enum SignalNotice {
    package static func text(_ signal: Signal) -> [UInt8] {
        FrameText.notification("signal", signal)
    }
}

/// The notification `room.removed {room, restriction}`: somebody who runs the room has put the reader out.
package enum RemovedNotice {
    package static func text(room: RoomID, restriction: Restriction) -> [UInt8] {
        struct Params: Encodable {
            var room: RoomID
            var restriction: Restriction
        }
        return FrameText.notification("room.removed", Params(room: room, restriction: restriction))
    }
}

extension RoomNews {
    /// The whole text of a `room.events` frame.
    package var text: [UInt8] {
        var frame = FrameText()
        frame.add("method", name: "room.events")
        frame.add("params") { bytes in
            bytes += #"{"room":"#.utf8
            switch room {
            case .number(let number): bytes += String(number).utf8
            case .string(let text): bytes += SignalText.encode(text)
            }
            bytes += #","epoch":"#.utf8
            bytes += String(epoch).utf8
            bytes += #","events":"#.utf8
            bytes += SignalText.encode(events.map(WireEvent.init))
            bytes += "}".utf8
        }
        return frame.finish()
    }
}

/// The event `dropped {from, to}`: chat messages that this connection will not get.
package enum DroppedNotice {
    package static func text(room: RoomID, epoch: UInt64, from: UInt64, to: UInt64) -> [UInt8] {
        let dropped = PassingNews.dropped(MessagesDropped(from: from, to: to))
        return RoomNews(room: room, epoch: epoch, events: [.passing(dropped)]).text
    }
}
