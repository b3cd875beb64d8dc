public import AudioGraph
internal import ClientMedia

// What one sounds like oneself.

extension RoomAudio {
    /// The audio quality: what the encoder is tuned for.
    public var quality: AudioQuality {
        get { engine?.settings.quality ?? .standard }
        set { engine?.update { $0.quality = newValue } }
    }

    /// The volume at which the microphone is sent.
    public var captureVolume: Int {
        get { engine?.settings.captureVolume ?? 100 }
        set { engine?.update { $0.captureVolume = newValue } }
    }

    /// Whether the user hears their own voice. Use it with headphones.
    public func setEarMonitor(_ isOn: Bool, volume: Int = 100) {
        engine?.update {
            $0.earMonitor.isOn = isOn
            $0.earMonitor.volume = volume
        }
    }

    /// The reverb of the user's voice.
    public var reverb: ReverbPreset {
        get { engine?.settings.reverb ?? .off }
        set { engine?.update { $0.reverb = newValue } }
    }

    /// The voice changer.
    public var voiceChanger: VoicePreset {
        get { engine?.settings.voiceChanger ?? .off }
        set { engine?.update { $0.voiceChanger = newValue } }
    }

    /// Raises or lowers the user's voice, in semitones, -12…12.
    public var voicePitch: Double {
        get { engine?.settings.voicePitch ?? 0 }
        set { engine?.update { $0.voicePitch = newValue } }
    }
}
