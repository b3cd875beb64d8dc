internal import AudioGraph
internal import Ovation

/// A device that cannot be used.
struct SoundFailure: Error {
    enum Device { case microphone, loudspeaker }

    var code: Int32
    var message: String

    init(_ device: Device, _ reason: String) {
        switch device {
        case .microphone: (code, message) = (TRTCCode.microphoneFailed, "cannot open the microphone: \(reason)")
        case .loudspeaker: (code, message) = (TRTCCode.speakerFailed, "cannot use the loudspeaker: \(reason)")
        }
    }
}

/// The sound of the room one is in, as far as this module speaks to it. See `RoomAudio`.
protocol ClientSound: AnyObject, Sendable {
    /// Tells which of them could not be used; the other one is all the same.
    func useDevices(_ input: OvationDevices.Input, _ output: OvationDevices.Output) -> [SoundFailure]
    func startMicrophone()
    func stopMicrophone()
    /// The microphone is on while one sits, from this seat on.
    func followSeat()
    /// The room is entered: its song plays, and one is heard while one sits.
    func begin()
    /// What `begin` began ends: nothing is captured and nothing is heard any more, although the room may go on for another component of the
    /// app.
    func silence()
    /// - Parameter former: what was applied before.
    func apply(_ settings: SoundSettings, after former: SoundSettings)
    /// Until the room is over, or the task is cancelled.
    func hear(
        _ tell: @escaping @Sendable (RoomAudio.Event) -> Void, lost: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never>

    func playMusic(_ track: MusicTrack)
    func prepareMusic(_ track: MusicTrack)
    func pauseMusic(_ id: Int32)
    func resumeMusic(_ id: Int32)
    func stopMusic(_ id: Int32)
    func seekMusic(_ id: Int32, to position: Duration)
    func updateMusic(_ id: Int32, _ controls: MusicTrack.Controls)
    func musicPosition(_ id: Int32) -> Duration?
    var song: SongProgress? { get }
    /// Of the room's song, if it has that number.
    func setSongVolume(_ volume: Int, ofSong number: Int32)
}

extension RoomAudio: ClientSound {
    func useDevices(_ input: OvationDevices.Input, _ output: OvationDevices.Output) -> [SoundFailure] {
        OvationDevices.use(input, output, in: self)
    }

    func begin() {
        singing = .automatic
        followSeat()
    }

    func silence() {
        singing = .off
        stopMicrophone()
        isAllMuted = true
    }

    func apply(_ settings: SoundSettings, after former: SoundSettings) { settings.apply(to: self, after: former) }

    func setSongVolume(_ volume: Int, ofSong number: Int32) {
        if song?.song.number == number { songVolume = volume }
    }

    func hear(
        _ tell: @escaping @Sendable (RoomAudio.Event) -> Void, lost: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> { events.forEach(tell, lost: lost) }
}

extension EventStream {
    /// - Parameter lost: told if events came faster than they were taken.
    fileprivate func forEach(
        _ tell: @escaping @Sendable (Element) -> Void, lost: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        Task {
            do throws(OvationError) {
                for try await event in self { tell(event) }
            } catch {
                lost(error.message)
            }
        }
    }
}

extension OvationDevices {
    /// - Returns: which of them could not be used; the other one is all the same.
    fileprivate static func use(_ input: Input, _ output: Output, in audio: RoomAudio) -> [SoundFailure] {
        var failures: [SoundFailure] = []
        do throws(OvationError) { try audio.useOutput(RoomAudio.Output(output)) } catch {
            failures.append(SoundFailure(.loudspeaker, error.message))
            // The microphone works by the engine's clock, which goes on without a loudspeaker.
            try? audio.useOutput(.none)
        }
        do throws(OvationError) { try audio.useInput(RoomAudio.Input(input)) } catch {
            failures.append(SoundFailure(.microphone, error.message))
        }
        return failures
    }
}

extension SoundSettings {
    /// - Parameter former: what was applied before.
    fileprivate func apply(to audio: RoomAudio, after former: SoundSettings) {
        audio.holdMuted(isMicrophoneMuted)
        audio.quality = quality
        audio.captureVolume = inputVolume
        audio.playbackVolume = playoutVolume
        audio.isAllMuted = isAllMuted
        for user in former.mutedUsers.symmetricDifference(mutedUsers) {
            audio.setMuted(mutedUsers.contains(user), of: user)
        }
        (audio.isEarMonitorOn, audio.earMonitorVolume) = (isEarMonitorOn, earMonitorVolume)
        audio.reverb = reverb
        audio.voiceChanger = voice
        audio.voicePitch = voicePitch
    }
}

extension RoomAudio.Output {
    init(_ output: OvationDevices.Output) {
        self =
            switch output {
            case .none: .none
            case .speaker(let name): .speaker(name)
            case .recording(let path): .recording(path)
            }
    }
}

extension RoomAudio.Input {
    init(_ input: OvationDevices.Input) {
        self =
            switch input {
            case .none: .none
            case .microphone(let name): .microphone(name)
            case .tone(let frequency): .tone(frequency: frequency, amplitude: 0.5)
            case .file(let path): .file(path, loops: true)
            }
    }
}
