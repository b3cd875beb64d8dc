internal import ClientMedia
internal import Dispatch
internal import MediaDevices
internal import Platform

/// The microphone and the loudspeaker that were chosen for a room.
final class SoundDevices: Sendable {
    private struct State {
        /// How long the file is that is the microphone.
        var inputDuration: Duration?
        /// Counts the outputs that were chosen: one that fails after another took its place ends nothing.
        var outputNumber = 0
    }

    private let engine: AudioEngine
    /// Where engines are asked to change devices outside of a caller's time.
    private let queue: DispatchQueue
    private let broadcast: EventBroadcast<RoomAudio.Event>
    private let singer: SongSinger
    private let certificates: CertificateFile?
    private let state = Mutex(State())

    init(
        _ engine: AudioEngine, queue: DispatchQueue, broadcast: EventBroadcast<RoomAudio.Event>, singer: SongSinger,
        certificates: CertificateFile?
    ) {
        self.engine = engine
        self.queue = queue
        self.broadcast = broadcast
        self.singer = singer
        self.certificates = certificates
    }

    var inputDuration: Duration? { state.withLock { $0.inputDuration } }

    // MARK: - Input

    func useInput(_ input: RoomAudio.Input) throws(OvationError) {
        let device: (any AudioInputDevice)? =
            switch input {
            case .none: nil
            case .microphone(let name): PulseInput(name: name, onFailure: failed)
            case .tone(let frequency, let amplitude): ToneInput(frequency: frequency, amplitude: Float(amplitude))
            case .file(let path, let loops): try file(path, loops: loops)
            case .alongSong(let path): try singing(path)
            }
        let duration = (device as? FileInput)?.duration.map { Duration.seconds($0) }
        state.withLock { $0.inputDuration = duration }
        try Self.naming { try engine.setInput(device) }
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

    // MARK: - Output

    func useOutput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> any AudioOutputDevice
    ) throws(OvationError) {
        let number = state.withLock { state in
            state.outputNumber += 1
            return state.outputNumber
        }
        let device = make { [weak self] error in self?.outputFailed(number, error) }
        try Self.naming { try engine.setOutput(device) }
    }

    /// What comes is still taken out in time, and heard by nobody: buffers, levels and songs go by it.
    private func outputFailed(_ number: Int, _ error: DeviceError) {
        guard state.withLock({ $0.outputNumber == number }) else { return }
        queue.async { [engine, broadcast] in
            try? engine.setOutput(NullOutput())
            broadcast.send(.speakerFailed(OvationError(.mediaFailed, error.description)))
        }
    }

    func use(input: any AudioInputDevice, output: any AudioOutputDevice) throws(OvationError) {
        try Self.naming {
            try engine.setInput(input)
            try engine.setOutput(output)
        }
    }

    private static func naming(_ body: () throws -> Void) throws(OvationError) {
        do { try body() } catch { throw OvationError(.mediaFailed, "\(error)") }
    }
}
