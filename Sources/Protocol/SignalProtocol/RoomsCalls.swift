package import RoomModel

// Calls about rooms that are no commands: to make one, to enter it, and to read.

/// Makes a room and enters it.
package struct CreateRoom: NamedCall {
    package static let name = CallName.roomCreate
    package var asCall: Call.Body { .rooms(.createRoom(self)) }

    package var creation: RoomCreation
    package var key: IdempotencyKey?
    package var privateMapKey: String?

    package init(_ creation: RoomCreation, key: IdempotencyKey?, privateMapKey: String? = nil) {
        self.creation = creation
        self.key = key
        self.privateMapKey = privateMapKey
    }

    package func check() throws(RoomError) {
        try creation.check()
        try checkSecret(privateMapKey)
    }

    private enum CodingKeys: String, CodingKey { case key, privateMapKey }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try RoomCreation(from: decoder), key: try fields.decodeIfPresent(IdempotencyKey.self, forKey: .key),
            privateMapKey: try fields.decodeIfPresent(String.self, forKey: .privateMapKey))
    }

    package func encode(to encoder: any Encoder) throws {
        try creation.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(privateMapKey, forKey: .privateMapKey)
        try fields.encodeIfPresent(key, forKey: .key)
    }
}

/// Enters a room.
package struct EnterRoom: NamedCall {
    package static let name = CallName.roomEnter
    package var asCall: Call.Body { .rooms(.enterRoom(self)) }

    package var room: RoomID
    /// Up to where the caller knows the room.
    package var since: ResumePoint?
    package var privateMapKey: String?

    package init(_ room: RoomID, since: ResumePoint? = nil, privateMapKey: String? = nil) {
        self.room = room
        self.since = since
        self.privateMapKey = privateMapKey
    }

    package func check() throws(RoomError) { try checkSecret(privateMapKey) }
}

/// A key that lets somebody into a room: nothing else looks at how long it is.
private func checkSecret(_ key: String?) throws(RoomError) {
    try [SaidText(.secret, key ?? "", "privateMapKey")].checkSizes()
}

extension RoomQuery: NamedCall {
    package static let name = CallName.roomList
    package var asCall: Call.Body { .rooms(.listRooms(self)) }

    package func check() throws(RoomError) {
        guard kind?.isKnown ?? true else { throw .invalid("kind", "there is no such kind of room") }
        try RoomError.check(limit, in: 1...100, "limit")
    }

    private enum CodingKeys: String, CodingKey { case kind, query, tag, order, limit, cursor }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try fields.decodeIfPresent(RoomKind.self, forKey: .kind),
            text: try fields.decodeIfPresent(String.self, forKey: .query),
            tag: try fields.decodeIfPresent(String.self, forKey: .tag),
            order: try fields.decodeIfPresent(RoomOrder.self, forKey: .order) ?? .newest,
            limit: try fields.decodeIfPresent(Int.self, forKey: .limit) ?? 30,
            cursor: try fields.decodeIfPresent(String.self, forKey: .cursor))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(kind, forKey: .kind)
        try fields.encodeIfPresent(text, forKey: .query)
        try fields.encodeIfPresent(tag, forKey: .tag)
        if order != .newest { try fields.encode(order, forKey: .order) }
        try fields.encode(limit, forKey: .limit)
        try fields.encodeIfPresent(cursor, forKey: .cursor)
    }
}

/// Asks what is to be said of these rooms.
package struct GetRooms: NamedCall {
    package static let name = CallName.roomGet
    package var asCall: Call.Body { .rooms(.getRooms(self)) }

    package var rooms: [RoomID]

    package init(_ rooms: [RoomID]) {
        self.rooms = rooms
    }

    package func check() throws(RoomError) {
        try RoomError.checkIDs(rooms, "rooms")
        guard rooms.allSatisfy(\.isAddressable) else { throw RoomError(.roomIDInvalid, field: "rooms") }
    }

    private enum CodingKeys: String, CodingKey { case rooms }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try fields.decodeIfPresent([RoomID].self, forKey: .rooms) ?? [])
    }
}

/// Asks who is in a room.
package struct ListMembers: NamedCall {
    package static let name = CallName.roomMembers
    package var asCall: Call.Body { .rooms(.listMembers(self)) }

    package var room: RoomID
    package var query: MembersQuery

    package init(_ room: RoomID, _ query: MembersQuery) {
        self.room = room
        self.query = query
    }

    package func check() throws(RoomError) {
        switch query {
        case .users(let users): try RoomError.checkIDs(users, "users")
        case .everyone(let limit, _): try RoomError.check(limit, in: 1...200, "limit")
        }
    }

    private enum CodingKeys: String, CodingKey { case room, users, limit, cursor }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        room = try fields.decode(RoomID.self, forKey: .room)
        query =
            if let users = try fields.decodeIfPresent([UserID].self, forKey: .users) { .users(users) } else {
                .everyone(
                    limit: try fields.decodeIfPresent(Int.self, forKey: .limit) ?? 100,
                    cursor: try fields.decodeIfPresent(String.self, forKey: .cursor))
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        switch query {
        case .users(let users): try fields.encode(users, forKey: .users)
        case .everyone(let limit, let cursor):
            try fields.encode(limit, forKey: .limit)
            try fields.encodeIfPresent(cursor, forKey: .cursor)
        }
    }
}

/// Asks for the waiting invitations that concern the reader.
package struct ListInvitations: NamedCall {
    package static let name = CallName.invitationList
    package var asCall: Call.Body { .rooms(.listInvitations(self)) }

    package var room: RoomID
    /// Of the page before.
    package var cursor: String?

    package init(_ room: RoomID, cursor: String?) {
        self.room = room
        self.cursor = cursor
    }
}

/// Asks who may not write or be here; for those who run the room.
package struct ListRestrictions: NamedCall {
    package static let name = CallName.restrictionList
    package var asCall: Call.Body { .rooms(.listRestrictions(self)) }

    package var room: RoomID

    package init(_ room: RoomID) {
        self.room = room
    }
}

/// Asks who gave most, and where the reader stands.
package struct ReadGiftRanking: NamedCall {
    package static let name = CallName.giftRanking
    package var asCall: Call.Body { .rooms(.readGiftRanking(self)) }

    package var room: RoomID

    package init(_ room: RoomID) {
        self.room = room
    }
}

/// Tells the operator about somebody.
package struct SendReport: NamedCall {
    package static let name = CallName.reportSend
    package var asCall: Call.Body { .rooms(.sendReport(self)) }

    package var room: RoomID
    package var report: ReportDraft

    package init(_ room: RoomID, _ report: ReportDraft) {
        self.room = room
        self.report = report
    }

    private enum CodingKeys: String, CodingKey { case room, user, cause, words, chat }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        room = try fields.decode(RoomID.self, forKey: .room)
        report = ReportDraft(
            try fields.decode(UserID.self, forKey: .user), cause: try fields.decode(ReportCause.self, forKey: .cause),
            words: try fields.decodeIfPresent(String.self, forKey: .words),
            message: try fields.decodeIfPresent(UInt64.self, forKey: .chat))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try fields.encode(report.user, forKey: .user)
        try fields.encode(report.cause, forKey: .cause)
        try fields.encodeIfPresent(report.words, forKey: .words)
        try fields.encodeIfPresent(report.message, forKey: .chat)
    }
}

/// Asks for what came with an invitation.
package struct ReadRequestStill: NamedCall {
    package static let name = CallName.invitationStill
    package var asCall: Call.Body { .rooms(.readRequestStill(self)) }

    package var room: RoomID
    /// The invitation's.
    package var id: String

    package init(_ room: RoomID, id: String) {
        self.room = room
        self.id = id
    }
}

/// Shows what the room looks like now, for the list.
package struct SetStill: NamedCall {
    package static let name = CallName.stillSet
    package var asCall: Call.Body { .rooms(.setStill(self)) }

    package var room: RoomID
    /// `nil`: nothing any more.
    package var picture: StillPicture?

    package init(_ room: RoomID, _ picture: StillPicture?) {
        self.room = room
        self.picture = picture
    }

    private enum CodingKeys: String, CodingKey { case room, picture }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(RoomID.self, forKey: .room), try StillPicture(ifPresentIn: fields, .picture))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(room, forKey: .room)
        try fields.encodeIfPresent(picture?.base64, forKey: .picture)
    }
}
