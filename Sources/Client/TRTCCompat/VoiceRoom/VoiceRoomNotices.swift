internal import Ovation

// The values of rooms as this component's types, made on the callback queue.

extension RoomNotice {
    /// Calls the delegate.
    func tell(_ delegate: any TRTCVoiceRoomDelegate) {
        switch self {
        case .error(let code, let message): delegate.onError(code: code, message: message)
        case .warning(let code, let message): delegate.onWarning(code: code, message: message)
        case .log(let message): delegate.onDebugLog(message: message)
        case .destroyed(let room): delegate.onRoomDestroy(roomId: room.text)
        case .info(let info, let count): delegate.onRoomInfoChange(roomInfo: VoiceRoomInfo(info, memberCount: count))
        case .seats(let seats): delegate.onSeatListChange(seatInfoList: seats.map { VoiceRoomSeatInfo($0) })
        case .seatTaken(let index, let person):
            delegate.onAnchorEnterSeat(index: index, user: VoiceRoomUserInfo(person))
        case .seatLeft(let index, let person): delegate.onAnchorLeaveSeat(index: index, user: VoiceRoomUserInfo(person))
        case .seatMuted(let index, let muted): delegate.onSeatMute(index: index, isMute: muted)
        case .seatClosed(let index, let closed): delegate.onSeatClose(index: index, isClose: closed)
        case .microphone(let user, let muted): delegate.onUserMicrophoneMute(userId: user.rawValue, mute: muted)
        case .entered(let person): delegate.onAudienceEnter(userInfo: VoiceRoomUserInfo(person))
        case .left(let person): delegate.onAudienceExit(userInfo: VoiceRoomUserInfo(person))
        case .volumes(let readings, let total):
            delegate.onUserVolumeUpdate(userVolumes: readings.map { TRTCVolumeInfo($0) }, totalVolume: total)
        case .text(let text, let person): delegate.onRecvRoomTextMsg(message: text, userInfo: VoiceRoomUserInfo(person))
        case .custom(let command, let message, let person):
            delegate.onRecvRoomCustomMsg(command: command, message: message, userInfo: VoiceRoomUserInfo(person))
        case .invited(let invitation):
            delegate.onReceiveNewInvitation(
                id: invitation.id, inviter: invitation.from.rawValue, cmd: invitation.command,
                content: invitation.content)
        case .accepted(let id, let by): delegate.onInviteeAccepted(id: id, invitee: by.rawValue)
        case .rejected(let id, let by): delegate.onInviteeRejected(id: id, invitee: by.rawValue)
        case .cancelled(let id, let inviter): delegate.onInvitationCancelled(id: id, invitee: inviter.rawValue)
        // Only the chorus component tells these; music is told to who started it.
        case .quality, .musicStarted, .musicProgress, .musicCompleted, .songAnnounced: break
        }
    }
}

extension TRTCVolumeInfo {
    convenience init(_ reading: VolumeReading) {
        self.init(userId: reading.user, volume: UInt(clamping: reading.volume))
    }
}

extension VoiceRoomInfo {
    convenience init(_ info: ListedRoom, memberCount: Int? = nil) {
        self.init(
            roomID: info.room.number, ownerId: info.owner.id.rawValue, memberCount: memberCount ?? info.memberCount)
        roomName = info.name
        coverUrl = info.cover
        ownerName = info.owner.name
        needRequest = info.needsRequest
    }
}

extension VoiceRoomSeatInfo {
    convenience init(_ seat: Seat) {
        self.init()
        status = seat.status
        mute = seat.muted
        userId = seat.user?.rawValue ?? ""
    }
}

extension VoiceRoomUserInfo {
    convenience init(_ person: RoomPerson) {
        self.init()
        userId = person.profile.id.rawValue
        userName = person.profile.name
        userAvatar = person.profile.avatar
        mute = person.isMuted
    }
}

extension VoiceRoomParam {
    /// Whose seats are used is not for whoever creates a room to say: of a seat's state only closed and muted count.
    func draft(_ id: RoomID, _ kind: RoomKind) -> RoomDraft {
        guard !seatInfoList.isEmpty else {
            return RoomDraft(
                name: roomName, id: id, kind: kind, cover: coverUrl, needsRequest: needRequest, seats: seatCount)
        }
        return RoomDraft(
            name: roomName, id: id, kind: kind, cover: coverUrl, needsRequest: needRequest,
            seats: seatInfoList.map { SeatSetup(muted: $0.mute, closed: $0.status == 2) })
    }
}
