import AudioGraph
import Dispatch
import Foundation
import Testing

@testable import TRTCCompat

/// Types, defaults and second spellings, as the importer gives the published headers to Swift.
@Suite struct NameTests {
    @Test("V01-C V04-C V10-C calls have the integers of the reference: int is Int32, NSInteger is Int")
    func integers() {
        let room = TRTCVoiceRoom()
        let login: (Int32, String, String, ActionCallback?) -> Void = room.login(sdkAppID:userId:userSig:callback:)
        let create: (Int32, VoiceRoomParam, ActionCallback?) -> Void = room.createRoom(roomID:roomParam:callback:)
        let enter: (Int, ActionCallback?) -> Void = room.enterRoom(roomID:callback:)
        let infos: ([NSNumber], VoiceRoomInfoCallback?) -> Void = room.getRoomInfoList(roomIdList:callback:)
        let people: ([String]?, VoiceRoomUserListCallback?) -> Void = room.getUserInfoList(userIDList:callback:)
        let move: (Int, ActionCallback?) -> Int = room.moveSeat(seatIndex:callback:)
        let invite: (String, String, String, ActionCallback?) -> String = room.sendInvitation(
            cmd:userId:content:callback:)
        let chorus = TRTCChorusRoom()
        let play: (Int32, String) -> Void = chorus.startPlayMusic(musicID:url:)
        let chorusInfos: ([NSNumber], ChorusRoomInfoCallback?) -> Void = chorus.getRoomInfoList(roomIdList:callback:)
        let chorusPeople: ([String]?, ChorusUserListCallback?) -> Void = chorus.getUserInfoList(userIDList:callback:)
        let start: TXAudioMusicStartBlock = { (_: Int) in }
        let progress: TXAudioMusicProgressBlock = { (_: Int, _: Int) in }
        let complete: TXAudioMusicCompleteBlock = { (_: Int) in }
        let preloaded: TXMusicPreloadProgressBlock = { (_: Int) in }
        let broken: TXMusicPreloadErrorBlock = { (_: Int) in }
        let kept: [Any] = [
            login, create, enter, infos, people, move, invite, play, chorusInfos, chorusPeople, start, progress,
            complete, preloaded, broken,
        ]
        #expect(kept.count == 15)
    }

    @Test("V01-C D01-C models begin with the reference's defaults")
    func defaults() {
        let seat = VoiceRoomSeatInfo()
        #expect(seat.status == 0 && !seat.mute && seat.userId.isEmpty)
        let user = VoiceRoomUserInfo()
        #expect(user.mute && user.userId.isEmpty && user.userName.isEmpty && user.userAvatar.isEmpty)
        let param = VoiceRoomParam()
        #expect(param.roomName.isEmpty && param.coverUrl.isEmpty && !param.needRequest && param.seatInfoList.isEmpty)
        let info = VoiceRoomInfo(roomID: 7, ownerId: "alice", memberCount: 2)
        #expect(info.roomID == 7 && info.ownerId == "alice" && info.memberCount == 2 && !info.needRequest)
        let chorus = ChorusParam()
        #expect(chorus.rtmpPushURL.isEmpty && chorus.rtmpPlayURL.isEmpty && chorus.seatCount == 0)
        let room = ChorusRoomInfo(roomID: 7, ownerId: "alice", memberCount: 2)
        #expect(room.rtmpPushURL.isEmpty && room.rtmpPlayURL.isEmpty && room.ownerName.isEmpty)
        #expect(ChorusUserInfo().mute && ChorusUserInfo().userAvatar.isEmpty && ChorusSeatInfo().status == 0)
        let music = TXAudioMusicParam()
        #expect(
            music.loopCount == 0 && !music.publish && !music.isShortFile && music.startTimeMS == 0
                && music.endTimeMS == 0)
        music.ID = 5
        #expect(music.id == 5)
        #expect(GenerateTestUserSig.EXPIRETIME == 604_800)
    }

    @Test("V12-C V15-C E07-C enumerations have the reference's numbers")
    func numbers() {
        #expect(TRTCQuality.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6] && TRTCQuality.vbad.rawValue == 5)
        #expect(TRTCAudioQuality.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(TXVoiceReverbType.allCases.map(\.rawValue) == Array(0...10))
        #expect(TXVoiceChangerType.allCases.map(\.rawValue) == Array(0...11))
        let priorities = [V2TIM_PRIORITY_DEFAULT, V2TIM_PRIORITY_HIGH, V2TIM_PRIORITY_NORMAL, V2TIM_PRIORITY_LOW]
        #expect(priorities.map(\.rawValue) == [0, 1, 2, 3] && priorities == V2TIMMessagePriority.allCases)
        let sender = V2TIMGroupMemberInfo(userID: "alice", nickName: "Alice", faceURL: "/a.svg")
        #expect(sender.userID == "alice" && sender.nickName == "Alice" && sender.faceURL == "/a.svg")
    }

    @Test("V12-C V15-C V18-C second spellings do what the first ones do")
    @available(*, deprecated, message: "uses the spellings that are slips")
    func spellings() async throws {
        let voice = VoicePerson("alice")
        voice.room.setAuidoQuality(quality: 1)
        #expect(voice.room.controller.sound.settings.quality == .speech)
        let chorus = TRTCChorusRoom()
        chorus.setAuidoQuality(quality: 3)
        #expect(chorus.controller.sound.settings.quality == .music)
        let effects = voice.room.core.effects
        effects.setVoiceCaptureVolume(30)
        effects.enableVoiceEarMonitor(true)
        effects.seekMusicToPosInMS(1, pts: 5)
        #expect(
            voice.room.controller.sound.settings.voiceVolume == 30
                && voice.room.controller.sound.settings.isEarMonitorOn)

        let shared = TRTCChorusRoom.sharedInstance()
        #expect(shared === TRTCChorusRoom.shared())
        TRTCChorusRoom.destroySharedInstance()
        #expect(shared.controller.isDestroyed && shared !== TRTCChorusRoom.shared())
        TRTCChorusRoom.destroyShared()
        let kept = TRTCVoiceRoom.shared()
        TRTCVoiceRoom.destroySharedInstance()
        #expect(kept.controller.isDestroyed)

        final class Listener: V2TIMSimpleMsgListener {}
        let manager: V2TIMManager = V2TIMManager.sharedInstance()
        let listener = Listener()
        manager.addSimpleMsgListener(listener: listener)
        manager.removeSimpleMsgListener(listener: listener)
        #expect(manager === V2TIMManager.sharedInstance())
    }
}
