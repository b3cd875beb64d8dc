import RoomEvents
import RoomModel

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
        return Decision([.liked(count: count, users: [user.id])], .liked(total: likes &+ count))
    }
}
