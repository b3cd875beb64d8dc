/// What an app hears of a chorus room, on the queue of `setDelegateQueue` (the main queue by default).
///
/// Every method has an empty default; a callback that no method of the app hears is named once through `onDebugLog`.
public protocol TRTCChorusRoomDelegate: AnyObject {
    /// An error from which there is no way back by itself; tell the user. See `TRTCCode`.
    func onError(code: Int32, message: String)
    /// Something is wrong for now. See `TRTCCode`.
    func onWarning(code: Int32, message: String)
    /// For a log.
    func onDebugLog(message: String)

    /// The room has ended; the message is its id.
    func onRoomDestroy(message: String)
    /// After entering, and whenever name, cover, owner or rule change.
    func onRoomInfoChange(roomInfo: ChorusRoomInfo)
    /// Every `setVolumeInterval`, in silence too. Oneself has an empty user id.
    func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int)
    /// Every 2 s: one's own connection, and those of the others who sit.
    func onNetworkQuality(local: TRTCQualityInfo, remote: [TRTCQualityInfo])

    /// The whole list; always right before the event of the single seat.
    func onSeatListChange(seatInfoList: [ChorusSeatInfo])
    /// Somebody sits down; after entering, once for everybody seated.
    func onAnchorEnterSeat(index: Int, user: ChorusUserInfo)
    /// Somebody has left their seat, or lost it.
    func onAnchorLeaveSeat(index: Int, user: ChorusUserInfo)
    /// The host mutes or unmutes a seat.
    func onSeatMute(index: Int, isMute: Bool)
    /// Somebody mutes or unmutes themselves.
    func onUserMicrophoneMute(userId: String, mute: Bool)
    /// The host closes or opens a seat.
    func onSeatClose(index: Int, isClose: Bool)

    /// Somebody else enters.
    func onAudienceEnter(userInfo: ChorusUserInfo)
    /// Somebody else leaves.
    func onAudienceExit(userInfo: ChorusUserInfo)

    /// A text to everybody.
    func onRecvRoomTextMsg(message: String, userInfo: ChorusUserInfo)
    /// A command to everybody.
    func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: ChorusUserInfo)

    /// Somebody asks for something.
    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String)
    /// What was asked is granted.
    func onInviteeAccepted(identifier: String, invitee: String)
    /// What was asked is refused.
    func onInviteeRejected(identifier: String, invitee: String)
    /// Whoever asked has taken it back. In spite of its label `invitee` is the inviter, as in the published component.
    func onInvitationCancelled(identifier: String, invitee: String)

    /// How far the song is for whoever hears this, and how long: milliseconds, about every 200 of them while it plays. The audience
    /// hears it a little later than the singers, and is told so.
    func onMusicProgressUpdate(musicID: Int32, progress: Int, total: Int)
    /// The song is about to be heard. A song that was started elsewhere under a name that is no number has the id 0.
    func onMusicPrepareToPlay(musicID: Int32)
    /// The song is over: it came to its end, somebody ended it, another took its place, or the room was left.
    func onMusicCompletePlaying(musicID: Int32)
    /// Somebody else starts a song, which begins after so many milliseconds, and plays by itself then. Who enters while it is sung
    /// is told a negative number.
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
