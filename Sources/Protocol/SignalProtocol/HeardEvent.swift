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
        guard let type = EventType(rawValue: try fields.decode(String.self, forKey: .type)) else { return nil }
        let event = try event(type, fields, decoder)
        // Only durable events have a number. A server that numbers another one is newer, and its number counts.
        if case .known(.change) = event { return event }
        return number(fields) == nil ? event : nil
    }

    private static func event(_ type: EventType, _ fields: Fields, _ decoder: any Decoder) throws -> HeardEvent? {
        func by() throws -> UserID? { try fields.decodeIfPresent(UserID.self, forKey: .by) }
        func seat() throws -> Seat { try fields.decode(Seat.self, forKey: .seat) }
        func profile() throws -> UserProfile { try fields.decode(UserProfile.self, forKey: .user) }
        func user() throws -> UserID { try fields.decode(UserID.self, forKey: .user) }
        func change(_ what: RoomChange.What) throws -> HeardEvent {
            .known(
                .change(
                    RoomChange(
                        seq: try fields.decode(UInt64.self, forKey: .seq),
                        time: try fields.decode(Int64.self, forKey: .time), what: what)))
        }
        func passing(_ news: PassingNews) -> HeardEvent { .known(.passing(news)) }
        switch type {
        case .roomUpdated: return try change(.updated(fields.decode(RoomInfo.self, forKey: .info)))
        case .roomDestroyed:
            return try change(
                .destroyed(
                    fields.decode(RoomEndReason.self, forKey: .reason),
                    fields.decode(RoomSummary.self, forKey: .summary)))
        case .seatTaken: return try change(.seatTaken(seat(), user: profile(), by: by()))
        case .seatLeft:
            return try change(
                .seatLeft(
                    seat(), user: profile(), reason: fields.decode(SeatLeaveReason.self, forKey: .reason), by: by()))
        case .seatMuted: return try change(.seatMuted(seat(), by: by()))
        case .seatClosed: return try change(.seatClosed(seat(), by: by()))
        case .microphoneMuted:
            return try change(
                .microphoneMuted(
                    user: user(), muted: fields.decode(Bool.self, forKey: .muted),
                    seat: fields.decode(Int.self, forKey: .seat)))
        case .cameraChanged:
            return try change(
                .cameraChanged(
                    user: user(), camera: fields.decode(CameraState.self, forKey: .camera),
                    seat: fields.decode(Int.self, forKey: .seat), by: by()))
        case .screenChanged:
            return try change(.screenChanged(user: fields.decodeIfPresent(UserID.self, forKey: .user), by: by()))
        case .stageArranged:
            return try change(.stageArranged(fields.decode(StageLayout.self, forKey: .stage), by: by()))
        case .roleChanged:
            return try change(.roleChanged(user: user(), role: fields.decode(Role.self, forKey: .role), by: by()))
        case .attributesChanged: return try change(.attributesChanged(AttributesChange(from: decoder), by: by()))
        case .ownerChanged:
            return try change(
                .ownerChanged(user: profile(), reason: fields.decode(OwnerChangeReason.self, forKey: .reason)))
        case .songChanged:
            return try change(
                .songChanged(
                    fields.decodeIfPresent(SongPlay.self, forKey: .play),
                    fields.decode(SongChange.self, forKey: .reason), by: by()))
        case .pkChanged:
            return try change(
                .pkChanged(
                    fields.decode(PKState.self, forKey: .pk), fields.decode(PKCause.self, forKey: .cause), by: by()))
        case .giftsSent:
            return try change(
                .gifted(
                    fields.decode([SentGift].self, forKey: .gifts),
                    fields.decode(GiftStanding.self, forKey: .standing)))
        case .messageDeleted:
            return try change(.messageDeleted(chat: fields.decode(UInt64.self, forKey: .chat), by: by()))
        case .duetChanged: return try change(.duetChanged(fields.decode(DuetMode.self, forKey: .duet), by: by()))

        case .message: return .known(.message(try Message(from: decoder)))
        case .dropped:
            let from = try fields.decode(UInt64.self, forKey: .from)
            let to = try fields.decode(UInt64.self, forKey: .to)
            return from <= to ? .dropped(from: from, to: to) : nil

        case .invitationReceived, .invitationAccepted, .invitationRejected, .invitationCancelled, .invitationExpired:
            return .known(
                .invitation(
                    InvitationNews(invitation: try fields.decode(Invitation.self, forKey: .invitation), by: try by())))

        case .restrictionSet, .restrictionLifted:
            return .known(
                .restriction(
                    RestrictionNews(
                        try fields.decode(Restriction.self, forKey: .restriction), lifted: type == .restrictionLifted)))

        case .pkChallenge:
            return .known(
                .challenge(
                    ChallengeNews(
                        try fields.decode(PKChallenge.self, forKey: .challenge),
                        try fields.decode(ChallengeState.self, forKey: .state),
                        until: try fields.decodeIfPresent(Int64.self, forKey: .until))))

        case .audienceEntered: return passing(.audienceEntered(try fields.decode(Member.self, forKey: .member)))
        case .audienceLeft:
            return passing(
                .audienceLeft(try user(), reason: try fields.decode(AudienceLeaveReason.self, forKey: .reason)))
        case .presence:
            return passing(
                .presence(
                    try user(), try fields.decode(Presence.self, forKey: .presence),
                    until: try fields.decodeIfPresent(Int64.self, forKey: .until)))
        case .ownerAbsent:
            return passing(
                .ownerAbsent(
                    until: try fields.decode(Int64.self, forKey: .until),
                    heir: try fields.decodeIfPresent(UserID.self, forKey: .heir)))
        case .ownerBack: return passing(.ownerBack)
        case .levels:
            let levels = try fields.decode([String: Int].self, forKey: .levels)
            return passing(
                .levels(
                    Dictionary(levels.compactMap { id, level in UserID(id).map { ($0, level) } }) { first, _ in first })
            )
        case .likes:
            return passing(
                .likes(
                    LikesNews(
                        total: try fields.decode(UInt64.self, forKey: .total),
                        added: try fields.decode(UInt64.self, forKey: .added),
                        users: try fields.decode([UserID].self, forKey: .users))))
        case .count: return passing(.count(memberCount: try fields.decode(Int.self, forKey: .memberCount)))
        case .pkPoints:
            return passing(
                .points(
                    PKPoints(
                        ours: try fields.decode(UInt64.self, forKey: .ours),
                        theirs: try fields.decode(UInt64.self, forKey: .theirs))))
        case .network: return passing(.network(try network(fields)))
        case .mediaPictures: return passing(.pictures(try fields.decode([PictureNews].self, forKey: .pictures)))
        case .mediaWanted:
            return passing(
                .cameraWanted(
                    try fields.decode(PictureSize.self, forKey: .camera),
                    spare: try fields.decodeIfPresent(Bool.self, forKey: .spare) ?? false))
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
}
