/// The events of a voice room, called on the queue of `setDelegateQueue` (the main queue by default).
///
/// Every method has an empty default. Both spellings work, the voice-room API's and the component's (references.md). The first time that an
/// event has no method in the app, `onDebugLog` names it.
public protocol TRTCVoiceRoomDelegate: AnyObject {
    /// An error that the component cannot recover from; tell the user. See `TRTCCode`.
    func onError(code: Int32, message: String)
    /// A temporary problem. See `TRTCCode`.
    func onWarning(code: Int32, message: String)
    /// A line for the app's log.
    func onDebugLog(message: String)

    /// The room has ended.
    func onRoomDestroy(roomId: String)
    /// The published component's spelling of `onRoomDestroy(roomId:)`; the message is the room id too.
    func onRoomDestroy(message: String)
    /// The room's data: after entering, and after each change of its name, cover, owner or seat rule.
    func onRoomInfoChange(roomInfo: VoiceRoomInfo)
    /// The volumes of all speakers, at the interval of `setVolumeInterval`, also in silence. The local user has an empty user id.
    func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int)

    /// The list of all seats. It always comes right before the event of the single seat.
    func onSeatListChange(seatInfoList: [VoiceRoomSeatInfo])
    /// A user has taken a seat. After entering, it comes once for each seated user.
    func onAnchorEnterSeat(index: Int, user: VoiceRoomUserInfo)
    /// A user has left or lost a seat.
    func onAnchorLeaveSeat(index: Int, user: VoiceRoomUserInfo)
    /// The host has muted or unmuted a seat.
    func onSeatMute(index: Int, isMute: Bool)
    /// A user has muted or unmuted their microphone.
    func onUserMicrophoneMute(userId: String, mute: Bool)
    /// The host has closed or opened a seat.
    func onSeatClose(index: Int, isClose: Bool)

    /// Another user has entered the room.
    func onAudienceEnter(userInfo: VoiceRoomUserInfo)
    /// Another user has left the room.
    func onAudienceExit(userInfo: VoiceRoomUserInfo)

    /// A text message to the room.
    func onRecvRoomTextMsg(message: String, userInfo: VoiceRoomUserInfo)
    /// A custom message to the room.
    func onRecvRoomCustomMsg(command: String, message: String, userInfo: VoiceRoomUserInfo)
    /// The published component's spelling of `onRecvRoomCustomMsg(command:message:userInfo:)`.
    func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: VoiceRoomUserInfo)

    /// The user has received an invitation or a request.
    func onReceiveNewInvitation(id: String, inviter: String, cmd: String, content: String)
    /// The published component's spelling of `onReceiveNewInvitation(id:inviter:cmd:content:)`.
    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String)
    /// An invitation that the user sent was accepted.
    func onInviteeAccepted(id: String, invitee: String)
    /// The published component's spelling of `onInviteeAccepted(id:invitee:)`.
    func onInviteeAccepted(identifier: String, invitee: String)
    /// An invitation that the user sent was declined.
    func onInviteeRejected(id: String, invitee: String)
    /// The published component's spelling of `onInviteeRejected(id:invitee:)`.
    func onInviteeRejected(identifier: String, invitee: String)
    /// The sender has withdrawn an invitation. As in the published component, `invitee` is the inviter, despite its label.
    func onInvitationCancelled(id: String, invitee: String)
    /// The published component's spelling of `onInvitationCancelled(id:invitee:)`.
    func onInvitationCancelled(identifier: String, invitee: String)
}

// The defaults: the voice-room API's spelling hands on to the component's, and the last of them says that nobody hears.
extension TRTCVoiceRoomDelegate {
    public func onError(code: Int32, message: String) { UnheardCallbacks.note() }
    public func onWarning(code: Int32, message: String) { UnheardCallbacks.note() }
    // That nobody hears the log cannot be said in it.
    public func onDebugLog(message: String) {}

    public func onRoomDestroy(roomId: String) { onRoomDestroy(message: roomId) }
    public func onRoomDestroy(message: String) { UnheardCallbacks.note("onRoomDestroy(roomId:)") }
    public func onRoomInfoChange(roomInfo: VoiceRoomInfo) { UnheardCallbacks.note() }
    public func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int) { UnheardCallbacks.note() }

    public func onSeatListChange(seatInfoList: [VoiceRoomSeatInfo]) { UnheardCallbacks.note() }
    public func onAnchorEnterSeat(index: Int, user: VoiceRoomUserInfo) { UnheardCallbacks.note() }
    public func onAnchorLeaveSeat(index: Int, user: VoiceRoomUserInfo) { UnheardCallbacks.note() }
    public func onSeatMute(index: Int, isMute: Bool) { UnheardCallbacks.note() }
    public func onUserMicrophoneMute(userId: String, mute: Bool) { UnheardCallbacks.note() }
    public func onSeatClose(index: Int, isClose: Bool) { UnheardCallbacks.note() }

    public func onAudienceEnter(userInfo: VoiceRoomUserInfo) { UnheardCallbacks.note() }
    public func onAudienceExit(userInfo: VoiceRoomUserInfo) { UnheardCallbacks.note() }

    public func onRecvRoomTextMsg(message: String, userInfo: VoiceRoomUserInfo) { UnheardCallbacks.note() }
    public func onRecvRoomCustomMsg(command: String, message: String, userInfo: VoiceRoomUserInfo) {
        onRecvRoomCustomMsg(cmd: command, message: message, userInfo: userInfo)
    }
    public func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: VoiceRoomUserInfo) {
        UnheardCallbacks.note("onRecvRoomCustomMsg(command:message:userInfo:)")
    }

    public func onReceiveNewInvitation(id: String, inviter: String, cmd: String, content: String) {
        onReceiveNewInvitation(identifier: id, inviter: inviter, cmd: cmd, content: content)
    }
    public func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String) {
        UnheardCallbacks.note("onReceiveNewInvitation(id:inviter:cmd:content:)")
    }
    public func onInviteeAccepted(id: String, invitee: String) { onInviteeAccepted(identifier: id, invitee: invitee) }
    public func onInviteeAccepted(identifier: String, invitee: String) {
        UnheardCallbacks.note("onInviteeAccepted(id:invitee:)")
    }
    public func onInviteeRejected(id: String, invitee: String) { onInviteeRejected(identifier: id, invitee: invitee) }
    public func onInviteeRejected(identifier: String, invitee: String) {
        UnheardCallbacks.note("onInviteeRejected(id:invitee:)")
    }
    public func onInvitationCancelled(id: String, invitee: String) {
        onInvitationCancelled(identifier: id, invitee: invitee)
    }
    public func onInvitationCancelled(identifier: String, invitee: String) {
        UnheardCallbacks.note("onInvitationCancelled(id:invitee:)")
    }
}
