import Dispatch
import Foundation
import TRTCCompat

// The voice-room API (references.md) declares calls in Objective-C with their names in Swift, and tells two sequences in words. Here each
// declaration is called by its Swift name, with the types that the importer gives them.

enum VoiceRoomSamples {
    /// Every call of the voice-room API, in its order.
    static func everyCall(
        of room: TRTCVoiceRoom, delegate: any TRTCVoiceRoomDelegate, sig: String, callback: ActionCallback?
    ) -> Int {
        var calls = 0
        func call(_ body: () -> Void) {
            body()
            calls += 1
        }
        call { room.setDelegate(delegate: delegate) }
        call { room.setDelegateQueue(queue: DispatchQueue.main) }
        call { room.login(sdkAppID: 1_400_000_001, userId: "alice", userSig: sig, callback: callback) }
        call { room.logout(callback: callback) }
        call { room.setSelfProfile(userName: "Alice", avatarURL: "https://example.org/a.png", callback: callback) }
        let param = VoiceRoomParam()
        param.roomName = "Salon"
        param.coverUrl = "https://example.org/cover.png"
        param.needRequest = true
        param.seatCount = 7
        param.seatInfoList = []
        call { room.createRoom(roomID: 123_456, roomParam: param, callback: callback) }
        call { room.destroyRoom(callback: callback) }
        call { room.enterRoom(roomID: 123_456, callback: callback) }
        call { room.exitRoom(callback: callback) }
        call {
            room.getRoomInfoList(roomIdList: [NSNumber(value: 123_456)]) {
                (code, message, roomInfos: [VoiceRoomInfo]) in
                callback?(code, "\(message) \(roomInfos.count)")
            }
        }
        call {
            room.getUserInfoList(userIDList: nil) { (code, message, userInfos: [VoiceRoomUserInfo]) in
                callback?(code, "\(message) \(userInfos.count)")
            }
        }
        call { room.enterSeat(seatIndex: 1, callback: callback) }
        call { room.leaveSeat(callback: callback) }
        call { room.pickSeat(seatIndex: 1, userId: "123", callback: callback) }
        call { room.kickSeat(seatIndex: 1, callback: callback) }
        call { room.muteSeat(seatIndex: 1, isMute: true, callback: callback) }
        call { room.closeSeat(seatIndex: 1, isClose: true, callback: callback) }
        call { room.startMicrophone() }
        call { room.stopMicrophone() }
        call { room.setAudioQuality(quality: 3) }
        call { room.muteLocalAudio(mute: true) }
        call { room.setSpeaker(userSpeaker: true) }
        call { room.setAudioCaptureVolume(volume: 100) }
        call { room.setAudioPlayoutVolume(volume: 100) }
        call { room.muteRemoteAudio(userId: "123", mute: true) }
        call { room.muteAllRemoteAudio(isMute: true) }
        call { room.setVoiceEarMonitor(enable: true) }
        call { room.getAudioEffectManager()?.setAllMusicVolume(80) }
        call { room.sendRoomTextMsg(message: "hello", callback: callback) }
        call { room.sendRoomCustomMsg(cmd: "CMD_LIKE", message: "", callback: callback) }
        call {
            let inviteId: String = room.sendInvitation(
                cmd: "ENTER_SEAT", userId: "123", content: "1", callback: callback)
            room.cancelInvitation(id: inviteId, callback: callback)
        }
        call { room.acceptInvitation(id: "id", callback: callback) }
        call { room.rejectInvitation(id: "id", callback: callback) }
        return calls
    }

    /// The two sequences of the voice-room API: becoming a speaker in a new room, and coming as a listener.
    final class Speaker: TRTCVoiceRoomDelegate {
        let room: TRTCVoiceRoom
        let notes = Notes()

        init(_ room: TRTCVoiceRoom) { self.room = room }

        func createAndSpeak(roomID: Int32) {
            let param = VoiceRoomParam()
            param.roomName = "Salon"
            param.seatCount = 3
            room.createRoom(roomID: roomID, roomParam: param) { (code, message) in
                guard code == 0 else { return }
                self.room.enterSeat(seatIndex: 0, callback: nil)
            }
        }

        func onSeatListChange(seatInfoList: [VoiceRoomSeatInfo]) {
            notes.write("list \(seatInfoList.map(\.status))")
        }

        func onAnchorEnterSeat(index: Int, user: VoiceRoomUserInfo) {
            notes.write("on seat \(index): \(user.userId)")
        }
    }
}
