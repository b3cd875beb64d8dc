extension TRTCRoom {
    // MARK: - One's own sound

    /// Opens the microphone. Taking a seat also opens it. Others hear the user only while the user has a seat.
    public func startMicrophone() { if controller.isAlive() { controller.sound.startMicrophone() } }

    /// Closes the microphone.
    public func stopMicrophone() { if controller.isAlive() { controller.sound.stopMicrophone() } }

    /// Sets the audio quality: 1 speech, 2 default, 3 music, the raw values of `TRTCAudioQuality`.
    public func setAudioQuality(quality: Int) { if controller.isAlive() { controller.sound.setQuality(quality) } }

    /// The published component's spelling of `setAudioQuality(quality:)`.
    @available(*, deprecated, renamed: "setAudioQuality(quality:)")
    public func setAuidoQuality(quality: Int) { setAudioQuality(quality: quality) }

    /// Mutes or unmutes the user's microphone. All delegates receive `onUserMicrophoneMute`.
    public func muteLocalAudio(mute: Bool) { controller.muteMicrophone(mute) }

    /// Chooses between loudspeaker and receiver. A device without a receiver sends `TRTCCode.notSupported` to `onWarning` when the receiver is
    /// chosen, and plays on.
    public func setSpeaker(userSpeaker: Bool) { if controller.isAlive() { controller.sound.setSpeaker(userSpeaker) } }

    /// Sets the volume of the microphone, 0…100; 100 by default.
    public func setAudioCaptureVolume(volume: Int) {
        if controller.isAlive() { controller.sound.set { $0.captureVolume = AudioController.volume(volume) } }
    }

    /// Sets the overall volume, 0…100; 100 by default.
    public func setAudioPlayoutVolume(volume: Int) {
        if controller.isAlive() { controller.sound.set { $0.playoutVolume = AudioController.volume(volume) } }
    }

    /// Turns the ear monitor on or off: the user hears their own voice.
    public func setVoiceEarMonitor(enable: Bool) {
        if controller.isAlive() { controller.sound.set { $0.isEarMonitorOn = enable } }
    }

    // MARK: - The sound of others

    /// Mutes or unmutes another user for this user only.
    public func muteRemoteAudio(userId: String, mute: Bool) {
        if controller.isAlive() { controller.sound.mute(userId, mute) }
    }

    /// Mutes or unmutes all other users for this user only.
    public func muteAllRemoteAudio(isMute: Bool) {
        if controller.isAlive() { controller.sound.set { $0.isAllMuted = isMute } }
    }

    /// The manager of background music and voice effects; `nil` for a destroyed instance.
    public func getAudioEffectManager() -> TXAudioEffectManager? { controller.isAlive() ? core.effects : nil }
}
