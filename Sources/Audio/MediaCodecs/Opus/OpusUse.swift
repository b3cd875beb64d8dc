internal import COpus

/// What a stream of Opus is for. The first three are the audio qualities that a user chooses.
package enum OpusUse: Sendable, Hashable, CaseIterable {
    /// Voice on a thin line: mono, 16 kbit/s, nothing above 8 kHz.
    case speech
    /// Voice with all it has: mono, 50 kbit/s, the whole band.
    case general
    /// Stereo, 128 kbit/s.
    case music
    /// Singing together: short frames, and the codec looks ahead by 2.5 ms only instead of 6.5 ms. No in-band FEC: that
    /// needs frames of 10 ms and the speech layer (RFC 6716 §2.1.7).
    case duet

    package var channels: Int { self == .music ? 2 : 1 }

    /// Bits per second. `duet` has no number of its own in the qualities; 96 kbit/s keeps a voice transparent at 5 ms, where
    /// each frame pays for its own spectrum's envelope.
    package var bitrate: Int {
        switch self {
        case .speech: 16_000
        case .general: 50_000
        case .music: 128_000
        case .duet: 96_000
        }
    }

    /// Frames of sound per packet: 20 ms, and 5 ms between singers.
    package var frameSize: Int { self == .duet ? 240 : 960 }

    var application: Int32 {
        switch self {
        case .speech, .general: Int32(shim_OPUS_APPLICATION_VOIP())
        case .music: Int32(shim_OPUS_APPLICATION_AUDIO())
        case .duet: Int32(shim_OPUS_APPLICATION_RESTRICTED_LOWDELAY())
        }
    }
}
