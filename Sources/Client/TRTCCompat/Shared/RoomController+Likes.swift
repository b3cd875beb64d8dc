internal import Ovation
internal import Synchronization

// Likes: custom messages for apps, which the server gathers and counts as it counts everybody's.

/// How many likes of others have come.
struct LikeCount: Sendable {
    /// The command word of the documents.
    static let command = "CMD_LIKE"
    /// More in one message are none.
    private static let range = 1...100

    /// The room's likes when it was entered.
    private let before: UInt64
    /// One's own since then.
    private(set) var own: UInt64 = 0
    /// Those that an app was told of.
    private var told: UInt64 = 0

    init(before: UInt64 = 0) { self.before = before }

    /// What a message stands for: an empty one for one like, a number for so many; `nil`: it is no like, or says more.
    static func count(in body: MessageBody) -> Int? {
        guard case .custom(let word, let message) = body, word == command else { return nil }
        return message.isEmpty ? 1 : Int(message).flatMap { range.contains($0) ? $0 : nil }
    }

    /// The server has counted likes of one's own.
    mutating func add(own count: Int) { own += UInt64(count) }

    /// How many likes are new, by the room's total.
    mutating func take(total: UInt64, withOwn: Bool) -> UInt64 {
        let all = total &- before
        let wanted = withOwn ? all : all - min(own, all)
        guard wanted > told else { return 0 }
        defer { told = wanted }
        return wanted - told
    }
}

extension RoomController {
    func like(_ count: Int, _ reply: ActionReply) {
        inside(reply)?.perform(.sendLikes(count)) { [weak self] result in
            switch result {
            case .success:
                self?.state.withLock { $0.likes.add(own: count) }
                reply()
            case .failure(let error): reply(error.outcome.code, error.outcome.message)
            }
        }
    }

    /// One callback for all that came since the last; its message is their number.
    func hear(_ news: LikesNews, in room: RoomSession) {
        let room = room.state
        let (added, echoes) = state.withLock { state in
            (
                state.likes.take(total: news.total, withOwn: state.echoesOwnMessages),
                state.echoesOwnMessages
            )
        }
        guard added > 0, let user = news.users.first(where: { echoes || $0 != room.me.id }) ?? news.users.first else {
            return
        }
        let sender = RoomPerson(
            profile: room.profile(of: user), isMuted: room.member(user)?.micMuted ?? true)
        tell(.custom(command: LikeCount.command, message: String(added), from: sender))
    }
}
