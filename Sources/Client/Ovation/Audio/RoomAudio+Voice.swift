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
    public var isEarMonitorOn: Bool {
        get { engine?.settings.earMonitor.isOn ?? false }
        set { engine?.update { $0.earMonitor.isOn = newValue } }
    }

    /// The volume at which the user hears their own voice, 0…150.
    public var earMonitorVolume: Int {
        get { engine?.settings.earMonitor.volume ?? 100 }
        set { engine?.update { $0.earMonitor.volume = newValue } }
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
