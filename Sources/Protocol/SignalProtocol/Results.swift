package import Foundation
package import RoomModel

// What calls answer, as it stands under `result`.

package struct SessionOpened: Codable, Sendable, Hashable {
    /// The secret that takes the session over after a broken connection.
    package var session: String
    package var resumed: Bool
    package var user: UserProfile
    /// Milliseconds since 1970.
    package var time: Int64
    package var expiresInSeconds: Int64
    /// The rooms that this session is still in.
    package var rooms: [RoomID]
    package var mediaEpoch: UInt64
    package var limits: Limits
    /// Relays for this person's media paths; left out where there are none.
    package var iceServers: [MediaAnswered.ICEServer]?

    package struct Limits: Codable, Sendable, Hashable {
        package var textBytes: Int
        package var seats: Int
        /// A connection may make so many calls at once, and so many a second in the long run; absent from servers that do not tell.
        package var callsAtOnce: Int?
        package var callsPerSecond: Int?
        package init(textBytes: Int, seats: Int, callsAtOnce: Int? = nil, callsPerSecond: Int? = nil) {
            self.textBytes = textBytes
            self.seats = seats
            self.callsAtOnce = callsAtOnce
            self.callsPerSecond = callsPerSecond
        }
    }

    package init(
        session: String, resumed: Bool, user: UserProfile, time: Int64, expiresInSeconds: Int64, rooms: [RoomID],
        mediaEpoch: UInt64, limits: Limits, iceServers: [MediaAnswered.ICEServer] = []
    ) {
        self.session = session
        self.resumed = resumed
        self.user = user
        self.time = time
        self.expiresInSeconds = expiresInSeconds
        self.rooms = rooms
        self.mediaEpoch = mediaEpoch
        self.limits = limits
        self.iceServers = iceServers.isEmpty ? nil : iceServers
    }
}

package struct SessionRenewed: Codable, Sendable, Hashable {
    package var expiresInSeconds: Int64
    package init(expiresInSeconds: Int64) { self.expiresInSeconds = expiresInSeconds }
}

package struct ClockReading: Codable, Sendable, Hashable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// Microseconds on a clock that never jumps, for measuring.
    package var monotonicUs: Int64
    /// The room time in microseconds since 1970, which never steps while the server runs; absent from servers that tell
    /// milliseconds alone.
    package var timeUs: Int64?
    package init(time: Int64, monotonicUs: Int64, timeUs: Int64? = nil) {
        self.time = time
        self.monotonicUs = monotonicUs
        self.timeUs = timeUs
    }
}

package struct ProfileAnswer: Codable, Sendable, Hashable {
    package var user: UserProfile
    package init(user: UserProfile) { self.user = user }
}

package struct LineTestAnswer: Codable, Sendable, Hashable {
    package var sdp: String
    /// For how long to send.
    package var seconds: Int
    /// The most to send, in bits a second.
    package var bitrate: Int

    package init(sdp: String, seconds: Int, bitrate: Int) {
        self.sdp = sdp
        self.seconds = seconds
        self.bitrate = bitrate
    }
}

package struct StillAnswer: Codable, Sendable, Hashable {
    /// Absent once there is none.
    package var still: Int64?
    package init(still: Int64?) { self.still = still }
}

package struct RequestStillAnswer: Codable, Sendable, Hashable {
    /// A JPEG; absent where there is none.
    package var picture: Data?
    package init(_ still: StillPicture?) { picture = still.map { Data($0.jpeg) } }
}

package struct ProfilesAnswer: Codable, Sendable, Hashable {
    package var users: [UserProfile]
    package init(users: [UserProfile]) { self.users = users }
}

package struct RoomsAnswer: Codable, Sendable, Hashable {
    package var rooms: [RoomInfo]
    package init(rooms: [RoomInfo]) { self.rooms = rooms }
}

package struct RoomCreated: Codable, Sendable, Hashable {
    package var room: RoomID
    package var snapshot: RoomSnapshot
    package init(snapshot: RoomSnapshot) {
        self.room = snapshot.room
        self.snapshot = snapshot
    }
}

package struct MediaAnswered: Codable, Sendable, Hashable {
    package var number: UInt32
    package var sdp: String
    package var slots: [Slot]
    /// What the lines of pictures carry; left out in rooms without.
    package var pictures: [Picture]?
    package var mediaEpoch: UInt64
    package var iceServers: [ICEServer]

    /// What a line of the peer connection carries: a seat, or the mix of all.
    package struct Slot: Codable, Sendable, Hashable {
        package var seat: Int?
        /// True or left out.
        package var mix: Bool?
        /// The place of another room's host.
        package var guest: Int?
        package var mid: String
        package init(seat: Int, mid: String) {
            self.seat = seat
            self.mid = mid
        }
        package init(mixMid mid: String) {
            mix = true
            self.mid = mid
        }
        package init(guest place: Int, mid: String) {
            guest = place
            self.mid = mid
        }
    }

    /// `{"seat":0,"mid":"5"}`: the line shows that picture.
    package struct Picture: Codable, Sendable, Hashable {
        package var view: PictureView
        package var mid: String
        package init(_ view: PictureView, mid: String) {
            self.view = view
            self.mid = mid
        }

        private enum CodingKeys: String, CodingKey { case mid }

        package init(from decoder: any Decoder) throws {
            view = try PictureView(from: decoder)
            mid = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .mid)
        }

        package func encode(to encoder: any Encoder) throws {
            try view.encode(to: encoder)
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(mid, forKey: .mid)
        }
    }

    package struct ICEServer: Codable, Sendable, Hashable {
        package var urls: [String]
        package var username: String?
        package var credential: String?
        package init(urls: [String], username: String? = nil, credential: String? = nil) {
            self.urls = urls
            self.username = username
            self.credential = credential
        }
    }

    package init(
        number: UInt32, sdp: String, slots: [Slot], pictures: [Picture]? = nil, mediaEpoch: UInt64,
        iceServers: [ICEServer] = []
    ) {
        self.number = number
        self.sdp = sdp
        self.slots = slots
        self.pictures = pictures
        self.mediaEpoch = mediaEpoch
        self.iceServers = iceServers
    }
}

/// The answer to a command: an invitation's id and place, a message's number, the likes, or nothing more than how far the room's
/// news must have come to show what the command did.
package struct CommandAnswer: Codable, Sendable, Hashable {
    package var outcome: CommandOutcome
    package init(_ outcome: CommandOutcome) { self.outcome = outcome }

    private enum Keys: String, CodingKey { case id, position, chat, time, total, startAt, seq, gift, balance }

    package func encode(to encoder: any Encoder) throws {
        let seq = outcome.seq
        switch outcome.result {
        case .done: try Done(seq: seq).encode(to: encoder)
        case .invited(let id, let position): try Invited(id: id, position: position, seq: seq).encode(to: encoder)
        case .sent(let chat, let time): try Sent(chat: chat, time: time, seq: seq).encode(to: encoder)
        case .liked(let total): try Liked(total: total, seq: seq).encode(to: encoder)
        case .scheduled(let startAt): try Scheduled(startAt: startAt, seq: seq).encode(to: encoder)
        case .gifted(let number, let balance):
            try Gifted(gift: number, balance: balance, seq: seq).encode(to: encoder)
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let result: CommandResult
        if let id = try container.decodeIfPresent(String.self, forKey: .id) {
            result = .invited(id: id, position: try container.decodeIfPresent(Int.self, forKey: .position) ?? 0)
        } else if let chat = try container.decodeIfPresent(UInt64.self, forKey: .chat) {
            result = .sent(chat: chat, time: try container.decode(Int64.self, forKey: .time))
        } else if let total = try container.decodeIfPresent(UInt64.self, forKey: .total) {
            result = .liked(total: total)
        } else if let startAt = try container.decodeIfPresent(Int64.self, forKey: .startAt) {
            result = .scheduled(startAt: startAt)
        } else if let number = try container.decodeIfPresent(Int64.self, forKey: .gift) {
            result = .gifted(number: number, balance: try container.decode(Int64.self, forKey: .balance))
        } else {
            result = .done
        }
        outcome = CommandOutcome(result, seq: try container.decodeIfPresent(UInt64.self, forKey: .seq))
    }
}

// The answers as they stand on the wire.
extension CommandAnswer {
    private struct Done: Codable, Sendable {
        var seq: UInt64?
    }
    private struct Invited: Codable, Sendable {
        var id: String
        var position: Int
        var seq: UInt64?
    }
    private struct Sent: Codable, Sendable {
        var chat: UInt64
        var time: Int64
        var seq: UInt64?
    }
    private struct Liked: Codable, Sendable {
        var total: UInt64
        var seq: UInt64?
    }
    private struct Scheduled: Codable, Sendable {
        var startAt: Int64
        var seq: UInt64?
    }
    private struct ScheduledUnlessPaused: Codable, Sendable {
        var startAt: Int64?
        var seq: UInt64?
    }
    private struct Gifted: Codable, Sendable {
        var gift: Int64
        var balance: Int64
        var seq: UInt64?
    }

    package static func type(of form: CommandResult.Form) -> any (Decodable & Sendable).Type {
        switch form {
        case .done: Done.self
        case .invited: Invited.self
        case .sent: Sent.self
        case .liked: Liked.self
        case .scheduled: Scheduled.self
        case .scheduledUnlessPaused: ScheduledUnlessPaused.self
        case .gifted: Gifted.self
        }
    }
}

/// The answer to entering: `{resumed: false, snapshot}`, or `{resumed: true, epoch, seq, chat, events, state, mediaEpoch}`.
package struct RoomEntered: Codable, Sendable, Hashable {
    package var entry: RoomEntry
    package init(_ entry: RoomEntry) { self.entry = entry }

    private enum Keys: String, CodingKey { case resumed, snapshot, epoch, seq, chat, events, state, mediaEpoch }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        switch entry {
        case .snapshot(let snapshot):
            try container.encode(false, forKey: .resumed)
            try container.encode(snapshot, forKey: .snapshot)
        case .resumed(let gap):
            try container.encode(true, forKey: .resumed)
            try container.encode(gap.epoch, forKey: .epoch)
            try container.encode(gap.seq, forKey: .seq)
            try container.encode(gap.chat, forKey: .chat)
            try container.encode(gap.events.map(WireEvent.init), forKey: .events)
            try container.encode(gap.state, forKey: .state)
            try container.encode(gap.mediaEpoch, forKey: .mediaEpoch)
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        guard try container.decodeIfPresent(Bool.self, forKey: .resumed) == true else {
            entry = .snapshot(try container.decode(RoomSnapshot.self, forKey: .snapshot))
            return
        }
        let events = try container.decode([HeardEvent].self, forKey: .events)
        var gap = RoomResumption(
            epoch: try container.decode(UInt64.self, forKey: .epoch),
            seq: try container.decode(UInt64.self, forKey: .seq),
            chat: try container.decode(UInt64.self, forKey: .chat), events: events.compactMap(\.known),
            state: try container.decode(RoomResumption.PassingState.self, forKey: .state),
            mediaEpoch: try container.decode(UInt64.self, forKey: .mediaEpoch))
        gap.isUnreadable = events.contains { if case .unknown(.some) = $0 { true } else { false } }
        entry = .resumed(gap)
    }
}

/// `{gifts: [gift]}`, in the order in which they are shown.
package struct GiftsAnswer: Codable, Sendable, Hashable {
    package var gifts: [Gift]
    package init(gifts: [Gift]) { self.gifts = gifts }
}

/// `{entries, cursor?}`, the newest first.
package struct StatementPage: Codable, Sendable, Hashable {
    package var entries: [StatementEntry]
    /// Where the page after these begins; absent if there is none.
    package var cursor: String?

    package init(entries: [StatementEntry], cursor: String? = nil) {
        self.entries = entries
        self.cursor = cursor
    }
}
