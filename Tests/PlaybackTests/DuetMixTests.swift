internal import Forwarding
internal import MediaCodecs
internal import NetworkSimulation
internal import RoomPorts
internal import Testing
internal import Timing
internal import Wire

@testable internal import Playback

@Suite struct DuetMixTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    /// In frames, of what was found at the same moments.
    private struct Delays {
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
    private final class Duet {
        let network: Network
        let desk: Desk
        let singers: [Singer]
        let voices: [Noise]
        let track: Noise
        let songStart: Instant
        let start = DuetMixTests.start

        init(
            seed: UInt64, seconds: Double, delays: [Interval], equipment: [Singer.Equipment], hasSong: Bool = true
        ) throws {
            network = Network(seed: seed, start: start)
            voices = (0..<2).map { Noise(seed: seed &* 7 &+ UInt64($0), seconds: seconds) }
            track = Noise(seed: seed &* 7 &+ 5, seconds: seconds)
            songStart = start + .milliseconds(500)
            desk = try Desk(at: start, tracks: ["song": track.samples])
            var singers: [Singer] = []
            for slot in 0..<2 {
                let singer = try Singer(
                    slot: slot, voice: voices[slot], equipment: equipment[slot], start: start,
                    songStart: hasSong ? songStart : nil)
                var link = LinkConditions()
                link.delay = delays[slot]
                link.jitter = .milliseconds(20)
                link.loss = 0.02
                network.conditionsTo[singer.mixer] = link
                network.attach(singer, at: [singer.address])
                network.attach(desk, at: [singer.mixer])
                desk.roundTrips[slot] = delays[slot] * 2 + .milliseconds(3)
                if !equipment[slot].statesPosition {
                    desk.mix.set(latency: equipment[slot].latency, of: MemberID(rawValue: UInt64(slot + 1)))
                }
                singers.append(singer)
            }
            self.singers = singers
            if hasSong { set(StageSong(file: "song", startAt: songStart, position: .zero)) }
        }

        func set(_ song: StageSong?) { desk.mix.set(song, at: network.now) }

        /// Delays of both voices and the song in frames, every 250 ms.
        func measure(from: Double, to: Double, song: Bool = true) -> Delays {
            var result = Delays()
            var second = from
            while second < to {
                let time = start + Interval(nanoseconds: Int64(second * 1e9))
                let position = Int(((time - (song ? songStart : start)).seconds * 48_000).rounded())
                if let delay = desk.delay(of: voices[0].samples, position: position, at: time) { result.a.append(delay) }
                if let delay = desk.delay(of: voices[1].samples, position: position, at: time) { result.b.append(delay) }
                if song, let delay = desk.delay(of: track.samples, position: position, at: time) {
                    result.song.append(delay)
                }
                second += 0.25
            }
            return result
        }
    }

    private static let native = Singer.Equipment(
        ppm: 100, latency: .milliseconds(35), use: .duet, statesPosition: true, clockError: .microseconds(400))
    private static let browser = Singer.Equipment(
        ppm: -100, latency: .milliseconds(60), use: .general, statesPosition: false)

    @Test("D04-S voices and song lie together in the mix, over paths and clocks that differ", arguments: [3, 11] as [UInt64])
    func alignment(seed: UInt64) throws {
        let seconds = 12.0
        let duet = try Duet(
            seed: seed, seconds: seconds, delays: [.milliseconds(seed == 3 ? 0 : 40), .milliseconds(80)],
            equipment: [Self.native, Self.browser])
        duet.network.run(until: duet.start + .seconds(Int64(seconds)))
        let found = duet.measure(from: 2, to: seconds - 1)
        #expect(found.a.count == found.song.count && found.song.count > 30)
        let errors = found.errors
        print("D3 seed \(seed): alignment error median \(errors.quantile(0.5)) ms, p99 \(errors.quantile(0.99)) ms")
        print("   song \(found.song.quantile(0.5) / 48) A \(found.a.quantile(0.5) / 48) B \(found.b.quantile(0.5) / 48) \(duet.desk.mix.stats)")
        #expect(errors.quantile(0.99) <= 5 && errors.quantile(0.5) <= 2)
        #expect(duet.desk.mix.stats.latePackets == 0)
    }
}
