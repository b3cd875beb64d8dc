public import Foundation
internal import NIOCore
public import RoomModel
internal import SignalProtocol

/// An invitation that was sent.
public struct SentInvitation: Sendable, Hashable {
    /// The id by which the invitation is accepted, rejected or cancelled.
    public let id: String
    /// The position among the requests that wait for the same person, from 1.
    public let position: Int
}

/// A page of a room's members.
public struct MemberPage: Sendable, Hashable {
    /// In the order in which they entered.
    public let members: [Member]
    /// How many members the room has.
    public let count: Int
    /// Where the next page begins, or `nil` if this is the last one.
    public let cursor: String?
}

/// A gift that was sent and paid for.
public struct GiftReceipt: Sendable, Hashable {
    /// The gift's number, which its event has too.
    public let number: Int64
    /// The coins that are left in the wallet.
    public let balance: Int64
}

extension Gift: Identifiable {}

/// The commands with which seats are asked for and offered, in the web app too.
enum SeatInvitation {
    static let request = "seat.ask"
    static let offer = "seat.invite"
}

extension Invitation {
    /// Whether somebody asks for a seat (`RoomSession.requestSeat`). `content` is the number of the seat, or empty for any.
    public var isSeatRequest: Bool { command == SeatInvitation.request }
}

/// A message that was sent and stored.
public struct SentMessage: Sendable, Hashable {
    /// The id that the sender gave the message; its event has it too.
    public let id: String
    /// The message's number in the room.
    public let number: UInt64
    /// When it was sent, by the server's clock.
    public let date: Date
}

extension RoomSession {
    // MARK: - Seats

    /// Takes a seat. If `state.info.needsRequest` is set, members need an accepted invitation first (`consent_required`).
    public func takeSeat(_ seat: Int) async throws(OvationError) { try await ask(TakeSeat(seat)) }

    /// Leaves the user's seat.
    public func leaveSeat() async throws(OvationError) { try await ask(LeaveSeat()) }

    /// Moves to another seat, at most once a second (`too_frequent`).
    public func moveSeat(to seat: Int) async throws(OvationError) { try await ask(MoveSeat(seat)) }

    /// Puts somebody on a seat. For the owner and admins.
    public func seat(_ user: UserID, at seat: Int) async throws(OvationError) {
        try await ask(PickSeat(seat, user))
    }

    /// Removes whoever sits on a seat. For the owner and admins.
    public func kickSeat(_ seat: Int) async throws(OvationError) { try await ask(KickSeat(seat)) }

    /// Mutes or unmutes a seat, whoever sits there now or later. Unmuting does not open a microphone that its user has muted. For the
    /// owner and admins.
    public func setSeat(_ seat: Int, muted: Bool) async throws(OvationError) {
        try await ask(MuteSeat(seat, muted: muted))
    }

    /// Opens or closes a seat. Closing removes whoever sits there. For the owner and admins.
    public func setSeat(_ seat: Int, open: Bool) async throws(OvationError) {
        try await ask(CloseSeat(seat, closed: !open))
    }

    /// Mutes or unmutes the user's own microphone for everybody. On a seat that the host muted, unmuting is refused (`seat_muted`).
    public func setMicrophone(muted: Bool) async throws(OvationError) { try await ask(SetMicrophone(muted: muted)) }

    /// Changes what the app keeps with the room for everybody in it: up to 16 attributes of up to 4,000 bytes under names of up to 32, and
    /// 16,000 bytes in all. For the owner and admins, five times a second in a room.
    /// - Parameters:
    ///   - set: the new words, by name.
    ///   - adding: what is added to attributes that are whole numbers, which nobody's change at the same time is lost by. One that is not
    ///     there is 0.
    ///   - removing: names that are to go.
    ///   - replacing: whether all others go too.
    public func setAttributes(
        _ set: [String: String] = [:], adding: [String: Int64] = [:], removing: [String] = [], replacing: Bool = false
    ) async throws(OvationError) {
        try await ask(AttributesDraft(set: set, add: adding, remove: removing, replace: replacing))
    }

    // MARK: - Invitations

    /// Asks the owner for a seat. Once the request is accepted the seat can be taken: `invitation` tells, with the state `accepted`.
    /// - Parameters:
    ///   - seat: the one that is asked for; `nil`: any.
    ///   - words: up to 60 characters for whoever answers it.
    @discardableResult
    public func requestSeat(
        _ seat: Int? = nil, words: String? = nil, timeout: Duration? = nil
    ) async throws(OvationError) -> SentInvitation {
        try await invite(
            state.info.owner.id, command: SeatInvitation.request, content: seat.map(String.init) ?? "", words: words,
            timeout: timeout)
    }

    /// Invites somebody to take a seat. Once they have accepted, they can take it. For the owner and admins; with a timeout also people who
    /// are not in the room.
    /// - Parameters:
    ///   - seat: the one that is offered; `nil`: any.
    ///   - words: up to 60 characters for whoever answers it.
    @discardableResult
    public func invite(
        _ user: UserID, toSeat seat: Int?, words: String? = nil, timeout: Duration? = nil
    ) async throws(OvationError) -> SentInvitation {
        try await invite(
            user, command: SeatInvitation.offer, content: seat.map(String.init) ?? "", words: words, timeout: timeout)
    }

    /// Sends an invitation whose command and content mean to the application what it likes; see also `requestSeat` and `invite(_:toSeat:)`.
    /// - Parameters:
    ///   - words: up to 60 characters for whoever answers it.
    ///   - timeout: whole seconds, up to an hour. `nil`: the invitation does not expire.
    ///   - id: an id of your own; `nil` creates one.
    public func invite(
        _ user: UserID, command: String, content: String = "", words: String? = nil, timeout: Duration? = nil,
        id: String? = nil
    ) async throws(OvationError) -> SentInvitation {
        let draft = InvitationDraft(
            to: user, command: command, content: content, words: words,
            timeoutSeconds: timeout.map { Int(clamping: max(1, $0.components.seconds)) } ?? 0,
            id: id ?? IdempotencyKey.freshID())
        guard case .invited(let id, let position) = try await ask(draft) else {
            throw OvationError(.invalidAnswer)
        }
        return SentInvitation(id: id, position: position)
    }

    /// Accepts an invitation. Admins can accept requests to the owner too.
    public func acceptInvitation(_ id: String) async throws(OvationError) { try await ask(AcceptInvitation(id: id)) }

    /// Rejects an invitation.
    public func rejectInvitation(_ id: String, reason: String? = nil) async throws(OvationError) {
        try await ask(RejectInvitation(id: id, reason: reason))
    }

    /// Cancels an invitation that the user sent.
    public func cancelInvitation(_ id: String) async throws(OvationError) { try await ask(CancelInvitation(id: id)) }

    // MARK: - Messages

    /// Sends a text to everybody in the room. The sender gets it back as an event with the same `id`.
    /// - Parameter id: an id of your own, 1…64 printable ASCII characters; `nil` creates one. Sending the same id and text again
    ///   within ten minutes sends nothing new.
    /// - Parameter priority: how much the message matters. A room lets so many messages through in a second; beyond that those of lower
    ///   priority are refused first.
    /// - Throws: `rate_limited` with the time to wait when the room's budget is spent.
    @discardableResult
    public func send(
        _ text: String, id: String? = nil, priority: MessagePriority = .normal
    ) async throws(OvationError) -> SentMessage {
        try await send(.text(text), id: id, priority)
    }

    /// Sends a command with its text to everybody, such as `CMD_DANMU`. Otherwise like `send(_:id:priority:)`.
    @discardableResult
    public func send(
        command: String, message: String, id: String? = nil, priority: MessagePriority = .normal
    ) async throws(OvationError) -> SentMessage {
        try await send(.custom(command: command, message: message), id: id, priority)
    }

    private func send(
        _ body: MessageBody, id: String?, _ priority: MessagePriority
    ) async throws(OvationError) -> SentMessage {
        let id = id ?? IdempotencyKey.freshID()
        // One's own id is the key too: a repeat is the same message.
        let key = IdempotencyKey(id) ?? IdempotencyKey.fresh()
        guard
            case .sent(let number, let time) = try await ask(MessageDraft(body, id: id, priority: priority), key: key)
        else {
            throw OvationError(.invalidAnswer)
        }
        return SentMessage(id: id, number: number, date: Date(milliseconds: time))
    }

    /// Sends likes. The server merges them for everybody, with an exact total.
    /// - Parameter count: 1…100.
    /// - Returns: the room's total, including these.
    @discardableResult
    public func like(_ count: Int = 1) async throws(OvationError) -> UInt64 {
        guard case .liked(let total) = try await ask(SendLikes(count), key: nil) else {
            throw OvationError(.invalidAnswer)
        }
        return total
    }

    /// Sends a gift to the owner, or to somebody with a seat, and pays for it.
    ///
    /// If the connection breaks meanwhile the call goes on with the same key, so that it is paid for once.
    /// - Parameters:
    ///   - gift: its id (`OvationClient.gifts()`).
    ///   - count: 1…999.
    ///   - user: who gets it; `nil`: the owner.
    ///   - key: repeats an earlier attempt whose outcome is not known, with the same arguments; `nil` for a new gift.
    /// - Throws: `balance_low`, and nothing is paid; `gift_unknown`, `not_seated`, `rate_limited`.
    @discardableResult
    public func sendGift(
        _ gift: Gift.ID, count: Int = 1, to user: UserID? = nil, key: String? = nil
    ) async throws(OvationError) -> GiftReceipt {
        // Never another key than the one that was given: the gift would be paid twice.
        guard let key = key.map({ IdempotencyKey($0) }) ?? IdempotencyKey.fresh() else {
            throw OvationError(.invalidParams, "a key is 1…64 printable ASCII characters")
        }
        guard
            case .gifted(let number, let balance) = try await ask(
                GiftDraft(gift: gift, count: count, to: user), key: key)
        else { throw OvationError(.invalidAnswer) }
        return GiftReceipt(number: number, balance: balance)
    }

    /// Returns who gave most in this room, and where the user stands.
    public func giftRanking() async throws(OvationError) -> GiftRanking {
        guard
            case .giftRanking(let ranking) = try await outlet.ask(
                .rooms(.readGiftRanking(ReadGiftRanking(id))), over: line)
        else {
            throw OvationError(.invalidAnswer)
        }
        return ranking
    }

    // MARK: - People and the room

    /// Returns a page of the room's members, in the order in which they entered.
    /// - Parameter cursor: the cursor of the previous page.
    public func members(limit: Int = 100, cursor: String? = nil) async throws(OvationError) -> MemberPage {
        let page = try await page(.everyone(limit: limit, cursor: cursor))
        return MemberPage(members: page.members, count: page.count, cursor: page.cursor)
    }

    /// Returns members by user id, at most 100, in the order of the request. Users who are not in the room are left out.
    public func members(_ users: [UserID]) async throws(OvationError) -> [Member] {
        try await page(.users(users)).members
    }

    /// Returns all members of the room.
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
        guard case .members(let page) = try await outlet.ask(.rooms(.listMembers(ListMembers(id, query))), over: line)
        else {
            throw OvationError(.invalidAnswer)
        }
        return page
    }

    /// Makes somebody an admin, or a member again. For the owner.
    public func setRole(_ role: Role, of user: UserID) async throws(OvationError) {
        try await ask(SetRole(user, role))
    }

    /// Changes the room's settings. Parameters that are `nil` keep their value. For the owner and admins.
    /// - Parameters:
    ///   - slowMode: how long one member waits between two messages: whole seconds, up to an hour; `.zero` turns it off.
    ///   - hostsOnly: only the owner and admins write messages.
    ///   - noLinks: messages with links are refused, but for those of the owner and admins.
    public func update(
        name: String? = nil, cover: String? = nil, tags: [String]? = nil, needsRequest: Bool? = nil,
        slowMode: Duration? = nil, hostsOnly: Bool? = nil, noLinks: Bool? = nil
    ) async throws(OvationError) {
        try await ask(
            RoomUpdate(
                name: name, cover: cover, tags: tags, needsRequest: needsRequest,
                slowSeconds: slowMode?.wholeSeconds,
                hostsOnly: hostsOnly, noLinks: noLinks))
    }

    /// Leaves the room and the seat. A room whose owner has left stays open for a while (`state.ownerAbsentUntil`).
    ///
    /// This cannot fail: when it returns, nothing is captured or heard any more and the session has ended, also without a connection.
    /// The server is told at once, or as soon as the connection is back.
    public func leave() async {
        await withCheckedContinuation { continuation in
            leave { continuation.resume() }
        }
    }

    /// Leaves the room and the seat.
    @available(*, deprecated, renamed: "leave()", message: "leaving does not fail and needs no connection")
    public func exit() async throws(OvationError) { await leave() }

    /// Ends the room for everybody. For the owner.
    public func destroy() async throws(OvationError) { try await ask(DestroyRoom()) }

    // MARK: - How

    @discardableResult
    func ask(_ asked: some CommandPayload) async throws(OvationError) -> CommandResult {
        try await ask(asked, key: IdempotencyKey.fresh())
    }

    private func ask(
        _ asked: some CommandPayload, key: IdempotencyKey?
    ) async throws(OvationError) -> CommandResult {
        try refuseWhenOver()
        let (room, command) = (id, asked.asCommand)
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

    // MARK: - In one order with the events (V08)

    /// Asks without waiting. The completion runs once, in the order of deliveries: at the answer, before the events that the
    /// command caused.
    package func perform(
        _ command: RoomCommand, completion: @escaping @Sendable (Result<CommandResult, OvationError>) -> Void
    ) {
        let key: IdempotencyKey? =
            switch command {
            case .sendLikes: nil
            case .sendMessage(let draft): draft.id.flatMap { IdempotencyKey($0) } ?? IdempotencyKey.fresh()
            default: IdempotencyKey.fresh()
            }
        let room = id
        let timeout = outlet.callTimeout
        line.run {
            $0.command(command, in: room, key: key, timeout: timeout, isSeen: false, completion: completion)
        }
    }

    /// Leaves without waiting. No deliveries of the room come after the completion.
    package func leave(completion: @escaping @Sendable () -> Void) {
        line.run { connection in
            connection.leave(self)
            completion()
        }
    }
}
