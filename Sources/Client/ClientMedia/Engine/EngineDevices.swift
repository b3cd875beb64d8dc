internal import MediaDevices
internal import Timing

/// The devices of an engine: which were chosen, and which run. Both run while there is anything to hear or to send.
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

    var input: (any AudioInputDevice)?
    var output: any AudioOutputDevice = NullOutput()
    var isMicrophoneOn = false
    private var runningInput: (device: any AudioInputDevice, isMicrophone: Bool)?
    private var runningOutput: (any AudioOutputDevice)?
    /// What the running devices were asked for.
    private var blockFrames = 480
    /// Why the output that was chosen gave way to none.
    private var outputFailure: RoomAudioError?

    init(
        capture: Guarded<CaptureSide>, playout: Guarded<PlayoutSide>, clock: @escaping @Sendable () -> Instant
    ) {
        self.capture = capture
        self.playout = playout
        self.clock = clock
    }

    var isCapturing: Bool { runningInput != nil }

    /// Once.
    mutating func takeOutputFailure() -> RoomAudioError? {
        defer { outputFailure = nil }
        return outputFailure
    }

    /// Starts and stops devices as the purpose wants it.
    /// - Parameter isOutputChosen: just now: whoever chose it hears if it does not start. Else an output that does not start gives way
    ///   to none, in time with the clock: neither the microphone nor the path waits for a loudspeaker.
    mutating func run(_ purpose: Purpose, isOutputChosen: Bool = false) throws(RoomAudioError) {
        let isNeeded = purpose.hasPath || isMicrophoneOn || purpose.hasMusic
        do throws(RoomAudioError) {
            try runOutput(isNeeded: isNeeded, blockFrames: purpose.blockFrames)
        } catch {
            guard !isOutputChosen else { throw error }
            output = NullOutput()
            outputFailure = error
            try runOutput(isNeeded: isNeeded, blockFrames: purpose.blockFrames)
        }
        // Published music needs a clock even while there is no microphone.
        let needsInput = isMicrophoneOn || purpose.hasPath && purpose.hasMusic
        try runInput(isNeeded: needsInput, blockFrames: purpose.blockFrames)
        blockFrames = purpose.blockFrames
    }

    private mutating func runOutput(isNeeded: Bool, blockFrames: Int) throws(RoomAudioError) {
        if let running = runningOutput, !isNeeded || running !== output || self.blockFrames != blockFrames {
            running.stop()
            runningOutput = nil
        }
        guard isNeeded, runningOutput == nil else { return }
        do throws(DeviceError) {
            try output.start(channels: PlayoutSide.channels, framesPerBlock: blockFrames) {
                [playout, clock] block, heard in
                playout.with { $0.render(block, heard: heard, now: clock()) }
            }
        } catch {
            throw .device(error.description)
        }
        runningOutput = output
    }

    private mutating func runInput(isNeeded: Bool, blockFrames: Int) throws(RoomAudioError) {
        let isMicrophone = isMicrophoneOn && input != nil
        if let running = runningInput {
            let isWanted = isMicrophone ? running.device === input : !running.isMicrophone
            if !isNeeded || !isWanted || self.blockFrames != blockFrames {
                running.device.stop()
                runningInput = nil
            }
        }
        capture.with { $0.setMicrophone(isMicrophone) }
        guard isNeeded, runningInput == nil else { return }
        let device: any AudioInputDevice = isMicrophone ? input ?? NullInput() : NullInput()
        capture.with { $0.use(device) }
        do throws(DeviceError) {
            try device.start(channels: VoiceSender.channels, framesPerBlock: blockFrames) { [capture] block, captured in
                capture.with { $0.process(block, captured: captured) }
            }
        } catch {
            throw .device(error.description)
        }
        runningInput = (device, isMicrophone)
    }

    /// Nothing runs any more; what was chosen stays so.
    mutating func stop() {
        isMicrophoneOn = false
        runningInput?.device.stop()
        runningInput = nil
        runningOutput?.stop()
        runningOutput = nil
    }
}
