internal import AudioGraph

/// A track's decoded sound around the place where it is heard: some of the past for those who publish it (what was sung
/// now belongs to music that was heard a moment ago), some of the future so that nobody waits for a file.
///
/// Frames are counted from the track's beginning and never renumbered. Not thread-safe.
final class TrackRing {
    /// 1.4 s; a power of two.
    static let capacity = 1 << 16
    /// Over so many frames old sound fades into new at a splice.
    static let fadeFrames = 240

    /// The frame after the last one there is.
    private(set) var end: Int64 = 0
    private let left = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
    private let right = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
    /// Which place of the song a frame is, by stretches in rising order.
    private(set) var segments: [Segment] = []

    struct Segment {
        var start: Int64
        /// Song position at `start`, in frames.
        var position: Double
        /// Frames of the song per frame of sound.
        var speed: Double
    }

    init() {
        left.initialize(repeating: 0, count: Self.capacity)
        right.initialize(repeating: 0, count: Self.capacity)
        segments.reserveCapacity(16)
    }

    deinit {
        left.deallocate()
        right.deallocate()
    }

    private func place(_ frame: Int64) -> Int { Int(frame & Int64(Self.capacity - 1)) }

    func append(_ block: AudioBuffer, _ range: Range<Int>) {
        let (first, second) = (block[0], block[block.channels > 1 ? 1 : 0])
        for index in range {
            left[place(end)] = first[index]
            right[place(end)] = second[index]
            end += 1
        }
    }

    /// Throws away what follows `frame` and goes on with the block: its beginning fades in over the old sound.
    func splice(at frame: Int64, _ block: AudioBuffer) {
        let start = min(max(frame, end - Int64(Self.capacity)), end)
        let (first, second) = (block[0], block[block.channels > 1 ? 1 : 0])
        let oldEnd = end
        for index in 0..<block.frameCount {
            let at = start + Int64(index)
            let share = index < Self.fadeFrames ? (Float(index) + 0.5) / Float(Self.fadeFrames) : 1
            let keepsOld = share < 1 && at < oldEnd
            let place = place(at)
            left[place] = first[index] * share + (keepsOld ? left[place] * (1 - share) : 0)
            right[place] = second[index] * share + (keepsOld ? right[place] * (1 - share) : 0)
        }
        end = start + Int64(block.frameCount)
        segments.removeAll { $0.start >= start }
    }

    func add(segment: Segment) {
        segments.removeAll { $0.start >= segment.start }
        segments.append(segment)
        // What has been written over can go, but for the stretch that is still in use.
        while segments.count > 1, segments[1].start < end - Int64(Self.capacity) { segments.removeFirst() }
    }

    /// A loop, since this runs on device threads, where closures may cost memory.
    private func segment(around frame: Int64) -> Segment? {
        var index = segments.count - 1
        while index > 0, segments[index].start > frame { index -= 1 }
        return index >= 0 ? segments[index] : nil
    }

    /// Song position in frames.
    func position(of frame: Int64) -> Double {
        guard let segment = segment(around: frame) else { return 0 }
        return segment.position + Double(frame - segment.start) * segment.speed
    }

    /// The frame at which a song position of the stretch around `near` is heard.
    func frame(of position: Double, near: Int64) -> Int64? {
        guard let segment = segment(around: near) else { return nil }
        return segment.start + Int64(((position - segment.position) / segment.speed).rounded())
    }

    /// Fills `block` from `range`, which may be a little longer or shorter: it is then stretched to fit. What is not there is
    /// silence.
    func read(_ first: Int64, count: Int, into block: AudioBuffer) {
        let frames = block.frameCount
        guard frames > 0 else { return }
        let (a, b) = (block[0], block[block.channels > 1 ? 1 : 0])
        if count == frames {
            for index in 0..<frames {
                let at = first + Int64(index)
                let isThere = at < end && at >= end - Int64(Self.capacity) && at >= 0
                a[index] = isThere ? left[place(at)] : 0
                b[index] = isThere ? right[place(at)] : 0
            }
            return
        }
        let step = Double(count) / Double(frames)
        for index in 0..<frames {
            let exact = Double(index) * step
            let at = first + Int64(exact)
            let part = Float(exact - exact.rounded(.down))
            guard at >= 0, at >= end - Int64(Self.capacity), at + 1 < end else {
                a[index] = 0
                b[index] = 0
                continue
            }
            a[index] = left[place(at)] * (1 - part) + left[place(at + 1)] * part
            b[index] = right[place(at)] * (1 - part) + right[place(at + 1)] * part
        }
    }
}
