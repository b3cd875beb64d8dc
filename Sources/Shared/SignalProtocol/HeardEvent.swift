package import RoomModel

/// One event of `room.events` as a client reads it. What a newer server says in words unknown here is passed over, but its
/// number counts.
package enum HeardEvent: Sendable, Hashable {
    case known(RoomNewsEvent)
    /// Chat messages that this connection will not get.
    case dropped(from: UInt64, to: UInt64)
    /// Of another type than this client knows, or with contents that it cannot read; `seq` if it is a durable one.
    case unknown(seq: UInt64?)

    package var known: RoomNewsEvent? { if case .known(let event) = self { event } else { nil } }
}

extension HeardEvent: Decodable {
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: WireEvent.Keys.self)
        do {
            self = try Self.read(fields, decoder) ?? .unknown(seq: Self.number(fields))
        } catch {
            self = .unknown(seq: Self.number(fields))
        }
    }

    private typealias Fields = KeyedDecodingContainer<WireEvent.Keys>

    private static func number(_ fields: Fields) -> UInt64? { try? fields.decode(UInt64.self, forKey: .seq) }

    private static func read(_ fields: Fields, _ decoder: any Decoder) throws -> HeardEvent? {
        let type = try fields.decode(String.self, forKey: .type)
        if let seq = number(fields) {
            guard let what = try change(type, fields) else { return nil }
            let time = try fields.decode(Int64.self, forKey: .time)
            return .known(.change(RoomChange(seq: seq, time: time, what: what)))
        }
        switch type {
        case "message": return .known(.message(try Message(from: decoder)))
        case "dropped":
            let from = try fields.decode(UInt64.self, forKey: .from)
            let to = try fields.decode(UInt64.self, forKey: .to)
            return from <= to ? .dropped(from: from, to: to) : nil
        case "invitation.received", "invitation.accepted", "invitation.rejected", "invitation.cancelled",
            "invitation.expired":
            return .known(
                .invitation(
                    InvitationNews(
                        invitation: try fields.decode(Invitation.self, forKey: .invitation),
                        by: try fields.decodeIfPresent(UserID.self, forKey: .by))))
        default: return try passing(type, fields).map { .known(.passing($0)) }
        }
    }

    private static func change(_ type: String, _ fields: Fields) throws -> RoomChange.What? {
        func by() throws -> UserID? { try fields.decodeIfPresent(UserID.self, forKey: .by) }
        func seat() throws -> Seat { try fields.decode(Seat.self, forKey: .seat) }
        func profile() throws -> UserProfile { try fields.decode(UserProfile.self, forKey: .user) }
        func user() throws -> UserID { try fields.decode(UserID.self, forKey: .user) }
        switch type {
        case "room.updated": return .updated(try fields.decode(RoomInfo.self, forKey: .info))
        case "room.destroyed":
            return .destroyed(
                try fields.decode(RoomEndReason.self, forKey: .reason),
                try fields.decode(RoomSummary.self, forKey: .summary))
        case "seat.taken": return .seatTaken(try seat(), user: try profile(), by: try by())
        case "seat.left":
            return .seatLeft(
                try seat(), user: try profile(), reason: try fields.decode(SeatLeaveReason.self, forKey: .reason),
                by: try by())
        case "seat.muted": return .seatMuted(try seat(), by: try by())
        case "seat.closed": return .seatClosed(try seat(), by: try by())
        case "microphone.muted":
            return .microphoneMuted(
                user: try user(), muted: try fields.decode(Bool.self, forKey: .muted),
                seat: try fields.decode(Int.self, forKey: .seat))
        case "role.changed":
            return .roleChanged(user: try user(), role: try fields.decode(Role.self, forKey: .role), by: try by())
        case "owner.changed":
            return .ownerChanged(
                user: try profile(), reason: try fields.decode(OwnerChangeReason.self, forKey: .reason))
        case "song.changed":
            return .songChanged(
                try fields.decodeIfPresent(SongPlay.self, forKey: .play),
                try fields.decode(SongChange.self, forKey: .reason), by: try by())
        case "duet.changed": return .duetChanged(try fields.decode(DuetMode.self, forKey: .duet), by: try by())
        default: return nil
        }
    }

    private static func network(_ fields: Fields) throws -> NetworkReport {
        let singers = try fields.decode([String: SingerNetwork].self, forKey: .users)
        var report = NetworkReport()
        for (id, singer) in singers {
            if let user = UserID(id) { report.singers[user] = singer }
        }
        if let ms = try fields.decodeIfPresent(Int.self, forKey: .apartMs) {
            report.apart = SingersApart(ms: ms, isTight: try fields.decode(Bool.self, forKey: .tight))
        }
        return report
    }

    private static func passing(_ type: String, _ fields: Fields) throws -> PassingNews? {
        func user() throws -> UserID { try fields.decode(UserID.self, forKey: .user) }
        switch type {
        case "audience.entered": return .audienceEntered(try fields.decode(Member.self, forKey: .member))
        case "audience.left":
            return .audienceLeft(try user(), reason: try fields.decode(AudienceLeaveReason.self, forKey: .reason))
        case "presence":
            return .presence(
                try user(), try fields.decode(Presence.self, forKey: .presence),
                until: try fields.decodeIfPresent(Int64.self, forKey: .until))
        case "owner.absent":
            return .ownerAbsent(
                until: try fields.decode(Int64.self, forKey: .until),
                heir: try fields.decodeIfPresent(UserID.self, forKey: .heir))
        case "owner.back": return .ownerBack
        case "levels":
            let levels = try fields.decode([String: Int].self, forKey: .levels)
            return .levels(
                Dictionary(levels.compactMap { id, level in UserID(id).map { ($0, level) } }) { first, _ in first })
        case "likes":
            return .likes(
                LikesNews(
                    total: try fields.decode(UInt64.self, forKey: .total),
                    added: try fields.decode(UInt64.self, forKey: .added),
                    users: try fields.decode([UserID].self, forKey: .users)))
        case "count": return .count(memberCount: try fields.decode(Int.self, forKey: .memberCount))
        case "network": return .network(try network(fields))
        default: return nil
        }
    }
}
