import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// V16
    func sendMessage(
        _ draft: MessageDraft, by caller: Caller, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try draft.body.check(id: draft.id)
        try checkChat(draft.body.texts, by: caller)
        let message = Message(chat: chat + 1, id: draft.id, from: caller.profile, body: draft.body, time: context.now)
        return Decision([.messageSent(message)], .sent(chat: message.chat, time: message.time))
    }

    /// G01, as far as counting goes. Who stores several people's likes at once makes one `liked` of them.
    func sendLikes(_ count: Int, by user: UserProfile) throws(RoomError) -> Decision {
        guard RoomLimits.likesPerCall.contains(count) else { throw .invalid("count", "1…100 likes a call") }
        let count = UInt64(count)
        return Decision([.liked(.init(count: count, users: [user.id]))], .liked(total: likes &+ count))
    }
}

extension MessageDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .allowed, admin: .allowed, owner: .allowed, operator: .writeMessages)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.sendMessage(self, by: caller, context)
    }
}

extension SendLikes: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(member: .allowed, admin: .allowed, owner: .allowed)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.sendLikes(count, by: caller.profile)
    }
}

// MARK: What is kept of it

extension Message: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(chat == room.chat + 1)
        room.chat = chat
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        Announcement(.message(self))
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { erasing(user) }

    package func erasing(_ user: UserID) -> Message {
        guard from.id == user else { return self }
        var message = withoutText
        (message.id, message.from) = (nil, from.erasing(user))
        return message
    }
}

extension MessageDeleted: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(chat <= room.chat)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.messageDeleted(done(by: context.author)), context)
    }
}

extension RoomEvent.Liked: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.likes = room.likes.addingReportingOverflow(count).overflow ? .max : room.likes + count
    }
}
