import Dispatch
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

extension FacadeTests {
    @Suite struct LifeTests {
        @Test("V18-C there is one instance until it is destroyed; a destroyed one refuses every call and says so")
        func life() async throws {
            let first = TRTCVoiceRoom.shared()
            #expect(first === TRTCVoiceRoom.sharedInstance())
            TRTCVoiceRoom.destroyShared()
            #expect(first !== TRTCVoiceRoom.shared())
            first.setDelegateQueue(queue: DispatchQueue(label: "unheard"))
            let param = VoiceRoomParam()
            let calls: [(String, (@escaping ActionCallback) -> Void)] = [
                ("login", { first.login(sdkAppID: 1, userId: "a", userSig: "b", callback: $0) }),
                ("logout", { first.logout(callback: $0) }),
                ("setSelfProfile", { first.setSelfProfile(userName: "a", avatarURL: "", callback: $0) }),
                ("createRoom", { first.createRoom(roomID: 1, roomParam: param, callback: $0) }),
                ("destroyRoom", { first.destroyRoom(callback: $0) }),
                ("enterRoom", { first.enterRoom(roomID: 1, callback: $0) }),
                ("exitRoom", { first.exitRoom(callback: $0) }),
                (
                    "getRoomInfoList",
                    { reply in first.getRoomInfoList(roomIdList: [1]) { code, text, _ in reply(code, text) } }
                ),
                (
                    "getUserInfoList",
                    { reply in first.getUserInfoList(userIDList: nil) { code, text, _ in reply(code, text) } }
                ),
                ("enterSeat", { first.enterSeat(seatIndex: 0, callback: $0) }),
                ("moveSeat", { #expect(first.moveSeat(seatIndex: 0, callback: $0) == -1) }),
                ("leaveSeat", { first.leaveSeat(callback: $0) }),
                ("pickSeat", { first.pickSeat(seatIndex: 0, userId: "a", callback: $0) }),
                ("kickSeat", { first.kickSeat(seatIndex: 0, callback: $0) }),
                ("muteSeat", { first.muteSeat(seatIndex: 0, isMute: true, callback: $0) }),
                ("closeSeat", { first.closeSeat(seatIndex: 0, isClose: true, callback: $0) }),
                ("sendRoomTextMsg", { first.sendRoomTextMsg(message: "a", callback: $0) }),
                ("sendRoomCustomMsg", { first.sendRoomCustomMsg(cmd: "a", message: "a", callback: $0) }),
                (
                    "sendInvitation",
                    { #expect(first.sendInvitation(cmd: "a", userId: "a", content: "", callback: $0).isEmpty) }
                ),
                ("acceptInvitation", { first.acceptInvitation(id: "a", callback: $0) }),
                ("rejectInvitation", { first.rejectInvitation(id: "a", callback: $0) }),
                ("cancelInvitation", { first.cancelInvitation(id: "a", callback: $0) }),
            ]
            for (name, call) in calls {
                let answer = await outcome(of: call)
                #expect(answer.code == -1 && answer.message.contains("destroyShared"), "\(name): \(answer)")
            }
            #expect(first.getAudioEffectManager() == nil)
        }

        @Test(
            "V18-C A12-C a component that is destroyed on its way into a room leaves it, although another stays signed in"
        )
        func destroyedAtTheDoor() async throws {
            try await TestServer.with { server async throws in
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await bob.create(67) == 0)
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let chat = V2TIMManager()
                #expect(await signIn(chat, "alice", server) == 0)
                let entry = await outcome { reply in
                    alice.room.enterRoom(roomID: 67, callback: reply)
                    alice.room.destroy()
                }
                #expect(entry.code == -1)
                try await bob.notes.line("enters alice")
                try await bob.notes.line("exits alice")
                chat.unInitSDK()
            }
        }

        @Test("V18-C calls without a callback on a destroyed instance are told as an error")
        func silentCalls() async throws {
            let person = VoicePerson("alice")
            person.room.destroy()
            let calls: [() -> Void] = [
                { person.room.startMicrophone() }, { person.room.stopMicrophone() },
                { person.room.setAudioQuality(quality: 3) }, { person.room.muteLocalAudio(mute: true) },
                { person.room.setSpeaker(userSpeaker: true) }, { person.room.setAudioCaptureVolume(volume: 1) },
                { person.room.setAudioPlayoutVolume(volume: 1) }, { person.room.setVoiceEarMonitor(enable: true) },
                { person.room.muteRemoteAudio(userId: "a", mute: true) },
                { person.room.muteAllRemoteAudio(isMute: true) },
            ]
            for call in calls {
                person.notes.clear()
                call()
                #expect(try await person.notes.line("error -1").contains("destroyShared"))
            }
        }

        @Test("V18-C destroying leaves the room and signs out: others see it, and the user can sign in anew")
        func destroyInRoom() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(50) == 0)
                #expect(await bob.enter(50) == 0)
                bob.room.destroy()
                try await alice.notes.line("exits bob")
                let again = try await VoicePerson.signedIn("bob", at: server)
                #expect(await again.enter(50) == 0)
                #expect(!bob.notes.lines.contains { $0.hasPrefix("error") })
            }
        }

        @Test("V18-C an instance that nobody holds any more has left")
        func letGo() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(51) == 0)
                func comeAndGo() async throws {
                    let bob = try await VoicePerson.signedIn("bob", at: server)
                    #expect(await bob.enter(51) == 0)
                }
                try await comeAndGo()
                try await alice.notes.line("exits bob")
            }
        }

        @Test("V17-C callbacks and the delegate are called on the queue that was chosen, by default the main one")
        func queues() async throws {
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                let key = DispatchSpecificKey<String>()
                let queue = DispatchQueue(label: "chosen", attributes: .concurrent)
                queue.setSpecific(key: key, value: "chosen")
                DispatchQueue.main.setSpecific(key: key, value: "main")
                defer { DispatchQueue.main.setSpecific(key: key, value: nil) }

                final class Watch: TRTCVoiceRoomDelegate, Sendable {
                    let notes = Notes()
                    let key: DispatchSpecificKey<String>
                    init(key: DispatchSpecificKey<String>) { self.key = key }
                    func onRoomInfoChange(roomInfo: VoiceRoomInfo) {
                        notes.write("info on \(DispatchQueue.getSpecific(key: key) ?? "another")")
                    }
                }
                for (name, id) in [("main", Int32(60)), ("chosen", 61)] {
                    let room = TRTCVoiceRoom()
                    let watch = Watch(key: key)
                    if name == "chosen" { room.setDelegateQueue(queue: queue) }
                    room.setDelegate(delegate: watch)
                    let ticket = try server.ticket(name)
                    func place(_ call: (@escaping ActionCallback) -> Void) async -> String {
                        await withCheckedContinuation { continuation in
                            call { code, _ in
                                continuation.resume(
                                    returning: "\(code) on \(DispatchQueue.getSpecific(key: key) ?? "another")")
                            }
                        }
                    }
                    #expect(
                        await place {
                            room.login(
                                sdkAppID: Int32(TestServer.application), userId: name, userSig: ticket, callback: $0)
                        } == "0 on \(name)")
                    let param = VoiceRoomParam()
                    param.roomName = name
                    param.seatCount = 1
                    #expect(
                        await place { room.createRoom(roomID: id, roomParam: param, callback: $0) } == "0 on \(name)")
                    #expect(try await watch.notes.line("info") == "info on \(name)")
                    // A refusal that needs no server goes the same way.
                    #expect(await place { room.enterRoom(roomID: 0, callback: $0) } == "-1 on \(name)")
                }
            }
        }

        @Test("V17-C a callback that no method hears is named once in onDebugLog, in the reference's spelling")
        func unheard() async throws {
            final class Misspelt: TRTCVoiceRoomDelegate, Sendable {
                let notes = Notes()
                func onDebugLog(message: String) { notes.write(message) }
                // The published component's spelling: heard.
                func onRecvRoomCustomMsg(cmd: String, message: String, userInfo: VoiceRoomUserInfo) {
                    notes.write("heard \(cmd)")
                }
                // Misspelt, as in the documents' prose: never called.
                func onSeatListChanget(seatInfoList: [VoiceRoomSeatInfo]) { notes.write("impossible") }
            }
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                let misspelt = Misspelt()
                #expect(await alice.create(62) == 0)
                bob.room.setDelegate(delegate: misspelt)
                #expect(await bob.enter(62) == 0)
                #expect(await bob.sit(0) == 0)
                #expect(await bob.ask("leave") { bob.room.leaveSeat(callback: $0) } == 0)
                #expect(
                    await alice.ask("send") { alice.room.sendRoomCustomMsg(cmd: "CMD", message: "", callback: $0) } == 0
                )
                try await misspelt.notes.line("heard CMD")
                let named = misspelt.notes.lines.filter { $0.contains("no such method") }
                for name in [
                    "onRoomInfoChange(roomInfo:)", "onSeatListChange(seatInfoList:)", "onAnchorEnterSeat(index:user:)",
                    "onAnchorLeaveSeat(index:user:)",
                ] { #expect(named.filter { $0.hasPrefix(name) }.count == 1, "\(name)") }
                #expect(!named.contains { $0.contains("onRecvRoomCustomMsg") })
                #expect(!misspelt.notes.lines.contains("impossible"))
            }
        }

        @Test("V14-C volumes come at the interval that was set last, and not after the room was left")
        func volumeTimers() async throws {
            try await TestServer.with { server async throws in
                let hands = Hands()
                let alice = try await VoicePerson.signedIn("alice", at: server, clock: hands.clock)
                #expect(await alice.create(65) == 0)
                #expect(hands.fire(300) == 1 && hands.fire(300) == 1)
                alice.room.setVolumeInterval(milliseconds: 700)
                #expect(hands.fire(300) == 0 && hands.fire(700) == 1 && hands.fire(700) == 1)
                alice.room.setVolumeInterval(milliseconds: 0)
                #expect(hands.fire(700) == 0)
                alice.room.setVolumeInterval(milliseconds: 800)
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                #expect(hands.fire(800) == 0)
                alice.room.setVolumeInterval(milliseconds: 900)
                #expect(hands.fire(900) == 0, "there is no room to measure")
            }
        }

        @Test("V17-C every callback of a delegate without methods is named")
        func everyCallback() {
            final class DeafVoice: TRTCVoiceRoomDelegate, Sendable {}
            final class DeafChorus: TRTCChorusRoomDelegate, Sendable {}
            let notes = Notes()
            func named(_ body: () -> Void) -> Set<String> {
                notes.clear()
                UnheardCallbacks { notes.write($0) }.watching(body)
                return Set(notes.lines.compactMap { $0.split(separator: " ").first.map(String.init) })
            }
            let voice: any TRTCVoiceRoomDelegate = DeafVoice()
            let user = VoiceRoomUserInfo()
            let shared: Set = [
                "onError(code:message:)", "onWarning(code:message:)", "onRoomInfoChange(roomInfo:)",
                "onUserVolumeUpdate(userVolumes:totalVolume:)", "onSeatListChange(seatInfoList:)",
                "onAnchorEnterSeat(index:user:)", "onAnchorLeaveSeat(index:user:)", "onSeatMute(index:isMute:)",
                "onUserMicrophoneMute(userId:mute:)", "onSeatClose(index:isClose:)", "onAudienceEnter(userInfo:)",
                "onAudienceExit(userInfo:)", "onRecvRoomTextMsg(message:userInfo:)",
            ]
            #expect(
                named {
                    voice.onError(code: 1, message: "")
                    voice.onWarning(code: 1, message: "")
                    voice.onDebugLog(message: "")
                    voice.onRoomDestroy(roomId: "1")
                    voice.onRoomInfoChange(roomInfo: VoiceRoomInfo(roomID: 1, ownerId: "", memberCount: 1))
                    voice.onUserVolumeUpdate(userVolumes: [], totalVolume: 0)
                    voice.onSeatListChange(seatInfoList: [])
                    voice.onAnchorEnterSeat(index: 0, user: user)
                    voice.onAnchorLeaveSeat(index: 0, user: user)
                    voice.onSeatMute(index: 0, isMute: true)
                    voice.onUserMicrophoneMute(userId: "", mute: true)
                    voice.onSeatClose(index: 0, isClose: true)
                    voice.onAudienceEnter(userInfo: user)
                    voice.onAudienceExit(userInfo: user)
                    voice.onRecvRoomTextMsg(message: "", userInfo: user)
                    voice.onRecvRoomCustomMsg(command: "", message: "", userInfo: user)
                    voice.onReceiveNewInvitation(id: "", inviter: "", cmd: "", content: "")
                    voice.onInviteeAccepted(id: "", invitee: "")
                    voice.onInviteeRejected(id: "", invitee: "")
                    voice.onInvitationCancelled(id: "", invitee: "")
                }
                    == shared.union([
                        "onRoomDestroy(roomId:)", "onRecvRoomCustomMsg(command:message:userInfo:)",
                        "onReceiveNewInvitation(id:inviter:cmd:content:)", "onInviteeAccepted(id:invitee:)",
                        "onInviteeRejected(id:invitee:)", "onInvitationCancelled(id:invitee:)",
                    ]))

            let chorus: any TRTCChorusRoomDelegate = DeafChorus()
            let singer = ChorusUserInfo()
            #expect(
                named {
                    chorus.onError(code: 1, message: "")
                    chorus.onWarning(code: 1, message: "")
                    chorus.onDebugLog(message: "")
                    chorus.onRoomDestroy(message: "")
                    chorus.onRoomInfoChange(roomInfo: ChorusRoomInfo(roomID: 1, ownerId: "", memberCount: 1))
                    chorus.onUserVolumeUpdate(userVolumes: [], totalVolume: 0)
                    chorus.onNetworkQuality(local: TRTCQualityInfo(), remote: [])
                    chorus.onSeatListChange(seatInfoList: [])
                    chorus.onAnchorEnterSeat(index: 0, user: singer)
                    chorus.onAnchorLeaveSeat(index: 0, user: singer)
                    chorus.onSeatMute(index: 0, isMute: true)
                    chorus.onUserMicrophoneMute(userId: "", mute: true)
                    chorus.onSeatClose(index: 0, isClose: true)
                    chorus.onAudienceEnter(userInfo: singer)
                    chorus.onAudienceExit(userInfo: singer)
                    chorus.onRecvRoomTextMsg(message: "", userInfo: singer)
                    chorus.onRecvRoomCustomMsg(cmd: "", message: "", userInfo: singer)
                    chorus.onReceiveNewInvitation(identifier: "", inviter: "", cmd: "", content: "")
                    chorus.onInviteeAccepted(identifier: "", invitee: "")
                    chorus.onInviteeRejected(identifier: "", invitee: "")
                    chorus.onInvitationCancelled(identifier: "", invitee: "")
                    chorus.onMusicProgressUpdate(musicID: 1, progress: 0, total: 0)
                    chorus.onMusicPrepareToPlay(musicID: 1)
                    chorus.onMusicCompletePlaying(musicID: 1)
                    chorus.onReceiveAnchorSendChorusMsg(musicId: "", startDelay: 0)
                }
                    == shared.union([
                        "onRoomDestroy(message:)", "onNetworkQuality(local:remote:)",
                        "onRecvRoomCustomMsg(cmd:message:userInfo:)",
                        "onReceiveNewInvitation(identifier:inviter:cmd:content:)",
                        "onInviteeAccepted(identifier:invitee:)", "onInviteeRejected(identifier:invitee:)",
                        "onInvitationCancelled(identifier:invitee:)",
                        "onMusicProgressUpdate(musicID:progress:total:)", "onMusicPrepareToPlay(musicID:)",
                        "onMusicCompletePlaying(musicID:)", "onReceiveAnchorSendChorusMsg(musicId:startDelay:)",
                    ]))
        }

        @Test("V17-C V19-C whoever signs out or is destroyed while the connection is lost hears no error of it later")
        func goneWhileLost() async throws {
            let hands = Hands()
            let (alice, bob) = try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server, clock: hands.clock)
                let bob = try await VoicePerson.signedIn("bob", at: server, clock: hands.clock)
                #expect(await alice.create(64) == 0)
                return (alice, bob)
            }
            for person in [alice, bob] {
                try await person.notes.line("the warning of the connection") {
                    $0.hasPrefix("warning \(TRTCCode.disconnected) the connection is lost")
                }
            }
            alice.room.destroy()
            #expect(await bob.ask("logout") { bob.room.logout(callback: $0) } == 0)
            #expect(hands.fire(LossPatience.milliseconds) == 0)
            bob.room.destroy()
        }

        @Test("V17-C V19-C a lost connection is a warning at once, an error after two minutes, and the room is left")
        func loss() async throws {
            let hands = Hands()
            let alice = try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server, clock: hands.clock)
                #expect(await alice.create(63) == 0)
                #expect(hands.fire(LossPatience.milliseconds) == 0)
                return alice
            }
            // The server is gone.
            // The sound connection is lost too, and has a warning of its own.
            try await alice.notes.line("the warning of the connection") {
                $0.hasPrefix("warning \(TRTCCode.disconnected) the connection is lost")
            }
            #expect(!alice.notes.lines.contains { $0.hasPrefix("error") })
            #expect(hands.fire(LossPatience.milliseconds) == 1)
            #expect(try await alice.notes.line("error").hasPrefix("error \(TRTCCode.connectionTimeout)"))
            #expect(await alice.sit(0) == -1)
            #expect(hands.fire(LossPatience.milliseconds) == 0)
            alice.room.destroy()
        }
    }
}
