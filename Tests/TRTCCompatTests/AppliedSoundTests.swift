import AudioGraph
import ClientMedia
import Foundation
import ServerTestSupport
import Testing

@testable import Ovation
@testable import TRTCCompat

extension FacadeTests {
    /// What the façade's settings become in the engine of the room that one is in.
    @Suite(.timeLimit(.minutes(10))) struct AppliedSoundTests {
        @Test(
            "V11-C V12-C V13-C V15-C every setting reaches the engine, set before the room or in it; leaving silences it"
        )
        func settings() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                alice.room.setAudioQuality(quality: 3)
                alice.room.setAudioCaptureVolume(volume: 80)
                #expect(await alice.create(641) == 0)
                #expect(await bob.enter(641) == 0)
                #expect(await bob.sit(2) == 0)
                try await alice.notes.line("sits 2 bob")
                let audio = try #require(alice.room.controller.room).audio
                let engine = try #require(audio.engine)
                #expect(engine.settings.quality == .music && engine.settings.captureVolume == 80)

                let effects = try #require(alice.room.getAudioEffectManager())
                alice.room.setAudioPlayoutVolume(volume: 40)
                alice.room.setVoiceEarMonitor(enable: true)
                alice.room.muteAllRemoteAudio(isMute: true)
                effects.setVoiceVolume(50)
                effects.setVoiceEarMonitorVolume(120)
                effects.setVoicePitch(0.25)
                effects.setVoiceReverbType(._2)
                effects.setVoiceChangerType(._3)
                var now = engine.settings
                #expect(now.playoutVolume == 40 && now.captureVolume == 40 && now.isAllRemoteMuted)
                #expect(now.earMonitor.isOn && now.earMonitor.volume == 120)
                #expect(now.voicePitch == 3 && now.reverb == .smallRoom && now.voiceChanger == .uncle)
                // Whom one does not hear is told the engine by seats, on its own queue.
                alice.room.muteRemoteAudio(userId: "bob", mute: true)
                while engine.settings.mutedSlots != [2] { try await nextTurn() }
                alice.room.muteRemoteAudio(userId: "bob", mute: false)
                while engine.settings.mutedSlots != [] { try await nextTurn() }

                #expect(await alice.sit(0) == 0)
                while !audio.isMicrophoneOn { try await nextTurn() }
                alice.room.stopMicrophone()
                while audio.isMicrophoneOn { try await nextTurn() }
                alice.room.startMicrophone()
                while !audio.isMicrophoneOn { try await nextTurn() }
                alice.room.muteAllRemoteAudio(isMute: false)
                #expect(!engine.settings.isAllRemoteMuted)
                alice.room.controller.leaveSound()
                while audio.isMicrophoneOn { try await nextTurn() }
                now = engine.settings
                #expect(now.isAllRemoteMuted && audio.singing == .off)
            }
        }

        @Test("V15-C effects of the voice end with the room, volumes hold in the next one")
        func nextRoom() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(646) == 0)
                let effects = try #require(alice.room.getAudioEffectManager())
                alice.room.setAudioPlayoutVolume(volume: 40)
                effects.setVoiceReverbType(._2)
                effects.setVoiceChangerType(._3)
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                #expect(await alice.create(647) == 0)
                let settings = try #require(alice.room.controller.room?.audio.engine).settings
                #expect(settings.reverb == .off && settings.voiceChanger == .off && settings.playoutVolume == 40)
            }
        }

        @Test("V11-C what is played reaches the engine as it was asked for, and is found by its id")
        func music() async throws {
            let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try SoundFile.tone(seconds: 5).write(to: URL(fileURLWithPath: path))
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(642) == 0)
                let effects = try #require(alice.room.getAudioEffectManager())
                let notes = Notes()
                let param = TXAudioMusicParam()
                param.id = 9
                param.path = path
                param.startTimeMS = 2_000
                effects.startPlayMusic(param, onStart: { notes.write("start \($0)") })
                try await notes.line("start 0")
                while effects.getMusicCurrentPos(inMS: 9) < 2_000 { try await nextTurn() }
                effects.pausePlayMusic(9)
                effects.seekMusicToPos(inMS: 9, pts: 4_000)
                while effects.getMusicCurrentPos(inMS: 9) < 4_000 { try await nextTurn() }
                #expect(effects.getMusicCurrentPos(inMS: 8) == -1)
                effects.stopPlayMusic(9)
                while effects.getMusicCurrentPos(inMS: 9) != -1 { try await nextTurn() }
            }
        }

        @Test("V11-C V17-C devices that cannot be opened are told one by one, and the others are used all the same")
        func devices() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(643) == 0)
                let audio = try #require(alice.room.controller.room).audio
                let nowhere = NSTemporaryDirectory() + "\(UUID().uuidString)/x.wav"
                // Nothing is opened before there is something to hear.
                _ = await audio.connectionChanges.first { $0 == .connected }
                let events = audio.events
                #expect(
                    audio.useDevices(.file(nowhere), .recording(nowhere)).map(\.code)
                        == [TRTCCode.speakerFailed, TRTCCode.microphoneFailed])
                #expect(audio.useDevices(.file(nowhere), .none).map(\.code) == [TRTCCode.microphoneFailed])
                #expect(audio.useDevices(.none, .recording(nowhere)).map(\.code) == [TRTCCode.speakerFailed])
                #expect(audio.useDevices(.tone(440), .none).isEmpty)
                // What is captured is the tone, although no loudspeaker could be opened before.
                _ = audio.useDevices(.tone(440), .recording(nowhere))
                audio.startMicrophone()
                while audio.localLevels.own == 0 { try await nextTurn() }
                _ = audio.useDevices(.none, .none)
                while audio.localLevels.own > 0 { try await nextTurn() }
                // Who chose them has heard it: it is not told a second time.
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                for try await event in events {
                    if case .speakerFailed = event { Issue.record("told twice: \(event)") }
                }
            }
        }

        @Test("V11-C V17-C without a loudspeaker a voice is heard by the others, and the code is the loudspeaker's")
        func noLoudspeaker() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server, hearsVolumes: true)
                OvationDevices.input = .tone(440)
                OvationDevices.output = .recording(NSTemporaryDirectory() + "\(UUID().uuidString)/x.wav")
                defer {
                    OvationDevices.input = .none
                    OvationDevices.output = .none
                }
                #expect(await alice.create(644) == 0)
                // Chosen before the sound's connection or after it: an error, once.
                try await alice.notes.line("error \(TRTCCode.speakerFailed) cannot use the loudspeaker: ")
                #expect(await bob.enter(644) == 0)
                #expect(await alice.sit(0) == 0)
                try await bob.notes.line("volumes [alice=")
                #expect(alice.notes.lines.count { $0.contains("\(TRTCCode.speakerFailed)") } == 1)
                #expect(!alice.notes.lines.contains { $0.contains("\(TRTCCode.microphoneFailed)") })
            }
        }
    }
}
