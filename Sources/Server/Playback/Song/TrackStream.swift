internal import AudioGraph
internal import DatagramIO
internal import MediaCodecs
internal import Synchronization
internal import Timing

/// The sound of a file, read and decoded ahead on a thread of its own.
///
/// Sendable by this rule: the reading thread writes samples between `written` and `read` + capacity, the mixing thread
/// reads those between `read` and `written`; the counts are published with release and read with acquire. `skipping` and
/// everything else that changes belongs to the mixing thread.
final class TrackStream: SongSound, @unchecked Sendable {
    /// 2.7 s ahead: a disk that is busy, a server that hesitates. A power of two.
    private static let capacity = 131_072
    /// Read at once; 100 ms.
    private static let blockFrames = 4_800
    /// Somebody waits for the ring to have room: looked at again after this at the latest.
    private static let pause = Interval.milliseconds(500)

    private let samples: UnsafeMutablePointer<Float>
    /// Frames, counted from `first`.
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)
    /// The song's position of the first frame; known with the first one written.
    private let first: Atomic<Int>
    private let isFinished = Atomic(false)
    private let isClosed = Atomic(false)
    private let isWaiting = Atomic(false)
    private let cancellation = ReadCancellation()
    private let poller: Poller

    /// Opens the file on the new thread; `failed` is called there if it cannot be read.
    static func open(
        _ location: String, at position: Int, failed: @escaping @Sendable (CodecError) -> Void
    ) throws(SocketFailure) -> TrackStream {
        let stream = try TrackStream(at: position)
        _ = try WorkerThread(name: "song") { stream.run(location, position, failed) }
        return stream
    }

    private init(at position: Int) throws(SocketFailure) {
        poller = try Poller()
        first = Atomic(position)
        samples = .allocate(capacity: 2 * Self.capacity)
        samples.initialize(repeating: 0, count: 2 * Self.capacity)
    }

    deinit { samples.deallocate() }

    // MARK: The reading thread

    private func run(_ location: String, _ position: Int, _ failed: (CodecError) -> Void) {
        do throws(CodecError) {
            let reader = try AudioFileReader(location, cancellation: cancellation)
            if position > 0 {
                try reader.seek(toSeconds: Double(position) / Double(AudioRate.standard))
                first.store(Int((reader.position * Double(AudioRate.standard)).rounded()), ordering: .releasing)
            }
            let block = AudioBuffer(channels: 2, capacity: Self.blockFrames)
            while !isClosed.load(ordering: .acquiring) {
                guard room >= Self.blockFrames else {
                    waitForRoom()
                    continue
                }
                guard try reader.read(into: block) > 0 else { break }
                append(block)
            }
        } catch {
            if error.kind != .cancelled { failed(error) }
        }
        isFinished.store(true, ordering: .releasing)
    }

    private var room: Int {
        Self.capacity - (written.load(ordering: .relaxed) - taken.load(ordering: .sequentiallyConsistent))
    }

    private func waitForRoom() {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        guard room < Self.blockFrames else { return }
        let now = SystemClock.now()
        _ = poller.wait(until: now + Self.pause, now: now)
    }

    private func append(_ block: AudioBuffer) {
        let end = written.load(ordering: .relaxed)
        for channel in 0..<2 {
            let plane = samples + channel * Self.capacity
            let sound = block[channel]
            for frame in 0..<block.frameCount { plane[(end + frame) & (Self.capacity - 1)] = sound[frame] }
        }
        written.store(end + block.frameCount, ordering: .releasing)
    }

    // MARK: The mixing thread

    package func isReady(at position: Int) -> Bool {
        let isAtEnd = isFinished.load(ordering: .acquiring)
        return isAtEnd || first.load(ordering: .acquiring) + written.load(ordering: .acquiring) > position
    }

    package func read(_ block: AudioBuffer, at position: Int) -> Int {
        // Before the count: what is finished now has written all that it ever will.
        let isAtEnd = isFinished.load(ordering: .acquiring)
        let end = written.load(ordering: .acquiring)
        let start = first.load(ordering: .acquiring)
        block.clear()
        let wanted = position - start
        let known =
            max(
                wanted, taken.load(ordering: .relaxed))..<max(
                wanted, taken.load(ordering: .relaxed), min(end, wanted + block.frameCount))
        for channel in 0..<2 {
            let plane = samples + channel * Self.capacity
            let sound = block[channel]
            for frame in known where frame - wanted < block.frameCount {
                sound[frame - wanted] = plane[frame & (Self.capacity - 1)]
            }
        }
        let done = min(end, max(taken.load(ordering: .relaxed), wanted + block.frameCount))
        taken.store(done, ordering: .sequentiallyConsistent)
        if end - done < Self.capacity / 2, isWaiting.load(ordering: .sequentiallyConsistent),
            isWaiting.exchange(false, ordering: .sequentiallyConsistent)
        {
            poller.waker.wake()
        }
        return isAtEnd ? 0 : max(0, min(block.frameCount, wanted + block.frameCount - end))
    }

    package func close() {
        isClosed.store(true, ordering: .releasing)
        cancellation.cancel()
        poller.waker.wake()
    }
}
