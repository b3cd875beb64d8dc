/// What an app hears of a voice room, on the queue of `setDelegateQueue` (the main queue by default).
///
/// Every method has an empty default, and the published component's spelling works beside the reference's. A callback that no
/// method of the app hears is named once through `onDebugLog`.
public protocol TRTCVoiceRoomDelegate: AnyObject {
    /// An error from which there is no way back by itself; tell the user. See `TRTCCode`.
    func onError(code: Int32, message: String)
    /// Something is wrong for now. See `TRTCCode`.
    func onWarning(code: Int32, message: String)
    /// For a log.
    func onDebugLog(message: String)

    /// The room has ended.
    func onRoomDestroy(roomId: String)
    /// The published component's spelling of `onRoomDestroy(roomId:)`; the message is the room id too.
    func onRoomDestroy(message: String)
    /// After entering, and whenever name, cover, owner or rule change.
    func onRoomInfoChange(roomInfo: VoiceRoomInfo)
    /// Every `setVolumeInterval`, in silence too. Oneself has an empty user id.
    func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int)

    /// The whole list; always right before the event of the single seat.
    func onSeatListChange(seatInfoList: [VoiceRoomSeatInfo])
    /// Somebody sits down; after entering, once for everybody seated.
    func onAnchorEnterSeat(index: Int, user: VoiceRoomUserInfo)
    /// Somebody has left their seat, or lost it.
    func onAnchorLeaveSeat(index: Int, user: VoiceRoomUserInfo)
    /// The host mutes or unmutes a seat.
    func onSeatMute(index: Int, isMute: Bool)
    /// Somebody mutes or unmutes themselves.
    func onUserMicrophoneMute(userId: String, mute: Bool)
    /// The host closes or opens a seat.
    func onSeatClose(index: Int, isClose: Bool)

    /// Somebody else enters.
    func onAudienceEnter(userInfo: VoiceRoomUserInfo)
    /// Somebody else leaves.
    func onAudienceExit(userInfo: VoiceRoomUserInfo)

    /// A text to everybody.
    func onRecvRoomTextMsg(message: String, userInfo: VoiceRoomUserInfo)
    /// A command to everybody.
    func onRecvRoomCustomMsg(command: String, message: String, userInfo: VoiceRoomUserInfo)
    /// The published component's spelling of `onRecvRoomCustomMsg(command:message:userInfo:)`.
    func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: VoiceRoomUserInfo)

    /// Somebody asks for something.
    func onReceiveNewInvitation(id: String, inviter: String, cmd: String, content: String)
    /// The published component's spelling of `onReceiveNewInvitation(id:inviter:cmd:content:)`.
    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String)
    /// What was asked is granted.
    func onInviteeAccepted(id: String, invitee: String)
    /// The published component's spelling of `onInviteeAccepted(id:invitee:)`.
    func onInviteeAccepted(identifier: String, invitee: String)
    /// What was asked is refused.
    func onInviteeRejected(id: String, invitee: String)
    /// The published component's spelling of `onInviteeRejected(id:invitee:)`.
    func onInviteeRejected(identifier: String, invitee: String)
    /// Whoever asked has taken it back. In spite of its label `invitee` is the inviter, as in the published component.
    func onInvitationCancelled(id: String, invitee: String)
    /// The published component's spelling of `onInvitationCancelled(id:invitee:)`.
    func onInvitationCancelled(identifier: String, invitee: String)
}

// The defaults: the reference's spelling hands on to the published one, and the last of them says that nobody hears.
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
