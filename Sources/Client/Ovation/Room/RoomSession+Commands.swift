internal import NIOCore
public import RoomModel
internal import SignalProtocol

/// An invitation that was sent.
public struct SentInvitation: Sendable, Hashable {
    /// With it the invitation is accepted, rejected or cancelled.
    public let id: String
    /// Its place among the requests that wait for the same person, from 1.
    public let position: Int
}

/// A message that was sent and stored.
public struct SentMessage: Sendable, Hashable {
    /// The sender's own id, which its event carries.
    public let id: String
    /// Its number in the room.
    public let number: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
}

extension RoomSession {
    // MARK: - Seats

    /// Sits down. With `state.info.needsRequest` an ordinary member needs an accepted invitation first (`consent_required`).
    public func takeSeat(_ seat: Int) async throws(OvationError) { try await ask(.takeSeat(seat)) }

    /// Leaves one's seat.
    public func leaveSeat() async throws(OvationError) { try await ask(.leaveSeat) }

    /// Goes to another seat; at most once a second (`too_frequent`).
    public func moveSeat(to seat: Int) async throws(OvationError) { try await ask(.moveSeat(seat)) }

    /// Owner and admins: puts somebody on a seat.
    public func pickSeat(_ seat: Int, for user: UserID) async throws(OvationError) {
        try await ask(.pickSeat(seat, user))
    }

    /// Owner and admins: takes the seat away from whoever sits there.
    public func kickSeat(_ seat: Int) async throws(OvationError) { try await ask(.kickSeat(seat)) }

    /// Owner and admins: mutes a seat, whoever sits there now or later. Unmuting never opens a microphone that its user muted.
    public func muteSeat(_ seat: Int, _ muted: Bool = true) async throws(OvationError) {
        try await ask(.muteSeat(seat, muted: muted))
    }

    /// Owner and admins: closes a seat, which whoever sits there then leaves; or opens it.
    public func closeSeat(_ seat: Int, _ closed: Bool = true) async throws(OvationError) {
        try await ask(.closeSeat(seat, closed: closed))
    }

    /// Mutes or unmutes one's own microphone for everybody. In a seat that the host muted, unmuting is refused (`seat_muted`).
    public func setMicrophone(muted: Bool) async throws(OvationError) { try await ask(.setMicrophone(muted: muted)) }

    // MARK: - Invitations

    /// Asks somebody for something: to come to a seat, to be let onto one, or whatever the command word means to the application.
    /// - Parameters:
    ///   - timeout: whole seconds, up to an hour; without, the invitation waits for ever.
    ///   - id: one's own id for it; without, one is made.
    public func invite(
        _ user: UserID, command: String, content: String = "", timeout: Duration? = nil, id: String? = nil
    ) async throws(OvationError) -> SentInvitation {
        let draft = InvitationDraft(
            to: user, command: command, content: content,
            timeoutSeconds: timeout.map { Int(clamping: max(1, $0.components.seconds)) } ?? 0,
            id: id ?? Self.freshID())
        guard case .invited(let id, let position) = try await ask(.sendInvitation(draft)) else {
            throw OvationError(.invalidAnswer)
        }
        return SentInvitation(id: id, position: position)
    }

    /// Says yes. A request to the owner can be accepted by admins too.
    public func acceptInvitation(_ id: String) async throws(OvationError) { try await ask(.acceptInvitation(id: id)) }

    /// Says no.
    public func rejectInvitation(_ id: String, reason: String? = nil) async throws(OvationError) {
        try await ask(.rejectInvitation(id: id, reason: reason))
    }

    /// Takes back what one sent.
    public func cancelInvitation(_ id: String) async throws(OvationError) { try await ask(.cancelInvitation(id: id)) }

    // MARK: - Messages

    /// Says something to everybody, oneself included: it comes back as an event with the same `id`.
    /// - Parameter id: one's own id for it, 1…64 printable ASCII characters; sending the same id and text again within ten minutes
    ///   sends nothing new. Without, one is made.
    @discardableResult
    public func send(_ text: String, id: String? = nil) async throws(OvationError) -> SentMessage {
        try await send(.text(text), id: id)
    }

    /// Sends a command with its text to everybody, such as `CMD_DANMU`; else like a text.
    @discardableResult
    public func send(command: String, message: String, id: String? = nil) async throws(OvationError) -> SentMessage {
        try await send(.custom(command: command, message: message), id: id)
    }

    private func send(_ body: MessageBody, id: String?) async throws(OvationError) -> SentMessage {
        let id = id ?? Self.freshID()
        // One's own id is the key too: a repeat is the same message.
        let key = IdempotencyKey(id) ?? Self.freshKey()
        guard case .sent(let number, let time) = try await ask(.sendMessage(MessageDraft(body, id: id)), key: key)
        else {
            throw OvationError(.invalidAnswer)
        }
        return SentMessage(id: id, number: number, time: time)
    }

    /// Sends likes, which the server merges for everybody; the total is exact.
    /// - Parameter count: 1…100.
    /// - Returns: the room's likes, these included.
    @discardableResult
    public func like(_ count: Int = 1) async throws(OvationError) -> UInt64 {
        guard case .liked(let total) = try await ask(.sendLikes(count), key: nil) else {
            throw OvationError(.invalidAnswer)
        }
        return total
    }

    // MARK: - People and the room

    /// A page of the people, in the order in which they came.
    /// - Parameter cursor: of the page before.
    public func members(limit: Int = 100, cursor: String? = nil) async throws(OvationError) -> MembersPage {
        try await page(.everyone(limit: limit, cursor: cursor))
    }

    /// These people, in this order; whoever is not in the room is left out. At most 100.
    public func members(_ users: [UserID]) async throws(OvationError) -> [Member] {
        try await page(.users(users)).members
    }

    /// Everybody who is in the room.
    public func allMembers() async throws(OvationError) -> [Member] {
        var found: [Member] = []
        var cursor: String?
        repeat {
            let page = try await page(.everyone(limit: 200, cursor: cursor))
            found += page.members
            cursor = page.cursor
        } while cursor != nil
        return found
    }

    private func page(_ query: MembersQuery) async throws(OvationError) -> MembersPage {
        guard case .members(let page) = try await outlet.ask(.rooms(.listMembers(id, query)), over: line) else {
            throw OvationError(.invalidAnswer)
        }
        return page
    }

    /// The owner: makes somebody an admin, or a member again.
    public func setRole(_ role: Role, of user: UserID) async throws(OvationError) {
        try await ask(.setRole(user, role))
    }

    /// Owner and admins: changes what is given, the rest stays.
    public func update(
        name: String? = nil, cover: String? = nil, tags: [String]? = nil, needsRequest: Bool? = nil
    ) async throws(OvationError) {
        try await ask(.updateRoom(RoomUpdate(name: name, cover: cover, tags: tags, needsRequest: needsRequest)))
    }

    /// Leaves the room; a seat is freed first. An owner's room lives on for a while (`state.ownerAbsentUntil`).
    public func exit() async throws(OvationError) { try await ask(.exitRoom) }

    /// The owner: ends the room for everybody.
    public func destroy() async throws(OvationError) { try await ask(.destroyRoom) }

    // MARK: - How

    @discardableResult
    func ask(_ command: RoomCommand) async throws(OvationError) -> CommandResult {
        try await ask(command, key: Self.freshKey())
    }

    private func ask(_ command: RoomCommand, key: IdempotencyKey?) async throws(OvationError) -> CommandResult {
        try refuseWhenOver()
        let room = id
        let timeout = outlet.callTimeout
        return try await line.ask { connection, token, completion in
            connection.command(
                command, in: room, key: key, timeout: timeout, isSeen: true, token: token, completion: completion)
        }
    }

    private func refuseWhenOver() throws(OvationError) {
        switch state.phase {
        case .present: break
        case .left: throw OvationError(.notInRoom)
        case .ended: throw OvationError(.roomClosed)
        case .gone(let error): throw error
        }
    }

    static func freshKey() -> IdempotencyKey? { IdempotencyKey(freshID()) }

    static func freshID() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    // MARK: - In one order with the events (V08)

    /// Asks without waiting. The completion runs once, in the order of deliveries: at the answer, before the events that the
    /// command caused.
    package func perform(
        _ command: RoomCommand, completion: @escaping @Sendable (Result<CommandResult, OvationError>) -> Void
    ) {
        let key: IdempotencyKey? =
            switch command {
            case .sendLikes: nil
            case .sendMessage(let draft): draft.id.flatMap { IdempotencyKey($0) } ?? Self.freshKey()
            default: Self.freshKey()
            }
        let room = id
        let timeout = outlet.callTimeout
        line.run {
            $0.command(command, in: room, key: key, timeout: timeout, isSeen: false, completion: completion)
        }
    }

    /// Leaves without waiting. No deliveries of the room come after the completion.
    package func exit(completion: @escaping @Sendable (Result<Void, OvationError>) -> Void) {
        perform(.exitRoom) { completion($0.map { _ in () }) }
    }
}
