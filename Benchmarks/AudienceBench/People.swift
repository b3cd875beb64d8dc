import AudioGraph
import ClientMedia
import DatagramIO
import Foundation
import MediaDevices
import Ovation
import RoomModel
import SoundAnalysis
import Synchronization
import Timing

/// Somebody at the room, by the SDK.
final class Person {
    let name: String
    let client: OvationClient
    private(set) var room: RoomSession?

    init(_ name: String, port: Int) async throws {
        self.name = name
        client = OvationClient(
            server: try ServerAddress("127.0.0.1:\(port)"), configuration: .init(callTimeout: .seconds(30)))
        _ = try await client.signIn(name: name)
    }

    func create(seats: Int) async throws -> RoomSession {
        let room = try await client.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: seats))
        self.room = room
        return room
    }

    func enter(_ id: RoomID) async throws -> RoomSession {
        let room = try await client.enterRoom(id)
        self.room = room
        return room
    }

    /// Waits until sound flows.
    func connected() async throws {
        guard let room else { return }
        for await state in room.audio.connectionChanges where state == .connected { return }
        throw BenchFailure("\(name) has no sound")
    }

    /// Sings that noise to what they hear of the song, with devices whose clock is so many parts per million fast. With
    /// `statesPosition` false nothing of the song's position is sent, as by a browser. What they hear meanwhile is in the result.
    func sing(_ noise: KnownNoise, ppm: Double, statesPosition: Bool = true) -> SingersEar {
        let ear = SingersEar()
        guard let room else { return ear }
        room.audio.withEngine { engine in
            weak let singing = engine
            let track = RoomAudio.songTrack
            let input = CustomInput(ratePPM: ppm) { block, begin in
                guard let position = singing?.musicPosition(track, at: begin), position > .zero else { return }
                let first = position.seconds * 48_000
                for frame in 0..<block.frameCount {
                    let sample = noise.value(at: first + Double(frame))
                    for channel in 0..<block.channels { block[channel][frame] = sample }
                }
            }
            try? engine.setOutput(
                CustomOutput(ratePPM: ppm) { block, begin in
                    ear.hear(block) { singing?.musicPosition(track, at: begin) }
                })
            try? engine.setInput(input)
            if !statesPosition { engine.update { $0.songTrack = nil } }
        }
        return ear
    }

    /// Keeps what they hear from now on, at most so many seconds.
    func listen(seconds: Int) -> Ear {
        let ear = Ear(frames: seconds * 48_000)
        room?.audio.withEngine { engine in
            try? engine.setOutput(CustomOutput { block, _ in ear.hear(block) })
        }
        return ear
    }

    func leave() async { await client.signOut() }
}

/// What somebody heard: the left side.
final class Ear: Sendable {
    private let kept: Mutex<[Float]>
    private let limit: Int

    init(frames: Int) {
        limit = frames
        var samples: [Float] = []
        samples.reserveCapacity(frames)
        kept = Mutex(samples)
    }

    func hear(_ block: AudioBuffer) {
        kept.withLock { samples in
            guard samples.count + block.frameCount <= limit else { return }
            for frame in 0..<block.frameCount { samples.append(block[0][frame]) }
        }
    }

    var samples: [Float] { kept.withLock { $0 } }
}

/// What a singer's loudspeaker really played, from time to time, with the position of the song that the client said was heard: what is
/// sung and stated goes by that position.
final class SingersEar: Sendable {
    private struct State {
        var position = 0.0
        var sound: [Float] = []
        /// A period of sound each, and the position of its first frame, in frames.
        var looks: [(position: Double, sound: [Float])] = []
        var pause = 0
    }

    /// Frames between two looks; 3 s.
    private static let distance = 144_000
    private let state = Mutex(State())

    func hear(_ block: AudioBuffer, position: () -> Interval?) {
        state.withLock { state in
            guard state.pause <= 0 else {
                state.pause -= block.frameCount
                return
            }
            if state.sound.isEmpty {
                guard let position = position(), position > .zero else { return }
                state.position = position.seconds * 48_000
            }
            for frame in 0..<block.frameCount { state.sound.append(block[0][frame]) }
            guard state.sound.count >= KnownNoise.period else { return }
            state.looks.append((state.position, Array(state.sound.prefix(KnownNoise.period))))
            state.sound = []
            state.pause = Self.distance
        }
    }

    /// By how many milliseconds the song was further on than the client said, in each look but those of its beginning.
    func errors(of song: KnownNoise, after position: Double) -> [Double] {
        let transform = FourierTransform(size: KnownNoise.period)
        let period = Double(KnownNoise.period)
        return state.withLock { $0.looks }.filter { $0.position > position }.compactMap { look in
            guard let found = NoiseLook(look.sound[...], by: transform)?.position(of: song) else { return nil }
            let ahead = (found - look.position).truncatingRemainder(dividingBy: period)
            return (ahead > period / 2 ? ahead - period : ahead < -period / 2 ? ahead + period : ahead) / 48
        }
    }
}
