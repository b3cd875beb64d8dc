import AudioGraph
import Foundation
import Ovation
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

/// Writes down what it is told, instead of a room's sound.
private final class PaperSound: ClientSound {
    let notes = Notes()
    let settings = Mutex(SoundSettings())
    let news = Mutex<(@Sendable (RoomAudio.Event) -> Void)?>(nil)
    let loss = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// Opening devices waits for it.
    let gate = Mutex<DispatchSemaphore?>(nil)

    func useDevices(_ input: OvationDevices.Input, _ output: OvationDevices.Output) -> [SoundFailure] {
        gate.withLock { $0 }?.wait()
        notes.write("devices")
        return gate.withLock { $0 } == nil ? [] : [SoundFailure(.microphone, "no such device")]
    }
    /// Runs while the room is told that.
    let whileTold = Mutex<(what: String, run: @Sendable () -> Void)?>(nil)
    /// The newest number of each source's track.
    let tracks = Mutex<[String: Int32]>([:])

    private func told(_ what: String) {
        if let told = whileTold.withLock({ $0 }), told.what == what { told.run() }
    }
    private func source(_ track: Int32) -> String {
        tracks.withLock { $0.first { $0.value == track }?.key } ?? "unknown \(track)"
    }
    func track(_ source: String) -> Int32 { tracks.withLock { $0[source] } ?? -1 }

    func startMicrophone() {
        told("start")
        notes.write("start")
    }
    func stopMicrophone() { notes.write("stop") }
    func captureWhenSeated() { notes.write("seat") }
    func begin() { notes.write("begin") }
    func silence() { notes.write("silence") }
    func apply(_ settings: SoundSettings, after former: SoundSettings) {
        told("apply")
        self.settings.withLock { $0 = settings }
    }
    func playMusic(_ track: MusicTrack) {
        told("play")
        tracks.withLock { $0[track.source] = track.id }
        let end = track.end.map { "\($0.milliseconds)" } ?? "end"
        notes.write(
            "play \(track.source) \(track.loops) \(track.controls.isPublished) \(track.start.milliseconds)…\(end)"
        )
    }
    func prepareMusic(_ track: MusicTrack) {
        told("prepare")
        tracks.withLock { $0[track.source] = track.id }
        notes.write("prepare \(track.source)")
    }
    func pauseMusic(_ id: Int32) { notes.write("pause \(source(id))") }
    func resumeMusic(_ id: Int32) { notes.write("resume \(source(id))") }
    func stopMusic(_ id: Int32) { notes.write("stop \(source(id))") }
    func seekMusic(_ id: Int32, to position: Duration) { notes.write("seek \(source(id)) \(position.milliseconds)") }
    func updateMusic(_ id: Int32, _ controls: MusicTrack.Controls) {
        told("change")
        notes.write(
            "change \(source(id)) \(controls.publishVolume) \(controls.localVolume) \(controls.pitch) \(controls.speed) \(controls.isPublished)"
        )
    }
    func setSongVolume(_ volume: Int, ofSong number: Int32) { notes.write("song \(number) volume \(volume)") }
    func musicPosition(_ id: Int32) -> Duration? { id == track("song3.mp3") ? .milliseconds(1_234) : nil }
    var song: SongProgress? { nil }
    func hear(
        _ tell: @escaping @Sendable (RoomAudio.Event) -> Void, lost: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        news.withLock { $0 = tell }
        loss.withLock { $0 = lost }
        return Task {}
    }
    func tell(_ what: RoomAudio.Event) { news.withLock { $0 }?(what) }
    func lose(_ why: String) { loss.withLock { $0 }?(why) }
}

@Suite struct EffectTests {
    private func stage() -> (person: VoicePerson, effects: TXAudioEffectManager, paper: PaperSound) {
        let person = VoicePerson("alice")
        return (person, person.room.core.effects, PaperSound())
    }

    @Test("V11-C V12-C V13-C what is set before a room is entered counts in it, what is out of range is bounded")
    func settings() async throws {
        let (person, effects, paper) = stage()
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

    @Test("V11-C a device that takes its time holds up nobody: settings hold meanwhile, the microphone begins after it")
    func slowDevices() async throws {
        let (person, effects, paper) = stage()
        let gate = DispatchSemaphore(value: 0)
        paper.gate.withLock { $0 = gate }
        person.room.startMicrophone()
        effects.setVoicePitch(0.5)
        person.room.controller.sound.attach(paper)
        #expect(paper.settings.withLock { $0.voicePitch } == 6 && paper.notes.lines == ["begin"])
        gate.signal()
        try await paper.notes.line("start")
        #expect(paper.notes.lines == ["begin", "devices", "start"])
        try await person.notes.line("error -1302 cannot open the microphone: no such device")

        // Who has changed their mind meanwhile is not captured.
        let second = PaperSound()
        second.gate.withLock { $0 = gate }
        person.room.controller.sound.attach(nil)
        person.room.startMicrophone()
        person.room.controller.sound.attach(second)
        person.room.stopMicrophone()
        gate.signal()
        try await second.notes.line("devices")
        person.room.controller.sound.attach(nil)
        try await second.notes.line("silence")
        #expect(!second.notes.lines.contains("start"))
    }

    @Test("V04-C V11-C what is said of the microphone after the answer holds, although the seat's event comes later")
    func saidBeforeTheEvent() async throws {
        let (person, _, paper) = stage()
        let sound = person.room.controller.sound
        sound.attach(paper)
        try await paper.notes.line("devices")
        let before = paper.notes.lines.count
        person.room.startMicrophone()
        sound.noteSeat(isTaken: true)
        person.room.stopMicrophone()
        sound.followSeat(isTaken: true)
        // To another seat.
        sound.followSeat(isTaken: true)
        #expect(paper.notes.lines[before...] == ["start", "stop"])
        // Somebody takes the seat away and gives it back: neither was asked for, and the microphone follows both.
        sound.followSeat(isTaken: false)
        sound.followSeat(isTaken: true)
        #expect(paper.notes.lines[before...] == ["start", "stop", "seat", "seat"])
        sound.noteSeat(isTaken: false)
        person.room.startMicrophone()
        sound.followSeat(isTaken: false)
        #expect(paper.notes.lines[before...] == ["start", "stop", "seat", "seat", "start"])
        // What was said before one sat down does not hold.
        sound.noteSeat(isTaken: true)
        sound.followSeat(isTaken: true)
        #expect(paper.notes.lines[before...].last == "seat")
    }

    @Test(
        "V11-C A12-C who stops the microphone, or leaves, while it is being started has the last word",
        arguments: [false, true], [false, true])
    func stoppedWhileStarting(leaves: Bool, isWished: Bool) async throws {
        for _ in 0..<20 {
            let (person, _, paper) = stage()
            let sound = person.room.controller.sound
            let isStarting = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                isStarting.wait()
                if leaves { sound.attach(nil) } else { sound.stopMicrophone() }
                paper.notes.write("stopped")
            }
            paper.whileTold.withLock {
                $0 = (
                    "start",
                    {
                        isStarting.signal()
                        // The other thread has its chance to come first.
                        for _ in 0..<1_000 { sched_yield() }
                    }
                )
            }
            // Wished before there is a room, or in it.
            if isWished { person.room.startMicrophone() }
            sound.attach(paper)
            try await paper.notes.line("devices")
            if !isWished { person.room.startMicrophone() }
            try await paper.notes.line("stopped")
            try await paper.notes.line("start")
            #expect(paper.notes.lines == ["begin", "devices", "start", leaves ? "silence" : "stop", "stopped"])
        }
    }

    @Test(
        "V11-C V15-C A12-C what a room is told while another thread leaves it, it is told before its silence, and music ends",
        arguments: ["apply", "play", "prepare", "change"])
    func leftWhileTold(what: String) async throws {
        for _ in 0..<20 {
            let (person, effects, paper) = stage()
            let sound = person.room.controller.sound
            let param = TXAudioMusicParam()
            param.id = 4
            param.path = "song.mp3"
            sound.attach(paper)
            try await paper.notes.line("devices")
            if what == "change" { effects.startPlayMusic(param) }
            paper.notes.clear()
            let isTold = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                isTold.wait()
                sound.attach(nil)
                paper.notes.write("left")
            }
            paper.whileTold.withLock {
                $0 = (
                    what,
                    {
                        isTold.signal()
                        // The other thread has its chance to come first.
                        for _ in 0..<1_000 { sched_yield() }
                        paper.notes.write("told")
                    }
                )
            }
            switch what {
            case "play": effects.startPlayMusic(param)
            case "prepare": effects.preloadMusic(param)
            case "change": effects.setMusicPlayoutVolume(4, volume: 20)
            default: person.room.setAudioPlayoutVolume(volume: 20)
            }
            try await paper.notes.line("left")
            let lines = paper.notes.lines
            let told = try #require(lines.firstIndex(of: "told"))
            let silence = try #require(lines.firstIndex(of: "silence"))
            #expect(told < silence)
            if what != "apply" { #expect(lines[told...silence].contains("stop song.mp3")) }
            // Nobody is there any more.
            paper.notes.clear()
            effects.setMusicPlayoutVolume(4, volume: 30)
            person.room.setAudioPlayoutVolume(volume: 30)
            #expect(paper.notes.lines.isEmpty && paper.settings.withLock { $0.playoutVolume } != 30)
        }
    }

    @Test(
        "V15-C a piece that is started again has ended once; what is told late of the first one is not the second one's"
    )
    func startedAgain() async throws {
        let (person, effects, paper) = stage()
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

    @Test("V15-C eleven reverbs and twelve voices, each its own, by the numbers of the reference")
    func presets() {
        let (person, effects, paper) = stage()
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

    @Test("V15-C music: a piece is started, changed, told and ended by its id; what cannot play says so to its start")
    func music() async throws {
        let (person, effects, paper) = stage()
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
        let (person, effects, paper) = stage()
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

    @Test("V15-C D02-C the room's song is as loud as the effects' volumes say, set before it begins or while it plays")
    func songVolume() {
        let (person, effects, paper) = stage()
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

    @Test("V15-C how long a file is; a file that is not there is -1")
    func duration() throws {
        let (_, effects, _) = stage()
        let path = NSTemporaryDirectory() + "ovation-façade-\(UUID().uuidString).wav"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try SoundFile.tone(seconds: 1.25).write(to: URL(fileURLWithPath: path))
        #expect(effects.getMusicDuration(inMS: path) == 1_250 && effects.getMusicDurationInMS(path) == 1_250)
        #expect(effects.getMusicDurationInMS(path + ".gone") == -1)
    }

    @Test(
        "V11-C V04-C the microphone follows the seat; a wish before the room is kept; a failure is told with its code")
    func microphone() async throws {
        let (person, _, paper) = stage()
        person.room.startMicrophone()
        person.room.controller.sound.attach(paper)
        try await paper.notes.line("start")
        #expect(paper.notes.lines == ["begin", "devices", "start"])
        person.room.stopMicrophone()
        person.room.controller.sound.followSeat(isTaken: true)
        #expect(paper.notes.lines == ["begin", "devices", "start", "stop", "seat"])
        paper.tell(.microphoneFailed(OvationError(.mediaFailed, "no device")))
        #expect(try await person.notes.line("error").hasPrefix("error \(TRTCCode.microphoneFailed)"))
        paper.tell(.speakerFailed(OvationError(.mediaFailed, "unplugged")))
        try await person.notes.line("the loudspeaker's error") {
            $0 == "error \(TRTCCode.speakerFailed) cannot use the loudspeaker: unplugged"
        }
        paper.tell(.connectionChanged(.lost))
        #expect(try await person.notes.line("warning").hasPrefix("warning \(TRTCCode.disconnected)"))
        paper.tell(.connectionChanged(.failed(OvationError(.mediaFailed, "no way"))))
        try await person.notes.line("the sound connection's warning") {
            $0 == "warning \(TRTCCode.soundFailed) cannot open the sound connection: no way"
        }
    }

    @Test("V17-C the log tells how the sound does: its connection, the end of an input, and events that nobody took")
    func log() async throws {
        let (person, _, paper) = stage()
        let log = LogReader()
        person.room.setDelegate(delegate: log)
        person.room.controller.sound.attach(paper)
        paper.tell(.connectionChanged(.connected))
        paper.tell(.inputEnded(nil))
        paper.lose("too many")
        try await log.notes.line("sound events were lost: too many")
        #expect(log.notes.lines.prefix(2) == ["sound connection: connected", "the input has ended"])
    }

    @Test(
        "A12-C a room that is left, given up or destroyed captures nothing and plays nothing, whoever else goes on using it"
    )
    func silence() async throws {
        let (person, effects, paper) = stage()
        person.room.controller.sound.attach(paper)
        try await paper.notes.line("devices")
        person.room.startMicrophone()
        person.room.controller.leaveSound()
        #expect(paper.notes.lines.last == "silence")
        paper.notes.clear()
        // The same room anew, after another component of the app has kept it: it is heard again.
        person.room.controller.sound.attach(paper)
        try await paper.notes.line("devices")
        #expect(paper.notes.lines == ["begin", "devices"])
        person.room.destroy()
        #expect(paper.notes.lines.last == "silence")
        // Whoever has kept the effects reaches nobody any more, and is told so.
        let before = paper.notes.lines
        effects.setVoiceVolume(10)
        effects.setVoiceReverbType(._1)
        let param = TXAudioMusicParam()
        param.id = 1
        param.path = "song.mp3"
        effects.startPlayMusic(param, onStart: { _ in }, onProgress: { _, _ in }, onComplete: { _ in })
        person.room.controller.sound.attach(paper)
        person.room.controller.sound.startMicrophone()
        #expect(paper.notes.lines == before)
        try await person.notes.line("error -1")
    }

    @Test("V17-C what is told is told in order, however often the queue is changed meanwhile")
    func queues() async {
        let queue = CallbackQueue()
        let heard = Mutex<[Int]>([])
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        let queues = (0..<4).map { DispatchQueue(label: "app \($0)", attributes: $0 == 2 ? .concurrent : []) }
        queue.use(queues[0])
        // The first queue is busy; what comes after it goes to others.
        let gate = DispatchSemaphore(value: 0)
        queues[0].async { gate.wait() }
        for number in 0..<400 {
            if number % 7 == 3 { queue.use(queues[number % 4]) }
            queue.run { heard.withLock { $0.append(number) } }
        }
        queue.run { finish.finish() }
        #expect(heard.withLock { $0 }.isEmpty)
        gate.signal()
        for await _ in done {}
        #expect(heard.withLock { $0 } == Array(0..<400))
    }
}
