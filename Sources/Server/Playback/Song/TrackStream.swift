internal import AudioGraph
internal import DatagramIO
internal import MediaCodecs
internal import Synchronization
internal import Timing

/// The sound of a file, decoded ahead by a process of its own (`Inspection`) and read from it on a thread of its own: what a stranger's
/// file does to its decoder it does not do to the server.
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
    private let process = Mutex<InspectorProcess?>(nil)
    private let poller: Poller

    /// Opens the file on the new thread; `failed` is called there if it cannot be read.
    static func open(
        _ location: String, at position: Int, by executable: String, failed: @escaping @Sendable (CodecError) -> Void
    ) throws(SocketFailure) -> TrackStream {
        let stream = try TrackStream(at: position)
        _ = try WorkerThread(name: "song") { stream.run(location, position, executable, failed) }
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

    private func run(
        _ location: String, _ position: Int, _ executable: String, _ failed: (CodecError) -> Void
    ) {
        do throws(CodecError) { try stream(location, position, executable) } catch {
            if !isClosed.load(ordering: .acquiring) { failed(error) }
        }
        process.withLock { $0 }?.end()
        process.withLock { $0 = nil }
        isFinished.store(true, ordering: .releasing)
    }

    private func stream(_ location: String, _ position: Int, _ executable: String) throws(CodecError) {
        let process: InspectorProcess
        do throws(InspectorProcess.Failure) {
            process = try InspectorProcess(executable: executable, ["decode", String(position)], file: location)
        } catch {
            throw CodecError(.cannotOpen, "cannot open \(location)")
        }
        self.process.withLock { $0 = process }
        if isClosed.load(ordering: .acquiring) { return }
        var start: Int64 = 0
        let isStarted = withUnsafeMutableBytes(of: &start) { process.read(into: $0) == $0.count }
        if isStarted {
            first.store(Int(Int64(littleEndian: start)), ordering: .releasing)
            read(process)
        }
        // Whoever closed it has heard enough.
        if isClosed.load(ordering: .acquiring) { return }
        switch process.result(within: 1_000) {
        // All that it had to say has been read.
        case .ended(.done), .outOfTime: break
        case .ended(.noLibrary):
            throw CodecError(.libraryMissing, "sound files are read with FFmpeg: install libavformat")
        case .ended(.unconfined): throw CodecError(.cannotOpen, "this system does not let readers of files be confined")
        case .ended(.usage), .ended(.unreadable), .ended(.tooLarge), .broken:
            throw CodecError(.malformed, "cannot read \(location)")
        }
    }

    private func read(_ process: InspectorProcess) {
        let block = AudioBuffer(channels: 2, capacity: Self.blockFrames)
        var frames = [Float](repeating: 0, count: 2 * Self.blockFrames)
        while !isClosed.load(ordering: .acquiring) {
            guard room >= Self.blockFrames else {
                waitForRoom()
                continue
            }
            let count = frames.withUnsafeMutableBytes { process.read(into: $0) } / 8
            guard count > 0 else { return }
            block.frameCount = count
            for frame in 0..<count {
                block[0][frame] = Self.finite(frames[2 * frame])
                block[1][frame] = Self.finite(frames[2 * frame + 1])
            }
            append(block)
        }
    }

    /// What a decoder makes of a broken file need not be a number.
    private static func finite(_ sample: Float) -> Float { sample.isFinite ? max(-4, min(4, sample)) : 0 }

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
        process.withLock { $0 }?.cancel()
        poller.waker.wake()
    }
}
