extension TRTCChorusRoom {
    // MARK: - One's own sound

    /// Opens the microphone; taking a seat does so by itself. Sound is heard by others while one has a seat.
    public func startMicrophone() { if controller.isAlive() { controller.sound.startMicrophone() } }

    /// Closes the microphone.
    public func stopMicrophone() { if controller.isAlive() { controller.sound.stopMicrophone() } }

    /// 1 speech, 2 default, 3 music: the raw values of `TRTCAudioQuality`.
    public func setAudioQuality(quality: Int) { if controller.isAlive() { controller.sound.setQuality(quality) } }

    /// The published component's spelling of `setAudioQuality(quality:)`.
    @available(*, deprecated, renamed: "setAudioQuality(quality:)")
    public func setAuidoQuality(quality: Int) { setAudioQuality(quality: quality) }

    /// Mutes oneself for everybody: all hear `onUserMicrophoneMute`.
    public func muteLocalAudio(mute: Bool) { controller.muteMicrophone(mute) }

    /// Speaker or receiver. Only telephones have both; elsewhere it does nothing but to say so in `onDebugLog`.
    public func setSpeaker(userSpeaker: Bool) { if controller.isAlive() { controller.sound.setSpeaker(userSpeaker) } }

    /// 0…100, 100 by default.
    public func setAudioCaptureVolume(volume: Int) {
        if controller.isAlive() { controller.sound.set { $0.captureVolume = AudioController.volume(volume) } }
    }

    /// 0…100, 100 by default.
    public func setAudioPlayoutVolume(volume: Int) {
        if controller.isAlive() { controller.sound.set { $0.playoutVolume = AudioController.volume(volume) } }
    }

    /// Whether one hears oneself.
    public func setVoiceEarMonitor(enable: Bool) {
        if controller.isAlive() { controller.sound.set { $0.isEarMonitorOn = enable } }
    }

    // MARK: - The sound of others

    /// Whether one hears somebody.
    public func muteRemoteAudio(userId: String, mute: Bool) {
        if controller.isAlive() { controller.sound.mute(userId, mute) }
    }

    /// Whether one hears anybody.
    public func muteAllRemoteAudio(isMute: Bool) {
        if controller.isAlive() { controller.sound.set { $0.isAllMuted = isMute } }
    }

    /// Music and voice effects.
    public func getAudioEffectManager() -> TXAudioEffectManager? { controller.isAlive() ? effects : nil }

    // MARK: - The song

    /// Starts the song of the room, three seconds from now: whoever sits plays it at the same instant, the audience hears it mixed
    /// with the voices, and all hear `onMusicPrepareToPlay`, `onMusicProgressUpdate` and `onMusicCompletePlaying`; everybody but
    /// the caller hears `onReceiveAnchorSendChorusMsg` first. For whoever sits, and the owner.
    ///
    /// A song that somebody else has started under the same id plays already: nothing happens. One's own begins anew.
    /// What goes wrong is told by `onError`.
    /// - Parameters:
    ///   - musicID: the app's name for the song.
    ///   - url: `http:` or `https:`, or a path of the server's songs (`/songs/…`). The audience's mix has it if it is a song of the
    ///     server. A file of this machine, which nobody else can open, is played here alone.
    public func startPlayMusic(musicID: Int32, url: String) { if controller.isAlive() { song.play(musicID, url) } }

    /// Ends the song for everybody, whoever started it.
    public func stopPlayMusic() { if controller.isAlive() { song.stop() } }

    /// Halts it for everybody.
    public func pausePlayMusic() { if controller.isAlive() { song.pause() } }

    /// Goes on where it was halted, for everybody, a second from now.
    public func resumePlayMusic() { if controller.isAlive() { song.resume() } }
}
