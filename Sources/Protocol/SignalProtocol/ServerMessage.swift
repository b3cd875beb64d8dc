package import Foundation
package import RoomModel

/// What a client hears: one text frame of the server, decoded once.
package enum ServerMessage: Sendable, Hashable {
    /// To the call with that number.
    case answer(Int64, Result<CallAnswer, ServerRefusal>)
    /// An error answer to a text that the server could not read as a call.
    case complaint(ServerRefusal)
    case news(RoomID, epoch: UInt64, [HeardEvent])
    /// The last word before the server closes.
    case sessionClosed(ServerRefusal)
    case sessionExpiring(seconds: Int64)
    /// Of an invitation of a room in which the reader is not.
    case invited(RoomInfo, InvitationNews)
    /// To the reader alone, in no room.
    case signal(Signal)
    /// Somebody who runs the room has put the reader out.
    case removed(RoomID, Restriction)
    /// Of a newer server, or the answer to a call that nobody waits for.
    case unknown
}

/// The result of a call, by its method.
package enum CallAnswer: Sendable, Hashable {
    case empty
    case session(SessionOpened)
    case renewed(SessionRenewed)
    case clock(ClockReading)
    case profile(UserProfile)
    case profiles([UserProfile])
    case created(RoomSnapshot)
    case entered(RoomEntry)
    case page(RoomPage)
    case rooms([RoomInfo])
    case members(MembersPage)
    case invitations(InvitationsPage)
    case restrictions(RestrictionsPage)
    case still(StillAnswer)
    case requestStill(RequestStillAnswer)
    case line(LineTestAnswer)
    case command(CommandOutcome)
    case gifts([Gift])
    case giftRanking(GiftRanking)
    case wallet(Wallet)
    case statement(StatementPage)
    case media(MediaAnswered)
}

/// A refusal as it stands on the wire; its name may be one that this client does not know.
package struct ServerRefusal: Error, Sendable, Hashable {
    package var code: Int
    package var name: String
    package var message: String
    package var field: String?
    package var reason: String?
    package var retryAfterMs: Int?
    package var skewSeconds: Int64?
    package var incident: String?

    package init(code: Int, name: String, message: String = "") {
        self.code = code
        self.name = name
        self.message = message
    }
}

extension ServerRefusal: Decodable {
    private enum Keys: String, CodingKey { case code, message, name, data }
    private enum DataKeys: String, CodingKey { case name, retryAfterMs, field, reason, skewSeconds, incident }

    /// JSON-RPC's `{code, message, data: {name, …}}`, or `{code, name, message}` as HTTP answers and `session.closed` have it.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        code = (try? fields.decode(Int.self, forKey: .code)) ?? RoomError.Code.internalError.number
        message = (try? fields.decode(String.self, forKey: .message)) ?? ""
        let data = try? fields.nestedContainer(keyedBy: DataKeys.self, forKey: .data)
        name =
            (try? data?.decode(String.self, forKey: .name)) ?? (try? fields.decode(String.self, forKey: .name))
            ?? RoomError.Code.allCases.first { [code] in $0.number == code }?.name ?? RoomError.Code.internalError.name
        retryAfterMs = try? data?.decodeIfPresent(Int.self, forKey: .retryAfterMs)
        field = try? data?.decodeIfPresent(String.self, forKey: .field)
        reason = try? data?.decodeIfPresent(String.self, forKey: .reason)
        skewSeconds = try? data?.decodeIfPresent(Int64.self, forKey: .skewSeconds)
        incident = try? data?.decodeIfPresent(String.self, forKey: .incident)
    }
}

extension ServerMessage {
    /// - Parameter expected: the methods of the calls that still wait for their answers, by number: an answer does not say what
    ///   it answers.
    /// - Returns: `nil` if the text is no JSON-RPC message; an answer whose result cannot be read is a refusal `internal`.
    package static func decode(_ text: Data, expected: [Int64: Method]) -> ServerMessage? {
        let decoder = JSONDecoder()
        decoder.userInfo[Envelope.expectedKey] = expected
        // What a server says; never what a client does.
        decoder.userInfo[.readsNewerWords] = true
        return try? decoder.decode(Envelope.self, from: text).message
    }

    /// Everything in one pass over the JSON.
    private struct Envelope: Decodable {
        static let expectedKey = CodingUserInfoKey(rawValue: "expected") ?? Self.impossible
        private static var impossible: CodingUserInfoKey { preconditionFailure("the key is a constant text") }

        /// The client's own number of `invalid_answer`.
        private static let unreadable = -12

        var message: ServerMessage

        private enum Keys: String, CodingKey { case id, method, params, result, error }
        private enum NewsKeys: String, CodingKey { case room, epoch, events }
        private enum InvitationKeys: String, CodingKey { case room }
        private enum RemovalKeys: String, CodingKey { case room, restriction }
        private enum ExpiryKeys: String, CodingKey { case expiresInSeconds }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Keys.self)
            if let method = try? fields.decode(String.self, forKey: .method) {
                message = try Self.notification(method, fields)
                return
            }
            let number = try fields.decodeIfPresent(Int64.self, forKey: .id)
            if fields.contains(.error) {
                let refusal = try fields.decode(ServerRefusal.self, forKey: .error)
                message = number.map { .answer($0, .failure(refusal)) } ?? .complaint(refusal)
                return
            }
            let expected = decoder.userInfo[Self.expectedKey] as? [Int64: Method]
            guard let number, let method = expected?[number] else {
                message = .unknown
                return
            }
            do {
                message = .answer(number, .success(try CallAnswer(of: method, fields, key: .result)))
            } catch {
                let refusal = ServerRefusal(
                    code: Self.unreadable, name: "invalid_answer",
                    message: "the answer to \(method.rawValue) cannot be read: \(error)")
                message = .answer(number, .failure(refusal))
            }
        }

        private static func notification(_ method: String, _ fields: KeyedDecodingContainer<Keys>) throws
            -> ServerMessage
        {
            switch method {
            case "room.events":
                let news = try fields.nestedContainer(keyedBy: NewsKeys.self, forKey: .params)
                return .news(
                    try news.decode(RoomID.self, forKey: .room), epoch: try news.decode(UInt64.self, forKey: .epoch),
                    try news.decode([HeardEvent].self, forKey: .events))
            case "session.closed": return .sessionClosed(try fields.decode(ServerRefusal.self, forKey: .params))
            case "invitation.elsewhere":
                let news = try fields.nestedContainer(keyedBy: InvitationKeys.self, forKey: .params)
                return .invited(
                    try news.decode(RoomInfo.self, forKey: .room),
                    try fields.decode(InvitationNews.self, forKey: .params))
            case "signal": return .signal(try fields.decode(Signal.self, forKey: .params))
            case "room.removed":
                let removal = try fields.nestedContainer(keyedBy: RemovalKeys.self, forKey: .params)
                return .removed(
                    try removal.decode(RoomID.self, forKey: .room),
                    try removal.decode(Restriction.self, forKey: .restriction))
            case "session.expiring":
                let expiry = try fields.nestedContainer(keyedBy: ExpiryKeys.self, forKey: .params)
                return .sessionExpiring(seconds: try expiry.decode(Int64.self, forKey: .expiresInSeconds))
            default: return .unknown
            }
        }
    }
}

extension CallAnswer {
    fileprivate init<Key: CodingKey>(of method: Method, _ fields: KeyedDecodingContainer<Key>, key: Key) throws {
        switch method {
        case .command: self = .command(try fields.decode(CommandAnswer.self, forKey: key).outcome)
        case .call(let name): try self.init(of: name, fields, key: key)
        }
    }

    private init<Key: CodingKey>(of call: CallName, _ fields: KeyedDecodingContainer<Key>, key: Key) throws {
        switch call {
        case .sessionOpen: self = .session(try fields.decode(SessionOpened.self, forKey: key))
        case .sessionRenew: self = .renewed(try fields.decode(SessionRenewed.self, forKey: key))
        case .clockRead: self = .clock(try fields.decode(ClockReading.self, forKey: key))
        case .profileSet: self = .profile(try fields.decode(ProfileAnswer.self, forKey: key).user)
        case .profileGet: self = .profiles(try fields.decode(ProfilesAnswer.self, forKey: key).users)
        case .roomCreate: self = .created(try fields.decode(RoomCreated.self, forKey: key).snapshot)
        case .roomEnter: self = .entered(try fields.decode(RoomEntered.self, forKey: key).entry)
        case .roomList: self = .page(try fields.decode(RoomPage.self, forKey: key))
        case .roomGet: self = .rooms(try fields.decode(RoomsAnswer.self, forKey: key).rooms)
        case .roomMembers: self = .members(try fields.decode(MembersPage.self, forKey: key))
        case .invitationList: self = .invitations(try fields.decode(InvitationsPage.self, forKey: key))
        case .restrictionList: self = .restrictions(try fields.decode(RestrictionsPage.self, forKey: key))
        case .invitationStill: self = .requestStill(try fields.decode(RequestStillAnswer.self, forKey: key))
        case .stillSet: self = .still(try fields.decode(StillAnswer.self, forKey: key))
        case .mediaOffer: self = .media(try fields.decode(MediaAnswered.self, forKey: key))
        case .sessionClose, .reportSend, .signalSend, .mediaView, .mediaClose, .lineEnd, .songLatency: self = .empty
        case .giftList: self = .gifts(try fields.decode(GiftsAnswer.self, forKey: key).gifts)
        case .giftRanking: self = .giftRanking(try fields.decode(GiftRanking.self, forKey: key))
        case .walletGet, .walletFaucet: self = .wallet(try fields.decode(Wallet.self, forKey: key))
        case .walletStatement: self = .statement(try fields.decode(StatementPage.self, forKey: key))
        case .lineTest: self = .line(try fields.decode(LineTestAnswer.self, forKey: key))
        }
    }
}
