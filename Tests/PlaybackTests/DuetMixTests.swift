internal import AudioGraph
internal import Forwarding
internal import MediaCodecs
internal import NetworkSimulation
internal import RoomPorts
internal import SeededRandom
internal import SoundAnalysis
internal import Testing
internal import Timing
internal import Wire

@testable internal import Playback

@Suite struct DuetMixTests {
    private static let native = Singer.Equipment(
        ppm: 100, latency: .milliseconds(35), use: .duet, statesPosition: true, clockError: .microseconds(400))
    private static let browser = Singer.Equipment(
        ppm: -100, latency: .milliseconds(60), use: .general, statesPosition: false)

    @Test(
        "D04-S voices and song lie together in the mix, over paths and clocks that differ",
        arguments: [3, 11] as [UInt64])
    func alignment(seed: UInt64) throws {
        let seconds = 7.0
        let duet = try Duet(
            seed: seed, seconds: seconds, delays: [.milliseconds(seed == 3 ? 0 : 40), .milliseconds(80)],
            equipment: [Self.native, Self.browser])
        duet.run(to: seconds)
        let found = duet.measure(from: 2, to: seconds - 1)
        #expect(found.a.count == found.song.count && found.song.count > 8)
        let errors = found.errors
        print("D3 seed \(seed): alignment error median \(errors.quantile(0.5)) ms, p99 \(errors.quantile(0.99)) ms")
        print(
            "   song \(found.song.quantile(0.5) / 48) A \(found.a.quantile(0.5) / 48) B \(found.b.quantile(0.5) / 48) \(duet.desk.mix.stats)"
        )
        #expect(errors.quantile(0.99) <= 5 && errors.quantile(0.5) <= 2)
        #expect(duet.desk.mix.stats.latePackets == 0)
    }

    @Test("D04-S without a song voices lie together by the room's time")
    func withoutSong() throws {
        var native = Self.native
        native.use = .general
        let duet = try Duet(
            seed: 5, seconds: 6, delays: [.milliseconds(5), .milliseconds(60)],
            equipment: [Self.browser, native], hasSong: false)
        duet.desk.mix.set(latency: native.latency, of: MemberID(rawValue: 2))
        duet.run(to: 6)
        let found = duet.measure(from: 2, to: 5, song: false)
        #expect(found.a.count > 6 && found.errors.quantile(0.99) <= 5)
    }

    @Test("D08-S a singer leaves in the middle of the song: the other and the song go on where they were")
    func leaving() throws {
        let duet = try Duet(seed: 8, seconds: 8, equipment: [Self.native, Self.browser])
        duet.singers[0].leaves = duet.time(4)
        duet.run(to: 7.5)
        let before = duet.measure(from: 2, to: 3.7)
        let after = duet.measure(from: 4.5, to: 7)
        #expect(before.errors.quantile(1) <= 5)
        #expect(after.b.count > 5 && zip(after.b, after.song).allSatisfy { abs($0 - $1) / 48 <= 5 })
        #expect(duet.desk.delay(ofGone: duet.voices[0].samples, duet) < 0.1)
        #expect(duet.desk.packets.count > 300 && duet.desk.packets.count { $0.marker } == 1)
    }

    @Test("D04-S after a seek everything lies together again, at the new place")
    func seek() throws {
        let duet = try Duet(seed: 9, seconds: 12, equipment: [Self.native, Self.browser])
        duet.run(to: 3)
        duet.seek(to: .seconds(6), at: duet.time(4))
        duet.run(to: 8)
        let found = duet.measure(from: 4.5, to: 7)
        #expect(found.song.count > 5 && found.errors.quantile(1) <= 5)
        #expect(duet.desk.openings.map(\.position) == [0, 6 * 48_000])
    }

    @Test("D04-S a song pauses to the moment, waits in silence, and goes on when it was said to")
    func pause() throws {
        let duet = try Duet(seed: 2, seconds: 6, equipment: [])
        duet.run(to: 3.1)
        // Told a little late: the mix lies further back.
        duet.set(StageSong(file: "song", startAt: nil, position: .milliseconds(2_500)))
        duet.run(to: 4)
        duet.set(StageSong(file: "song", startAt: duet.time(5), position: .milliseconds(2_500)))
        duet.run(to: 7)
        #expect(duet.desk.level(from: duet.time(2.95), seconds: 0.04) > -25)
        // What is left is the codec's: it takes 200 ms to forget noise.
        #expect(duet.desk.level(from: duet.time(3.03), seconds: 0.2) < -40)
        #expect(duet.desk.level(from: duet.time(3.3), seconds: 0.65) < -100)
        #expect(duet.desk.level(from: duet.time(4), seconds: 0.98) < -100)
        #expect(duet.desk.level(from: duet.time(5.01), seconds: 0.2) > -25)
        #expect(abs(try #require(duet.desk.delay(of: duet.track.samples, position: 48_000, at: duet.time(1.5)))) < 1)
        #expect(abs(try #require(duet.desk.delay(of: duet.track.samples, position: 144_000, at: duet.time(5.5)))) < 1)
        #expect(duet.desk.openings.map(\.position) == [0, 120_000])
    }

    @Test("D05-S the other track of a song goes on at the same place, without a break")
    func track() throws {
        let original = TestSounds.sine(440, amplitude: 0.3, seconds: 6)
        let accompaniment = TestSounds.sine(440, amplitude: 0.3, seconds: 6)
        let other = TestSounds.sine(700, amplitude: 0.3, seconds: 6, phase: 1)
        let start = Instant(nanoseconds: 5_000_000_000)
        let desk = try Desk(at: start, tracks: ["a": accompaniment, "o": original, "p": other])
        let network = Network(seed: 1, start: start)
        network.attach(desk, at: [])
        let at = start + .milliseconds(500)
        desk.mix.set(StageSong(file: "a", startAt: at, position: .zero), at: start)
        network.run(for: .milliseconds(2_137))
        desk.mix.set(StageSong(file: "o", startAt: at, position: .zero), at: network.now)
        network.run(for: .seconds(2))
        desk.mix.set(StageSong(file: "p", startAt: at, position: .zero), at: network.now)
        network.run(for: .seconds(1))
        // Two tracks are the same tone: only at the right place nothing is heard of the change. The third fades in.
        #expect(desk.openings.map(\.file) == ["a", "o", "p"])
        let all = Array(desk.heard[desk.frame(at: start + .seconds(1))...].prefix(180_000))
        #expect(all.clicks(prominence: 8).isEmpty)
        let sound = Array(all.prefix(96_000))
        #expect(abs((Spectrum(of: sound).dominantFrequency() ?? 0) - 440) < 5)
        #expect(abs((Spectrum(of: Array(all.suffix(16_384))).dominantFrequency() ?? 0) - 700) < 5)
        #expect(abs(sound.level - accompaniment.map { $0 * DuetMix.songGain }.level) < 0.5)
    }

    @Test("D04-S where nobody sings and nothing plays nothing is sent, and after the last sound only a short end")
    func silence() throws {
        let duet = try Duet(seed: 4, seconds: 6, equipment: [Self.native], hasSong: false)
        #expect(duet.desk.nextDeadline == .distantFuture)
        let singer = duet.singers[0]
        singer.joins = duet.time(1)
        singer.leaves = duet.time(2)
        duet.run(to: 6)
        let places = duet.desk.packets.map { Double($0.timestamp) / 48_000 }
        #expect(try #require(places.first) > 0.9 && places.first! < 1.1)
        #expect(try #require(places.last) > 2.1 && places.last! < 2.5)
        #expect(duet.desk.nextDeadline == .distantFuture)
        // It begins again, with packets that are numbered on and marked.
        singer.leaves = duet.time(8)
        duet.run(to: 9)
        #expect(zip(duet.desk.packets, duet.desk.packets.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
        #expect(duet.desk.packets.count { $0.marker } == 2)
    }

    @Test("D04-S what comes after its place was mixed is thrown away and counted")
    func late() throws {
        let duet = try Duet(seed: 6, seconds: 6, equipment: [Self.native])
        duet.network.schedule(at: duet.time(3)) {
            var link = LinkConditions()
            link.delay = .milliseconds(500)
            duet.network.conditionsTo[duet.singers[0].mixer] = link
        }
        duet.network.schedule(at: duet.time(3.5)) {
            duet.network.conditionsTo[duet.singers[0].mixer] = LinkConditions()
        }
        duet.run(to: 6)
        // Half a second of packets of 5 ms came 200 ms too late.
        #expect((60...105).contains(Int(duet.desk.mix.stats.latePackets)))
        let found = duet.measure(from: 4.2, to: 5)
        #expect(zip(found.a, found.song).allSatisfy { abs($0 - $1) / 48 <= 5 } && !found.a.isEmpty)
    }

    @Test("D04-S a clock that drifts is followed smoothly")
    func drift() throws {
        var drifting = Self.native
        // Ten times what real clocks do, so that a few seconds show it.
        drifting.ppm = 1_000
        let duet = try Duet(seed: 13, seconds: 8, equipment: [drifting], loss: 0)
        duet.run(to: 3)
        let jumps = duet.desk.mix.stats.jumps
        duet.run(to: 7.5)
        let found = duet.measure(from: 3.5, to: 6.5)
        #expect(found.a.count > 6 && found.errors.isEmpty)
        let errors = zip(found.a, found.song).map { abs($0 - $1) / 48 }
        #expect(errors.quantile(1) < 2, "\(errors)")
        #expect(duet.desk.mix.stats.jumps == jumps)
    }

    @Test("A thread that was held up makes good for a moment and leaves out the rest")
    func heldUp() throws {
        let start = Instant(nanoseconds: 7_000_000_000)
        let desk = try Desk(at: start, tracks: ["a": TestSounds.sine(440, seconds: 12)])
        desk.mix.set(StageSong(file: "a", startAt: start, position: .zero), at: start)
        desk.advance(to: start + .seconds(1))
        let before = desk.packets.count
        desk.advance(to: start + .seconds(9))
        #expect(desk.packets.count - before <= DuetMix.catchUp + 1)
        #expect(desk.mix.stats.blocksSkipped > 380)
        // What is heard now is what belongs to now: the song went on meanwhile.
        desk.advance(to: start + .milliseconds(9_020))
        let place = Double(try #require(desk.packets.last).timestamp) / 48_000
        #expect(abs(place - (9.02 - DuetMix.delay.seconds)) < 0.03)
    }

    @Test("A song without a file leaves the voices")
    func songMissing() throws {
        let duet = try Duet(seed: 12, seconds: 6, equipment: [Self.native, Self.browser])
        duet.run(to: 1)
        duet.set(StageSong(file: "nowhere", startAt: duet.songStart, position: .zero))
        duet.run(to: 5)
        let found = duet.measure(from: 2.5, to: 4)
        #expect(found.errors.isEmpty == false)
        #expect(zip(found.a, found.b).allSatisfy { abs($0 - $1) / 48 <= 5 })
    }

    @Test("Whatever comes from the network, the mix goes on", arguments: 1...4 as ClosedRange<UInt64>)
    func malformed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var now = Instant(nanoseconds: Int64.random(in: 0...(1 << 60), using: &random))
        let mix = try DuetMix(at: now) { _, _ in TestTrack([0.1, 0.2]) }
        let voice = try OpusEncoding(use: .duet)
        let block = AudioBuffer(channels: 1, capacity: voice.frameSize)
        var sequence = UInt64.random(in: 0...(.max), using: &random)
        for _ in 0..<1_000 {
            now = now + Interval(nanoseconds: Int64.random(in: 0...20_000_000, using: &random))
            var payload = [UInt8](repeating: 0, count: Int.random(in: 0...1_600, using: &random))
            for index in payload.indices { payload[index] = UInt8.random(in: 0...(.max), using: &random) }
            if Bool.random(using: &random) {
                payload = [UInt8](repeating: 0, count: 400)
                let length = try payload.withUnsafeMutableBytes { try voice.encode(block, into: $0) }
                payload.removeSubrange(length...)
            }
            let isWild = Int.random(in: 0..<4, using: &random) == 0
            sequence = isWild ? UInt64.random(in: 0...(.max), using: &random) : sequence &+ 1
            let packet = TappedPacket(
                slot: Int.random(in: isWild ? -2...40 : 0...3, using: &random),
                producer: MemberID(rawValue: UInt64.random(in: 0...5, using: &random)), sequence: sequence,
                timestamp: isWild
                    ? UInt32.random(in: 0...(.max), using: &random) : UInt32(truncatingIfNeeded: sequence &* 240),
                startsSource: Int.random(in: 0..<9, using: &random) == 0,
                arrival: isWild ? Instant(nanoseconds: Int64.random(in: .min...(.max), using: &random)) : now,
                roundTrip: isWild ? Interval(nanoseconds: Int64.random(in: .min...(.max), using: &random)) : nil,
                songPosition: Bool.random(using: &random) ? UInt32.random(in: 0...(.max), using: &random) : nil)
            payload.withUnsafeBytes { mix.receive(packet, $0) }
            if isWild {
                let position = Interval.milliseconds(Int64.random(in: 0...3_600_000, using: &random))
                let isPaused = Bool.random(using: &random)
                mix.set(
                    StageSong(file: "f", startAt: isPaused ? nil : now + .milliseconds(300), position: position),
                    at: now)
                mix.set(
                    latency: Interval(nanoseconds: Int64.random(in: .min...(.max), using: &random)), of: packet.producer
                )
            }
            mix.advance(to: now) { _, payload in #expect(payload.count > 0 && payload.count < 1_400) }
        }
        #expect(mix.stats.vocalPackets == 1_000)
    }
}

extension Desk {
    /// How alike the last seconds are to what somebody would have sung who is gone.
    fileprivate func delay(ofGone voice: [Float], _ duet: Duet) -> Double {
        let time = duet.time(6)
        let position = Int(((time - duet.songStart).seconds * 48_000).rounded())
        let start = frame(at: time)
        return abs(
            Array(heard[start..<start + 8_192]).delay(
                after: Array(voice[position..<position + 8_192]), maximum: 1_920
            ).correlation)
    }
}
