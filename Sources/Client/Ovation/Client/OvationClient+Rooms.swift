public import RoomModel
internal import SignalProtocol

/// The settings of a new room.
public struct RoomDraft: Sendable, Hashable {
    /// 1…64 characters.
    public var name: String
    /// Without an id, the server picks a number of five to seven digits. If the user owns an open room with this id, that room takes
    /// over the settings and is entered.
    public var id: RoomID?
    /// The kind of room.
    public var kind: RoomKind
    /// An `https:`, `http:` or relative URL, or empty.
    public var cover: String
    /// At most five, of 1…24 characters.
    public var tags: [String]
    /// Whether listeners must ask before they take a seat.
    public var needsRequest: Bool
    /// The seats, 1…16, each with its initial state.
    public var seats: [SeatSetup]
    /// What the pictures of a live room come in. It cannot be changed later.
    public var pictureFormat: PictureFormat
    /// Whether `needsRequest` is a hint for clients, and no rule of the server.
    package var isAdvisory = false
    /// Where the application asks for one: a key that lets its bearer create the room `id`.
    public var privateMapKey: String?

    /// Creates the settings of a room whose seats are all open.
    public init(
        name: String, id: RoomID? = nil, kind: RoomKind = .voice, cover: String = "", tags: [String] = [],
        needsRequest: Bool = false, seats: Int = 8, pictureFormat: PictureFormat = .vp8
    ) {
        self.init(
            name: name, id: id, kind: kind, cover: cover, tags: tags, needsRequest: needsRequest,
            seats: Array(repeating: SeatSetup(), count: max(0, min(seats, 64))), pictureFormat: pictureFormat)
    }

    /// Creates the settings of a room with a given state for each seat.
    public init(
        name: String, id: RoomID? = nil, kind: RoomKind = .voice, cover: String = "", tags: [String] = [],
        needsRequest: Bool = false, seats: [SeatSetup], pictureFormat: PictureFormat = .vp8
    ) {
        self.name = name
        self.id = id
        self.kind = kind
        self.cover = cover
        self.tags = tags
        self.needsRequest = needsRequest
        self.seats = seats
        self.pictureFormat = pictureFormat
    }

    package var creation: RoomCreation {
        var settings = RoomSettings(
            name: name, cover: cover, tags: tags, needsRequest: needsRequest, pictureFormat: pictureFormat)
        settings.isAdvisory = isAdvisory
        return RoomCreation(room: id, kind: kind, settings: settings, seats: seats)
    }
}

extension OvationClient {
    // MARK: - Profiles

    /// Changes the user's own profile. Parameters that are `nil` keep their value. The server stores the profile.
    @discardableResult
    public func setProfile(
        name: String? = nil, avatar: String? = nil, bio: String? = nil
    ) async throws(OvationError) -> UserProfile {
        let timeout = outlet.callTimeout
        let answer: CallAnswer = try await signedInLine().ask { connection, token, completion in
            connection.perform(
                .setProfile(SetProfile(name: name, avatar: avatar, bio: bio)), timeout: timeout, token: token
            ) { [weak connection] result in
                if case .success(.profile(let user)) = result { connection?.signIn.note(user) }
                completion(result)
            }
        }
        guard case .profile(let user) = answer else { throw OvationError(.invalidAnswer) }
        return user
    }

    /// Returns profiles by user id, at most 100, in the order of the request. Unknown ids are left out.
    public func profiles(of users: [UserID]) async throws(OvationError) -> [UserProfile] {
        guard case .profiles(let found) = try await ask(.getProfiles(GetProfiles(users))) else {
            throw OvationError(.invalidAnswer)
        }
        return found
    }

    // MARK: - Directory

    /// Declines an invitation of a room in which the user is not.
    public func rejectInvitation(_ invitation: Invitation, reason: String? = nil) async throws(OvationError) {
        let body = Call.Body.rooms(
            .command(
                invitation.room, .rejectInvitation(RejectInvitation(id: invitation.id, reason: reason)),
                key: IdempotencyKey.fresh())
        )
        guard case .command = try await ask(body) else { throw OvationError(.invalidAnswer) }
    }

    /// Returns a page of the open rooms.
    /// - Parameters:
    ///   - query: a part of the name or of a tag, or the id.
    ///   - tag: a complete tag.
    ///   - order: the newest first, or those with most people, as they were when the first page was read.
    ///   - limit: 1…100.
    ///   - cursor: the cursor of the previous page, with the same other parameters. By number of people a page can be read for a minute
    ///     after the first; later it is `invalid_params`.
    public func rooms(
        query: String? = nil, tag: String? = nil, kind: RoomKind? = nil, order: RoomOrder = .newest, limit: Int = 30,
        cursor: String? = nil
    ) async throws(OvationError) -> RoomPage {
        let asked = RoomQuery(kind: kind, text: query, tag: tag, order: order, limit: limit, cursor: cursor)
        guard case .page(let page) = try await ask(.rooms(.listRooms(asked))) else {
            throw OvationError(.invalidAnswer)
        }
        return page
    }

    /// Returns rooms by id, at most 100, in the order of the request. Unknown ids are left out.
    public func roomInfo(_ ids: [RoomID]) async throws(OvationError) -> [RoomInfo] {
        guard case .rooms(let found) = try await ask(.rooms(.getRooms(GetRooms(ids)))) else {
            throw OvationError(.invalidAnswer)
        }
        return found
    }

    // MARK: - Rooms

    /// Creates a room and enters it as its owner.
    public func createRoom(_ draft: RoomDraft) async throws(OvationError) -> RoomSession {
        let timeout = outlet.callTimeout
        let creation = draft.creation
        let key = IdempotencyKey.fresh()
        return try await signedInLine().ask { connection, token, completion in
            connection.create(
                creation, key: key, privateMapKey: draft.privateMapKey, timeout: timeout, token: token,
                completion: completion)
        }
    }

    /// Enters a room. A user can be in one room at a time (`in_another_room`).
    /// - Parameter privateMapKey: where the application asks for one. What it does not allow is `permission_denied` as long as the user is
    ///   in the room.
    /// - Throws: `room_key_failed` when it is missing or does not open this room.
    public func enterRoom(_ id: RoomID, privateMapKey: String? = nil) async throws(OvationError) -> RoomSession {
        let timeout = outlet.callTimeout
        return try await signedInLine().ask { connection, token, completion in
            connection.enter(
                id, privateMapKey: privateMapKey, timeout: timeout, token: token, completion: completion)
        }
    }
}
