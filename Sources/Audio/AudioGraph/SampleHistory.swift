/// The latest stretch of a sound, each channel in one piece of memory, with positions that count from the sound's
/// beginning. Memory is taken once.
final class SampleHistory {
    let channels: Int
    /// Frames that can be held.
    let capacity: Int
    /// Position of the first frame held; what was before is forgotten.
    private(set) var start = 0
    /// Position after the last frame held.
    private(set) var end = 0
    /// Twice the capacity per channel: what is held slides through it and is moved back once in a while.
    private let samples: UnsafeMutablePointer<Float>
    /// Where `start` is in each plane.
    private var offset = 0

    init(channels: Int, capacity: Int) {
        precondition(channels > 0 && capacity > 0)
        self.channels = channels
        self.capacity = capacity
        samples = .allocate(capacity: 2 * channels * capacity)
        samples.initialize(repeating: 0, count: 2 * channels * capacity)
    }

    deinit { samples.deallocate() }

    /// Frames that can be added before some are forgotten.
    var room: Int { capacity - (end - start) }

    /// Forgets everything; the next frame that is added has this position.
    func reset(to position: Int = 0) {
        start = position
        end = position
        offset = 0
    }

    /// Adds frames of a block, mapped to the channels here: mono to all, further channels left out.
    func append(_ buffer: AudioBuffer, from first: Int, frames: Int) {
        guard frames > 0 else { return }
        let target = makeRoom(for: frames)
        for channel in 0..<channels {
            let source = buffer[min(channel, buffer.channels - 1)].baseAddress.unsafelyUnwrapped + first
            (target + channel * 2 * capacity).update(from: source, count: frames)
        }
        end += frames
    }

    /// Adds silence.
    func appendSilence(frames: Int) {
        let target = makeRoom(for: frames)
        for channel in 0..<channels { (target + channel * 2 * capacity).update(repeating: 0, count: frames) }
        end += frames
    }

    /// Adds one frame that the caller writes: where channel 0 goes, and the distance to the next channel.
    func appendFrame() -> (first: UnsafeMutablePointer<Float>, stride: Int) {
        let target = makeRoom(for: 1)
        end += 1
        return (target, 2 * capacity)
    }

    /// Forgets what is before a position.
    func discard(before position: Int) {
        let frames = min(max(0, position - start), end - start)
        start += frames
        offset += frames
    }

    /// Samples of a channel from a position on; all `count` of them must be held.
    @inline(__always)
    func samples(_ channel: Int, at position: Int, count: Int) -> UnsafePointer<Float> {
        assert(position >= start && position + count <= end, "\(position) + \(count) is outside \(start)..<\(end)")
        return UnsafePointer(samples + (channel &* 2 &* capacity &+ offset &+ position &- start))
    }

    private func makeRoom(for frames: Int) -> UnsafeMutablePointer<Float> {
        let held = end - start
        precondition(frames <= capacity - held, "more sound than was agreed upon")
        if offset + held + frames > 2 * capacity {
            for channel in 0..<channels {
                let plane = samples + channel * 2 * capacity
                plane.update(from: plane + offset, count: held)
            }
            offset = 0
        }
        return samples + offset + held
    }
}
