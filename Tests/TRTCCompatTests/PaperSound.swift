import AudioGraph
import Foundation
import Ovation
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

/// Writes down what it is told, instead of a room's sound.
final class PaperSound: ClientSound {
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
    func followSeat() { notes.write("seat") }
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

/// Somebody whose room's sound is written down.
func paperStage() -> (person: VoicePerson, effects: TXAudioEffectManager, paper: PaperSound) {
    let person = VoicePerson("alice")
    return (person, person.room.core.effects, PaperSound())
}
