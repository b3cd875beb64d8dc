package import AudioGraph

/// Sound waiting in line: appended at the end, taken from the front, changed in between. Memory is taken once; the samples
/// of a channel lie in one piece. Used by one thread at a time.
package final class SampleQueue {
    package let channels: Int
    package let capacity: Int
    package private(set) var count = 0
    private var start = 0
    /// Twice the capacity: the content moves to the front only once for each capacity that went through.
    private let stride: Int
    private let samples: UnsafeMutablePointer<Float>

    package init(channels: Int, capacity: Int) {
        precondition(channels > 0 && capacity > 0)
        self.channels = channels
        self.capacity = capacity
        stride = 2 * capacity
        samples = .allocate(capacity: channels * stride)
        samples.initialize(repeating: 0, count: channels * stride)
    }

    deinit { samples.deallocate() }

    /// Frames that can be appended.
    package var room: Int { capacity - count }

    /// The waiting samples of one channel. Valid until the next call that changes the queue.
    package subscript(channel: Int) -> UnsafeMutableBufferPointer<Float> {
        precondition((0..<channels).contains(channel))
        return UnsafeMutableBufferPointer(start: samples + channel * stride + start, count: count)
    }

    /// Appends frames `range` of a block, mono to every channel, surplus channels left out. What does not fit is lost.
    package func append(_ block: AudioBuffer, _ range: Range<Int>) {
        let frames = min(range.count, room)
        guard frames > 0 else { return }
        reserve(frames)
        for channel in 0..<channels {
            guard let source = block[min(channel, block.channels - 1)].baseAddress else { continue }
            end(of: channel).update(from: source + range.lowerBound, count: frames)
        }
        count += frames
    }

    package func append(_ block: AudioBuffer) { append(block, 0..<block.frameCount) }

    package func appendSilence(_ frames: Int) {
        let frames = min(frames, room)
        guard frames > 0 else { return }
        reserve(frames)
        for channel in 0..<channels { end(of: channel).update(repeating: 0, count: frames) }
        count += frames
    }

    /// Takes the first frames away.
    package func drop(_ frames: Int) {
        let frames = min(max(frames, 0), count)
        start += frames
        count -= frames
        if count == 0 { start = 0 }
    }

    /// Copies the first frames to `block`, as many as it has, and takes them away. Missing ones are silence. Channels are
    /// matched as by `AudioBuffer.copy`; the block's `frameCount` stays.
    package func take(into block: AudioBuffer) {
        let frames = min(block.frameCount, count)
        for channel in 0..<block.channels {
            guard let target = block[channel].baseAddress else { continue }
            let source = samples + min(channel, channels - 1) * stride + start
            target.update(from: source, count: frames)
            (target + frames).update(repeating: 0, count: block.frameCount - frames)
        }
        if block.channels == 1, channels > 1 {
            let target = block[0]
            for channel in 1..<channels {
                let source = self[channel]
                for frame in 0..<frames { target[frame] += source[frame] }
            }
            let share = 1 / Float(channels)
            for frame in 0..<frames { target[frame] *= share }
        }
        drop(frames)
    }

    package func removeAll() { drop(count) }

    /// Makes `frames` of room at `position` by moving the rest back; what stands there then is undefined.
    func open(_ frames: Int, at position: Int) {
        precondition(frames <= room && (0...count).contains(position))
        reserve(frames)
        for channel in 0..<channels {
            let base = samples + channel * stride + start + position
            (base + frames).update(from: base, count: count - position)
        }
        count += frames
    }

    /// Takes `frames` away at `position`.
    func close(_ frames: Int, at position: Int) {
        precondition(position >= 0 && frames >= 0 && position + frames <= count)
        for channel in 0..<channels {
            let base = samples + channel * stride + start + position
            base.update(from: base + frames, count: count - position - frames)
        }
        count -= frames
    }

    private func end(of channel: Int) -> UnsafeMutablePointer<Float> { samples + channel * stride + start + count }

    private func reserve(_ frames: Int) {
        guard start + count + frames > stride else { return }
        for channel in 0..<channels {
            let base = samples + channel * stride
            base.update(from: base + start, count: count)
        }
        start = 0
    }
}
