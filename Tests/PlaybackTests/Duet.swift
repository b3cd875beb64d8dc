internal import Forwarding
internal import NetworkSimulation
internal import RoomPorts
internal import Timing
internal import Wire

@testable internal import Playback

/// In frames, of what was found at the same moments.
struct Delays {
    var a: [Double] = []
    var b: [Double] = []
    var song: [Double] = []

    /// Of each pair, in milliseconds.
    var errors: [Double] {
        var errors: [Double] = []
        for index in a.indices where b.indices.contains(index) {
            errors.append(abs(a[index] - b[index]) / 48)
            guard song.indices.contains(index) else { continue }
            errors.append(abs(a[index] - song[index]) / 48)
            errors.append(abs(b[index] - song[index]) / 48)
        }
        return errors
    }
}

/// Two singers, a song, and a network that treats them differently.
final class Duet {
    let network: Network
    let desk: Desk
    let singers: [Singer]
    let voices: [Noise]
    let track: Noise
    /// When the song's position 0 is heard.
    var songStart: Instant
    let start = Instant(nanoseconds: 1_000_000_000)

    init(
        seed: UInt64, seconds: Double, delays: [Interval] = [.milliseconds(20), .milliseconds(40)],
        equipment: [Singer.Equipment], hasSong: Bool = true, loss: Double = 0.02
    ) throws {
        network = Network(seed: seed, start: start)
        voices = equipment.indices.map { Noise(seed: seed &* 7 &+ UInt64($0), seconds: seconds) }
        track = Noise(seed: seed &* 7 &+ 5, seconds: seconds)
        songStart = start + .milliseconds(500)
        desk = try Desk(at: start, tracks: ["song": track.samples])
        var singers: [Singer] = []
        for slot in equipment.indices {
            let singer = try Singer(
                slot: slot, voice: voices[slot], equipment: equipment[slot], start: start,
                songStart: hasSong ? songStart : nil)
            var link = LinkConditions()
            link.delay = delays[slot]
            link.jitter = .milliseconds(20)
            link.loss = loss
            network.conditionsTo[singer.mixer] = link
            network.attach(singer, at: [singer.address])
            desk.roundTrips[slot] = delays[slot] * 2 + .milliseconds(3)
            if !equipment[slot].statesPosition {
                desk.mix.set(latency: equipment[slot].latency, of: MemberID(rawValue: UInt64(slot + 1)))
            }
            singers.append(singer)
        }
        self.singers = singers
        network.attach(desk, at: singers.map(\.mixer))
        if hasSong { set(StageSong(file: "song", startAt: songStart, position: .zero)) }
    }

    func set(_ song: StageSong?) { desk.mix.set(song, at: network.now) }

    func time(_ seconds: Double) -> Instant { start + Interval(nanoseconds: Int64(seconds * 1e9)) }

    func run(to seconds: Double) { network.run(until: time(seconds)) }

    /// Everybody goes on from another place of the song at a moment.
    func seek(to position: Interval, at startAt: Instant) {
        songStart = Instant(nanoseconds: startAt.nanoseconds - position.nanoseconds)
        for singer in singers { singer.songStart = songStart }
        set(StageSong(file: "song", startAt: startAt, position: position))
    }

    /// Delays of both voices and the song in frames, every 250 ms.
    func measure(from: Double, to: Double, song: Bool = true) -> Delays {
        var result = Delays()
        var second = from
        while second < to {
            let time = time(second)
            let position = Int(((time - (song ? songStart : start)).seconds * 48_000).rounded())
            if let delay = desk.delay(of: voices[0].samples, position: position, at: time) { result.a.append(delay) }
            if voices.count > 1, let delay = desk.delay(of: voices[1].samples, position: position, at: time) {
                result.b.append(delay)
            }
            if song, let delay = desk.delay(of: track.samples, position: position, at: time) {
                result.song.append(delay)
            }
            second += 0.35
        }
        return result
    }
}
