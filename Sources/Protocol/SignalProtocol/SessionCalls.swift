package import RoomModel

// Sessions and people: what is said outside a room.

/// The first call of a conversation.
package struct SessionOpening: NamedCall {
    package static let name = CallName.sessionOpen
    package var asCall: Call.Body { .openSession(self) }

    package var version: Int
    package var application: ApplicationID
    package var user: UserID
    package var ticket: String
    package var name: String?
    package var avatar: String?
    /// The secret of a session to take over.
    package var resume: String?
    /// Name and version of the client, for the log.
    package var client: Client?

    package struct Client: Codable, Hashable, Sendable {
        package var name: String?
        package var version: String?

        package init(name: String?, version: String?) {
            self.name = name
            self.version = version
        }
    }

    package init(
        version: Int = 1, application: ApplicationID, user: UserID, ticket: String, name: String? = nil,
        avatar: String? = nil, resume: String? = nil, client: Client? = nil
    ) {
        self.version = version
        self.application = application
        self.user = user
        self.ticket = ticket
        self.name = name
        self.avatar = avatar
        self.resume = resume
        self.client = client
    }

    package func check() throws(RoomError) {
        var texts = [SaidText(.secret, resume ?? "", "resume")]
        if let client {
            texts += [
                SaidText(.clientName, client.name ?? "", "client.name"),
                SaidText(.clientName, client.version ?? "", "client.version"),
            ]
        }
        try texts.checkSizes()
    }

    private enum CodingKeys: String, CodingKey { case version, app, user, ticket, name, avatar, resume, client }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try fields.decode(Int.self, forKey: .version),
            application: try fields.decode(ApplicationID.self, forKey: .app),
            user: try fields.decode(UserID.self, forKey: .user),
            ticket: try fields.decodeIfPresent(String.self, forKey: .ticket) ?? "",
            name: try fields.decodeIfPresent(String.self, forKey: .name).map(DirectionMarks.withoutIdle),
            avatar: try fields.decodeIfPresent(String.self, forKey: .avatar),
            resume: try fields.decodeIfPresent(String.self, forKey: .resume),
            client: try fields.decodeIfPresent(Client.self, forKey: .client))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(version, forKey: .version)
        try fields.encode(application, forKey: .app)
        try fields.encode(user, forKey: .user)
        try fields.encode(ticket, forKey: .ticket)
        try fields.encodeIfPresent(name, forKey: .name)
        try fields.encodeIfPresent(avatar, forKey: .avatar)
        try fields.encodeIfPresent(resume, forKey: .resume)
        try fields.encodeIfPresent(client, forKey: .client)
    }
}

/// Goes on with a new ticket.
package struct RenewSession: NamedCall {
    package static let name = CallName.sessionRenew
    package var asCall: Call.Body { .renewSession(self) }

    package var ticket: String

    package init(ticket: String) {
        self.ticket = ticket
    }
}

/// Signs out.
package struct CloseSession: NamedCall {
    package static let name = CallName.sessionClose
    package var asCall: Call.Body { .closeSession }

    package init() {}
}

/// Asks for the room's time.
package struct ReadClock: NamedCall {
    package static let name = CallName.clockRead
    package var asCall: Call.Body { .readClock }

    package init() {}
}

/// Changes one's profile; what is absent stays.
package struct SetProfile: NamedCall {
    package static let name = CallName.profileSet
    package var asCall: Call.Body { .setProfile(self) }

    package var name: String?
    package var avatar: String?
    package var bio: String?

    package init(name: String?, avatar: String?, bio: String?) {
        self.name = name
        self.avatar = avatar
        self.bio = bio
    }

    private enum CodingKeys: String, CodingKey { case name, avatar, bio }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try fields.decodeIfPresent(String.self, forKey: .name).map(DirectionMarks.withoutIdle),
            avatar: try fields.decodeIfPresent(String.self, forKey: .avatar),
            bio: try fields.decodeIfPresent(String.self, forKey: .bio))
    }
}

/// Asks who these people are.
package struct GetProfiles: NamedCall {
    package static let name = CallName.profileGet
    package var asCall: Call.Body { .getProfiles(self) }

    package var users: [UserID]

    package init(_ users: [UserID]) {
        self.users = users
    }

    package func check() throws(RoomError) { try RoomError.checkIDs(users, "users") }

    private enum CodingKeys: String, CodingKey { case users }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try fields.decodeIfPresent([UserID].self, forKey: .users) ?? [])
    }
}

extension SignalDraft: NamedCall {
    package static let name = CallName.signalSend
    package var asCall: Call.Body { .sendSignal(self) }

    private enum CodingKeys: String, CodingKey { case user, id }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            to: try fields.decode(UserID.self, forKey: .user), try MessageBody(from: decoder),
            id: try fields.decodeIfPresent(String.self, forKey: .id))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(to, forKey: .user)
        try body.encode(to: encoder)
        try fields.encodeIfPresent(id, forKey: .id)
    }
}

extension RoomError {
    /// A hundred at once are enough.
    static func checkIDs(_ ids: [some Hashable], _ field: String) throws(RoomError) {
        guard ids.count <= 100 else { throw .invalid(field, "at most 100") }
    }
}
