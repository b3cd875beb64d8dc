import AudioGraph
import Dispatch
import Synchronization
import Timing

/// Collects the blocks of a device until there are enough, for a test to wait for.
final class Heard: Sendable {
    struct Blocks: Sendable {
        var planes: [[Float]] = []
        var instants: [Instant] = []
        var frames: [Int] = []
    }

    private let blocks = Mutex(Blocks())
    private let wanted: Int
    private let full = DispatchSemaphore(value: 0)

    init(blocks: Int) { wanted = blocks }

    /// On the device's thread. What comes after the last wanted block is not kept.
    func take(_ block: AudioBuffer, at instant: Instant) {
        let isFull = blocks.withLock { blocks in
            if blocks.instants.count == wanted { return false }
            if blocks.planes.isEmpty { blocks.planes = [[Float]](repeating: [], count: block.channels) }
            for channel in 0..<block.channels { blocks.planes[channel] += Array(block[channel]) }
            blocks.instants.append(instant)
            blocks.frames.append(block.frameCount)
            return blocks.instants.count == wanted
        }
        if isFull { full.signal() }
    }

    /// Waits for the last block, at most ten seconds of this world.
    func wait() -> Blocks? { full.wait(timeout: .now() + 10) == .success ? blocks.withLock { $0 } : nil }

    var count: Int { blocks.withLock { $0.instants.count } }
}

enum Ears {
    static func rms(_ samples: some Collection<Float>) -> Double {
        (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
    }

    /// Of a tone, by its rising zero crossings.
    static func frequency(of samples: [Float]) -> Double {
        var crossings: [Double] = []
        for n in 1..<max(1, samples.count) where samples[n - 1] < 0 && samples[n] >= 0 {
            crossings.append(Double(n - 1) + Double(-samples[n - 1]) / Double(samples[n] - samples[n - 1]))
        }
        guard let first = crossings.first, let last = crossings.last, crossings.count > 1 else { return 0 }
        return 48_000 * Double(crossings.count - 1) / (last - first)
    }
}
