internal import ClientMedia
package import MediaDevices
internal import Synchronization

extension RoomAudio {
    /// Where sound comes from.
    public enum Input: Sendable, Hashable {
        /// No input.
        case none
        /// The default microphone, or the one with that name.
        case microphone(String?)
        /// A tone with a frequency in Hz and an amplitude; 1 is full scale.
        case tone(frequency: Double, amplitude: Double)
        /// A sound file or URL, played once or repeatedly.
        case file(String, loops: Bool)
        /// A recording of a voice for the room's song. What is captured is the recording at the song's current position, also after
        /// pauses and seeks, and silence where there is no song or the recording has ended.
        case alongSong(String)
    }

    /// Where sound is played.
    public enum Output: Sendable, Hashable {
        /// No output.
        case none
        /// The default loudspeaker, or the one with that name.
        case speaker(String?)
        /// Written to a WAV file.
        case recording(String)
    }

    /// Chooses the input.
    /// - Throws: `media_failed` if the device or file cannot be opened.
    public func useInput(_ input: Input) throws(OvationError) {
        let device: (any AudioInputDevice)? =
            switch input {
            case .none: nil
            case .microphone(let name): PulseInput(name: name, onFailure: failed)
            case .tone(let frequency, let amplitude): ToneInput(frequency: frequency, amplitude: Float(amplitude))
            case .file(let path, let loops): try file(path, loops: loops)
            case .alongSong(let path): try singing(path)
            }
        let length = (device as? FileInput)?.duration.map { Duration.seconds($0) }
        inputLength.withLock { $0 = length }
        try Self.naming { try engine?.setInput(device) }
    }

    /// How long the file is that is the microphone, as far as it tells.
    public var inputDuration: Duration? { inputLength.withLock { $0 } }

    /// Chooses the output.
    /// - Throws: `media_failed` if the device or file cannot be opened.
    public func useOutput(_ output: Output) throws(OvationError) {
        try useOutput { onFailure in
            switch output {
            case .none: NullOutput()
            case .speaker(let name): PulseOutput(name: name, onFailure: onFailure)
            case .recording(let path): RecordingOutput(path: path)
            }
        }
    }

    /// - Parameter make: gives the device; what it is given is called once if the device fails while it runs, on any thread.
    package func useOutput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> any AudioOutputDevice
    ) throws(OvationError) {
        let number = outputNumber.withLock { number in
            number += 1
            return number
        }
        let device = make { [weak self] error in self?.outputFailed(number, error) }
        try Self.naming { try engine?.setOutput(device) }
    }

    /// What comes is still taken out in time, and heard by nobody: buffers, levels and songs go by it.
    private func outputFailed(_ number: Int, _ error: DeviceError) {
        guard outputNumber.withLock({ $0 == number }) else { return }
        work { [broadcast] engine in
            try? engine.setOutput(NullOutput())
            broadcast.send(.speakerFailed(OvationError(.mediaFailed, error.description)))
        }
    }

    /// Devices made elsewhere; they go by the clock of the client (`RoomClock`).
    package func use(input: any AudioInputDevice, output: any AudioOutputDevice) throws(OvationError) {
        try Self.naming {
            try engine?.setInput(input)
            try engine?.setOutput(output)
        }
    }

    private func file(_ path: String, loops: Bool) throws(OvationError) -> FileInput {
        do {
            return try FileInput(path, loops: loops, certificates: certificates?.path) { [broadcast] error in
                broadcast.send(.inputEnded(error.map { OvationError(.mediaFailed, "\($0)") }))
            }
        } catch {
            throw OvationError(.mediaFailed, "\(error)")
        }
    }

    private func singing(_ path: String) throws(OvationError) -> PlacedFileInput {
        do {
            return try PlacedFileInput(
                path, certificates: certificates?.path,
                onFailure: { [broadcast] in broadcast.send(.inputEnded(OvationError(.mediaFailed, "\($0)"))) },
                place: { [weak singer] in singer?.place(at: $0) })
        } catch {
            throw OvationError(.mediaFailed, "\(error)")
        }
    }

    private var failed: @Sendable (DeviceError) -> Void {
        { [broadcast] in broadcast.send(.microphoneFailed(OvationError(.mediaFailed, $0.description))) }
    }

    private static func naming(_ body: () throws -> Void) throws(OvationError) {
        do { try body() } catch { throw OvationError(.mediaFailed, "\(error)") }
    }
}
