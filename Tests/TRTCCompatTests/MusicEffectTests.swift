import AudioGraph
import Foundation
import Ovation
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

/// V15: pieces of music that are played and published.
@Suite struct MusicEffectTests {
    @Test(
        "V15-C a piece that is started again has ended once; what is told late of the first one is not the second one's"
    )
    func startedAgain() async throws {
        let (person, effects, paper) = paperStage()
        let notes = Notes()
        person.room.controller.sound.attach(paper)
        try await paper.notes.line("devices")
        func start(_ path: String) {
            let param = TXAudioMusicParam()
            param.id = 1
            param.path = path
            effects.startPlayMusic(
                param, onStart: { notes.write("start \(path) \($0)") },
                onProgress: { _, _ in notes.write("at \(path)") },
                onComplete: { notes.write("end \(path) \($0)") })
        }
        start("first.mp3")
        paper.tell(.musicStarted(paper.track("first.mp3"), duration: nil))
        try await notes.line("start first.mp3 0")
        paper.notes.clear()
        start("second.mp3")
        #expect(paper.notes.lines == ["stop first.mp3", "play second.mp3 0 false 0…end"])
        // They were on their way.
        paper.tell(.musicProgress(paper.track("first.mp3"), position: .zero, duration: nil))
        paper.tell(.musicEnded(paper.track("first.mp3"), nil))
        paper.tell(.musicStarted(paper.track("second.mp3"), duration: nil))
        try await notes.line("start second.mp3 0")
        #expect(notes.lines == ["start first.mp3 0", "end first.mp3 0", "start second.mp3 0"])
        effects.setMusicPlayoutVolume(1, volume: 40)
        #expect(paper.notes.lines.last == "change second.mp3 100 40 0.0 1.0 false")
        paper.tell(.musicEnded(paper.track("second.mp3"), nil))
        try await notes.line("end second.mp3 0")
    }

    @Test("V15-C music: a piece is started, changed, told and ended by its id; what cannot play says so to its start")
    func music() async throws {
        let (person, effects, paper) = paperStage()
        let notes = Notes()
        func start(_ id: Int32, _ change: (TXAudioMusicParam) -> Void = { _ in }) {
            let param = TXAudioMusicParam()
            param.id = id
            param.path = "song\(id).mp3"
            change(param)
            effects.startPlayMusic(
                param, onStart: { notes.write("\(id) start \($0)") },
                onProgress: { notes.write("\(id) at \($0) of \($1)") }, onComplete: { notes.write("\(id) end \($0)") })
        }
        start(9)
        #expect(try await notes.line("9") == "9 start -1")
        person.room.controller.sound.attach(paper)
        effects.setAllMusicVolume(70)
        effects.setMusicPitch(1, pitch: -0.5)
        start(1) {
            $0.loopCount = 2
            $0.publish = true
            $0.startTimeMS = 500
            $0.endTimeMS = 9_000
        }
        start(2) { $0.loopCount = .max }
        // The devices are opened on a queue of their own, whenever its turn comes.
        func asked() -> [String] { paper.notes.lines.filter { $0 != "devices" } }
        #expect(asked().suffix(2) == ["play song1.mp3 2 true 500…9000", "play song2.mp3 -1 false 0…end"])
        paper.tell(.musicStarted(paper.track("song1.mp3"), duration: nil))
        paper.tell(.musicProgress(paper.track("song1.mp3"), position: .milliseconds(200), duration: .seconds(60)))
        paper.tell(.musicEnded(paper.track("song2.mp3"), OvationError(.mediaFailed, "no such file")))
        paper.tell(.musicEnded(paper.track("song1.mp3"), nil))
        paper.tell(.musicEnded(paper.track("song1.mp3"), nil))
        #expect(
            try await notes.last(["1 start 0", "1 at 200 of 60000", "2 start -1", "1 end 0"])
                == ["1 start 0", "1 at 200 of 60000", "2 start -1", "1 end 0"])

        // A piece that breaks off has ended; that it goes on after a pause is no second start.
        start(5)
        paper.tell(.musicStarted(paper.track("song5.mp3"), duration: nil))
        paper.tell(.musicStarted(paper.track("song5.mp3"), duration: nil))
        paper.tell(.musicEnded(paper.track("song5.mp3"), OvationError(.mediaFailed, "the server is gone")))
        let told = ["1 end 0", "5 start 0", "5 end -1"]
        #expect(try await notes.last(told) == told)

        // Leaving the room ends what plays, once.
        start(6)
        person.room.controller.sound.attach(nil)
        person.room.controller.sound.attach(paper)
        person.room.controller.sound.attach(nil)
        person.room.controller.sound.attach(paper)
        let ended = ["5 end -1", "6 end 0"]
        #expect(try await notes.last(ended) == ended)

        start(3) { $0.publish = true }
        paper.notes.clear()
        effects.setMusicPublishVolume(3, volume: 200)
        effects.setMusicPlayoutVolume(3, volume: 30)
        effects.setMusicPitch(3, pitch: 0.25)
        effects.setMusicSpeedRate(3, speedRate: 3)
        effects.pausePlayMusic(3)
        effects.resumePlayMusic(3)
        effects.seekMusicToPos(inMS: 3, pts: 7_000)
        effects.stopPlayMusic(3)
        #expect(
            asked() == [
                "change song3.mp3 150 70 0.0 1.0 true", "change song3.mp3 150 30 0.0 1.0 true",
                "change song3.mp3 150 30 3.0 1.0 true", "change song3.mp3 150 30 3.0 2.0 true", "pause song3.mp3",
                "resume song3.mp3", "seek song3.mp3 7000", "stop song3.mp3",
            ])
        #expect(effects.getMusicCurrentPos(inMS: 3) == 1_234 && effects.getMusicCurrentPosInMS(8) == -1)
        // The room is left: whatever plays has ended.
        start(4)
        paper.tell(.musicStarted(paper.track("song4.mp3"), duration: nil))
        person.room.controller.sound.attach(nil)
        try await notes.line("4 end 0")
        #expect(notes.lines.count { $0 == "6 end 0" } == 1)
    }

    @Test("V15-C a piece that was preloaded goes on at once; another by its id is opened anew; a failure is told")
    func preload() async throws {
        let (person, effects, paper) = paperStage()
        let notes = Notes()
        func param(_ id: Int32, _ path: String = "song.mp3") -> TXAudioMusicParam {
            let param = TXAudioMusicParam()
            param.id = id
            param.path = path
            return param
        }
        func preload(_ param: TXAudioMusicParam) {
            effects.preloadMusic(
                param, onProgress: { notes.write("\(param.id) loaded \($0)") },
                onError: { notes.write("\(param.id) error \($0)") })
        }
        func start(_ param: TXAudioMusicParam) {
            effects.startPlayMusic(param, onStart: { notes.write("\(param.id) start \($0)") })
        }
        preload(param(1))
        #expect(try await notes.line("1") == "1 error -1")
        person.room.controller.sound.attach(paper)
        try await paper.notes.line("devices")
        paper.notes.clear()
        preload(param(2))
        paper.tell(.musicStarted(paper.track("song.mp3"), duration: nil))
        try await notes.line("2 loaded 100")
        start(param(2))
        try await notes.line("2 start 0")
        #expect(paper.notes.lines == ["prepare song.mp3", "change song.mp3 100 100 0.0 1.0 false", "resume song.mp3"])
        // Its volume may be another by then.
        paper.notes.clear()
        preload(param(6))
        effects.setMusicPlayoutVolume(6, volume: 30)
        start(param(6))
        #expect(paper.notes.lines.suffix(2) == ["change song.mp3 100 30 0.0 1.0 false", "resume song.mp3"])
        // Not open yet: it begins when it is.
        paper.notes.clear()
        preload(param(3))
        start(param(3))
        #expect(paper.notes.lines.last == "resume song.mp3" && !notes.lines.contains("3 start 0"))
        paper.tell(.musicStarted(paper.track("song.mp3"), duration: nil))
        try await notes.line("3 start 0")
        #expect(!notes.lines.contains { $0.hasPrefix("3 loaded") })
        paper.notes.clear()
        preload(param(4))
        start(param(4, "another.mp3"))
        #expect(paper.notes.lines.last?.hasPrefix("play another.mp3") ?? false)
        preload(param(5))
        paper.tell(.musicEnded(paper.track("song.mp3"), OvationError(.mediaFailed, "no such file")))
        try await notes.line("5 error -1")
    }

    @Test("V15-C how long a file is; a file that is not there is -1")
    func duration() throws {
        let (_, effects, _) = paperStage()
        let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try SoundFile.tone(seconds: 1.25).write(to: URL(fileURLWithPath: path))
        #expect(effects.getMusicDuration(inMS: path) == 1_250 && effects.getMusicDurationInMS(path) == 1_250)
        #expect(effects.getMusicDurationInMS(path + ".gone") == -1)
    }
}
