import TRTCCompat

/// Writes down everything that a voice room tells, in one line each. Volumes only on demand: they come again and again.
final class VoiceEar: TRTCVoiceRoomDelegate, Sendable {
    let notes: Notes
    private let hearsVolumes: Bool

    init(_ notes: Notes, hearsVolumes: Bool = false) {
        self.notes = notes
        self.hearsVolumes = hearsVolumes
    }

    func onError(code: Int32, message: String) { notes.write("error \(code) \(message)") }
    func onWarning(code: Int32, message: String) { notes.write("warning \(code) \(message)") }
    func onRoomDestroy(roomId: String) { notes.write("destroyed \(roomId)") }
    func onRoomInfoChange(roomInfo: VoiceRoomInfo) {
        notes.write("info \(roomInfo.roomID) \(roomInfo.roomName) of \(roomInfo.ownerName)")
    }
    func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int) {
        guard hearsVolumes else { return }
        let readings = userVolumes.map { "\($0.userId ?? "nil")=\($0.volume)" }.joined(separator: ",")
        notes.write("volumes [\(readings)] \(totalVolume)")
    }
    func onSeatListChange(seatInfoList: [VoiceRoomSeatInfo]) {
        let seats = seatInfoList.map { "\($0.status)\($0.mute ? "m" : "")\($0.userId)" }.joined(separator: " ")
        notes.write("seats \(seats)")
    }
    func onAnchorEnterSeat(index: Int, user: VoiceRoomUserInfo) { notes.write("sits \(index) \(user.userId)") }
    func onAnchorLeaveSeat(index: Int, user: VoiceRoomUserInfo) { notes.write("stands \(index) \(user.userId)") }
    func onSeatMute(index: Int, isMute: Bool) { notes.write("seat \(index) mute \(isMute)") }
    func onUserMicrophoneMute(userId: String, mute: Bool) { notes.write("microphone \(userId) \(mute)") }
    func onSeatClose(index: Int, isClose: Bool) { notes.write("seat \(index) close \(isClose)") }
    func onAudienceEnter(userInfo: VoiceRoomUserInfo) { notes.write("enters \(userInfo.userId) \(userInfo.userName)") }
    func onAudienceExit(userInfo: VoiceRoomUserInfo) { notes.write("exits \(userInfo.userId)") }
    func onRecvRoomTextMsg(message: String, userInfo: VoiceRoomUserInfo) {
        notes.write("text \(userInfo.userId)/\(userInfo.userName): \(message)")
    }
    func onRecvRoomCustomMsg(command: String, message: String, userInfo: VoiceRoomUserInfo) {
        notes.write("command \(userInfo.userId) \(command): \(message)")
    }
    func onReceiveNewInvitation(id: String, inviter: String, cmd: String, content: String) {
        notes.write("invited \(id) by \(inviter): \(cmd) \(content)")
    }
    func onInviteeAccepted(id: String, invitee: String) { notes.write("accepted \(id) by \(invitee)") }
    func onInviteeRejected(id: String, invitee: String) { notes.write("rejected \(id) by \(invitee)") }
    func onInvitationCancelled(id: String, invitee: String) { notes.write("cancelled \(id) by \(invitee)") }
}

/// Writes down the debug log alone.
final class LogReader: TRTCVoiceRoomDelegate, Sendable {
    let notes = Notes()
    func onDebugLog(message: String) { notes.write(message) }
}

/// The same as `LogReader` for a chorus room.
final class ChorusLogReader: TRTCChorusRoomDelegate, Sendable {
    let notes = Notes()
    func onDebugLog(message: String) { notes.write(message) }
}

/// The same as `VoiceEar` for a chorus room.
final class ChorusEar: TRTCChorusRoomDelegate, Sendable {
    let notes: Notes
    private let hearsQuality: Bool

    init(_ notes: Notes, hearsQuality: Bool = false) {
        self.notes = notes
        self.hearsQuality = hearsQuality
    }

    func onError(code: Int32, message: String) { notes.write("error \(code) \(message)") }
    func onWarning(code: Int32, message: String) { notes.write("warning \(code) \(message)") }
    func onRoomDestroy(message: String) { notes.write("destroyed \(message)") }
    func onRoomInfoChange(roomInfo: ChorusRoomInfo) {
        notes.write("info \(roomInfo.roomID) \(roomInfo.roomName) of \(roomInfo.ownerName)")
    }
    func onUserVolumeUpdate(userVolumes: [TRTCVolumeInfo], totalVolume: Int) {}
    func onNetworkQuality(local: TRTCQualityInfo, remote: [TRTCQualityInfo]) {
        guard hearsQuality else { return }
        let others = remote.map { "\($0.userId ?? "nil")=\($0.quality.rawValue)" }.joined(separator: ",")
        notes.write("quality \(local.quality.rawValue) [\(others)]")
    }
    func onSeatListChange(seatInfoList: [ChorusSeatInfo]) {
        notes.write("seats \(seatInfoList.map { "\($0.status)\($0.userId)" }.joined(separator: " "))")
    }
    func onAnchorEnterSeat(index: Int, user: ChorusUserInfo) { notes.write("sits \(index) \(user.userId)") }
    func onAnchorLeaveSeat(index: Int, user: ChorusUserInfo) { notes.write("stands \(index) \(user.userId)") }
    func onSeatMute(index: Int, isMute: Bool) { notes.write("seat \(index) mute \(isMute)") }
    func onUserMicrophoneMute(userId: String, mute: Bool) { notes.write("microphone \(userId) \(mute)") }
    func onSeatClose(index: Int, isClose: Bool) { notes.write("seat \(index) close \(isClose)") }
    func onAudienceEnter(userInfo: ChorusUserInfo) { notes.write("enters \(userInfo.userId) \(userInfo.userName)") }
    func onAudienceExit(userInfo: ChorusUserInfo) { notes.write("exits \(userInfo.userId)") }
    func onRecvRoomTextMsg(message: String, userInfo: ChorusUserInfo) {
        notes.write("text \(userInfo.userId): \(message)")
    }
    func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: ChorusUserInfo) {
        notes.write("command \(userInfo.userId) \(cmd): \(message)")
    }
    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String) {
        notes.write("invited \(identifier) by \(inviter): \(cmd) \(content)")
    }
    func onInviteeAccepted(identifier: String, invitee: String) { notes.write("accepted \(identifier) by \(invitee)") }
    func onInviteeRejected(identifier: String, invitee: String) { notes.write("rejected \(identifier) by \(invitee)") }
    func onInvitationCancelled(identifier: String, invitee: String) {
        notes.write("cancelled \(identifier) by \(invitee)")
    }
    func onMusicProgressUpdate(musicID: Int32, progress: Int, total: Int) {
        notes.write("music \(musicID) at \(progress) of \(total)")
    }
    func onMusicPrepareToPlay(musicID: Int32) { notes.write("music \(musicID) begins") }
    func onMusicCompletePlaying(musicID: Int32) { notes.write("music \(musicID) ended") }
    func onReceiveAnchorSendChorusMsg(musicId: String, startDelay: Int) {
        notes.write("song \(musicId) in \(startDelay)")
    }
}
