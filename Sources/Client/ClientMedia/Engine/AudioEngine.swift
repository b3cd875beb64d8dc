package import AudioGraph
internal import DatagramIO
internal import Dispatch
internal import MediaCodecs
package import MediaDevices
internal import Platform
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
/// Calls come from any thread and return at once; only who waits for a device does so for as long as it takes. It works without a
/// path as well: music is heard and the ear monitor works before anybody else is.
///
/// Threads and locks. Three kinds of threads belong to it: one each of the two devices, one of the media path, one of each
/// track; and a queue for each direction, where its devices are opened and closed (`DeviceLine`). What a device's thread works with (`CaptureSide`, `PlayoutSide`) is behind a lock of its own, which nobody else
/// holds for longer than a change of values takes. Between the threads stand small queues with locks that are held for a
/// copy (`PacketInbox`, `TransportMailbox`, `EarMonitorQueue`, `MusicPlayer`). The order is: `control`, then a line,
/// then a side, then a queue; no lock is held while `onEvent` is called or a device is opened or closed.
package final class AudioEngine: Sendable {
    private let configuration: RoomAudioConfiguration
    private let onEvent: @Sendable (RoomAudioEvent) -> Void
    private let control: Guarded<Control>
    private let capture: Guarded<CaptureSide>
    private let playout: Guarded<PlayoutSide>
    private let ear = EarMonitorQueue()
    private let music: MusicPlayer
    private let paths = Mutex(PathState())

    /// Held during each call that changes something.
    private struct Control {
        var settings = RoomAudioSettings()
        var devices: EngineDevices
        var transport: MediaTransport?
    }

    /// Which path's events count.
    private struct PathState {
        var generation = 0
        var isConnected = false
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

    /// `open` finds a track's sound; `later` runs something after a time.
    init(
        _ configuration: RoomAudioConfiguration, open: @escaping MusicPlayer.Opener,
        later: @escaping DeviceLine.Later = DeviceLine.later,
        onEvent: @escaping @Sendable (RoomAudioEvent) -> Void
    ) throws(RoomAudioError) {
        self.configuration = configuration
        self.onEvent = onEvent
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

    // MARK: The path

    /// Drops the present path, makes a new one and returns its first offer. `slots`: how many seats to hear.
    package func openPath(slots: Int) throws(RoomAudioError) -> String {
        try control.with { control throws(RoomAudioError) in
            dropPath(&control)
            let generation = paths.withLock { state in
                state.generation += 1
                return state.generation
            }
            let inbox = PacketInbox()
            let transport: MediaTransport
            do throws(MediaTransportError) {
                transport = try MediaTransport(
                    MediaTransport.Configuration(
                        slots: slots, localAddresses: configuration.localAddresses, usesTCP: configuration.usesTCP,
                        clock: configuration.clock),
                    onPacket: { inbox.push($0, $1) },
                    onEvent: { [weak self] in self?.take($0, ofPath: generation) })
            } catch {
                throw .path(error)
            }
            var receivers: [SlotReceiver] = []
            do throws(CodecError) {
                for slot in 0..<max(0, slots) {
                    receivers.append(try SlotReceiver(delay: control.settings.delay(ofSlot: slot)))
                }
            } catch {
                throw .codec(error)
            }
            control.transport = transport
            let settings = control.settings
            playout.with { $0.begin(receivers: receivers, inbox: inbox, settings: settings) }
            capture.with { side in
                side.emit = { transport.send($0, payload: $1) }
                side.readLoss = { transport.statistics.lossSent }
            }
            runDevices(control)
            return transport.offer()
        }
    }

    /// A later offer of the present path; nil without one. With `restartsICE` the way is looked for anew, while keys and
    /// streams stay: after `lost`, or on another network.
    package func offer(restartsICE: Bool) -> String? {
        control.with { $0.transport?.offer(restartsICE: restartsICE) }
    }

    /// Takes the server's answer to the newest offer.
    package func accept(answer: String) throws(RoomAudioError) {
        guard let transport = control.with({ $0.transport }) else { throw .path(.closed) }
        do throws(MediaTransportError) { try transport.accept(answer: answer) } catch { throw .path(error) }
    }

    /// Says goodbye. No event of the path follows.
    package func closePath() {
        control.with { control in
            dropPath(&control)
            runDevices(control)
        }
    }

    package var isPathConnected: Bool { paths.withLock { $0.isConnected } }

    private func dropPath(_ control: inout Control) {
        paths.withLock { state in
            state.generation += 1
            state.isConnected = false
        }
        control.transport?.close()
        control.transport = nil
        capture.with { side in
            side.emit = nil
            side.readLoss = nil
        }
        let settings = control.settings
        playout.with { $0.begin(receivers: [], inbox: nil, settings: settings) }
    }

    private func take(_ event: PathEvent, ofPath generation: Int) {
        let isCurrent = paths.withLock { state in
            guard state.generation == generation else { return false }
            state.isConnected = event == .connected || event == .recovered
            return true
        }
        if isCurrent { onEvent(.path(event)) }
    }

    // MARK: Devices

    // Devices are started and stopped aside: whoever changes anything else meanwhile does not wait, and it holds when they run. Calls
    // that throw wait for their own device.

    /// Where sound is captured from now on; nil for none.
    package func setInput(_ device: (any AudioInputDevice)?) throws(RoomAudioError) { try setInput { _ in device } }

    /// - Parameter make: gives the device; what it is given is called once if the device goes away while it runs, on any thread. Then
    ///   `inputLost` tells so, and the device is tried again until it is there.
    package func setInput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> (any AudioInputDevice)?
    ) throws(RoomAudioError) {
        let answer = Answer()
        control.with { control in
            control.devices.chooseInput(make)
            runDevices(control, onInput: answer.give)
        }
        try answer.wait()
    }

    /// Where sound is played from now on; at first nowhere, in time with the clock. A device that is not needed yet is started later;
    /// if it does not start then, `outputFailed` tells so.
    package func setOutput(_ device: any AudioOutputDevice) throws(RoomAudioError) { try setOutput { _ in device } }

    /// - Parameter make: as with an input; `outputFailed` tells of a device that went away, which is not tried again.
    package func setOutput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> any AudioOutputDevice
    ) throws(RoomAudioError) {
        let answer = Answer()
        control.with { control in
            control.devices.chooseOutput(make)
            runDevices(control, onOutput: answer.give)
        }
        try answer.wait()
    }

    /// Captures from now on, and sends as soon as there is a path.
    package func startMicrophone() throws(RoomAudioError) {
        let answer = Answer()
        startMicrophone { answer.give($0.map { .failed($0) } ?? .done) }
        try answer.wait()
    }

    /// - Parameter done: called once, without a lock, when the microphone captures, did not start, or is not wanted any more.
    package func startMicrophone(_ done: @escaping @Sendable (RoomAudioError?) -> Void) {
        control.with { control in
            let wish = control.devices.wishMicrophone()
            runDevices(control) { [weak self] outcome in
                guard case .failed(let error) = outcome, let self else { return done(nil) }
                done(giveUp(wish) ? error : nil)
            }
        }
    }

    /// - Returns: whether that wish was the last.
    private func giveUp(_ wish: Int) -> Bool {
        control.with { control in
            guard control.devices.microphone == wish else { return false }
            control.devices.dropMicrophone()
            runDevices(control)
            return true
        }
    }

    package func stopMicrophone() {
        control.with { control in
            control.devices.dropMicrophone()
            runDevices(control)
        }
    }

    /// Whether the microphone captures, or would if one were chosen.
    package var isMicrophoneOn: Bool { control.with { $0.devices.isMicrophoneOn } }

    /// Ends everything: devices, music, path. It may be begun again. A device that is being opened is closed as soon as it is open.
    package func stop() {
        end()
        control.with { $0.devices }.drain()
    }

    private func end() {
        music.stopAll()
        control.with { control in
            dropPath(&control)
            control.devices.stop()
        }
    }

    /// Returns when all devices are as they are wanted.
    package func settleDevices() { control.with { $0.devices }.settle() }

    private func runDevices(
        _ control: Control, onInput: DeviceLine.Reply? = nil, onOutput: DeviceLine.Reply? = nil
    ) {
        let purpose = EngineDevices.Purpose(
            blockFrames: control.settings.blockFrames, hasPath: control.transport != nil, hasMusic: !music.isEmpty)
        control.devices.run(purpose, onInput: onInput, onOutput: onOutput)
    }

    /// What somebody waits for.
    private final class Answer: Sendable {
        private let outcome = Mutex(DeviceMachine.Outcome.done)
        private let isThere = DispatchSemaphore(value: 0)

        func give(_ outcome: DeviceMachine.Outcome) {
            self.outcome.withLock { $0 = outcome }
            isThere.signal()
        }

        func wait() throws(RoomAudioError) {
            isThere.wait()
            if case .failed(let error) = outcome.withLock({ $0 }) { throw error }
        }
    }

    // MARK: Settings

    package var settings: RoomAudioSettings {
        get { control.with { $0.settings } }
        set { update { $0 = newValue } }
    }

    /// Changes settings; they are heard from the next block on. Other blocks mean that devices start anew; one that does not is told of.
    package func update(_ change: (inout RoomAudioSettings) -> Void) {
        control.with { control in
            let old = control.settings
            change(&control.settings)
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
            if settings.blockFrames != old.blockFrames { runDevices(control) }
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
        statistics.path = control.with { $0.transport }?.statistics
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

    // MARK: Music

    /// Starts a track, in place of another one with its id. What goes wrong comes as `musicCompleted`.
    package func playMusic(_ track: MusicTrack, _ start: MusicStart = .open) {
        openMusic(track, start)
        runMusic()
    }

    /// The first half of `playMusic`, which waits for no device: what is said of the track from here on reaches it.
    package func openMusic(_ track: MusicTrack, _ start: MusicStart) { music.play(track, start) }

    /// The second half: starts the devices that tracks are played through.
    package func runMusic() { control.with { runDevices($0) } }

    /// All tracks end. One that is played later ends at once.
    package func endMusic() { music.end() }

    package func pauseMusic(_ id: Int32) { music.change(id) { $0.setPaused(true) } }

    package func resumeMusic(_ id: Int32) { music.change(id) { $0.setPaused(false) } }

    package func stopMusic(_ id: Int32) { music.stop(id) }

    /// Goes on elsewhere in the song. Ends what a scheduled start or `alignMusic` asked for.
    package func seekMusic(_ id: Int32, to position: Interval) {
        music.change(id) { $0.seek(to: position.seconds * 48_000) }
    }

    /// Says when a position is to be heard; from then on the track is kept there: imperceptibly while it is less than a
    /// tenth of a second away, by a leap where it is more.
    package func alignMusic(_ id: Int32, position: Interval, heard: Instant) {
        music.change(id) { $0.align(position: position.seconds * 48_000, heard: heard) }
    }

    /// Goes on in another recording of the same song, at the same place and without a gap, as soon as it is open, which
    /// `musicSwitched` tells. What the track was asked for holds for it too.
    package func switchMusic(_ id: Int32, to source: String) { music.change(id) { $0.otherSource = source } }

    package func updateMusic(_ id: Int32, _ change: (inout MusicTrack.Controls) -> Void) {
        music.change(id) { change(&$0.controls) }
    }

    /// What is heard of the song at an instant, by default now.
    package func musicPosition(_ id: Int32, at instant: Instant? = nil) -> Interval? {
        let instant = instant ?? configuration.clock()
        return music.read(id) { Interval(seconds: max(0, $0.position(at: instant)) / 48_000) }
    }

    /// nil while it is not known.
    package func musicDuration(_ id: Int32) -> Interval? {
        music.read(id) { $0.duration.map { Interval(seconds: max(0, $0)) } } ?? nil
    }
}
