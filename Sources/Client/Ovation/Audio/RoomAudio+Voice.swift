public import AudioGraph
internal import ClientMedia

// What one sounds like oneself.

extension RoomAudio {
    /// What the sound is encoded for.
    public var quality: AudioQuality {
        get { engine.flatMap { AudioQuality(rawValue: $0.settings.quality.rawValue) } ?? .standard }
        set {
            guard let quality = RoomAudioQuality(rawValue: newValue.rawValue) else { return }
            engine?.update { $0.quality = quality }
        }
    }

    /// How loud one is sent.
    public var captureVolume: Int {
        get { engine?.settings.captureVolume ?? 100 }
        set { engine?.update { $0.captureVolume = newValue } }
    }

    /// Hears oneself; for headphones.
    public func setEarMonitor(_ isOn: Bool, volume: Int = 100) {
        engine?.update {
            $0.earMonitor.isOn = isOn
            $0.earMonitor.volume = volume
        }
    }

    /// The room that one's voice sounds in.
    public var reverb: ReverbPreset {
        get { engine?.settings.reverb ?? .off }
        set { engine?.update { $0.reverb = newValue } }
    }

    /// Whose voice one's own becomes.
    public var voiceChanger: VoicePreset {
        get { engine?.settings.voiceChanger ?? .off }
        set { engine?.update { $0.voiceChanger = newValue } }
    }

    /// One's own voice higher or lower, in semitones, -12…12.
    public var voicePitch: Double {
        get { engine?.settings.voicePitch ?? 0 }
        set { engine?.update { $0.voicePitch = newValue } }
    }
}
