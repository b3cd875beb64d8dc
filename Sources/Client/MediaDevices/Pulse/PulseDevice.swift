internal import AudioGraph
internal import DatagramIO
internal import Glibc
internal import Platform
internal import Timing

/// What both directions share: the connection and the thread while the device runs.
final class PulseDevice: Sendable {
    /// One time from start to stop.
    private final class Run: Sendable {
        let connection: PulseConnection
        let isStopping = Atomic(false)
        let identity = Atomic<UInt>(0)

        init(_ connection: PulseConnection) { self.connection = connection }
    }

    private struct State {
        var run: Run?
        var thread: WorkerThread?
    }

    private let name: String
    private let server: String?
    private let onFailure: @Sendable (DeviceError) -> Void
    /// Held while the device starts and for looks, never while sound is worked on.
    private let state = Mutex(State())

    init(name: String, server: String?, onFailure: @escaping @Sendable (DeviceError) -> Void) {
        self.name = name
        self.server = server
        self.onFailure = onFailure
    }

    deinit { stop() }

    /// `open` sets up the stream. `makeBody` runs on the new thread; its result is called after every turn of the loop. If the
    /// connection breaks, the thread ends with `onFailure`.
    func start(
        channels: Int, framesPerBlock: Int, open: (PulseConnection) throws(DeviceError) -> Void,
        makeBody: @escaping @Sendable (PulseConnection) -> () throws(DeviceError) -> Void
    ) throws(DeviceError) {
        try DeviceBlock.check(channels: channels, framesPerBlock: framesPerBlock)
        try begin()
        do {
            let connection = try PulseConnection(server: server)
            try open(connection)
            try launch(Run(connection), makeBody: makeBody)
        } catch {
            isBusy.store(false, ordering: .releasing)
            throw error
        }
    }

    /// From the first step of `start` to the last of `stop`.
    private let isBusy = Atomic(false)

    private func begin() throws(DeviceError) {
        guard !isBusy.exchange(true, ordering: .acquiringAndReleasing) else {
            throw DeviceError(.alreadyStarted, "the device \(name) is already running")
        }
    }

    private func launch(
        _ run: Run, makeBody: @escaping @Sendable (PulseConnection) -> () throws(DeviceError) -> Void
    ) throws(DeviceError) {
        let onFailure = onFailure
        let thread: WorkerThread
        do {
            thread = try WorkerThread(name: name, urgency: .sound) {
                run.identity.store(UInt(pthread_self()), ordering: .releasing)
                let body = makeBody(run.connection)
                do throws(DeviceError) {
                    while !run.isStopping.load(ordering: .acquiring) {
                        try run.connection.turn()
                        try body()
                    }
                } catch {
                    if !run.isStopping.load(ordering: .acquiring) { onFailure(error) }
                }
            }
        } catch {
            throw DeviceError(.thread, "no thread for a sound device: \(error)")
        }
        state.withLock {
            $0.run = run
            $0.thread = thread
        }
    }

    func stop() {
        let (run, thread) = state.withLock { state in (state.run.take(), state.thread.take()) }
        guard let run else { return }
        run.isStopping.store(true, ordering: .releasing)
        run.connection.wake()
        if run.identity.load(ordering: .acquiring) != UInt(pthread_self()) { thread?.join() }
        isBusy.store(false, ordering: .releasing)
    }
}
