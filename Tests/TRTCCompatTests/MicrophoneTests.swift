import AudioGraph
import Foundation
import Ovation
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

/// V04, V11, A12: when a room captures sound, and when it is silent.
@Suite struct MicrophoneTests {
    @Test("V11-C a device that takes its time holds up nobody: settings hold meanwhile, the microphone begins after it")
    func slowDevices() async throws {
        let (person, effects, paper) = paperStage()
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
        let (person, _, paper) = paperStage()
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
            let (person, _, paper) = paperStage()
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
            let (person, effects, paper) = paperStage()
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
        "V11-C V04-C the microphone follows the seat; a wish before the room is kept; a failure is told with its code")
    func microphone() async throws {
        let (person, _, paper) = paperStage()
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

    @Test(
        "A12-C a room that is left, given up or destroyed captures nothing and plays nothing, whoever else goes on using it"
    )
    func silence() async throws {
        let (person, effects, paper) = paperStage()
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
}
