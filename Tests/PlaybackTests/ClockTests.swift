internal import NetworkSimulation
internal import SeededRandom
internal import Testing
internal import Timing

@testable internal import Playback

@Suite struct ClockTests {
    @Test(
        "Arrivals tell the time of capture through jitter, whichever way the clock drifts", arguments: [-150.0, 0, 150])
    func drift(ppm: Double) throws {
        var random = SeededGenerator(seed: UInt64(ppm + 1_000))
        var clock = ArrivalClock()
        var worst = 0.0
        for packet in 0..<6_000 {
            let timestamp = Int64(packet) * 960
            let captured = Double(timestamp) * (1 + ppm * 1e-6) + 50_000
            let jitter = Double(random.next() % 1_000_000) / 1e6 * 960
            clock.add(timestamp: timestamp, arrival: captured + 2_400 + jitter)
            guard packet > 250, packet.isMultiple(of: 10) else { continue }
            let told = clock.offset(at: Double(timestamp))
            let offset = try #require(told)
            worst = max(worst, abs(offset + Double(timestamp) - captured - 2_400))
        }
        // Of 20 ms of jitter less than one millisecond is left.
        #expect(worst < 48)
    }

    @Test("A way that becomes longer is believed after a while, one that becomes shorter at once")
    func change() throws {
        var clock = ArrivalClock()
        func offset(after packets: Range<Int64>, delay: Double) throws -> Double {
            for packet in packets { clock.add(timestamp: packet * 960, arrival: Double(packet * 960) + delay) }
            let told = clock.offset(at: Double(packets.upperBound * 960))
            return try #require(told)
        }
        #expect(try offset(after: 0..<100, delay: 5_000) == 5_000)
        #expect(try offset(after: 100..<101, delay: 1_000) == 1_000)
        #expect(abs(try offset(after: 101..<3_000, delay: 3_000) - 3_000) < 1)
    }

    @Test("Of round trips that jitter the shortest count, and a way that has become longer is believed after a while")
    func roundTrips() throws {
        var random = SeededGenerator(seed: 21)
        var clock = SingerClock()
        var told = Interval.zero
        var packet: Int64 = 0
        func offset(after seconds: Int64, way: Double) throws -> Double {
            for _ in 0..<seconds * 100 {
                // A report every two seconds; its way there and its way back are held up by up to 20 ms each.
                if packet.isMultiple(of: 200) {
                    let heldUp = Int64(random.next() % 20_000 + random.next() % 20_000)
                    told = .milliseconds(Int64(2 * way)) + .microseconds(heldUp)
                }
                let jitter = Double(random.next() % 960)
                clock.add(
                    timestamp: packet * 480, frames: 480, arrival: Double(packet * 480 + 480) + way * 48 + jitter,
                    roundTrip: told, places: [])
                packet += 1
            }
            let place = clock.offset(at: Double(packet * 480))
            return try #require(place) + SingerClock.lookahead(frames: 480)
        }
        // The capture is at 0 on this line; half of what the best report was held up is what it is wrong by.
        #expect(try abs(offset(after: 40, way: 40)) < 6 * 48)
        #expect(try abs(offset(after: 60, way: 90)) < 6 * 48)
        #expect(try abs(offset(after: 20, way: 40)) < 6 * 48)
    }

    @Test("Positions that a singer states count, unless they cannot be")
    func stated() throws {
        var clock = SingerClock()
        func add(_ packet: Int64, _ places: [Double]) {
            clock.add(
                timestamp: packet * 240, frames: 240, arrival: Double(packet * 240 + 240) + 4_000, roundTrip: nil,
                places: places)
        }
        func offset(at timestamp: Double) throws -> Double {
            let told = clock.offset(at: timestamp)
            return try #require(told)
        }
        for packet in 0..<400 as Range<Int64> { add(packet, [Double(packet * 240) + 1_000, 1e12]) }
        let lookahead = SingerClock.lookahead(frames: 240)
        #expect(try abs(offset(at: 96_000) - (1_000 - lookahead)) < 1)
        // A single lie changes nothing, a new line is followed after a few packets.
        add(400, [Double(400 * 240) + 6_000])
        #expect(try abs(offset(at: 96_000) - (1_000 - lookahead)) < 1)
        for packet in 401..<420 as Range<Int64> { add(packet, [Double(packet * 240) + 6_000]) }
        #expect(try abs(offset(at: 100_000) - (6_000 - lookahead)) < 1)
        // Nothing stated for a while: by the arrivals, less what the equipment takes.
        clock.latency = 500
        for packet in 420..<1_000 as Range<Int64> { add(packet, []) }
        #expect(try abs(offset(at: 240_000) - (4_000 - 500 - lookahead)) < 1)
        // Nonsense is not followed.
        for packet in 1_000..<1_100 as Range<Int64> { add(packet, [1e13, -1e13]) }
        #expect(try abs(offset(at: 264_000) - (4_000 - 500 - lookahead)) < 1)
    }
}
