public import RoomModel
internal import SignalProtocol

/// What a new room is to be.
public struct RoomDraft: Sendable, Hashable {
    /// 1…64 characters.
    public var name: String
    /// Without, the server picks a number of five to seven digits. With the id of one's own open room, that room takes over the
    /// settings and is entered.
    public var id: RoomID?
    /// What sort of room it is.
    public var kind: RoomKind
    /// An `https:`, `http:` or relative URL, or empty.
    public var cover: String
    /// At most five, of 1…24 characters.
    public var tags: [String]
    /// Whether one must ask before sitting down.
    public var needsRequest: Bool
    /// How each seat starts out, 1…16.
    public var seats: [SeatSetup]

    /// A room with so many plain seats.
    public init(
        name: String, id: RoomID? = nil, kind: RoomKind = .voice, cover: String = "", tags: [String] = [],
        needsRequest: Bool = false, seats: Int = 8
    ) {
        self.init(
            name: name, id: id, kind: kind, cover: cover, tags: tags, needsRequest: needsRequest,
            seats: Array(repeating: SeatSetup(), count: max(0, min(seats, 64))))
    }

    /// A room whose seats start out muted or closed.
    public init(
        name: String, id: RoomID? = nil, kind: RoomKind = .voice, cover: String = "", tags: [String] = [],
        needsRequest: Bool = false, seats: [SeatSetup]
    ) {
        self.name = name
        self.id = id
        self.kind = kind
        self.cover = cover
        self.tags = tags
        self.needsRequest = needsRequest
        self.seats = seats
    }

    package var creation: RoomCreation {
        RoomCreation(
            room: id, kind: kind,
            settings: RoomSettings(name: name, cover: cover, tags: tags, needsRequest: needsRequest), seats: seats)
    }
}

extension OvationClient {
    // MARK: - Profiles

    /// Changes what is given of one's own profile; the rest stays. The server keeps it.
    @discardableResult
    public func setProfile(
        name: String? = nil, avatar: String? = nil, bio: String? = nil
    ) async throws(OvationError) -> UserProfile {
        let timeout = outlet.callTimeout
        let answer: CallAnswer = try await signedInLine().ask { connection, token, completion in
            connection.perform(
                .setProfile(name: name, avatar: avatar, bio: bio), timeout: timeout, token: token
            ) { [weak connection] result in
                if case .success(.profile(let user)) = result { connection?.note(user) }
                completion(result)
            }
        }
        guard case .profile(let user) = answer else { throw OvationError(.invalidAnswer) }
        return user
    }

    /// People by id, in the order asked, unknown ones left out. At most 100.
    public func profiles(of users: [UserID]) async throws(OvationError) -> [UserProfile] {
        guard case .profiles(let found) = try await ask(.getProfiles(users)) else {
            throw OvationError(.invalidAnswer)
        }
        return found
    }

    // MARK: - Directory

    /// A page of the rooms that are open, newest first.
    /// - Parameters:
    ///   - query: part of the name, the start of a tag, or the id.
    ///   - tag: one whole tag.
    ///   - limit: 1…100.
    ///   - cursor: of the page before.
    public func rooms(
        query: String? = nil, tag: String? = nil, kind: RoomKind? = nil, limit: Int = 30, cursor: String? = nil
    ) async throws(OvationError) -> RoomPage {
        let asked = RoomQuery(kind: kind, text: query, tag: tag, limit: limit, cursor: cursor)
        guard case .page(let page) = try await ask(.rooms(.listRooms(asked))) else {
            throw OvationError(.invalidAnswer)
        }
        return page
    }

    /// Rooms by id, in the order asked, unknown ones left out. At most 100.
    public func roomInfo(_ ids: [RoomID]) async throws(OvationError) -> [RoomInfo] {
        guard case .rooms(let found) = try await ask(.rooms(.getRooms(ids))) else { throw OvationError(.invalidAnswer) }
        return found
    }

    // MARK: - Rooms

    /// Creates a room and is in it, as its owner.
    public func createRoom(_ draft: RoomDraft) async throws(OvationError) -> RoomSession {
        let timeout = outlet.callTimeout
        let creation = draft.creation
        let key = RoomSession.freshKey()
        return try await signedInLine().ask { connection, token, completion in
            connection.create(creation, key: key, timeout: timeout, token: token, completion: completion)
        }
    }

    /// Enters a room. One is in one room at a time (`in_another_room`).
    public func enterRoom(_ id: RoomID) async throws(OvationError) -> RoomSession {
        let timeout = outlet.callTimeout
        return try await signedInLine().ask { connection, token, completion in
            connection.enter(id, timeout: timeout, token: token, completion: completion)
        }
    }
}
