import TRTCCompat

// The samples of the chorus guide (the same in English and Korean), in their steps. What had to be corrected stands in
// Documentation/build/migration.md beside each; nothing else was changed but what the sample leaves to the reader.

/// Step 4: an instance, a delegate, a login.
class YourController {
    var chorusRoom: TRTCChorusRoom {
        return TRTCChorusRoom.shared()
    }

    let notes = Notes()

    func step4(chorusRoomDelegate: any TRTCChorusRoomDelegate, sdkAppID: Int32, userId: String, userSig: String) {
        self.chorusRoom.setDelegate(delegate: chorusRoomDelegate)

        self.chorusRoom.login(sdkAppId: sdkAppID, userId: userId, userSig: userSig) { [weak self] (code, message) in
            guard let `self` = self else { return }
            self.notes.write("login \(code)")
        }
    }

    /// Step 5: a profile, a room, a seat.
    func step5(userName: String, avatarURL: String, yourRoomID: Int32) {
        self.chorusRoom.setSelfProfile(userName: userName, avatarUrl: avatarURL) { (code, message) in
            self.notes.write("profile \(code)")
        }

        let param = RoomParam.init()
        param.roomName = "Room name"
        param.needRequest = true
        param.coverUrl = "https://example.org/cover.png"
        param.seatCount = 2
        param.seatInfoList = []

        for _ in 0..<param.seatCount {
            let seatInfo = SeatInfo.init()
            param.seatInfoList.append(seatInfo)
        }

        self.chorusRoom.createRoom(roomID: yourRoomID, roomParam: param) { (code, message) in
            guard code == 0 else { return }
            self.notes.write("created")

            self.chorusRoom.enterSeat(seatIndex: 0) { [weak self] (code, message) in
                guard let `self` = self else { return }
                if code == 0 {
                    self.notes.write("seat taken")
                } else {
                    self.notes.write("seat not taken: \(message)")
                }
            }
        }
    }

    /// Step 7, the owner: a listener is put on a seat.
    func step7Owner(listener: String) {
        self.chorusRoom.pickSeat(seatIndex: 1, userId: listener) { (code, message) in
            self.notes.write("picked \(code)")
        }
    }

    private var inviteId = ""

    /// Step 8, the owner: a listener is asked to take the second seat.
    func step8Owner(listenerUserId: String) {
        inviteId = self.chorusRoom.sendInvitation(cmd: "PICK_SEAT", userId: listenerUserId, content: "1") {
            (code, message) in
            self.notes.write("asked \(code)")
        }
    }

    func onInviteeAccepted(identifier: String, invitee: String) {
        if identifier == inviteId {
            self.chorusRoom.pickSeat(seatIndex: 1, userId: invitee) { (code, message) in
                self.notes.write("picked \(code)")
            }
        }
    }
}

/// The owner's delegate, as steps 5, 8 and 9 have it.
final class OwnerDelegate: TRTCChorusRoomDelegate {
    let controller: YourController

    init(_ controller: YourController) { self.controller = controller }

    func onSeatListChange(seatInfoList: [SeatInfo]) {
        controller.notes.write("list \(seatInfoList.map(\.status))")
    }

    func onAnchorEnterSeat(index: Int, user: UserInfo) {
        controller.notes.write("on seat \(index): \(user.userId)")
    }

    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String) {
        if cmd == "ENTER_SEAT" {
            controller.chorusRoom.acceptInvitation(identifier: identifier, callback: nil)
        }
    }

    func onInviteeAccepted(identifier: String, invitee: String) {
        controller.onInviteeAccepted(identifier: identifier, invitee: invitee)
    }

    func onRecvRoomTextMsg(message: String, userInfo: UserInfo) {
        controller.notes.write("\(userInfo.userName) says \(message)")
    }

    func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: UserInfo) {
        if cmd == "CMD_DANMU" {
            controller.notes.write("\(userInfo.userName) comments \(message)")
        }
        if cmd == "CMD_LIKE" {
            controller.notes.write("\(userInfo.userName) likes")
        }
    }
}

/// The listener of steps 6 to 9.
final class ListenerController: TRTCChorusRoomDelegate {
    let chorusRoom: TRTCChorusRoom
    let notes = Notes()
    private var inviteId = ""

    init(_ chorusRoom: TRTCChorusRoom) { self.chorusRoom = chorusRoom }

    /// Step 6: rooms, and into the first of them.
    func step6(userName: String, avatarURL: String, getRoomIDList: () -> [Int]) {
        self.chorusRoom.setSelfProfile(userName: userName, avatarUrl: avatarURL) { (code, message) in
            self.notes.write("profile \(code)")
        }

        let roomList: [Int] = getRoomIDList()

        self.chorusRoom.getRoomInfoList(roomIdList: roomList) { (code, message, roomInfos) in
            guard let roomInfo = roomInfos.first else { return }
            self.notes.write("found \(roomInfo.roomName), asks first: \(roomInfo.needRequest)")

            self.chorusRoom.enterRoom(roomID: roomInfo.roomID) { (code, message) in
                if code == 0 {
                    self.notes.write("entered")
                }
            }
        }
    }

    func onRoomInfoChange(roomInfo: RoomInfo) {
        notes.write("room \(roomInfo.roomName)")
    }

    func onSeatListChange(seatInfoList: [ChorusRoomSeatInfo]) {
        notes.write("list \(seatInfoList.map(\.status))")
    }

    func onAnchorEnterSeat(index: Int, user: UserInfo) {
        notes.write("on seat \(index): \(user.userId)")
    }

    func onAnchorLeaveSeat(index: Int, user: UserInfo) {
        notes.write("off seat \(index): \(user.userId)")
    }

    /// Step 7, case 2: a seat without asking.
    func step7() {
        chorusRoom.enterSeat(seatIndex: 1) { (code, message) in
            self.notes.write("seat \(code)")
        }
    }

    /// Step 8: asking for the second seat.
    func step8(ownerUserId: String) {
        inviteId = self.chorusRoom.sendInvitation(cmd: "ENTER_SEAT", userId: ownerUserId, content: "1") {
            (code, message) in
            self.notes.write("asked \(code)")
        }
    }

    func onInviteeAccepted(identifier: String, invitee: String) {
        if identifier == inviteId {
            self.chorusRoom.enterSeat(seatIndex: 1) { (code, message) in
                self.notes.write("seat \(code)")
            }
        }
    }

    func onReceiveNewInvitation(identifier: String, inviter: String, cmd: String, content: String) {
        if cmd == "PICK_SEAT" {
            self.chorusRoom.acceptInvitation(identifier: identifier, callback: nil)
        }
    }

    /// Step 9: texts and commands.
    func step9(message: String) {
        self.chorusRoom.sendRoomTextMsg(message: message) { (code, message) in
            self.notes.write("sent \(code)")
        }
        self.chorusRoom.sendRoomCustomMsg(cmd: "CMD_DANMU", message: "hello world", callback: nil)
        self.chorusRoom.sendRoomCustomMsg(cmd: "CMD_LIKE", message: "", callback: nil)
    }
}
