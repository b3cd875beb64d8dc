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
    /// `statesPosition` false nothing of the song's position is sent, as by a browser.
    func sing(_ noise: KnownNoise, ppm: Double, statesPosition: Bool = true) {
        guard let room else { return }
        let ear = Ear()
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
            try? engine.setOutput(CustomOutput(ratePPM: ppm) { block, _ in ear.hear(block) })
            try? engine.setInput(input)
            if !statesPosition { engine.update { $0.songTrack = nil } }
        }
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

    init(frames: Int = 0) {
        limit = frames
        var samples: [Float] = []
        samples.reserveCapacity(frames)
        kept = Mutex(samples)
    }

    func hear(_ block: AudioBuffer) {
        guard limit > 0 else { return }
        kept.withLock { samples in
            guard samples.count + block.frameCount <= limit else { return }
            for frame in 0..<block.frameCount { samples.append(block[0][frame]) }
        }
    }

    var samples: [Float] { kept.withLock { $0 } }
}
