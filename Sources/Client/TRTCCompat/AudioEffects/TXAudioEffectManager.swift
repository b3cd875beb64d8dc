internal import AudioGraph
internal import Ovation
internal import Platform

/// Background music and voice effects, from `getAudioEffectManager()`. The closures are called on the component's queue.
///
/// Volumes are 0…100; values up to 150 are allowed, but loud music distorts. Music plays only in a room; voice settings can be made
/// before entering one.
public final class TXAudioEffectManager: Sendable {
    /// What 1.0 of the published pitch is: an octave.
    static let semitonesOfOne = 12.0
    /// What the published calls return where they cannot say more.
    static let failed = -1

    private let sound: AudioController
    private let queue: CallbackQueue

    init(_ sound: AudioController, _ queue: CallbackQueue) {
        self.sound = sound
        self.queue = queue
    }

    // MARK: - Music

    /// Plays a track. A track with the same id stops; other tracks continue.
    public func startPlayMusic(
        _ musicParam: TXAudioMusicParam, onStart startBlock: TXAudioMusicStartBlock? = nil,
        onProgress progressBlock: TXAudioMusicProgressBlock? = nil,
        onComplete completeBlock: TXAudioMusicCompleteBlock? = nil
    ) {
        let blocks = UncheckedTransfer((start: startBlock, progress: progressBlock, complete: completeBlock))
        let hasStarted = Mutex(false)
        let isPlaying = sound.play(track(musicParam)) { [queue] news in
            switch news {
            case .started:
                let isFirst = hasStarted.withLock { hasStarted in
                    defer { hasStarted = true }
                    return !hasStarted
                }
                if isFirst { queue.run { blocks.value.start?(0) } }
            case .progress(let milliseconds, let duration):
                queue.run { blocks.value.progress?(milliseconds, duration) }
            case .finished: queue.run { blocks.value.complete?(0) }
            case .failed:
                let started = hasStarted.withLock { $0 }
                queue.run { started ? blocks.value.complete?(Self.failed) : blocks.value.start?(Self.failed) }
            }
        }
        if !isPlaying { queue.run { blocks.value.start?(Self.failed) } }
    }

    /// Opens a track in advance, so that `startPlayMusic` with the same parameters starts it at once. Works only in a room.
    /// - Parameters:
    ///   - progressBlock: called with 100 when the track is open.
    ///   - errorBlock: called with a negative number if it cannot be opened.
    public func preloadMusic(
        _ preloadParam: TXAudioMusicParam, onProgress progressBlock: TXMusicPreloadProgressBlock? = nil,
        onError errorBlock: TXMusicPreloadErrorBlock? = nil
    ) {
        let blocks = UncheckedTransfer((progress: progressBlock, error: errorBlock))
        let isOpening = sound.prepare(track(preloadParam)) { [queue] news in
            switch news {
            case .started: queue.run { blocks.value.progress?(100) }
            case .failed: queue.run { blocks.value.error?(Self.failed) }
            case .progress, .finished: break
            }
        }
        if !isOpening { queue.run { blocks.value.error?(Self.failed) } }
    }

    /// Returns the duration of a file or URL in milliseconds; −1 if it cannot be opened or has no known duration. Blocks until the
    /// source is open: do not call it on the main thread for remote files.
    public func getMusicDuration(inMS path: String) -> Int {
        (try? MusicTrack.duration(of: path))?.milliseconds ?? Self.failed
    }

    /// The same, with its name in Objective-C.
    public func getMusicDurationInMS(_ path: String) -> Int { getMusicDuration(inMS: path) }

    private func track(_ param: TXAudioMusicParam) -> MusicTrack {
        var track = MusicTrack(id: param.id, source: param.path)
        // A number beyond any evening is for ever.
        track.loops = (0...1_000_000).contains(param.loopCount) ? param.loopCount : -1
        track.start = .milliseconds(max(0, param.startTimeMS))
        track.end = param.endTimeMS > 0 ? .milliseconds(param.endTimeMS) : nil
        track.controls = sound.levels(of: param.id)
        track.controls.isPublished = param.publish
        return track
    }

    /// Stops a track. Its completion block is called with 0.
    public func stopPlayMusic(_ id: Int32) { sound.stop(id) }
    /// Pauses a track.
    public func pausePlayMusic(_ id: Int32) { sound.pause(id) }
    /// Resumes a track.
    public func resumePlayMusic(_ id: Int32) { sound.resume(id) }

    /// Sets the local and the published volume of all current and later tracks. In a chorus room it also sets the local volume of
    /// the room's song.
    public func setAllMusicVolume(_ volume: Int) {
        sound.changeAllMusic(to: AudioController.volume(volume))
    }

    /// Sets how loud others hear a track.
    public func setMusicPublishVolume(_ id: Int32, volume: Int) {
        sound.changeMusic(id) { $0.publishVolume = AudioController.volume(volume) }
    }

    /// Sets how loud the local user hears a track.
    public func setMusicPlayoutVolume(_ id: Int32, volume: Int) {
        sound.changeMusic(id) { $0.localVolume = AudioController.volume(volume) }
    }

    /// Changes the pitch of a track: −1…1 is an octave down to an octave up; 0 is unchanged.
    public func setMusicPitch(_ id: Int32, pitch: Double) {
        sound.changeMusic(id) { $0.pitch = Self.semitones(pitch) }
    }

    /// Changes the speed of a track without changing its pitch: 0.5…2; 1 is unchanged.
    public func setMusicSpeedRate(_ id: Int32, speedRate: Double) {
        sound.changeMusic(id) { $0.speed = speedRate.isFinite ? min(max(speedRate, 0.5), 2) : 1 }
    }

    /// Returns the position of a track in milliseconds; −1 if it is not playing.
    public func getMusicCurrentPos(inMS id: Int32) -> Int { sound.position(id)?.milliseconds ?? Self.failed }

    /// The same, with its name in Objective-C.
    public func getMusicCurrentPosInMS(_ id: Int32) -> Int { getMusicCurrentPos(inMS: id) }

    /// Moves to another position in a track, in milliseconds.
    public func seekMusicToPos(inMS id: Int32, pts: Int) { sound.seek(id, to: .milliseconds(pts)) }

    /// The same, with its name in Objective-C.
    public func seekMusicToPosInMS(_ id: Int32, pts: Int) { seekMusicToPos(inMS: id, pts: pts) }

    static func semitones(_ pitch: Double) -> Double {
        pitch.isFinite ? min(max(pitch, -1), 1) * semitonesOfOne : 0
    }

    // MARK: - The voice

    /// Turns the ear monitor on or off: the user hears their own voice. Use it with wired headphones.
    public func enableVoiceEarMonitor(_ enable: Bool) { sound.set { $0.isEarMonitorOn = enable } }

    /// Sets the volume of the ear monitor.
    public func setVoiceEarMonitorVolume(_ volume: Int) {
        sound.set { $0.earMonitorVolume = AudioController.volume(volume) }
    }

    /// Sets the volume of the user's voice for others. It is multiplied with `setAudioCaptureVolume`.
    public func setVoiceVolume(_ volume: Int) { sound.set { $0.voiceVolume = AudioController.volume(volume) } }

    /// The same, with its name in newer headers.
    public func setVoiceCaptureVolume(_ volume: Int) { setVoiceVolume(volume) }

    /// Changes the pitch of the user's voice: −1…1 is an octave down to an octave up; 0 is unchanged.
    public func setVoicePitch(_ pitch: Double) { sound.set { $0.voicePitch = Self.semitones(pitch) } }

    /// Sets the reverb of the user's voice. It is reset when the user leaves the room.
    public func setVoiceReverbType(_ reverbType: TXVoiceReverbType) {
        sound.set { $0.reverb = ReverbPreset(rawValue: Int32(reverbType.rawValue)) ?? .off }
    }

    /// Sets the voice changer. It is reset when the user leaves the room.
    public func setVoiceChangerType(_ changerType: TXVoiceChangeType) {
        sound.set { $0.voice = VoicePreset(rawValue: Int32(changerType.rawValue)) ?? .off }
    }
}
