internal import DatagramIO
internal import Glibc
internal import Platform
package import Timing

/// A thread that does something for each block of a device without hardware, at the time it is due.
package final class PacedThread: Sendable {
    /// What is asked for from outside and told to the outside while the thread runs.
    private final class Control: Sendable {
        let isStopping = Atomic(false)
        let rate: Atomic<UInt64>
        let skipped = Atomic(0)
        /// The thread itself, to be told apart from others; 0 before it runs.
        let identity = Atomic<UInt>(0)

        init(ratePPM: Double) { rate = Atomic(ratePPM.bitPattern) }
    }

    private let control: Control
    private let thread: WorkerThread

    /// `makeBody` runs on the thread and makes what is then called with the beginning of each block. What the body holds is
    /// released on the thread, before `stop()` returns. `name`: the system keeps 15 characters.
    package init(
        name: String, framesPerBlock: Int, edge: BlockPacer.Edge, ratePPM: Double, clock: any DeviceClock,
        makeBody: @escaping @Sendable () -> (Instant) -> Void
    ) throws(DeviceError) {
        let control = Control(ratePPM: ratePPM)
        self.control = control
        // From now, not from when the thread comes to run.
        let start = clock.now()
        do {
            thread = try WorkerThread(name: name, urgency: .sound) {
                control.identity.store(UInt(pthread_self()), ordering: .releasing)
                var pacer = BlockPacer(framesPerBlock: framesPerBlock, edge: edge, start: start, ratePPM: ratePPM)
                Self.run(&pacer, clock: clock, control: control, body: makeBody())
            }
        } catch {
            throw DeviceError(.thread, "no thread for a sound device: \(error)")
        }
    }

    private static func run(
        _ pacer: inout BlockPacer, clock: any DeviceClock, control: Control, body: (Instant) -> Void
    ) {
        while !control.isStopping.load(ordering: .acquiring) {
            clock.wait(until: pacer.deadline)
            let now = clock.now()
            pacer.skip(at: now)
            control.skipped.store(pacer.skippedBlocks, ordering: .relaxed)
            while !control.isStopping.load(ordering: .acquiring), let begin = pacer.take(at: now) { body(begin) }
            pacer.ratePPM = Double(bitPattern: control.rate.load(ordering: .relaxed))
        }
    }

    /// By how many parts per million the device is faster than its clock, from the next block on.
    package var ratePPM: Double {
        get { Double(bitPattern: control.rate.load(ordering: .relaxed)) }
        set { control.rate.store(newValue.bitPattern, ordering: .relaxed) }
    }

    /// How many blocks never were because the thread did not get to run.
    package var skippedBlocks: Int { control.skipped.load(ordering: .relaxed) }

    /// Returns when the body will not be called again; from within the body at once. Idempotent.
    package func stop() {
        control.isStopping.store(true, ordering: .releasing)
        if control.identity.load(ordering: .acquiring) != UInt(pthread_self()) { thread.join() }
    }
}
