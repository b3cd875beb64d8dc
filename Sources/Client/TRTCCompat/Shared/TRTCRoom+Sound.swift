extension TRTCRoom {
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
    public func getAudioEffectManager() -> TXAudioEffectManager? { controller.isAlive() ? core.effects : nil }
}
