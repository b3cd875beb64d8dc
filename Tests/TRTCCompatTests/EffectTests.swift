import AudioGraph
import Foundation
import Ovation
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

/// V11, V12, V13, V15: what the effects of a person are set to.
@Suite struct EffectTests {
    @Test("V11-C V12-C V13-C what is set before a room is entered counts in it, what is out of range is bounded")
    func settings() async throws {
        let (person, effects, paper) = paperStage()
        let room = person.room
        room.setAudioQuality(quality: 3)
        room.setAudioCaptureVolume(volume: 80)
        room.setAudioPlayoutVolume(volume: 40)
        room.setVoiceEarMonitor(enable: true)
        room.muteRemoteAudio(userId: "bob", mute: true)
        room.muteAllRemoteAudio(isMute: true)
        effects.setVoiceVolume(50)
        effects.setVoiceEarMonitorVolume(150)
        effects.setVoicePitch(0.5)
        effects.setVoiceReverbType(._4)
        effects.setVoiceChangerType(._11)
        room.controller.sound.attach(paper)
        var settings = paper.settings.withLock { $0 }
        #expect(settings.quality == .music && settings.inputVolume == 40 && settings.playoutVolume == 40)
        #expect(settings.isEarMonitorOn && settings.earMonitorVolume == 150 && settings.isAllMuted)
        #expect(settings.mutedUsers == [try #require(UserID("bob"))])
        #expect(settings.voicePitch == 6 && settings.reverb == .deep && settings.voice == .ethereal)

        room.setAudioCaptureVolume(volume: 500)
        effects.setVoiceVolume(-3)
        effects.setVoicePitch(9)
        room.muteRemoteAudio(userId: "bob", mute: false)
        settings = paper.settings.withLock { $0 }
        #expect(settings.captureVolume == 150 && settings.inputVolume == 0 && settings.voicePitch == 12)
        #expect(settings.mutedUsers.isEmpty)
        effects.setVoicePitch(.nan)
        #expect(paper.settings.withLock { $0.voicePitch } == 0)
        room.setAudioQuality(quality: 7)
        try await person.notes.line("warning -1 7 is not a valid audio quality")
        #expect(paper.settings.withLock { $0.quality } == .music)
        room.controller.sound.resetEffects()
        #expect(paper.settings.withLock { $0.reverb == .off && $0.voice == .off && $0.voicePitch == 0 })
    }

    @Test("V15-C eleven reverbs and twelve voices, each its own, by the numbers of the reference")
    func presets() {
        let (person, _, paper) = paperStage()
        let effects: TXAudioEffectManager = person.room.core.effects
        person.room.controller.sound.attach(paper)
        var reverbs: Set<Int32> = []
        for type in TXVoiceReverbType.allCases {
            effects.setVoiceReverbType(type)
            #expect(paper.settings.withLock { Int($0.reverb.rawValue) } == type.rawValue)
            reverbs.insert(paper.settings.withLock { $0.reverb.rawValue })
        }
        var voices: Set<Int32> = []
        for type in TXVoiceChangeType.allCases {
            effects.setVoiceChangerType(type)
            #expect(paper.settings.withLock { Int($0.voice.rawValue) } == type.rawValue)
            voices.insert(paper.settings.withLock { $0.voice.rawValue })
        }
        #expect(reverbs.count == 11 && voices.count == 12)
    }

    @Test("V15-C D02-C the room's song is as loud as the effects' volumes say, set before it begins or while it plays")
    func songVolume() {
        let (person, effects, paper) = paperStage()
        person.room.controller.sound.attach(paper)
        effects.setAllMusicVolume(80)
        person.room.controller.sound.beginSong(7)
        effects.setMusicPlayoutVolume(7, volume: 30)
        effects.setAllMusicVolume(60)
        person.room.controller.sound.beginSong(7)
        person.room.controller.sound.beginSong(8)
        // Devices are opened beside this, in their own time.
        #expect(
            paper.notes.lines.filter { $0.hasPrefix("song") } == [
                "song 7 volume 80", "song 7 volume 30", "song 7 volume 60", "song 7 volume 60", "song 8 volume 60",
            ])
    }
}
