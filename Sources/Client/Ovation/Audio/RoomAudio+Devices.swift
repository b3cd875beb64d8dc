internal import ClientMedia
package import MediaDevices

extension RoomAudio {
    /// Where sound comes from.
    @nonexhaustive public enum Input: Sendable, Hashable {
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
    @nonexhaustive public enum Output: Sendable, Hashable {
        /// No output.
        case none
        /// The default loudspeaker, or the one with that name.
        case speaker(String?)
        /// Written to a WAV file.
        case recording(String)
    }

    /// Where a telephone plays.
    @nonexhaustive public enum Route: Sendable, Hashable, CaseIterable {
        /// The loudspeaker.
        case speaker
        /// The receiver, which is held to the ear.
        case receiver
    }

    /// The routes that this device has. Sound devices on Linux are loudspeakers and headphones; none of them is a receiver.
    public static var routes: [Route] { [.speaker] }

    /// Chooses between loudspeaker and receiver.
    /// - Throws: `not_supported` if this device has no such route; sound goes on where it is played.
    public func useRoute(_ route: Route) throws(OvationError) { try Self.check(route) }

    package static func check(_ route: Route) throws(OvationError) {
        guard routes.contains(route) else {
            throw OvationError(.notSupported, "this device has no \(route): sound goes on where it is played")
        }
    }

    /// Chooses the input. Does nothing in a client without sound (`OvationClient.Configuration.audio` is `.off`).
    /// - Throws: `media_failed` if the device or file cannot be opened. A file that cannot be opened leaves the former input in use. The
    ///   former input makes way for a device before that is opened: if it does not open, nothing is captured until another input is chosen
    ///   or the device is opened anew, by `startMicrophone`, by sitting down with `captureWhenSeated`, or by another block length.
    public func useInput(_ input: Input) throws(OvationError) {
        try devices?.useInput(input)
        // One that did not start may do with this one.
        tryMicrophone()
    }

    /// The duration of the file that serves as the microphone, if it has one.
    public var inputDuration: Duration? { devices?.inputDuration }

    /// Chooses the output. Does nothing in a client without sound (`OvationClient.Configuration.audio` is `.off`).
    ///
    /// The output is opened when there is something to hear. If that fails later, `Event.speakerFailed` is sent.
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
    ) throws(OvationError) { try devices?.useOutput(make) }

    /// Devices made elsewhere; they go by the clock of the client (`RoomClock`).
    package func use(input: any AudioInputDevice, output: any AudioOutputDevice) throws(OvationError) {
        try devices?.use(input: input, output: output)
    }
}
