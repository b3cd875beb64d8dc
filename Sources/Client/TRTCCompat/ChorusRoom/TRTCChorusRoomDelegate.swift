/// The events of a chorus room, called on the queue of `setDelegateQueue` (the main queue by default).
///
/// Every method has an empty default. The first time that an event has no method in the app, `onDebugLog` names it.
public protocol TRTCChorusRoomDelegate: AnyObject {
    /// An error that the component cannot recover from; tell the user. See `TRTCCode`.
    func onError(code: Int32, message: String)
    /// A temporary problem. See `TRTCCode`.
    func onWarning(code: Int32, message: String)
    /// A line for the app's log.
    func onDebugLog(message: String)

    /// The room has ended; the message is its id.
    func onRoomDestroy(message: String)
    /// The room's data: after entering, and after each change of its name, cover, owner or seat rule.
    func onRoomInfoChange(roomInfo: ChorusRoomInfo)
    /// The volumes of all speakers, at the interval of `setVolumeInterval`, also in silence. The local user has an empty user id.
    func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int)
    /// The network quality of the local user and of the other seated users, every 2 s.
    func onNetworkQuality(local: TRTCQualityInfo, remote: [TRTCQualityInfo])

    /// The list of all seats. It always comes right before the event of the single seat.
    func onSeatListChange(seatInfoList: [ChorusSeatInfo])
    /// A user has taken a seat. After entering, it comes once for each seated user.
    func onAnchorEnterSeat(index: Int, user: ChorusUserInfo)
    /// A user has left or lost a seat.
    func onAnchorLeaveSeat(index: Int, user: ChorusUserInfo)
    /// The host has muted or unmuted a seat.
    func onSeatMute(index: Int, isMute: Bool)
    /// A user has muted or unmuted their microphone.
    func onUserMicrophoneMute(userId: String, mute: Bool)
    /// The host has closed or opened a seat.
    func onSeatClose(index: Int, isClose: Bool)

    /// Another user has entered the room.
    func onAudienceEnter(userInfo: ChorusUserInfo)
    /// Another user has left the room.
    func onAudienceExit(userInfo: ChorusUserInfo)

    /// A text message to the room.
    func onRecvRoomTextMsg(message: String, userInfo: ChorusUserInfo)
    /// A custom message to the room.
    func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: ChorusUserInfo)

    /// The user has received an invitation or a request.
    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String)
    /// An invitation that the user sent was accepted.
    func onInviteeAccepted(identifier: String, invitee: String)
    /// An invitation that the user sent was declined.
    func onInviteeRejected(identifier: String, invitee: String)
    /// The sender has withdrawn an invitation. As in the published component, `invitee` is the inviter, despite its label.
    func onInvitationCancelled(identifier: String, invitee: String)

    /// The position and duration of the song in milliseconds, about every 200 ms while it plays. The position is what this user
    /// hears now; the audience hears the song a little later than the singers.
    func onMusicProgressUpdate(musicID: Int32, progress: Int, total: Int)
    /// The song is about to be heard. The id is 0 if the song was started by another client with an id that is not a number.
    func onMusicPrepareToPlay(musicID: Int32)
    /// The song is over: it reached its end, was stopped, was replaced, or the user left the room.
    func onMusicCompletePlaying(musicID: Int32)
    /// Another user has started a song. It begins after `startDelay` milliseconds and plays automatically. The delay is negative
    /// for a user who enters while the song plays.
    func onReceiveAnchorSendChorusMsg(musicId: String, startDelay: Int)
}

// The defaults say that nobody hears.
extension TRTCChorusRoomDelegate {
    public func onError(code: Int32, message: String) { UnheardCallbacks.note() }
    public func onWarning(code: Int32, message: String) { UnheardCallbacks.note() }
    // That nobody hears the log cannot be said in it.
    public func onDebugLog(message: String) {}

    public func onRoomDestroy(message: String) { UnheardCallbacks.note() }
    public func onRoomInfoChange(roomInfo: ChorusRoomInfo) { UnheardCallbacks.note() }
    public func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int) { UnheardCallbacks.note() }
    public func onNetworkQuality(local: TRTCQualityInfo, remote: [TRTCQualityInfo]) { UnheardCallbacks.note() }

    public func onSeatListChange(seatInfoList: [ChorusSeatInfo]) { UnheardCallbacks.note() }
    public func onAnchorEnterSeat(index: Int, user: ChorusUserInfo) { UnheardCallbacks.note() }
    public func onAnchorLeaveSeat(index: Int, user: ChorusUserInfo) { UnheardCallbacks.note() }
    public func onSeatMute(index: Int, isMute: Bool) { UnheardCallbacks.note() }
    public func onUserMicrophoneMute(userId: String, mute: Bool) { UnheardCallbacks.note() }
    public func onSeatClose(index: Int, isClose: Bool) { UnheardCallbacks.note() }

    public func onAudienceEnter(userInfo: ChorusUserInfo) { UnheardCallbacks.note() }
    public func onAudienceExit(userInfo: ChorusUserInfo) { UnheardCallbacks.note() }

    public func onRecvRoomTextMsg(message: String, userInfo: ChorusUserInfo) { UnheardCallbacks.note() }
    public func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: ChorusUserInfo) { UnheardCallbacks.note() }

    public func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String) {
        UnheardCallbacks.note()
    }
    public func onInviteeAccepted(identifier: String, invitee: String) { UnheardCallbacks.note() }
    public func onInviteeRejected(identifier: String, invitee: String) { UnheardCallbacks.note() }
    public func onInvitationCancelled(identifier: String, invitee: String) { UnheardCallbacks.note() }

    public func onMusicProgressUpdate(musicID: Int32, progress: Int, total: Int) { UnheardCallbacks.note() }
    public func onMusicPrepareToPlay(musicID: Int32) { UnheardCallbacks.note() }
    public func onMusicCompletePlaying(musicID: Int32) { UnheardCallbacks.note() }
    public func onReceiveAnchorSendChorusMsg(musicId: String, startDelay: Int) { UnheardCallbacks.note() }
}
