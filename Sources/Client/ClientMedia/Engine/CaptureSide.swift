package import AudioGraph
package import MediaCodecs
package import Timing

/// What happens on the capturing device's thread: effects, music on top, encoding, sending.
///
/// Behind a `Guarded`: the device's thread holds it while it works on a block, other threads only to change something.
package final class CaptureSide {
    /// How often the path is asked what gets lost.
    private static let lossInterval = 100

    let sender: VoiceSender
    let ear: EarMonitorQueue
    private let music: MusicPlayer
    /// Where encoded frames go to.
    package var emit: ((OutgoingFrame, UnsafeRawBufferPointer) -> Void)?
    /// The loss that the other side sees, 0…1.
    var readLoss: (() -> Double)?
    var captureTap: (@Sendable (AudioBuffer, Instant) -> Void)?
    var frameTap: (@Sendable (OutgoingFrame) -> Void)?
    /// The run of a device whose blocks count; nil: none.
    private(set) var run: Int?
    /// What the device delivers is the microphone, and not only a clock for the music.
    private var isMicrophone = false
    /// How often the microphone was stopped.
    private var stops = 0
    private var settings: RoomAudioSettings
    private(set) var framesSent: UInt64 = 0

    private let pitch = PitchShifter(channels: VoiceSender.channels)
    private let changer = VoiceChanger()
    private let reverb = Reverb()
    private let musicBlock = AudioBuffer(channels: VoiceSender.channels, capacity: maximumBlockFrames)
    private var blocksUntilLoss = CaptureSide.lossInterval

    package init(settings: RoomAudioSettings, ear: EarMonitorQueue, music: MusicPlayer) throws(CodecError) {
        sender = VoiceSender(encoder: try settings.makeEncoder())
        self.settings = settings
        self.ear = ear
        self.music = music
        // Each passes the sound untouched and undelayed while it is off.
        sender.processors = [pitch, changer, reverb]
        apply(settings)
    }

    /// Everything but the encoder, which is handed over.
    func apply(_ settings: RoomAudioSettings) {
        self.settings = settings
        sender.isMuted = settings.isMicrophoneMuted || !isMicrophone
        sender.volume = RoomAudioSettings.gain(settings.captureVolume)
        pitch.semitones = min(max(settings.voicePitch, PitchShifter.limits.lowerBound), PitchShifter.limits.upperBound)
        changer.preset = settings.voiceChanger
        reverb.preset = settings.reverb
        ear.setOn(settings.earMonitor.isOn)
    }

    package func setMicrophone(_ isMicrophone: Bool) {
        self.isMicrophone = isMicrophone
        sender.isMuted = settings.isMicrophoneMuted || !isMicrophone
    }

    /// From here on nothing of the microphone is sent, also if it opens at this moment.
    func stopMicrophone(_ stops: Int) {
        self.stops = stops
        setMicrophone(false)
    }

    /// Another run captures from now on.
    /// - Parameters:
    ///   - isDevice: of the microphone, and not of what stands in for it.
    ///   - stops: how often the microphone had been stopped when the run was ordered.
    func select(_ run: Int?, isDevice: Bool, stops: Int, _ hasExactTimes: Bool) {
        self.run = run
        sender.hasExactTimes = hasExactTimes
        setMicrophone(isDevice && stops == self.stops)
    }

    /// 0…100.
    var level: UInt8 { sender.loudness }

    package func process(_ block: AudioBuffer, captured: Instant) {
        if !isMicrophone { block.clear() }
        musicBlock.frameCount = min(block.frameCount, maximumBlockFrames)
        let hasMusic = music.publish(into: musicBlock, captured: captured)
        noteLoss()
        sender.process(
            block, music: hasMusic ? musicBlock : nil, captured: captured, songPosition: songPosition(at: captured)
        ) { stage in
            switch stage {
            case .captured: break
            case .voice(let voice): ear.push(voice)
            case .sent(let sound): captureTap?(sound, captured)
            }
        } emit: { frame, payload in
            framesSent &+= 1
            frameTap?(frame)
            emit?(frame, payload)
        }
    }

    /// What of the song the singer heard while singing what was captured then.
    private func songPosition(at captured: Instant) -> UInt32? {
        guard let id = settings.songTrack else { return nil }
        let heard = captured + Interval(nanoseconds: -settings.songLatency.nanoseconds)
        return music.playingPosition(id, at: heard).map { UInt32(clamping: Int64($0)) }
    }

    private func noteLoss() {
        blocksUntilLoss -= 1
        guard blocksUntilLoss <= 0 else { return }
        blocksUntilLoss = Self.lossInterval
        if let readLoss { sender.lossPercent = Int((readLoss() * 100).rounded()) }
    }
}
