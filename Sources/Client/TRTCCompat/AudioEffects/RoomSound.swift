internal import AudioGraph
internal import Ovation
internal import Synchronization

/// The sound of the room one is in: translates settings, music and news.
final class RoomSound: ClientSound {
    private let audio: RoomAudio
    private let applied = Mutex(SoundSettings())

    init(_ audio: RoomAudio) { self.audio = audio }

    // MARK: - Devices

    func useDevices(_ input: OvationDevices.Input, _ output: OvationDevices.Output) -> [SoundFailure] {
        var failures: [SoundFailure] = []
        do throws(OvationError) { try use(output) } catch {
            failures.append(SoundFailure(code: TRTCCode.speakerFailed, message: error.message))
            // The microphone works by the engine's clock, which goes on without a loudspeaker.
            try? audio.useOutput(.none)
        }
        do throws(OvationError) { try use(input) } catch {
            failures.append(SoundFailure(code: TRTCCode.microphoneFailed, message: error.message))
        }
        return failures
    }

    private func use(_ output: OvationDevices.Output) throws(OvationError) {
        switch output {
        case .none: try audio.useOutput(.none)
        case .speaker(let name): try audio.useOutput(.speaker(name))
        case .recording(let path): try audio.useOutput(.recording(path))
        }
    }

    private func use(_ input: OvationDevices.Input) throws(OvationError) {
        switch input {
        case .none: try audio.useInput(.none)
        case .microphone(let name): try audio.useInput(.microphone(name))
        case .tone(let frequency): try audio.useInput(.tone(frequency: frequency, amplitude: 0.5))
        case .file(let path): try audio.useInput(.file(path, loops: true))
        }
    }

    func startMicrophone() { audio.startMicrophone() }
    func stopMicrophone() { audio.stopMicrophone() }
    func captureWhenSeated() { audio.captureWhenSeated() }

    func silence() {
        audio.singing = .off
        audio.stopMicrophone()
        audio.setAllMuted(true)
    }

    // MARK: - Settings

    func apply(_ settings: SoundSettings) {
        let former = applied.withLock { applied in
            defer { applied = settings }
            return applied
        }
        if let quality = AudioQuality(rawValue: Int32(settings.quality.rawValue)) { audio.quality = quality }
        audio.captureVolume = settings.inputVolume
        audio.playbackVolume = settings.playoutVolume
        audio.setAllMuted(settings.isAllMuted)
        for user in former.mutedUsers.symmetricDifference(settings.mutedUsers) {
            audio.setMuted(settings.mutedUsers.contains(user), of: user)
        }
        audio.setEarMonitor(settings.isEarMonitorOn, volume: settings.earMonitorVolume)
        audio.reverb = settings.reverb
        audio.voiceChanger = settings.voice
        audio.voicePitch = settings.voicePitch
    }

    // MARK: - Music

    func play(_ music: MusicRequest) { audio.playMusic(Self.track(music)) }
    func prepare(_ music: MusicRequest) { audio.prepareMusic(Self.track(music)) }

    private static func track(_ music: MusicRequest) -> MusicTrack {
        var track = MusicTrack(id: music.id, source: music.source)
        track.loops = music.loops
        track.start = .milliseconds(music.startMilliseconds)
        track.end = music.endMilliseconds.map { .milliseconds($0) }
        track.controls = controls(music.levels, isPublished: music.isPublished)
        return track
    }

    func pause(_ id: Int32) { audio.pauseMusic(id) }
    func resume(_ id: Int32) { audio.resumeMusic(id) }
    func stop(_ id: Int32) { audio.stopMusic(id) }
    func seek(_ id: Int32, toMilliseconds position: Int) { audio.seekMusic(id, to: .milliseconds(position)) }

    func change(_ id: Int32, _ levels: MusicLevels, isPublished: Bool) {
        audio.updateMusic(id, Self.controls(levels, isPublished: isPublished))
    }

    func setSongVolume(_ id: Int32, _ volume: Int) {
        if audio.song?.song.number == id { audio.songVolume = volume }
    }

    func position(_ id: Int32) -> Int? {
        if let position = audio.musicPosition(id) { return position.wholeMilliseconds }
        guard let song = audio.song, song.song.number == id else { return nil }
        return song.position.wholeMilliseconds
    }

    private static func controls(_ levels: MusicLevels, isPublished: Bool) -> MusicTrack.Controls {
        var controls = MusicTrack.Controls()
        controls.isPublished = isPublished
        controls.publishVolume = levels.publishVolume
        controls.localVolume = levels.playoutVolume
        controls.pitch = levels.pitch
        controls.speed = levels.speed
        return controls
    }

    // MARK: - News

    /// Until the room is over.
    func hear(_ news: @escaping @Sendable (SoundNews) -> Void) {
        let events = audio.events
        Task {
            do throws(OvationError) {
                for try await event in events { if let told = Self.news(event) { news(told) } }
            } catch {
                // More than the stream holds was not read in time: nothing that an app could do anything about.
                news(.log("sound events were lost: \(error.message)"))
            }
        }
    }

    private static func news(_ event: RoomAudio.Event) -> SoundNews? {
        switch event {
        case .microphoneFailed(let error), .inputEnded(let error?): .microphoneFailed(error.message)
        case .speakerFailed(let error): .speakerFailed(error.message)
        case .inputEnded(nil): .log("the input has ended")
        case .connectionChanged(.lost): .pathLost
        case .connectionChanged(.failed(let error)): .pathFailed(error.message)
        case .connectionChanged(let connection): .log("sound connection: \(connection)")
        case .musicStarted(let id, _): .music(id, .started)
        case .musicProgress(let id, let position, let duration):
            .music(
                id,
                .progress(milliseconds: position.wholeMilliseconds, of: duration?.wholeMilliseconds ?? 0))
        case .musicEnded(let id, nil): .music(id, .finished)
        case .musicEnded(let id, let error?): .music(id, .failed(error.message))
        // The duet's song and its quality: the controller of a chorus room hears of them by itself.
        case .songPrepared, .songProgress, .songCompleted, .songUnavailable, .networkChanged: nil
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int {
        Int(clamping: components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
