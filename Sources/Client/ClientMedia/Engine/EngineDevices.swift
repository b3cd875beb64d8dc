internal import AudioGraph
internal import MediaDevices
internal import Platform
internal import Timing

/// The devices of an engine: which were chosen, and what they are needed for. Both run while there is anything to hear or to send.
struct EngineDevices {
    /// What the devices are for.
    struct Purpose {
        /// What they are asked for at once.
        var blockFrames: Int
        var hasPath: Bool
        var hasMusic: Bool
    }

    private let capture: Guarded<CaptureSide>
    private let playout: Guarded<PlayoutSide>
    private let clock: @Sendable () -> Instant
    private let inputs: DeviceLine
    private let outputs: DeviceLine
    private var input: LineDevice?
    private var output: LineDevice
    private var choices = 1
    /// The number of the wish for a microphone; nil: none is wished for.
    private(set) var microphone: Int?
    private var microphones = 0
    /// How often the microphone was stopped. What was selected for an earlier wish is not heard by a later one.
    private var stops = 0

    /// - Parameters:
    ///   - later: runs something after a time.
    ///   - tell: hears of devices that were lost, or are back, without a lock.
    init(
        capture: Guarded<CaptureSide>, playout: Guarded<PlayoutSide>, clock: @escaping @Sendable () -> Instant,
        later: @escaping DeviceLine.Later = DeviceLine.later, tell: @escaping @Sendable (RoomAudioEvent) -> Void
    ) {
        self.capture = capture
        self.playout = playout
        self.clock = clock
        output = Self.device(NullOutput(), 1, playout, clock)
        inputs = DeviceLine(
            "input", DeviceMachine(returns: true, hasTimeAtOnce: true), later: later,
            DeviceLine.Ends(standIn: Self.device(NullInput(), 0, capture)) { run, device, stops in
                capture.with {
                    $0.select(
                        run?.number, isDevice: run?.choice != nil, stops: stops, device?.hasExactTimes ?? false)
                }
            } tell: { news in
                switch news {
                case .lost(let error): tell(.inputLost(error.description))
                case .returned: tell(.inputReturned)
                }
            })
        outputs = DeviceLine(
            "output", DeviceMachine(returns: false, hasTimeAtOnce: false), later: later,
            DeviceLine.Ends(standIn: Self.device(NullOutput(), 0, playout, clock)) { run, _, _ in
                playout.with { $0.run = run?.number }
            } tell: { news in
                if case .lost(let error) = news { tell(.outputFailed(error.description)) }
            })
    }

    /// Whether blocks are captured.
    var isCapturing: Bool { inputs.machine.hasTime }

    /// Whether a microphone is wished for, and nothing keeps it from capturing.
    var isMicrophoneOn: Bool { microphone != nil && inputs.machine.isSettled }

    // MARK: - Choices

    /// - Parameter make: gives the device. What it is given is called once if the device goes away while it runs, on any thread.
    mutating func chooseInput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> (any AudioInputDevice)?
    ) {
        choices += 1
        let present = PresentRun()
        input = make(Self.losing(inputs, present)).map { present.follow(Self.device($0, choices, capture)) }
    }

    /// As with an input.
    mutating func chooseOutput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> any AudioOutputDevice
    ) {
        choices += 1
        let present = PresentRun()
        output = present.follow(Self.device(make(Self.losing(outputs, present)), choices, playout, clock))
    }

    private static func losing(_ line: DeviceLine, _ present: PresentRun) -> @Sendable (DeviceError) -> Void {
        { [weak line] error in
            if let run = present.number { line?.lost(run: run, .device(error.description)) }
        }
    }

    /// Which run of a device goes on. A device tells that it went away, and not when it was started.
    private final class PresentRun: Sendable {
        private let run = Mutex<Int?>(nil)

        var number: Int? { run.withLock { $0 } }

        func follow(_ device: LineDevice) -> LineDevice {
            LineDevice(choice: device.choice, hasExactTimes: device.hasExactTimes) {
                [self] frames, number throws(RoomAudioError) in
                run.withLock { $0 = number }
                try device.start(frames, number)
            } stop: { [self] in
                run.withLock { $0 = nil }
                device.stop()
            }
        }
    }

    /// - Returns: the number of the wish.
    mutating func wishMicrophone() -> Int {
        microphones += 1
        microphone = microphones
        return microphones
    }

    /// From here on nothing of it is sent, however long the device takes to stop.
    mutating func dropMicrophone() {
        microphone = nil
        stops += 1
        capture.with { $0.stopMicrophone(stops) }
    }

    // MARK: - Orders

    /// Has devices started and stopped, aside, as the purpose wants it.
    /// - Parameters:
    ///   - onInput: hears what became of the input; else an input that does not start is told of, and tried again.
    ///   - onOutput: hears what became of the output; else an output that does not start is told of, and gives way to none, in time with
    ///     the clock: neither the microphone nor the path waits for a loudspeaker.
    /// - Returns: who waited for what is not wanted any more, and is to be told so without a lock.
    func run(
        _ purpose: Purpose, onInput: DeviceLine.Reply? = nil, onOutput: DeviceLine.Reply? = nil
    ) -> [DeviceLine.Reply] {
        let isNeeded = purpose.hasPath || microphone != nil || purpose.hasMusic
        let played = outputs.order(
            DeviceMachine.Order(
                device: isNeeded ? output : nil, framesPerBlock: purpose.blockFrames, keepsTime: isNeeded), onOutput)
        let captured = inputs.order(
            DeviceMachine.Order(
                device: microphone == nil ? nil : input, framesPerBlock: purpose.blockFrames,
                // Published music needs a clock even while there is no microphone.
                keepsTime: purpose.hasPath && purpose.hasMusic || microphone != nil && input == nil, stops: stops),
            onInput)
        return played + captured
    }

    /// Nothing is wanted any more; what was chosen stays so.
    /// - Returns: as `run` does.
    mutating func stop() -> [DeviceLine.Reply] {
        dropMicrophone()
        return inputs.order(DeviceMachine.Order()) + outputs.order(DeviceMachine.Order())
    }

    /// Returns when everything that was ordered is done, but for a device that is being opened. Not under a lock.
    func drain() {
        inputs.drain()
        outputs.drain()
    }

    /// Returns when everything that was ordered is done. Not under a lock.
    func settle() {
        inputs.settle()
        outputs.settle()
    }

    // MARK: - Devices of a line

    private static func device(
        _ device: any AudioInputDevice, _ choice: Int, _ capture: Guarded<CaptureSide>
    ) -> LineDevice {
        LineDevice(choice: choice, hasExactTimes: device.hasExactTimes) { frames, run throws(RoomAudioError) in
            do throws(DeviceError) {
                try device.start(channels: VoiceSender.channels, framesPerBlock: frames) { block, captured in
                    capture.with { if $0.run == run { $0.process(block, captured: captured) } }
                }
            } catch {
                throw .device(error.description)
            }
        } stop: {
            device.stop()
        }
    }

    private static func device(
        _ device: any AudioOutputDevice, _ choice: Int, _ playout: Guarded<PlayoutSide>,
        _ clock: @escaping @Sendable () -> Instant
    ) -> LineDevice {
        LineDevice(choice: choice) { frames, run throws(RoomAudioError) in
            do throws(DeviceError) {
                try device.start(channels: PlayoutSide.channels, framesPerBlock: frames) { block, heard in
                    playout.with { if $0.run == run { $0.render(block, heard: heard, now: clock()) } }
                }
            } catch {
                throw .device(error.description)
            }
        } stop: {
            device.stop()
        }
    }
}
