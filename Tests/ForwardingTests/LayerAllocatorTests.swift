internal import SeededRandom
internal import Testing
internal import Timing

@testable internal import Forwarding

@Suite struct LayerAllocatorTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func picture(_ rates: [Double], wanted: Int = .max, allowed: Int = 0) -> PictureDemand {
        var demand = PictureDemand(wanted: wanted, allowed: allowed)
        for (layer, rate) in rates.enumerated() where rate >= 0 { demand.setRate(rate, of: layer) }
        return demand
    }

    /// What comes out once everything has settled at that rate.
    private func settled(_ pictures: [PictureDemand], _ available: Double) -> [Int] {
        var allocator = LayerAllocator()
        var pictures = pictures
        for step in 0..<100 as Range<Int64> {
            let decision = allocator.decide(
                pictures, available: available, isSettled: true, at: start + .milliseconds(step * 100))
            for index in pictures.indices { pictures[index].allowed = decision.layers[index] }
        }
        return pictures.map(\.allowed)
    }

    private let camera: [Double] = [150_000, 500_000, 1_500_000]

    @Test("L11-S a picture gets the best layer that the line carries, and no better one than was chosen")
    func best() {
        #expect(settled([picture(camera)], 2_000_000) == [2])
        #expect(settled([picture(camera)], 1_550_000) == [1], "some is kept free")
        #expect(settled([picture(camera)], 400_000) == [0])
        #expect(settled([picture(camera, wanted: 1)], 9_000_000) == [1])
        #expect(settled([picture(camera, wanted: -1)], 9_000_000) == [-1])
        #expect(settled([picture([-1, 300_000, -1])], 9_000_000) == [1])
        // A layer that has only just come is not begun before it is known what it takes.
        #expect(settled([picture([150_000, 500_000, 0])], 9_000_000) == [1])
    }

    @Test(
        "L11-S where a better layer takes less than the lowest, a line that carries it shows it, however narrow it is")
    func cheaper() {
        let odd: [Double] = [2_500_000, 900_000, 300_000]
        for available in [250_000, 320_000, 2_000_000, 2_400_000, 9_000_000] as [Double] {
            #expect(settled([picture(odd)], available) == [2], "\(available)")
        }
        #expect(settled([picture(odd, wanted: 1)], 1_000_000) == [1])
        #expect(settled([picture(odd, wanted: 0)], 9_000_000) == [0], "no better one than was chosen")
        #expect(settled([picture(odd, wanted: 0)], 300_000) == [-1])
    }

    @Test("L11-S all get their lowest layer before anybody gets a better one; who comes first in order gets it first")
    func order() {
        let three = [picture(camera), picture(camera), picture(camera)]
        #expect(settled(three, 900_000) == [1, 0, 0])
        #expect(settled(three, 1_300_000) == [1, 1, 0])
        #expect(settled(three, 5_000_000) == [2, 2, 2])
    }

    @Test("L11-S it is lowered before anything is paused, and paused only after two seconds")
    func pause() {
        var allocator = LayerAllocator()
        var pictures = [picture(camera, allowed: 2), picture(camera, allowed: 2)]
        let first = allocator.decide(pictures, available: 150_000, isSettled: true, at: start)
        #expect(first.layers == [0, 0] && first.isUrgent)
        for index in pictures.indices { pictures[index].allowed = 0 }
        #expect(
            allocator.decide(pictures, available: 150_000, isSettled: true, at: start + .seconds(1)).layers == [0, 0])
        // Two thirds of what is there is less than one needs.
        let second = allocator.decide(pictures, available: 220_000, isSettled: true, at: start + .seconds(3))
        #expect(second.layers == [0, 0], "together they fit nearly")
        _ = allocator.decide(pictures, available: 209_000, isSettled: true, at: start + .seconds(4))
        let third = allocator.decide(pictures, available: 209_000, isSettled: true, at: start + .seconds(7))
        #expect(third.layers == [-1, -1])
    }

    @Test("L11-S a raise that fails is tried again only after a while, unless there is much more")
    func failure() {
        var allocator = LayerAllocator()
        var demand = picture(camera)
        var now = start
        func decide(_ available: Double) -> Int {
            now = now + .milliseconds(100)
            let layer = allocator.decide([demand], available: available, isSettled: true, at: now).layers[0]
            demand.allowed = layer
            return layer
        }
        #expect(decide(600_000) == 1)
        #expect(decide(300_000) == 0, "at once")
        for _ in 0..<95 { #expect(decide(600_000) == 0) }
        for _ in 0..<10 { _ = decide(600_000) }
        #expect(decide(600_000) == 1)
        #expect(decide(300_000) == 0)
        #expect(decide(2_000_000) == 2, "another line")
    }

    @Test("L11-S nothing is raised while a probe is under way")
    func probing() {
        var allocator = LayerAllocator()
        let decision = allocator.decide([picture(camera)], available: 9_000_000, isSettled: false, at: start)
        #expect(decision.layers == [0])
    }

    @Test(
        "L11-S whatever the pictures and the line, no more is given than the line carries beyond the lowest layers",
        arguments: 1...30 as ClosedRange<UInt64>)
    func bounds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var allocator = LayerAllocator()
        var now = start
        var pictures = (0..<Int(random.next() % 12)).map { _ in
            picture(
                (0..<3).map { layer in
                    random.chance(0.2) ? -1 : Double(random.next() % 400_000) * Double(layer + 1)
                }, wanted: Int(random.next() % 5) - 1, allowed: Int(random.next() % 4) - 1)
        }
        for _ in 0..<200 {
            now = now + .milliseconds(Int64(random.next() % 900))
            let available = Double(random.next() % 4_000_000)
            let decision = allocator.decide(pictures, available: available, isSettled: random.chance(0.8), at: now)
            #expect(decision.layers.count == pictures.count)
            let before = pictures.reduce(0) { $0 + $1.cost($1.present) }
            let lowest = LayerAllocator.least(pictures)
            for index in pictures.indices {
                let layer = decision.layers[index]
                #expect(layer == -1 || pictures[index].cost(layer) >= 0 && layer <= 2)
                #expect(pictures[index].wanted >= 0 || layer == -1)
                pictures[index].allowed = layer
            }
            let given = pictures.reduce(0) { $0 + $1.cost($1.present) }
            #expect(given <= max(available, before, lowest) + 1, "\(given) of \(available), \(before) before")
        }
    }
}
