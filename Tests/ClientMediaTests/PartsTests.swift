import AudioGraph
import NetworkSimulation
import RTP
import SDP
import SeededRandom
import SoundAnalysis
import Testing
import Timing
import Wire

@testable import ClientMedia

@Suite("Parts of the client's media")
struct PartsTests {
    private func payload(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number &* 31 &+ UInt64($0)) }
    }

    @Test("the packet store gives packets back in order, whole, and none that it was not given", arguments: 0..<8)
    func packetStore(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let store = PacketStore()
        var model: [UInt64: [UInt8]] = [:]
        var base: UInt64 = 1 << 40
        for _ in 0..<4_000 {
            if random.chance(0.6) {
                let sequence = base + random.next() % 400
                let bytes = payload(sequence, count: 1 + Int(random.next() % 150))
                let outcome = bytes.withUnsafeBytes {
                    store.insert(sequence: sequence, timestamp: Int64(sequence), payload: $0)
                }
                #expect((outcome == .duplicate) == (model[sequence] != nil), "seed \(seed)")
                if outcome == .stored { model[sequence] = bytes }
            } else {
                let first = store.first()
                let expected = model.keys.min()
                #expect(first?.sequence == expected, "seed \(seed)")
                if let first {
                    #expect(Array(first.payload) == model[first.sequence] && first.timestamp == Int64(first.sequence))
                    model[first.sequence] = nil
                    store.removeFirst()
                    base = max(base, first.sequence)
                }
            }
            #expect(store.count == model.count)
        }
        // Too far from the others, or too long.
        store.removeAll()
        let bytes = payload(1, count: 10)
        #expect(bytes.withUnsafeBytes { store.insert(sequence: 5, timestamp: 0, payload: $0) } == .stored)
        #expect(bytes.withUnsafeBytes { store.insert(sequence: 5_000, timestamp: 0, payload: $0) } == .refused)
        let long = payload(1, count: 1_501)
        #expect(long.withUnsafeBytes { store.insert(sequence: 6, timestamp: 0, payload: $0) } == .refused)
    }

    @Test("packets whose bytes were needed again are gone, not wrong")
    func overwritten() {
        let store = PacketStore()
        for number in UInt64(0)..<100 {
            let bytes = payload(number, count: 1_400)
            _ = bytes.withUnsafeBytes { store.insert(sequence: number, timestamp: 0, payload: $0) }
        }
        var found = 0
        var last: UInt64?
        while let packet = store.first() {
            #expect(Array(packet.payload) == payload(packet.sequence, count: 1_400))
            #expect(last.map { packet.sequence > $0 } ?? true)
            last = packet.sequence
            found += 1
            store.removeFirst()
        }
        #expect((44...46).contains(found) && last == 99)
    }

    @Test("sent packets are found while their bytes are there, byte by byte", arguments: 0..<4)
    func sentPackets(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let sent = SentPackets()
        var number = SequenceNumber16(UInt16(truncatingIfNeeded: random.next()))
        var all: [(SequenceNumber16, [UInt8], [UInt8])] = []
        for _ in 0..<1_000 {
            let header = payload(UInt64(number.rawValue), count: 12 + 4 * Int(random.next() % 4))
            let body = payload(UInt64(number.rawValue) + 7, count: 1 + Int(random.next() % 400))
            header.withUnsafeBytes { header in body.withUnsafeBytes { sent.store(number, header: header, payload: $0) }
            }
            all.append((number, header, body))
            number = number.next
        }
        for (index, (number, header, body)) in all.enumerated() {
            guard let found = sent.find(number) else {
                #expect(index < 1_000 - 80)
                continue
            }
            #expect(Array(found.header) == header && Array(found.payload) == body)
            #expect(index >= 1_000 - 256)
        }
        #expect(sent.find(number) == nil)
    }

    @Test("a waiting queue keeps order over any appends, takes, openings and closings", arguments: 0..<6)
    func sampleQueue(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let queue = SampleQueue(channels: 2, capacity: 500)
        var model: [Float] = []
        var next: Float = 0
        let block = AudioBuffer(channels: 2, capacity: 300)
        for _ in 0..<3_000 {
            let frames = Int(random.next() % 200)
            switch random.next() % 4 {
            case 0:
                block.frameCount = frames
                for frame in 0..<frames {
                    block[0][frame] = next
                    block[1][frame] = -next
                    next += 1
                }
                queue.append(block)
                model += Array(block[0].prefix(500 - model.count))
            case 1:
                block.frameCount = frames
                queue.take(into: block)
                let taken = min(frames, model.count)
                #expect(Array(block[0].prefix(taken)) == Array(model.prefix(taken)))
                #expect(block[1].prefix(taken).elementsEqual(model.prefix(taken).map { -$0 }))
                #expect(block[0].dropFirst(taken).allSatisfy { $0 == 0 })
                model.removeFirst(taken)
            case 2:
                let count = min(frames, model.count)
                let place = Int(random.next() % UInt64(model.count - count + 1))
                queue.close(count, at: place)
                model.removeSubrange(place..<place + count)
            default:
                let count = min(frames, queue.room)
                queue.appendSilence(count)
                model += [Float](repeating: 0, count: count)
            }
            #expect(Array(queue[0]) == model, "seed \(seed)")
        }
    }

    @Test(
        "a splice takes a period out, or doubles one, and leaves pitch and smoothness",
        arguments: [110.0, 233, 441, 1_500])
    func splice(frequency: Double) throws {
        for isShortening in [true, false] {
            let queue = SampleQueue(channels: 1, capacity: 8_192)
            let block = AudioBuffer(channels: 1, capacity: 4_800)
            for (index, sample) in TestSounds.sine(frequency, seconds: 0.1).enumerated() { block[0][index] = sample }
            queue.append(block)
            let lag = try #require(TimeSplice.findLag(queue, isUrgent: false))
            #expect((TimeSplice.shortestLag...TimeSplice.longestLag).contains(lag))
            if isShortening { TimeSplice.shorten(queue, lag: lag) } else { TimeSplice.lengthen(queue, lag: lag) }
            #expect(queue.count == 4_800 + (isShortening ? -lag : lag))
            let sound = Array(queue[0])
            #expect(sound.clicks().isEmpty)
            #expect(abs((sound.pitch(in: 80...2_000) ?? 0) / frequency - 1) < 0.01)
            #expect(abs(sound.level + 9.03) < 0.3)
        }
        // Noise has no period: no place is good enough, unless it must be.
        let queue = SampleQueue(channels: 1, capacity: 8_192)
        let block = AudioBuffer(channels: 1, capacity: 4_800)
        NoiseSource(seed: 4).render(into: block)
        queue.append(block)
        #expect(TimeSplice.findLag(queue, isUrgent: false) == nil)
        #expect(TimeSplice.findLag(queue, isUrgent: true) != nil)
    }

    @Test("each candidate is paired with the addresses that can reach it, a local server by its own address first")
    func paths() {
        func candidate(_ address: String, _ transport: String = "udp") -> ICECandidate {
            ICECandidate(foundation: "1", transport: transport, priority: 1, address: address, port: 7, kind: .host)
        }
        let (lan, other) = (IPAddress(v4: 10, 0, 0, 5), IPAddress(v4: 10, 9, 0, 5))
        let v6 = IPAddress(high: 0x2001_0db8_0000_0000, low: 5)
        let loopback = IPAddress(v4: 127, 0, 0, 1)
        let locals = [other, lan, v6, loopback].map { TransportAddress(ip: $0, port: 9) }
        let paths = CandidatePaths.paths(
            from: locals,
            to: [
                candidate("10.0.0.5"), candidate("2001:db8::1"), candidate("127.0.0.1"), candidate("host.local"),
                candidate("10.0.0.6", "tcp"),
            ])
        #expect(paths.map(\.local.ip) == [lan, other, v6, loopback])
        #expect(paths.allSatisfy { $0.remote.port == 7 && $0.local.port == 9 })
        #expect(CandidatePaths.paths(from: [], to: [candidate("10.0.0.5")]).isEmpty)
    }

    @Test("the target rises with lateness at once and falls by no more than 10 ms a second")
    func estimator() {
        var estimator = DelayEstimator(mode: .adaptive)
        estimator.noteBlock(480)
        #expect(estimator.target == 960)
        var time: Int64 = 0
        func observe(_ count: Int, late: (Int) -> Int64) {
            for index in 0..<count {
                time += 960
                estimator.observe(arrival: time + late(index), timestamp: time)
            }
        }
        observe(100) { _ in 0 }
        #expect(estimator.target == 960)
        observe(100) { $0 % 10 == 0 ? 4_800 : 0 }
        #expect((5_200...5_400).contains(estimator.target))
        var last = estimator.target
        for _ in 0..<100 {
            observe(50) { _ in 0 }
            // 10 ms a second; it looks at every eighth packet only.
            #expect(last - estimator.target <= 560)
            last = estimator.target
        }
        #expect(estimator.target == 960)
        estimator.setMode(.minimal)
        #expect(estimator.target == 48 + 480 + DelayEstimator.steeringFrames)
        estimator.setMode(.fixed(.milliseconds(70)))
        #expect(abs(estimator.target - 3_360) < 0.1)
        estimator.setMode(.fixed(.seconds(70)))
        #expect(abs(estimator.target - 24_000) < 0.1)
    }
}
