package import AudioGraph
package import MediaCodecs
package import Timing

/// How much sound a packet carries: the shorter, the less delay, and the more packets.
package enum FrameDuration: Sendable, CaseIterable {
    case ms2_5
    case ms5
    case ms10
    case ms20

    /// At 48 kHz.
    package var frames: Int {
        switch self {
        case .ms2_5: 120
        case .ms5: 240
        case .ms10: 480
        case .ms20: 960
        }
    }
}

/// Hearing oneself.
package struct EarMonitor: Sendable, Hashable {
    package var isOn = false
    /// 0…150.
    package var volume = 100

    package init() {}
}

/// Everything about the sound of a room that a user can set. Volumes are 0…150, 100 leaves the sound as it is.
package struct RoomAudioSettings: Sendable, Equatable {
    package var quality: AudioQuality = .standard
    package var frameDuration: FrameDuration = .ms20
    /// Capture goes on, nothing of it is sent.
    package var isMicrophoneMuted = false
    package var captureVolume = 100
    /// Of all that is played but the ear monitor.
    package var playoutVolume = 100
    package var isAllRemoteMuted = false
    package var mutedSlots: Set<Int> = []
    /// Missing is 100.
    package var slotVolumes: [Int: Int] = [:]
    package var playoutDelay: PlayoutDelay = .adaptive
    /// Slots that are played with `.minimal` delay whatever `playoutDelay` says: the other singer.
    package var minimalDelaySlots: Set<Int> = []
    package var earMonitor = EarMonitor()
    package var reverb: ReverbPreset = .off
    package var voiceChanger: VoicePreset = .off
    /// Semitones, −12…12.
    package var voicePitch = 0.0
    /// Silence is not sent; speech and standard only.
    package var usesDTX = true
    /// The track whose position goes with each frame while it plays: what singers in different places are put together by.
    package var songTrack: Int32?
    /// How much earlier than the devices' times say the singer heard the song: what calibration found.
    package var songLatency = Interval.zero

    package init() {}

    /// 1 for 100.
    static func gain(_ volume: Int) -> Float { Float(min(max(volume, 0), 150)) / 100 }

    func delay(ofSlot slot: Int) -> PlayoutDelay { minimalDelaySlots.contains(slot) ? .minimal : playoutDelay }

    func slotGain(_ slot: Int) -> Float {
        mutedSlots.contains(slot) ? 0 : Self.gain(slotVolumes[slot] ?? 100)
    }

    /// What devices are asked for at once: a frame, but at most 10 ms.
    var blockFrames: Int { min(frameDuration.frames, 480) }

    /// Whether another encoder is needed than for `other`.
    func encodesLike(_ other: RoomAudioSettings) -> Bool {
        quality == other.quality && frameDuration == other.frameDuration && usesDTX == other.usesDTX
    }

    func makeEncoder() throws(CodecError) -> OpusEncoding {
        let frames = frameDuration.frames
        let encoder: OpusEncoding
        if frames < 480 {
            // The speech layer needs 10 ms (RFC 6716 §2.1.4); what is that short is for singing together.
            encoder = try OpusEncoding(
                use: .duet, channels: quality == .music ? 2 : 1, bitrate: quality == .music ? 128_000 : nil,
                frameSize: frames)
        } else {
            let use: OpusUse =
                switch quality {
                case .speech: .speech
                case .standard: .general
                case .music: .music
                }
            encoder = try OpusEncoding(use: use, frameSize: frames)
            encoder.usesFEC = true
            encoder.usesDTX = usesDTX && quality != .music
        }
        return encoder
    }
}

/// How loud everybody is, 0…100.
package struct AudioLevels: Sendable, Hashable {
    /// What we send of ourselves; 0 while the microphone is off.
    package var own: UInt8 = 0
    /// By slot, as they speak: our own volumes and mutes do not count.
    package var slots: [UInt8] = []

    package init() {}
}

/// How the sound of a room does.
package struct RoomAudioStatistics: Sendable {
    /// nil without a path.
    package var path: PathStatistics?
    /// By slot.
    package var slots: [JitterBufferStatistics] = []
    /// Frames that were handed to the path.
    package var framesSent: UInt64 = 0
}

/// Why something could not be done.
package enum RoomAudioError: Error, Sendable, Equatable, CustomStringConvertible {
    case path(MediaTransportError)
    case codec(CodecError)
    /// A device does not start; says why.
    case device(String)

    package var description: String {
        switch self {
        case .path(let error): error.description
        case .codec(let error): error.description
        case .device(let message): message
        }
    }
}

/// What the sound of a room tells by itself.
package enum RoomAudioEvent: Sendable, Equatable {
    case path(PathEvent)
    /// The output that was chosen did not start when it was needed, or went away, for that reason: nothing is heard, everything else works.
    case outputFailed(String)
    /// The input went away, or did not start anew, for that reason: nothing is captured, everything else works. It is tried again until it
    /// is there or another one is chosen.
    case inputLost(String)
    /// It captures again, and has for a while.
    case inputReturned
    /// A track is open and about to be heard.
    case musicStarted(Int32, duration: Interval?)
    /// About every 200 ms while a track plays.
    case musicProgress(Int32, position: Interval, duration: Interval?)
    case musicCompleted(Int32, MusicEnd)
    /// The other recording that was asked for by `switchMusic` is heard from now on; or it could not be opened, for that reason, and
    /// the one before plays on.
    case musicSwitched(Int32, source: String, duration: Interval?)
    case musicSwitchFailed(Int32, source: String, String)
}

/// Why a track is over.
package enum MusicEnd: Sendable, Hashable {
    /// It came to its end, as often as was asked for.
    case finished
    /// By `stopMusic`, `stop`, or another track under its id.
    case stopped
    /// It could not be opened or read any further.
    case failed(String)
}
