internal import ClientMedia
internal import MediaDevices
internal import Platform

/// The microphone and the loudspeaker that were chosen for a room.
final class SoundDevices: Sendable {
    private let engine: AudioEngine
    private let broadcast: EventBroadcast<RoomAudio.Event>
    private let singer: SongSinger
    private let certificates: CertificateFile?
    /// How long the file is that is the microphone.
    private let duration = Mutex<Duration?>(nil)

    init(
        _ engine: AudioEngine, broadcast: EventBroadcast<RoomAudio.Event>, singer: SongSinger,
        certificates: CertificateFile?
    ) {
        self.engine = engine
        self.broadcast = broadcast
        self.singer = singer
        self.certificates = certificates
    }

    var inputDuration: Duration? { duration.withLock { $0 } }

    // MARK: - Input

    func useInput(_ input: RoomAudio.Input) throws(OvationError) {
        switch input {
        case .none: try use(nil)
        case .microphone(let name): try use(duration: nil) { PulseInput(name: name, onFailure: $0) }
        case .tone(let frequency, let amplitude):
            try use(ToneInput(frequency: frequency, amplitude: Float(amplitude)))
        case .file(let path, let loops):
            let file = try file(path, loops: loops)
            try use(file, duration: file.duration.map { .seconds($0) })
        case .alongSong(let path): try use(singing(path))
        }
    }

    private func use(_ input: (any AudioInputDevice)?, duration: Duration? = nil) throws(OvationError) {
        try use(duration: duration) { _ in input }
    }

    private func use(
        duration: Duration?, _ make: (@escaping @Sendable (DeviceError) -> Void) -> (any AudioInputDevice)?
    ) throws(OvationError) {
        self.duration.withLock { $0 = duration }
        try Self.naming { try engine.setInput(make) }
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

    // MARK: - Output

    func useOutput(
        _ make: (_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> any AudioOutputDevice
    ) throws(OvationError) {
        try Self.naming { try engine.setOutput(make) }
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
