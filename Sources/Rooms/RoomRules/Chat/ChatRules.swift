import RoomModel

extension DurableRoomState {
    /// V16
    func sendMessage(
        _ draft: MessageDraft, by caller: Caller, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        let texts: [String]
        switch draft.body {
        case .text(let text):
            texts = [text]
            guard !text.isEmpty else { throw .invalid("text", "a message says something") }
            guard text.utf8.count <= RoomLimits.messageBytes, WireSize.of(text) <= RoomLimits.messageWireBytes
            else { throw RoomError(.messageTooLarge) }
        case .custom(let command, let message):
            texts = [command, message]
            guard (1...RoomLimits.commandBytes).contains(command.utf8.count) else {
                throw .invalid("command", "a command word has 1…64 bytes")
            }
            guard command.utf8.count + message.utf8.count <= RoomLimits.messageBytes,
                WireSize.of(command) + WireSize.of(message) <= RoomLimits.messageWireBytes
            else { throw RoomError(.messageTooLarge) }
        }
        if let id = draft.id, !DurableRoomState.isClientID(id) {
            throw .invalid("id", "an id has 1…64 printable ASCII characters")
        }
        try checkWriting(texts, by: caller, context)
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
