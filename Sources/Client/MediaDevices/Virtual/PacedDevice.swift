internal import AudioGraph
internal import Platform
internal import Timing

/// What all devices without hardware share: the clock, its rate, and the thread while they run.
final class PacedDevice: Sendable {
    private struct State {
        var thread: PacedThread?
        var ratePPM: Double
        var skippedBefore = 0
    }

    private let name: String
    private let edge: BlockPacer.Edge
    private let clock: any DeviceClock
    /// Held for the time of a look or a start, never while a block is worked on.
    private let state: Mutex<State>

    init(name: String, edge: BlockPacer.Edge, ratePPM: Double, clock: any DeviceClock) {
        self.name = name
        self.edge = edge
        self.clock = clock
        state = Mutex(State(ratePPM: ratePPM))
    }

    var ratePPM: Double {
        get { state.withLock { $0.ratePPM } }
        set {
            state.withLock {
                $0.ratePPM = newValue
                $0.thread?.ratePPM = newValue
            }
        }
    }

    var isRunning: Bool { state.withLock { $0.thread != nil } }

    var skippedBlocks: Int { state.withLock { $0.skippedBefore + ($0.thread?.skippedBlocks ?? 0) } }

    /// `makeBody` runs on the new thread; its result gets each block, silent and of the length asked for.
    func start(
        channels: Int, framesPerBlock: Int, makeBody: @escaping @Sendable () -> (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        try DeviceBlock.check(channels: channels, framesPerBlock: framesPerBlock)
        let outcome = state.withLock { state -> Result<Void, DeviceError> in
            guard state.thread == nil else {
                return .failure(DeviceError(.alreadyStarted, "the device \(name) is already running"))
            }
            do throws(DeviceError) {
                state.thread = try PacedThread(
                    name: name, framesPerBlock: framesPerBlock, edge: edge, ratePPM: state.ratePPM, clock: clock
                ) {
                    let block = AudioBuffer(channels: channels, capacity: framesPerBlock)
                    let body = makeBody()
                    return { begin in
                        block.frameCount = framesPerBlock
                        block.clear()
                        body(block, begin)
                    }
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    func stop() {
        let thread = state.withLock { state -> PacedThread? in
            state.skippedBefore += state.thread?.skippedBlocks ?? 0
            return state.thread.take()
        }
        thread?.stop()
    }

    deinit { stop() }
}
