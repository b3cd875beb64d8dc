package import RoomModel

/// One event of `room.events`: an object with a `type`.
package struct WireEvent: Sendable, Hashable, Encodable {
    package var event: RoomNewsEvent
    package init(_ event: RoomNewsEvent) { self.event = event }

    enum Keys: String, CodingKey {
        case seq, type, time, chat, id, from, to, text, command, message
        case info, reason, summary, seat, user, by, muted, role
        case member, presence, until, heir, levels, total, added, users, memberCount, invitation, play, stage
        case duet, apartMs, tight, pictures, camera, spare
        case pk, cause, ours, theirs, challenge, state, gifts, standing, restriction, set, removed
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(event.type, forKey: .type)
        switch event {
        case .change(let change): try Self.encode(change, into: &container)
        case .message(let message):
            try message.encode(to: encoder)
        case .passing(let news): try Self.encode(news, into: &container)
        case .restriction(let news):
            try container.encode(news.restriction, forKey: .restriction)
        case .invitation(let news):
            try container.encode(news.invitation, forKey: .invitation)
            try container.encodeIfPresent(news.by, forKey: .by)
        case .challenge(let news):
            try container.encode(news.challenge, forKey: .challenge)
            try container.encode(news.state, forKey: .state)
            try container.encodeIfPresent(news.until, forKey: .until)
        }
    }

    private static func encode(_ change: RoomChange, into container: inout KeyedEncodingContainer<Keys>) throws {
        try container.encode(change.seq, forKey: .seq)
        switch change.what {
        case .updated(let info):
            try container.encode(info, forKey: .info)
        case .attributesChanged(let change, let by):
            try container.encode(change.set, forKey: .set)
            try container.encode(change.removed, forKey: .removed)
            try container.encodeIfPresent(by, forKey: .by)
        case .destroyed(let reason, let summary):
            try container.encode(reason, forKey: .reason)
            try container.encode(summary, forKey: .summary)
        case .seatTaken(let seat, let user, let by):
            try container.encode(seat, forKey: .seat)
            try container.encode(user, forKey: .user)
            try container.encodeIfPresent(by, forKey: .by)
        case .seatLeft(let seat, let user, let reason, let by):
            try container.encode(seat, forKey: .seat)
            try container.encode(user, forKey: .user)
            try container.encode(reason, forKey: .reason)
            try container.encodeIfPresent(by, forKey: .by)
        case .seatMuted(let seat, let by):
            try container.encode(seat, forKey: .seat)
            try container.encodeIfPresent(by, forKey: .by)
        case .seatClosed(let seat, let by):
            try container.encode(seat, forKey: .seat)
            try container.encodeIfPresent(by, forKey: .by)
        case .microphoneMuted(let user, let muted, let seat):
            try container.encode(user, forKey: .user)
            try container.encode(muted, forKey: .muted)
            try container.encode(seat, forKey: .seat)
        case .cameraChanged(let user, let camera, let seat, let by):
            try container.encode(user, forKey: .user)
            try container.encode(camera, forKey: .camera)
            try container.encode(seat, forKey: .seat)
            try container.encodeIfPresent(by, forKey: .by)
        case .screenChanged(let user, let by):
            try container.encodeIfPresent(user, forKey: .user)
            try container.encodeIfPresent(by, forKey: .by)
        case .stageArranged(let stage, let by):
            try container.encode(stage, forKey: .stage)
            try container.encodeIfPresent(by, forKey: .by)
        case .roleChanged(let user, let role, let by):
            try container.encode(user, forKey: .user)
            try container.encode(role, forKey: .role)
            try container.encodeIfPresent(by, forKey: .by)
        case .ownerChanged(let user, let reason):
            try container.encode(user, forKey: .user)
            try container.encode(reason, forKey: .reason)
        case .songChanged(let play, let reason, let by):
            try container.encodeIfPresent(play, forKey: .play)
            try container.encode(reason, forKey: .reason)
            try container.encodeIfPresent(by, forKey: .by)
        case .gifted(let sent, let standing):
            try container.encode(sent, forKey: .gifts)
            try container.encode(standing, forKey: .standing)
        case .messageDeleted(let chat, let by):
            try container.encode(chat, forKey: .chat)
            try container.encodeIfPresent(by, forKey: .by)
        case .duetChanged(let mode, let by):
            try container.encode(mode, forKey: .duet)
            try container.encodeIfPresent(by, forKey: .by)
        case .pkChanged(let pk, let cause, let by):
            try container.encode(pk, forKey: .pk)
            try container.encode(cause, forKey: .cause)
            try container.encodeIfPresent(by, forKey: .by)
        }
        try container.encode(change.time, forKey: .time)
    }

    private static func encode(_ news: PassingNews, into container: inout KeyedEncodingContainer<Keys>) throws {
        switch news {
        case .audienceEntered(let member):
            try container.encode(member, forKey: .member)
        case .audienceLeft(let user, let reason):
            try container.encode(user, forKey: .user)
            try container.encode(reason, forKey: .reason)
        case .presence(let user, let presence, let until):
            try container.encode(user, forKey: .user)
            try container.encode(presence, forKey: .presence)
            try container.encodeIfPresent(until, forKey: .until)
        case .ownerAbsent(let until, let heir):
            try container.encode(until, forKey: .until)
            try container.encodeIfPresent(heir, forKey: .heir)
        case .ownerBack: break
        case .levels(let levels):
            // A dictionary with keys of another type than String would become a list.
            try container.encode(
                Dictionary(levels.map { ($0.key.rawValue, $0.value) }) { first, _ in first }, forKey: .levels)
        case .likes(let likes):
            try container.encode(likes.total, forKey: .total)
            try container.encode(likes.added, forKey: .added)
            try container.encode(likes.users, forKey: .users)
        case .count(let memberCount):
            try container.encode(memberCount, forKey: .memberCount)
        case .network(let report):
            try container.encode(
                Dictionary(report.singers.map { ($0.key.rawValue, $0.value) }) { first, _ in first }, forKey: .users)
            try container.encodeIfPresent(report.apart?.ms, forKey: .apartMs)
            try container.encodeIfPresent(report.apart?.isTight, forKey: .tight)
        case .pictures(let pictures):
            try container.encode(pictures, forKey: .pictures)
        case .points(let points):
            try container.encode(points.ours, forKey: .ours)
            try container.encode(points.theirs, forKey: .theirs)
        case .cameraWanted(let size, let spare):
            try container.encode(size, forKey: .camera)
            if spare { try container.encode(spare, forKey: .spare) }
        }
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
        return SignalText.encode(
            Notification(
                method: "invitation.elsewhere", params: Params(room: room, invitation: news.invitation, by: news.by)))
    }
}

/// The notification `signal`: somebody tells the reader something, in no room.
package enum SignalNotice {
    package static func text(_ signal: Signal) -> [UInt8] {
        SignalText.encode(Notification(method: "signal", params: signal))
    }
}

/// The notification `room.removed {room, restriction}`: somebody who runs the room has put the reader out.
package enum RemovedNotice {
    package static func text(room: RoomID, restriction: Restriction) -> [UInt8] {
        struct Params: Encodable {
            var room: RoomID
            var restriction: Restriction
        }
        return SignalText.encode(
            Notification(method: "room.removed", params: Params(room: room, restriction: restriction)))
    }
}

extension RoomNews {
    /// The whole text of a `room.events` frame.
    package var text: [UInt8] {
        SignalText.encode(
            Notification(
                method: "room.events",
                params: RoomEvents(room: room, epoch: epoch, events: events.map(WireEvent.init))))
    }
}

/// The event `dropped {from, to}`: chat messages that this connection will not get.
package enum DroppedNotice {
    package static func text(room: RoomID, epoch: UInt64, from: UInt64, to: UInt64) -> [UInt8] {
        struct Dropped: Encodable {
            let type = EventType.dropped
            var from: UInt64
            var to: UInt64
        }
        struct Params: Encodable {
            var room: RoomID
            var epoch: UInt64
            var events: [Dropped]
        }
        return SignalText.encode(
            Notification(
                method: "room.events", params: Params(room: room, epoch: epoch, events: [Dropped(from: from, to: to)])))
    }
}

private struct RoomEvents: Encodable {
    var room: RoomID
    var epoch: UInt64
    var events: [WireEvent]
}
