/// One notification to the people of a room: what happened, in order.
package struct RoomNews: Hashable, Sendable {
    /// Where it happened.
    package var room: RoomID
    /// Grows when the room was read anew from the disk.
    package var epoch: UInt64
    /// In the order in which they happened.
    package var events: [RoomNewsEvent]

    /// So much of that room.
    package init(room: RoomID, epoch: UInt64, events: [RoomNewsEvent]) {
        self.room = room
        self.epoch = epoch
        self.events = events
    }
}

/// Something that happened in a room, by how it is numbered and kept.
package enum RoomNewsEvent: Hashable, Sendable {
    /// Numbered, and on the disk before anybody hears of it.
    case change(RoomChange)
    /// Numbered by its `chat`.
    case message(Message)
    /// Not numbered, merged, may be lost.
    case passing(PassingNews)
    /// Not numbered, only to whom it concerns.
    case invitation(InvitationNews)
    /// Not numbered, to the owner alone.
    case challenge(ChallengeNews)
    /// Not numbered, to the one concerned and to those who run the room.
    case restriction(RestrictionNews)
}

extension RoomNewsEvent {
    /// Its fields.
    package var payload: any EventPayload {
        switch self {
        case .change(let change): change.what.payload
        case .message(let message): message
        case .passing(let news): news.payload
        case .invitation(let news): news
        case .challenge(let news): news
        case .restriction(let news): news
        }
    }

    package var type: EventType { payload.type }

    /// The room has ended: nothing of it comes after this.
    package var isEnd: Bool {
        if case .change(let change) = self, case .ended = change.what { true } else { false }
    }
}

/// A durable change with its number.
package struct RoomChange: Hashable, Sendable {
    /// Dense within the room.
    package var seq: UInt64
    /// Milliseconds since 1970.
    package var time: Int64
    /// What has changed.
    package var what: What

    /// The change of that number.
    package init(seq: UInt64, time: Int64, what: What) {
        self.seq = seq
        self.time = time
        self.what = what
    }
}
