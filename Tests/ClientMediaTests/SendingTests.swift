import AudioGraph
import MediaCodecs
import SoundAnalysis
import Testing
import Timing

@testable import ClientMedia

@Suite("What is sent")
struct SendingTests {
    @Test("V11-K a muted microphone is silent from the next block on, and sends nothing")
    func mute() throws {
        let room = try VirtualRoom()
        var sent: [Float] = []
        let tap = Recording()
        room.capture.captureTap = { block, _ in tap.append(block) }
        room.run(1)
        _ = tap.take()
        room.settings.isMicrophoneMuted = true
        room.run(0.2)
        sent = tap.take()
        // 5 ms of fading, then exact silence.
        #expect(sent[240...].allSatisfy { $0 == 0 })
        #expect(Array(sent.prefix(480)).clicks().isEmpty)
        let frames = room.frames.count
        let (heard, _) = room.run(1)
        #expect(room.frames.count == frames)
        #expect(heard.suffix(24_000).level < -80)
        room.settings.isMicrophoneMuted = false
        let (again, _) = room.run(1)
        #expect(abs(again.suffix(24_000).level + 9) < 1)
        #expect(abs((Array(again.suffix(24_000)).pitch() ?? 0) - 440) < 1)
        // The gap is in the timestamps, and the first frame after it says so.
        #expect(room.frames[frames].frame.marker)
        #expect(room.frames[frames].frame.timestamp &- room.frames[frames - 1].frame.timestamp > 48_000)
    }

    @Test("V13-K the capture volume is the sent level: half is 6 dB less", arguments: [25, 50, 100, 150])
    func volume(volume: Int) throws {
        let room = try VirtualRoom()
        room.voiceAmplitude = 0.25
        room.settings.captureVolume = volume
        let tap = Recording()
        room.capture.captureTap = { block, _ in tap.append(block) }
        room.run(0.5)
        let expected = decibels(amplitude: 0.25 * Double(volume) / 100) - 3.01
        #expect(abs(tap.take().suffix(9_600).level - expected) < 0.05)
    }

    @Test("V12-K qualities differ on the wire: rate and band", arguments: AudioQuality.allCases)
    func quality(quality: AudioQuality) throws {
        let room = try VirtualRoom()
        room.settings.quality = quality
        // 10 kHz is beyond speech quality.
        room.voice = 10_000
        let (high, _) = room.run(1)
        #expect((high.suffix(24_000).level > -15) == (quality != .speech))
        room.voice = 300
        room.run(0.2)
        let first = room.frames.count
        room.run(2)
        let bytes = room.frames[first...].reduce(0) { $0 + $1.bytes }
        let rate = Double(bytes) * 8 / 2
        switch quality {
        case .speech: #expect((6_000...22_000).contains(rate))
        case .standard: #expect((25_000...65_000).contains(rate))
        case .music: #expect((80_000...165_000).contains(rate))
        }
    }

    @Test(
        "V12-K in music quality a sound keeps its two sides as far as the listener's ear, in the others it is in the middle",
        arguments: AudioQuality.allCases)
    func sides(quality: AudioQuality) throws {
        let room = try VirtualRoom(songs: ["left": { TestSong(seconds: 3, isLeftOnly: true) }])
        room.voice = 0
        room.settings.quality = quality
        var track = MusicTrack(id: 1, source: "left")
        track.controls.isPublished = true
        room.music.play(track)
        room.run(1.5)
        let (left, right) = (room.heardByOther.suffix(24_000).level, room.heardOnTheRight.suffix(24_000).level)
        #expect(left > -20)
        #expect(quality == .music ? right < left - 30 : abs(left - right) < 1)
    }

    @Test("quality and frame length change while somebody speaks, without a click")
    func changes() throws {
        let room = try VirtualRoom()
        room.run(1)
        let start = room.heardByOther.count
        for (quality, duration) in [
            (AudioQuality.music, FrameDuration.ms20), (.music, .ms10), (.standard, .ms5), (.speech, .ms20),
        ] {
            room.settings.quality = quality
            room.settings.frameDuration = duration
            let (heard, _) = room.run(0.6)
            #expect(abs((Array(heard.suffix(12_000)).pitch() ?? 0) - 440) < 2)
            let expected = [FrameDuration.ms5: 240, .ms10: 480, .ms20: 960][duration]
            let last = room.frames.suffix(2).map(\.frame.timestamp)
            #expect(Int(last[1] &- last[0]) == expected)
        }
        #expect(room.heardByOther[start...].peak < 0.75)
    }

    @Test("silence is not sent, and does not count as loss")
    func silence() throws {
        let room = try VirtualRoom()
        room.run(1)
        room.voice = 0
        room.run(1)
        let frames = room.frames.count
        room.run(2)
        // A sign of life every 400 ms.
        #expect(room.frames.count - frames < 20)
        room.voice = 440
        let (heard, _) = room.run(1)
        #expect(abs(heard.suffix(24_000).level + 9) < 1)
        #expect(room.other.receivers[0].buffer.statistics.concealedFrames < 4_800)
    }

    @Test("a frame says when its first sample was captured; levels follow the voice")
    func captured() throws {
        let room = try VirtualRoom()
        room.run(0.5)
        let frames = room.frames.map(\.frame)
        for (one, next) in zip(frames, frames.dropFirst()) {
            #expect((next.captured - one.captured) == .milliseconds(20))
            #expect(next.timestamp &- one.timestamp == 960)
        }
        #expect(frames[0].captured == Instant(nanoseconds: 3_000_000_000) + .milliseconds(-10))
        // A sine of amplitude 0.5 is −9 dBov.
        #expect(frames.last?.level == 9)
        #expect(room.capture.level > 90)
    }

    @Test("where the device paused, timestamps go on with the time, and the next frame says that it is a first one")
    func pause() throws {
        let sender = VoiceSender(encoder: try RoomAudioSettings().makeEncoder())
        let block = AudioBuffer(channels: 1, capacity: 480)
        let tone = ToneSource(frequency: 300)
        var frames: [OutgoingFrame] = []
        var time = Instant(nanoseconds: 1_000_000_000)
        func run(_ blocks: Int) {
            for _ in 0..<blocks {
                tone.render(into: block)
                sender.process(block, music: nil, captured: time) { frame, _ in frames.append(frame) }
                time = time + .milliseconds(10)
            }
        }
        run(11)
        time = time + .seconds(2)
        run(10)
        #expect(frames.count == 10)
        // Half a frame was waiting when the device paused.
        #expect(frames[5].timestamp &- frames[4].timestamp == 960 + 480 + 96_000)
        #expect(frames.map(\.marker) == [true, false, false, false, false, true, false, false, false, false])
        #expect(frames[5].captured - frames[4].captured == .milliseconds(2_030))
    }

    @Test(
        "D07-K where a device's times are exact, the shortest hole moves the timestamps; where they waver, they go on",
        arguments: [true, false])
    func shortHole(isExact: Bool) throws {
        let sender = VoiceSender(encoder: try RoomAudioSettings().makeEncoder())
        sender.hasExactTimes = isExact
        let block = AudioBuffer(channels: 1, capacity: 480)
        let tone = ToneSource(frequency: 300)
        var frames: [OutgoingFrame] = []
        var time = Instant(nanoseconds: 1_000_000_000)
        func run(_ blocks: Int) {
            for _ in 0..<blocks {
                tone.render(into: block)
                sender.process(block, music: nil, captured: time) { frame, _ in frames.append(frame) }
                time = time + .milliseconds(10)
            }
        }
        run(10)
        time = time + .milliseconds(15)
        run(10)
        #expect(frames.count == 10)
        #expect(frames[5].timestamp &- frames[4].timestamp == 960 + (isExact ? 720 : 0))
        #expect(frames.dropFirst().allSatisfy { !$0.marker }, "the same person goes on")
    }

    @Test("V13-K the ear monitor plays the own voice at its volume, and not before it is on")
    func ear() throws {
        let room = try VirtualRoom()
        #expect(room.run(0.3).own.level < -100)
        room.settings.earMonitor.isOn = true
        room.settings.earMonitor.volume = 50
        // The playout volume does not count for it.
        room.settings.playoutVolume = 0
        let (_, heard) = room.run(0.5)
        #expect(abs(heard.suffix(9_600).level - (-9.03 - 6.02)) < 0.2)
        #expect(Array(heard.suffix(19_200)).clicks().isEmpty)
        room.settings.earMonitor.isOn = false
        #expect(room.run(0.3).own.suffix(4_800).level < -100)
    }

    @Test("V15-K reverb, changer and pitch change what is sent")
    func effects() throws {
        let room = try VirtualRoom()
        room.settings.voicePitch = 12
        let (octave, _) = room.run(1)
        #expect(abs((Array(octave.suffix(24_000)).pitch(in: 300...1_500) ?? 0) - 880) < 10)
        room.settings.voicePitch = 0
        room.settings.reverb = .greatHall
        room.run(1)
        room.voice = 0
        room.run(0.1)
        let (tail, _) = room.run(0.3)
        #expect(tail.level > -60)
        #expect(room.run(8).other.suffix(4_800).level < -60)
    }

    @Test(
        "V13-K V11-K playout volume, volumes and mutes of seats, and of all, are what is heard, from the next block on")
    func playout() throws {
        let room = try VirtualRoom()
        room.run(1)
        func heard(_ change: (inout RoomAudioSettings) -> Void) -> [Float] {
            var settings = RoomAudioSettings()
            change(&settings)
            room.other.apply(settings)
            return room.run(0.2).other
        }
        // The limiter looks 64 frames ahead, a change takes 240.
        let settled = 304
        #expect(abs(heard { _ in }.level + 9.03) < 0.5)
        #expect(abs(heard { $0.playoutVolume = 50 }[settled...].level + 15.05) < 0.5)
        #expect(abs(heard { $0.slotVolumes = [0: 25, 1: 100] }[settled...].level + 21.07) < 0.5)
        #expect(heard { $0.mutedSlots = [0] }[settled...].allSatisfy { $0 == 0 })
        #expect(heard { $0.isAllRemoteMuted = true }[settled...].allSatisfy { $0 == 0 })
        #expect(heard { $0.playoutVolume = 0 }[settled...].allSatisfy { $0 == 0 })
        #expect(abs(heard { $0.mutedSlots = [1] }[settled...].level + 9.03) < 0.5)
        #expect(Array(room.heardByOther[48_000...]).clicks().isEmpty)
        // Louder than full scale never comes out.
        room.voiceAmplitude = 0.9
        #expect(heard { $0.playoutVolume = 150 }.peak <= 1)
    }

    @Test(
        "D03-S between singers with frames of 5 ms, less than 20 ms lie between a sample in and the same sample out",
        arguments: [0, 1_100, 2_500, 3_900, 4_900])
    func duetDelay(phase: Int64) throws {
        // Where in the listener's block a packet arrives is chance: all of it must do.
        let way = Interval.microseconds(200 + phase)
        let room = try VirtualRoom(block: 240, way: way, delay: .minimal)
        room.settings.frameDuration = .ms5
        room.other.apply(
            {
                var settings = room.settings
                settings.playoutDelay = .minimal
                return settings
            }())
        room.sung = TestSounds.voice(pitch: 220, seconds: 4, vibratoPercent: 3)
        let sung = room.sung ?? []
        let (heard, _) = room.run(3)
        // A block is captured until the time at which one is played from: 5 ms come on top.
        let delay = Array(heard.suffix(96_000)).delay(after: Array(sung[48_000..<144_000]), maximum: 4_800)
        let total = delay.frames / 48 + 5
        #expect(total < way.seconds * 1000 + 16)
        #expect(room.other.receivers[0].buffer.statistics.concealedFrames < 480)
    }
}
