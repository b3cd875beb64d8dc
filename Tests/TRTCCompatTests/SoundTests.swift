import Foundation
import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// The façade's sound through a whole server: a tone instead of a microphone.
    @Suite struct SoundTests {
        @Test("V14-C the user's own volume is told before there is a seat and while the microphone is muted")
        func ownLevel() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server, hearsVolumes: true)
                alice.room.setVolumeInterval(milliseconds: 100)
                OvationDevices.input = .tone(440)
                defer { OvationDevices.input = .none }
                #expect(await alice.create(609) == 0)
                alice.room.startMicrophone()
                try await alice.notes.line("volumes [=")
                alice.room.muteLocalAudio(mute: true)
                #expect(await alice.sit(0) == 0)
                try await alice.notes.line("microphone alice true")
                alice.notes.clear()
                try await alice.notes.line("volumes [=")
                alice.room.stopMicrophone()
                alice.notes.clear()
                try await alice.notes.line("volumes [] 0")
            }
        }

        @Test("V04-C V11-C V14-C a seat opens the microphone and all see it loud; muted or left, it is silent")
        func levels() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server, hearsVolumes: true)
                bob.room.setVolumeInterval(milliseconds: 100)
                OvationDevices.input = .tone(440)
                defer { OvationDevices.input = .none }
                #expect(await alice.create(601) == 0)
                #expect(await bob.enter(601) == 0)
                try await bob.notes.line("volumes [] 0")
                #expect(await alice.sit(0) == 0)
                try await bob.notes.line("volumes [alice=")

                alice.room.muteLocalAudio(mute: true)
                try await bob.notes.line("microphone alice true")
                bob.notes.clear()
                try await bob.notes.line("volumes [] 0")
                alice.room.muteLocalAudio(mute: false)
                try await bob.notes.line("volumes [alice=")
                #expect(await alice.ask("leave") { alice.room.leaveSeat(callback: $0) } == 0)
                try await bob.notes.line("stands 0 alice")
                bob.notes.clear()
                try await bob.notes.line("volumes [] 0")
            }
        }

        @Test(
            "V06-C V02-C a muted seat is silent for who sits down on it, nobody's own mute is opened with it, and the room's end ends the sound"
        )
        func mutedSeat() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server, hearsVolumes: true)
                alice.room.setVolumeInterval(milliseconds: 100)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                OvationDevices.input = .tone(440)
                defer { OvationDevices.input = .none }
                func mute(_ isMute: Bool) async -> Int32 {
                    await alice.ask("mute") { alice.room.muteSeat(seatIndex: 1, isMute: isMute, callback: $0) }
                }
                /// Half a second of volumes without bob's.
                func staysSilent() async throws {
                    alice.notes.clear()
                    try await alice.notes.until("volumes") { $0.count { $0.hasPrefix("volumes") } >= 5 }
                    #expect(!alice.notes.lines.contains { $0.hasPrefix("volumes [bob=") })
                }
                #expect(await alice.create(604) == 0)
                #expect(await mute(true) == 0)
                #expect(await bob.enter(604) == 0)
                let audio = try #require(bob.room.controller.room).audio
                #expect(await bob.sit(1) == 0)
                try await alice.notes.line("seats 0 1mbob 0")
                for await connection in audio.connectionChanges where connection == .connected { break }
                while !audio.isMicrophoneOn { try await nextTurn() }
                try await staysSilent()
                #expect(await mute(false) == 0)
                try await alice.notes.line("volumes [bob=")

                #expect(await mute(true) == 0)
                alice.notes.clear()
                try await alice.notes.line("volumes [] 0")
                bob.room.muteLocalAudio(mute: true)
                try await alice.notes.line("microphone bob true")
                #expect(await mute(false) == 0)
                try await alice.notes.line("seat 1 mute false")
                try await staysSilent()
                bob.room.muteLocalAudio(mute: false)
                try await alice.notes.line("volumes [bob=")

                #expect(await alice.ask("destroy") { alice.room.destroyRoom(callback: $0) } == 0)
                try await bob.notes.line("destroyed 604")
                for await connection in audio.connectionChanges where connection == .closed { break }
                while audio.isMicrophoneOn { try await nextTurn() }
            }
        }

        @Test("V15-C music in a room: a file is played to its end with its progress, one that is not there is refused")
        func music() async throws {
            let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try SoundFile.tone(seconds: 0.6).write(to: URL(fileURLWithPath: path))
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(602) == 0)
                let notes = Notes()
                let effects = try #require(alice.room.getAudioEffectManager())
                func play(_ id: Int32, _ path: String) {
                    let param = TXAudioMusicParam()
                    param.id = id
                    param.path = path
                    effects.startPlayMusic(
                        param, onStart: { notes.write("\(id) start \($0)") },
                        onProgress: { notes.write("\(id) at \($0 <= $1) of \($1)") },
                        onComplete: { notes.write("\(id) end \($0)") })
                }
                play(1, path)
                try await notes.line("1 start 0")
                try await notes.line("1 at true of 600")
                try await notes.line("1 end 0")
                // Opened ahead: its end comes only after it is played.
                let ahead = TXAudioMusicParam()
                ahead.id = 4
                ahead.path = path
                effects.preloadMusic(
                    ahead, onProgress: { notes.write("4 loaded \($0)") }, onError: { notes.write("4 error \($0)") })
                try await notes.line("4 loaded 100")
                #expect(effects.getMusicCurrentPosInMS(4) == 0)
                play(4, path)
                try await notes.line("4 start 0")
                try await notes.line("4 end 0")
                play(2, path + ".gone")
                #expect(try await notes.line("2") == "2 start -1")
                // Leaving ends what plays.
                let param = TXAudioMusicParam()
                param.id = 3
                param.path = path
                param.loopCount = -1
                effects.startPlayMusic(
                    param, onStart: { notes.write("3 start \($0)") }, onComplete: { notes.write("3 end \($0)") })
                try await notes.line("3 start 0")
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                try await notes.line("3 end 0")
            }
        }

        @Test("D01-C V15-C a chorus room's music tells that it begins, how far it is, and that it has ended")
        func song() async throws {
            let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try SoundFile.tone(seconds: 0.5).write(to: URL(fileURLWithPath: path))
            try await TestServer.with { server async throws in
                OvationServer.address = "http://127.0.0.1:\(server.port)"
                OvationDevices.input = .none
                OvationDevices.output = .none
                let notes = Notes()
                let ear = ChorusEar(notes)
                let room = TRTCChorusRoom()
                defer { room.destroy() }
                room.setDelegate(delegate: ear)
                let ticket = try server.ticket("alice")
                let app = Int32(TestServer.application)
                #expect(
                    await outcome { room.login(sdkAppID: app, userId: "alice", userSig: ticket, callback: $0) }.code
                        == 0)
                room.startPlayMusic(musicID: 1, url: path)
                #expect(try await notes.line("error").contains("enter a room first"))
                let param = ChorusParam()
                param.roomName = "Duet"
                param.seatCount = 2
                #expect(await outcome { room.createRoom(roomID: 603, roomParam: param, callback: $0) }.code == 0)
                room.startPlayMusic(musicID: 7, url: path)
                try await notes.line("music 7 begins")
                room.pausePlayMusic()
                room.resumePlayMusic()
                try await notes.line("music 7 at")
                try await notes.line("music 7 ended")
                room.startPlayMusic(musicID: 8, url: path + ".gone")
                try await notes.line("error -1 music 8")
                room.startPlayMusic(musicID: 9, url: path)
                try await notes.line("music 9 begins")
                room.stopPlayMusic()
                try await notes.line("music 9 ended")
            }
        }
    }
}
