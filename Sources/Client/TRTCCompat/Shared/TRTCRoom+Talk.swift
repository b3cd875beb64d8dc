internal import Ovation

extension TRTCRoom {
    // MARK: - Messages

    /// A text to everybody else.
    public func sendRoomTextMsg(message: String, callback: ActionCallback? = nil) {
        controller.send(.text(message), queue.reply(callback))
    }

    /// A command to everybody else, such as `CMD_DANMU`. `CMD_LIKE` with an empty message is a like, with a number so many (up to
    /// 100): they join the room's likes, and others are told those of everybody together, with their number as the message.
    public func sendRoomCustomMsg(cmd: String, message: String, callback: ActionCallback? = nil) {
        controller.send(.custom(command: cmd, message: message), queue.reply(callback))
    }

    // MARK: - Invitations

    /// Asks somebody for something: to come to a seat, to be let onto one, or whatever the command word means to the app.
    /// - Returns: the id of the invitation, which all its callbacks carry; empty if it could not be sent.
    @discardableResult
    public func sendInvitation(
        cmd: String, userId: String, content: String, callback: ActionCallback? = nil
    ) -> String {
        controller.sendInvitation(command: cmd, userId: userId, content: content, queue.reply(callback))
    }

    /// Says yes.
    public func acceptInvitation(id: String, callback: ActionCallback? = nil) {
        controller.perform(.acceptInvitation(id: id), queue.reply(callback))
    }

    /// The chorus component's spelling of `acceptInvitation(id:callback:)`.
    public func acceptInvitation(identifier: String, callback: ActionCallback? = nil) {
        acceptInvitation(id: identifier, callback: callback)
    }

    /// Says no.
    public func rejectInvitation(id: String, callback: ActionCallback? = nil) {
        controller.perform(.rejectInvitation(id: id, reason: nil), queue.reply(callback))
    }

    /// The chorus component's spelling of `rejectInvitation(id:callback:)`.
    public func rejectInvitation(identifier: String, callback: ActionCallback? = nil) {
        rejectInvitation(id: identifier, callback: callback)
    }

    /// Takes back what one asked.
    public func cancelInvitation(id: String, callback: ActionCallback? = nil) {
        controller.perform(.cancelInvitation(id: id), queue.reply(callback))
    }

    /// The chorus component's spelling of `cancelInvitation(id:callback:)`.
    public func cancelInvitation(identifier: String, callback: ActionCallback? = nil) {
        cancelInvitation(id: identifier, callback: callback)
    }
}
