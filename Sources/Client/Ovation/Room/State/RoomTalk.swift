internal import RoomModel

/// What is said in a room: messages, likes, and what keeps the user from writing.
struct RoomTalk: Sendable, Hashable {
    /// The number of the last message that is here, or that was missed.
    var number: UInt64
    private(set) var messages: [Message]
    private(set) var likes: UInt64
    private(set) var mute: Restriction?

    init(_ snapshot: RoomSnapshot) {
        number = snapshot.chat
        messages = snapshot.messages.suffix(RoomState.messagesKept)
        likes = snapshot.likes
        mute = snapshot.chatMute
    }

    // MARK: - News

    mutating func take(_ message: Message) -> [RoomSession.Event] {
        number = max(number, message.chat)
        messages.append(message)
        if messages.count > RoomState.messagesKept { messages.removeFirst(messages.count - RoomState.messagesKept) }
        return [.message(message)]
    }

    mutating func take(_ deleted: MessageDeleted) -> [RoomSession.Event] {
        if let index = messages.lastIndex(where: { $0.chat == deleted.chat }) {
            messages[index] = messages[index].withoutText
        }
        return [.messageDeleted(deleted)]
    }

    mutating func take(_ dropped: MessagesDropped) -> [RoomSession.Event] {
        number = max(number, dropped.to)
        return [.messagesMissed(dropped.from...dropped.to)]
    }

    mutating func take(_ news: LikesNews) -> [RoomSession.Event] {
        likes = news.total
        return [.likes(news)]
    }

    mutating func take(_ news: RestrictionNews, of me: UserID) -> [RoomSession.Event] {
        if news.restriction.kind == .chatMute, news.restriction.user == me {
            mute = news.lifted ? nil : news.restriction
        }
        return [.restriction(news)]
    }

    // MARK: - What differs

    mutating func setLikes(_ total: UInt64) -> [RoomSession.Event] {
        let former = likes
        likes = total
        return changedLikes(since: former)
    }

    mutating func setMute(_ now: Restriction?) -> [RoomSession.Event] {
        let former = mute
        mute = now
        return changedMute(since: former)
    }

    func changedLikes(since old: UInt64) -> [RoomSession.Event] {
        guard likes != old else { return [] }
        return [.likes(LikesNews(total: likes, added: likes > old ? likes - old : 0, users: []))]
    }

    func changedMute(since old: Restriction?) -> [RoomSession.Event] {
        guard mute != old, let restriction = mute ?? old else { return [] }
        return [.restriction(RestrictionNews(restriction, lifted: mute == nil))]
    }

    func newMessages(since old: RoomTalk) -> [RoomSession.Event] {
        guard number > old.number else { return [] }
        // Numbers come from the network: none of them is trusted not to be the greatest.
        let lastMissed = (messages.first?.chat ?? number &+ 1) &- 1
        let missed: [RoomSession.Event] =
            lastMissed > old.number ? [.messagesMissed(old.number + 1...lastMissed)] : []
        return missed + messages.filter { $0.chat > old.number }.map { .message($0) }
    }
}
