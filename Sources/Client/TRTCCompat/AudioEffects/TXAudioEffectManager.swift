internal import AudioGraph
internal import Ovation
internal import Synchronization

/// Music beside the voice, and effects on it. From `getAudioEffectManager()`; the closures are called on the component's queue.
///
/// Volumes are 0…100 and go up to 150, where loud pieces distort. Music plays while one
/// is in a room; settings of the voice can be made before.
public final class TXAudioEffectManager: Sendable {
    /// What the reference's 1.0 of pitch is: an octave.
    static let semitonesOfOne = 12.0
    /// What the reference says where it cannot say more.
    static let failed = -1

    private let sound: AudioController
    private let queue: CallbackQueue

    init(_ sound: AudioController, _ queue: CallbackQueue) {
        self.sound = sound
        self.queue = queue
    }

    // MARK: - Music

    /// Plays a piece. A piece of the same id stops; others go on beside it.
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

    /// Opens a piece, so that `startPlayMusic` with the same parameters is heard at once; while one is in a room.
    /// - Parameters:
    ///   - progressBlock: 100 when it is open.
    ///   - errorBlock: a negative number if it cannot be opened.
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

    /// How long a file or URL is, in milliseconds; −1 if it cannot be opened or does not tell. Waits for as long as that takes: for
    /// what is not on this machine, not on the main thread.
    public func getMusicDuration(inMS path: String) -> Int {
        (try? MusicTrack.duration(of: path))?.milliseconds ?? Self.failed
    }

    /// The name in Objective-C.
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

    /// Ends a piece; its completion is told with 0.
    public func stopPlayMusic(_ id: Int32) { sound.stop(id) }
    /// Holds a piece where it is.
    public func pausePlayMusic(_ id: Int32) { sound.pause(id) }
    /// Goes on with a piece.
    public func resumePlayMusic(_ id: Int32) { sound.resume(id) }

    /// Of all pieces, here and for the others, now and later; of a chorus room's song too, which everybody hears as loud as they like.
    public func setAllMusicVolume(_ volume: Int) {
        sound.changeAllMusic(to: AudioController.volume(volume))
    }

    /// For the others.
    public func setMusicPublishVolume(_ id: Int32, volume: Int) {
        sound.changeMusic(id) { $0.publishVolume = AudioController.volume(volume) }
    }

    /// Here.
    public func setMusicPlayoutVolume(_ id: Int32, volume: Int) {
        sound.changeMusic(id) { $0.localVolume = AudioController.volume(volume) }
    }

    /// −1…1, an octave down or up; 0 leaves it.
    public func setMusicPitch(_ id: Int32, pitch: Double) {
        sound.changeMusic(id) { $0.pitch = Self.semitones(pitch) }
    }

    /// 0.5…2; 1 leaves it. The pitch stays.
    public func setMusicSpeedRate(_ id: Int32, speedRate: Double) {
        sound.changeMusic(id) { $0.speed = speedRate.isFinite ? min(max(speedRate, 0.5), 2) : 1 }
    }

    /// Milliseconds; −1 if it does not play.
    public func getMusicCurrentPos(inMS id: Int32) -> Int { sound.position(id)?.milliseconds ?? Self.failed }

    /// The name in Objective-C.
    public func getMusicCurrentPosInMS(_ id: Int32) -> Int { getMusicCurrentPos(inMS: id) }

    /// Goes on elsewhere in a piece; `pts` in milliseconds.
    public func seekMusicToPos(inMS id: Int32, pts: Int) { sound.seek(id, to: .milliseconds(pts)) }

    /// The name in Objective-C.
    public func seekMusicToPosInMS(_ id: Int32, pts: Int) { seekMusicToPos(inMS: id, pts: pts) }

    static func semitones(_ pitch: Double) -> Double {
        pitch.isFinite ? min(max(pitch, -1), 1) * semitonesOfOne : 0
    }

    // MARK: - The voice

    /// Whether one hears oneself; with headphones on a wire.
    public func enableVoiceEarMonitor(_ enable: Bool) { sound.set { $0.isEarMonitorOn = enable } }

    /// How loud one hears oneself.
    public func setVoiceEarMonitorVolume(_ volume: Int) {
        sound.set { $0.earMonitorVolume = AudioController.volume(volume) }
    }

    /// How loud one is sent, on top of `setAudioCaptureVolume`.
    public func setVoiceVolume(_ volume: Int) { sound.set { $0.voiceVolume = AudioController.volume(volume) } }

    /// The name in newer headers.
    public func setVoiceCaptureVolume(_ volume: Int) { setVoiceVolume(volume) }

    /// −1…1, an octave down or up; 0 leaves it.
    public func setVoicePitch(_ pitch: Double) { sound.set { $0.voicePitch = Self.semitones(pitch) } }

    /// Ends with the room.
    public func setVoiceReverbType(_ reverbType: TXVoiceReverbType) {
        sound.set { $0.reverb = ReverbPreset(rawValue: Int32(reverbType.rawValue)) ?? .off }
    }

    /// Ends with the room.
    public func setVoiceChangerType(_ changerType: TXVoiceChangeType) {
        sound.set { $0.voice = VoicePreset(rawValue: Int32(changerType.rawValue)) ?? .off }
    }
}
