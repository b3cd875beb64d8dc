import AudioGraph
import MediaDevices
import Synchronization
import Testing
import Timing

@Suite struct BlockPacerTests {
    private let start = Instant(nanoseconds: 7_777)

    @Test("Blocks are due one after the other: when they begin, or when they are over")
    func edges() {
        var playing = BlockPacer(framesPerBlock: 480, edge: .start, start: start)
        var capturing = BlockPacer(framesPerBlock: 480, edge: .end, start: start)
        #expect(playing.deadline == start)
        #expect(capturing.deadline == start + .milliseconds(10))
        #expect(capturing.take(at: start + .microseconds(9_999)) == nil)
        for n in 0..<5 {
            let begin = start + .milliseconds(10) * Int64(n)
            #expect(playing.take(at: begin) == begin)
            #expect(playing.take(at: begin) == nil)
            #expect(capturing.take(at: begin + .milliseconds(10)) == begin)
            #expect(capturing.take(at: begin + .milliseconds(10)) == nil)
        }
    }

    @Test(
        "Blocks whose length is no whole number of nanoseconds do not drift, however late each is taken",
        arguments: [128, 441, 961])
    func noDrift(frames: Int) {
        var pacer = BlockPacer(framesPerBlock: frames, edge: .end, start: start)
        let blocks = 20_000
        for n in 0..<blocks {
            let late = Interval.microseconds(Int64(n % 700))
            pacer.skip(at: pacer.deadline + late)
            #expect(pacer.take(at: pacer.deadline + late) != nil)
        }
        let expected = Double(blocks + 1) * Double(frames) * 1e9 / 48_000
        #expect(abs(Double((pacer.deadline - start).nanoseconds) - expected) <= 1)
        #expect(pacer.skippedBlocks == 0)
    }

    @Test("After a standstill four blocks are made up for, the rest are counted, and the beat goes on as before")
    func standstill() {
        var pacer = BlockPacer(framesPerBlock: 480, edge: .start, start: start)
        _ = pacer.take(at: start)
        // Blocks 1…100 are due by now.
        let now = start + .milliseconds(1_003)
        pacer.skip(at: now)
        var begins: [Instant] = []
        while let begin = pacer.take(at: now) { begins.append(begin) }
        #expect(begins == (97...100).map { start + .milliseconds(10) * Int64($0) })
        #expect(pacer.skippedBlocks == 96)
        #expect(pacer.deadline == start + .milliseconds(1_010))
        // A delay of four blocks costs nothing.
        pacer.skip(at: start + .milliseconds(1_049))
        #expect(pacer.skippedBlocks == 96)
    }

    @Test(
        "A rate in ppm makes that many blocks more or less, and a change makes no jump",
        arguments: [-100_000.0, -250, 40, 1e9])
    func rates(ppm: Double) {
        let allowed = min(ppm, 100_000)
        var pacer = BlockPacer(framesPerBlock: 480, edge: .start, start: start)
        for _ in 0..<1_000 { _ = pacer.take(at: pacer.deadline) }
        let before = pacer.deadline
        #expect(before == start + .seconds(10))
        pacer.ratePPM = ppm
        #expect(pacer.deadline == before)
        #expect(pacer.ratePPM == allowed)
        for _ in 0..<10_000 { _ = pacer.take(at: pacer.deadline) }
        let took = (pacer.deadline - before).seconds
        #expect(abs(took * (1 + allowed / 1e6) - 100) < 1e-6, "\(took) s")
        // Set every block, as a control loop does, it stays exact to well below a sample.
        let middle = pacer.deadline
        for n in 0..<10_000 {
            pacer.ratePPM = n.isMultiple(of: 2) ? 100 : -100
            _ = pacer.take(at: pacer.deadline)
        }
        #expect(abs((pacer.deadline - middle).seconds - 100) < 2e-5)
        pacer.ratePPM = .nan
        #expect(pacer.ratePPM == 0)
    }

    @Test("Any time whatever is bearable: the far past, the far future")
    func anyTime() {
        var pacer = BlockPacer(framesPerBlock: 48, edge: .end, start: start)
        pacer.skip(at: .distantPast)
        #expect(pacer.take(at: .distantPast) == nil)
        pacer.skip(at: .distantFuture)
        var count = 0
        while count < 10, pacer.take(at: .distantFuture) != nil { count += 1 }
        #expect(pacer.skippedBlocks > 0)
    }
}

@Suite struct PacedThreadTests {
    @Test("A thread that is held up skips what is long gone and goes on in step")
    func stall() throws {
        let clock = VirtualClock { $0 == 10 ? .milliseconds(500) : .zero }
        let heard = Heard(blocks: 40)
        let device = CustomInput(clock: clock)
        try device.start(channels: 1, framesPerBlock: 480) { heard.take($0, at: $1) }
        let blocks = try #require(heard.wait())
        device.stop()
        let steps = zip(blocks.instants, blocks.instants.dropFirst()).map { ($1 - $0).milliseconds }
        // The eleventh wait ends half a second late: 50 blocks and the one it waited for, of which four come.
        #expect(steps == (0..<39).map { $0 == 9 ? 480 : 10 })
        #expect(device.skippedBlocks == 47)
    }

    @Test("By this machine's clock 100 blocks of 5 ms take half a second or more, and lie on one grid")
    func realTime() throws {
        let clock = SystemDeviceClock()
        let heard = Heard(blocks: 100)
        let device = CustomInput(clock: clock)
        let begin = clock.now()
        try device.start(channels: 1, framesPerBlock: 240) { heard.take($0, at: $1) }
        let blocks = try #require(heard.wait())
        let took = clock.now() - begin
        device.stop()
        #expect(took >= .milliseconds(500))
        // Instants lie on the grid of the start, however late each block came.
        for instant in blocks.instants { #expect((instant - blocks.instants[0]).nanoseconds % 5_000_000 == 0) }
    }

    @Test("A device that stops itself from within its own callback does not wait for itself")
    func stopsItself() throws {
        let device = NullOutput(clock: VirtualClock())
        let heard = Heard(blocks: 1)
        try device.start(channels: 2, framesPerBlock: 480) { block, instant in
            device.stop()
            heard.take(block, at: instant)
        }
        _ = try #require(heard.wait())
        device.stop()
        // And can be started anew.
        let again = Heard(blocks: 3)
        try device.start(channels: 2, framesPerBlock: 480) { again.take($0, at: $1) }
        _ = try #require(again.wait())
        device.stop()
    }

    @Test("After stop() nothing more comes, a second start is refused, limits are errors")
    func lifecycle() throws {
        let device = NullInput(clock: VirtualClock())
        device.stop()
        let heard = Heard(blocks: 5)
        try device.start(channels: 1, framesPerBlock: 480) { heard.take($0, at: $1) }
        let error = #expect(throws: DeviceError.self) { try device.start(channels: 1, framesPerBlock: 480) { _, _ in } }
        #expect(error?.kind == .alreadyStarted)
        _ = try #require(heard.wait())
        let calls = Atomic(0)
        device.stop()
        try device.start(channels: 1, framesPerBlock: 480) { _, _ in calls.add(1, ordering: .relaxed) }
        device.stop()
        let after = calls.load(ordering: .relaxed)
        device.stop()
        #expect(calls.load(ordering: .relaxed) == after)
        for (channels, frames) in [(0, 480), (3, 480), (1, 47), (1, 2_881)] {
            let error = #expect(throws: DeviceError.self) {
                try device.start(channels: channels, framesPerBlock: frames) { _, _ in }
            }
            #expect(error?.kind == .unsupported)
        }
    }
}
