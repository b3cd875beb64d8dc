import AudioGraph
import ClientMedia
import Foundation
import MediaDevices
import RoomModel
import ServerTestSupport
import SoundAnalysis
import Synchronization
import Testing
import Timing

@testable import Ovation

extension LiveServerTests {
    /// What the audience of a duet hears through a whole server: found by cross-correlation of the sound with known noises. A voice lies
    /// where its singer heard the song, however late anything came, so that a busy machine costs sound and not its place.
    @Suite struct MixHeardTests {
        /// What is wrong by less nobody hears; milliseconds.
        private static let tolerance = 2.0
        /// So many looks in a row say where a voice is: two and a half seconds. A machine that stood still for a moment is given time to
        /// bring it back.
        private static let looks = 7
        private static let patience = 60

        /// How far away the voice is, in the middle of the newest looks.
        private static func middle(_ errors: [Double]) -> Double {
            let newest = errors.suffix(looks)
            return newest.count < looks ? .infinity : newest.map { abs($0) }.sorted()[looks / 2]
        }

        @Test(
            "D04-K who listens to a duet hears both voices where the singers heard the accompaniment; who sings late is heard late",
            .timeLimit(.minutes(10)))
        func aligned() async throws {
            let song = KnownNoise(seed: 1)
            let voices = [KnownNoise(seed: 2), KnownNoise(seed: 3)]
            try await TestServer.with { server async throws in
                let place = "/songs/1/00000000000000aa/"
                try FileManager.default.createDirectory(
                    atPath: server.directory + place, withIntermediateDirectories: true)
                try song.wave(seconds: 120).write(
                    to: URL(fileURLWithPath: server.directory + place + "accompaniment.wav"))
                var clients: [OvationClient] = []
                var rooms: [RoomSession] = []
                for name in ["alice", "bob", "carol"] as [UserID] {
                    let client = try server.sdk { $0.audio = .automatic }
                    try await client.signIn(
                        app: ApplicationID(TestServer.application), user: name,
                        ticket: try server.ticket(name.rawValue))
                    let room =
                        if let first = rooms.first { try await client.enterRoom(first.id) } else {
                            try await client.createRoom(RoomDraft(name: "Duet", kind: .chorus, seats: 2))
                        }
                    clients.append(client)
                    rooms.append(room)
                }
                let late = Lateness()
                for (seat, voice) in voices.enumerated() {
                    try await rooms[seat].takeSeat(seat)
                    // Bob's headphones take a while, as wireless ones do: he sings later than the room, and says so.
                    let headphones = Interval.milliseconds(seat == 1 ? 60 : 0)
                    rooms[seat].audio.setSongLatency(Duration(headphones))
                    rooms[seat].audio.sing(voice, hears: headphones, late: seat == 1 ? late : Lateness())
                }
                let heard = rooms[2].audio.heard()
                try await rooms[0].startSong(
                    Song(
                        id: "noise", title: "Noise", durationMs: 120_000,
                        accompaniment: place + "accompaniment.wav"), lead: .seconds(1))

                let transform = FourierTransform(size: KnownNoise.period)
                var errors: [[Double]] = [[], []]
                for await sound in heard {
                    guard let look = NoiseLook(sound[...], by: transform) else { continue }
                    for (index, voice) in voices.enumerated() {
                        if let error = look.delay(of: voice, after: song) { errors[index].append(error / 48) }
                    }
                    let isThere = errors.allSatisfy { Self.middle($0) < Self.tolerance }
                    if isThere || errors.allSatisfy({ $0.count >= Self.patience }) { break }
                }
                for errors in errors { #expect(Self.middle(errors) < Self.tolerance, "\(errors)") }

                // What is measured is where they sing, and not only that something is there.
                late.frames = 960
                for await sound in heard {
                    guard let look = NoiseLook(sound[...], by: transform),
                        let error = look.delay(of: voices[1], after: song)
                    else { continue }
                    if abs(error / 48 - 20) < Self.tolerance { break }
                }
                for client in clients { await client.signOut() }
            }
        }
    }
}

/// How many frames after what they hear somebody sings.
private final class Lateness: Sendable {
    private let value = Mutex(0.0)
    var frames: Double {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension Ovation.RoomAudio {
    /// Sings to what is heard of the song, through equipment that plays it so much later than it thinks.
    fileprivate func sing(_ voice: KnownNoise, hears delay: Interval, late: Lateness) {
        withEngine { engine in
            weak let ear = engine
            try? engine.setInput(
                CustomInput { block, begin in
                    guard
                        let position = ear?.musicPosition(
                            Ovation.RoomAudio.songTrack, at: begin + Interval(nanoseconds: -delay.nanoseconds)),
                        position > .zero
                    else {
                        return
                    }
                    let first = position.seconds * 48_000 - late.frames
                    for frame in 0..<block.frameCount {
                        let sample = voice.value(at: first + Double(frame))
                        for channel in 0..<block.channels { block[channel][frame] = sample }
                    }
                })
        }
    }

    /// What is played from now on, a period of the noises at a time; the newest, where looking at one takes longer than it lasts.
    fileprivate func heard() -> AsyncStream<[Float]> {
        let (sound, continuation) = AsyncStream.makeStream(of: [Float].self, bufferingPolicy: .bufferingNewest(1))
        withEngine { engine in
            let gathered = Mutex<[Float]>([])
            try? engine.setOutput(
                CustomOutput { block, _ in
                    gathered.withLock { samples in
                        for frame in 0..<block.frameCount { samples.append(block[0][frame]) }
                        guard samples.count >= KnownNoise.period else { return }
                        continuation.yield(Array(samples.prefix(KnownNoise.period)))
                        samples.removeFirst(KnownNoise.period)
                    }
                })
        }
        return sound
    }
}
