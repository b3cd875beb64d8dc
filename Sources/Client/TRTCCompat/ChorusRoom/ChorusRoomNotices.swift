internal import Ovation

// The values of rooms as this component's types, made on the callback queue.

extension RoomNotice {
    /// Calls the delegate.
    func tell(_ delegate: any TRTCChorusRoomDelegate) {
        switch self {
        case .error(let code, let message): delegate.onError(code: code, message: message)
        case .warning(let code, let message): delegate.onWarning(code: code, message: message)
        case .log(let message): delegate.onDebugLog(message: message)
        case .destroyed(let room): delegate.onRoomDestroy(message: room.text)
        case .info(let info, let count): delegate.onRoomInfoChange(roomInfo: ChorusRoomInfo(info, memberCount: count))
        case .seats(let seats): delegate.onSeatListChange(seatInfoList: seats.map { ChorusSeatInfo($0) })
        case .seatTaken(let index, let person): delegate.onAnchorEnterSeat(index: index, user: ChorusUserInfo(person))
        case .seatLeft(let index, let person): delegate.onAnchorLeaveSeat(index: index, user: ChorusUserInfo(person))
        case .seatMuted(let index, let muted): delegate.onSeatMute(index: index, isMute: muted)
        case .seatClosed(let index, let closed): delegate.onSeatClose(index: index, isClose: closed)
        case .microphone(let user, let muted): delegate.onUserMicrophoneMute(userId: user.rawValue, mute: muted)
        case .entered(let person): delegate.onAudienceEnter(userInfo: ChorusUserInfo(person))
        case .left(let person): delegate.onAudienceExit(userInfo: ChorusUserInfo(person))
        case .volumes(let readings, let total):
            delegate.onUserVolumeUpdate(userVolumes: readings.map { TRTCVolumeInfo($0) }, totalVolume: total)
        case .text(let text, let person): delegate.onRecvRoomTextMsg(message: text, userInfo: ChorusUserInfo(person))
        case .custom(let command, let message, let person):
            delegate.onRecvRoomCustomMsg(cmd: command, message: message, userInfo: ChorusUserInfo(person))
        case .invited(let invitation):
            delegate.onReceiveNewInvitation(
                identifier: invitation.id, inviter: invitation.from.rawValue, cmd: invitation.command,
                content: invitation.content)
        case .accepted(let id, let by): delegate.onInviteeAccepted(identifier: id, invitee: by.rawValue)
        case .rejected(let id, let by): delegate.onInviteeRejected(identifier: id, invitee: by.rawValue)
        case .cancelled(let id, let inviter): delegate.onInvitationCancelled(identifier: id, invitee: inviter.rawValue)
        case .quality(let local, let remote):
            delegate.onNetworkQuality(
                local: TRTCQualityInfo(userId: "", quality: local),
                remote: remote.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    TRTCQualityInfo(userId: $0.key.rawValue, quality: $0.value)
                })
        case .musicStarted(let id): delegate.onMusicPrepareToPlay(musicID: id)
        case .musicProgress(let id, let milliseconds, let total):
            delegate.onMusicProgressUpdate(musicID: id, progress: milliseconds, total: total)
        case .musicCompleted(let id): delegate.onMusicCompletePlaying(musicID: id)
        case .songAnnounced(let id, let delay):
            delegate.onReceiveAnchorSendChorusMsg(musicId: id, startDelay: delay)
        }
    }
}

extension ChorusRoomInfo {
    convenience init(_ info: ListedRoom, memberCount: Int? = nil) {
        self.init(
            roomID: info.room.number, ownerId: info.owner.id.rawValue, memberCount: memberCount ?? info.memberCount)
        roomName = info.name
        coverUrl = info.cover
        ownerName = info.owner.name
        needRequest = info.needsRequest
    }
}

extension ChorusSeatInfo {
    convenience init(_ seat: Seat) {
        self.init()
        status = seat.status
        userId = seat.user?.rawValue ?? ""
    }
}

extension ChorusUserInfo {
    convenience init(_ person: RoomPerson) {
        self.init()
        userId = person.profile.id.rawValue
        userName = person.profile.name
        userAvatar = person.profile.avatar
        mute = person.isMuted
    }
}

extension ChorusParam {
    /// Whose seats are used is not for whoever creates a room to say: of a seat's state only closed counts.
    func draft(_ id: RoomID, _ kind: RoomKind) -> RoomDraft {
        guard !seatInfoList.isEmpty else {
            return RoomDraft(
                name: roomName, id: id, kind: kind, cover: coverUrl, needsRequest: needRequest, seats: seatCount)
        }
        return RoomDraft(
            name: roomName, id: id, kind: kind, cover: coverUrl, needsRequest: needRequest,
            seats: seatInfoList.map { SeatSetup(closed: $0.status == 2) })
    }
}
