internal import Ovation

extension TRTCRoom {
    // MARK: - Messages

    /// Sends a text message to everybody else in the room.
    public func sendRoomTextMsg(message: String, callback: ActionCallback? = nil) {
        requests.send(.text(message), queue.reply(callback))
    }

    /// Sends a custom message, such as `CMD_DANMU`, to everybody else in the room.
    ///
    /// `CMD_LIKE` is counted by the server: an empty message is one like, a number from 1 to 100 that many. The delegates of the
    /// others receive the sum of everybody's likes, with the number as the message.
    public func sendRoomCustomMsg(cmd: String, message: String, callback: ActionCallback? = nil) {
        requests.send(.custom(command: cmd, message: message), queue.reply(callback))
    }

    // MARK: - Invitations

    /// Sends an invitation or a request, for example to take a seat. The app defines the meaning of the command word.
    /// - Returns: the id of the invitation, which all its callbacks carry; empty if it could not be sent.
    @discardableResult
    public func sendInvitation(
        cmd: String, userId: String, content: String, callback: ActionCallback? = nil
    ) -> String {
        requests.sendInvitation(command: cmd, userId: userId, content: content, queue.reply(callback))
    }

    /// Accepts an invitation.
    public func acceptInvitation(id: String, callback: ActionCallback? = nil) {
        requests.accept(id, queue.reply(callback))
    }

    /// The chorus component's spelling of `acceptInvitation(id:callback:)`.
    public func acceptInvitation(identifier: String, callback: ActionCallback? = nil) {
        acceptInvitation(id: identifier, callback: callback)
    }

    /// Declines an invitation.
    public func rejectInvitation(id: String, callback: ActionCallback? = nil) {
        requests.reject(id, queue.reply(callback))
    }

    /// The chorus component's spelling of `rejectInvitation(id:callback:)`.
    public func rejectInvitation(identifier: String, callback: ActionCallback? = nil) {
        rejectInvitation(id: identifier, callback: callback)
    }

    /// Withdraws an invitation that the user sent.
    public func cancelInvitation(id: String, callback: ActionCallback? = nil) {
        controller.perform(.cancelInvitation(CancelInvitation(id: id)), queue.reply(callback))
    }

    /// The chorus component's spelling of `cancelInvitation(id:callback:)`.
    public func cancelInvitation(identifier: String, callback: ActionCallback? = nil) {
        cancelInvitation(id: identifier, callback: callback)
    }
}
