package import AudioGraph
internal import DatagramIO
internal import MediaCodecs
package import Timing
package import Wire

/// How the sound of a room is run.
package struct RoomAudioConfiguration: Sendable {
    /// To send from; empty: all addresses of this host.
    package var localAddresses: [IPAddress] = []
    /// The path is one of connections, for whoever wants to know whether that way is open.
    package var usesTCP = false
    /// Arrivals, blocks and scheduled music are all on this clock; devices must use it too.
    package var clock: @Sendable () -> Instant = RoomAudioConfiguration.systemClock
    /// A PEM file of the certificates that are trusted where sound comes over TLS; nil: the system's.
    package var certificates: String?

    package init() {}

    /// The monotonic clock of this machine.
    package static let systemClock: @Sendable () -> Instant = SystemClock.now
}

/// The sound of one person in a room: microphone, effects and music on the way out; every seat, mixed, on the way in.
///
/// It works without a path as well: music is heard and the ear monitor works before anybody else is.
///
/// Calls come from any thread, and most return at once. Those that choose a device, or throw why the microphone does not start, wait for
/// that device; `openPath` takes as long as sockets and a certificate do; `stop` waits until the devices are closed.
///
/// Threads and locks. Three kinds of threads belong to it: one of each device, one of the media path, one of each track. A queue for each
/// direction opens and closes its devices (`DeviceLine`). What a device's thread works with (`CaptureSide`, `PlayoutSide`) is behind a lock
/// of its own, which nobody else holds for longer than a change of values takes. Between the threads stand small queues with locks that are
/// held for a copy (`PacketInbox`, `TransportMailbox`, `EarMonitorQueue`, `MusicPlayer`). The order is: `control`, then that of the path, a
/// line or a side, then that of a queue. No lock is held while `onEvent` is called, a device is opened or closed, or a path is opened.
/// Under `control` a path is told to close, which its thread does by itself.
package final class AudioEngine: Sendable {
    let configuration: RoomAudioConfiguration
    let control: Guarded<Control>
    let capture: Guarded<CaptureSide>
    let playout: Guarded<PlayoutSide>
    private let ear = EarMonitorQueue()
    let music: MusicPlayer
    let path: EnginePath

    /// Held during each call that changes something.
    struct Control {
        var settings = RoomAudioSettings()
        var devices: EngineDevices
        /// Who waited for what is not wanted any more.
        var withdrawn: [DeviceLine.Reply] = []
    }

    /// Throws only if Opus has no memory.
    package convenience init(
        _ configuration: RoomAudioConfiguration = RoomAudioConfiguration(),
        onEvent: @escaping @Sendable (RoomAudioEvent) -> Void = { _ in }
    ) throws(RoomAudioError) {
        try self.init(
            configuration,
            open: { [certificates = configuration.certificates] location throws(CodecError) in
                try AudioFileReader(location, certificates: certificates)
            }, onEvent: onEvent)
    }

    /// `open` finds a track's sound; `openPath` makes a path; `later` runs something after a time.
    init(
        _ configuration: RoomAudioConfiguration, open: @escaping MusicPlayer.Opener,
        openPath: @escaping EnginePath.Opener = EnginePath.opener, later: @escaping DeviceLine.Later = DeviceLine.later,
        onEvent: @escaping @Sendable (RoomAudioEvent) -> Void
    ) throws(RoomAudioError) {
        self.configuration = configuration
        path = EnginePath(openPath) { onEvent(.path($0)) }
        music = MusicPlayer(open: open, clock: configuration.clock, tell: onEvent)
        playout = Guarded(PlayoutSide(ear: ear, music: music))
        do throws(CodecError) {
            capture = Guarded(try CaptureSide(settings: RoomAudioSettings(), ear: ear, music: music))
        } catch {
            throw .codec(error)
        }
        control = Guarded(
            Control(
                devices: EngineDevices(
                    capture: capture, playout: playout, clock: configuration.clock, later: later, tell: onEvent)))
    }

    deinit { end() }

    /// Changes what is wanted. Whoever waited for what is not wanted any more hears of it when the lock is free.
    func change<Result>(_ body: (inout Control) -> Result) -> Result {
        let (result, withdrawn) = control.with { control in
            let result = body(&control)
            defer { control.withdrawn = [] }
            return (result, control.withdrawn)
        }
        for reply in withdrawn { reply(.withdrawn) }
        return result
    }

    /// Has devices run as they are wanted by now.
    func runDevices(
        _ control: inout Control, onInput: DeviceLine.Reply? = nil, onOutput: DeviceLine.Reply? = nil
    ) {
        let purpose = EngineDevices.Purpose(
            blockFrames: control.settings.blockFrames, hasPath: path.isWanted, hasMusic: !music.isEmpty)
        control.withdrawn += control.devices.run(purpose, onInput: onInput, onOutput: onOutput)
    }

    /// Ends everything: devices, music, path. It may be begun again. A device that is being opened is closed as soon as it is open.
    package func stop() {
        end()
        control.with { $0.devices }.drain()
    }

    private func end() {
        music.stopAll()
        change { control in
            path.end()
            leavePath(control)
            control.withdrawn += control.devices.stop()
        }
    }

    // MARK: Settings

    package var settings: RoomAudioSettings {
        get { control.with { $0.settings } }
        set { update { $0 = newValue } }
    }

    /// Changes settings; they are heard from the next block on. Other blocks mean that devices start anew; one that does not is told of.
    package func update(_ edit: (inout RoomAudioSettings) -> Void) {
        change { control in
            let old = control.settings
            edit(&control.settings)
            let settings = control.settings
            guard settings != old else { return }
            // Made here, so that the device's thread does not allocate.
            let encoder = settings.encodesLike(old) ? nil : try? settings.makeEncoder()
            let handover = Handover(encoder)
            capture.with { side in
                if let encoder = handover.value { side.sender.setEncoder(encoder) }
                side.apply(settings)
            }
            playout.with { $0.apply(settings) }
            if settings.blockFrames != old.blockFrames { runDevices(&control) }
        }
    }

    // MARK: Readings

    package func levels() -> AudioLevels {
        var levels = AudioLevels()
        let isCapturing = control.with { $0.devices.isCapturing }
        if isCapturing { levels.own = capture.with { $0.level } }
        levels.slots = playout.with { $0.receivers.map(\.meter.loudness) }
        return levels
    }

    package func statistics() -> RoomAudioStatistics {
        var statistics = RoomAudioStatistics()
        statistics.path = path.transport?.statistics
        statistics.framesSent = capture.with { $0.framesSent }
        statistics.slots = playout.with { $0.receivers.map(\.buffer.statistics) }
        return statistics
    }

    /// Called on the output device's thread with what is played and when its first sample is heard; nil ends it. The block
    /// is valid during the call, which must not wait, nor call this object.
    package func setPlayoutTap(_ tap: (@Sendable (AudioBuffer, Instant) -> Void)?) {
        playout.with { $0.playoutTap = tap }
    }

    /// Called on the input device's thread with what we send, voice with effects and published music, before it is encoded.
    /// The same holds as for `setPlayoutTap`.
    package func setCaptureTap(_ tap: (@Sendable (AudioBuffer, Instant) -> Void)?) {
        capture.with { $0.captureTap = tap }
    }

    /// Called on the input device's thread with each frame that is sent: which timestamp was captured when.
    package func setFrameTap(_ tap: (@Sendable (OutgoingFrame) -> Void)?) {
        capture.with { $0.frameTap = tap }
    }
}
