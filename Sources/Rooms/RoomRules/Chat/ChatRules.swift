import RoomEvents
package import RoomModel

/// V16
extension MessageDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.everyone, operator: .writeMessages)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try body.check(id: id)
        try room.checkChat(body.texts, by: caller)
        let message = Message(chat: room.progress.chat + 1, id: id, from: caller.profile, body: body, time: context.now)
        return Decision([.messageSent(message)], .sent(chat: message.chat, time: message.time))
    }
}

/// G01, as far as counting goes. Who stores several people's likes at once makes one `liked` of them.
extension SendLikes: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.everyone)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard RoomLimits.likesPerCall.contains(count) else { throw .invalid("count", "1…100 likes a call") }
        let count = UInt64(count)
        return Decision(
            [.liked(.init(count: count, users: [caller.profile.id]))], .liked(total: room.figures.likes &+ count))
    }
}

// MARK: What is kept of it

extension Message: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(chat == room.progress.chat + 1)
        room.progress.chat = chat
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
        try require(chat <= room.progress.chat)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.messageDeleted(done(by: context.author)), context)
    }
}

extension Journal.Liked: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.figures.likes =
            room.figures.likes.addingReportingOverflow(count).overflow ? .max : room.figures.likes + count
    }
}
