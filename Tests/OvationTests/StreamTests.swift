import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Ovation

/// What a reader of `events` or `stateChanges` may do while something is told.
///
/// Waking a reader takes the lock of the reader's task. Whoever cancels that task holds this lock and ends the subscription, which
/// takes the lock of the broadcast. So nothing may be told under the lock of the broadcast: each side would wait for the other.
@Suite struct StreamTests {
    @Test("a reader may be cancelled while an event is told: neither waits for the other")
    func cancelledWhileToldAnEvent() async throws {
        let broadcast = EventBroadcast<Int>()
        let events = broadcast.subscribe()
        let executor = LookingExecutor { _ = broadcast.subscribe() }
        let read = Task(executorPreference: executor) {
            for try await event in events { return event }
            return 0
        }
        await executor.waitsForATelling()
        broadcast.send(1)
        #expect(try await read.value == 1)
        #expect(executor.findings.first == .free)
    }

    @Test("a reader may be cancelled while a state is told: neither waits for the other")
    func cancelledWhileToldAState() async {
        let box = StateBox(0)
        let states = box.subscribe()
        let executor = LookingExecutor { _ = box.value }
        let read = Task(executorPreference: executor) {
            var reading = states.makeAsyncIterator()
            _ = await reading.next()
            return await reading.next()
        }
        await executor.waitsForATelling()
        box.set(1)
        #expect(await read.value == 1)
        #expect(executor.findings.first == .free)
    }
}

/// Runs one task, and looks at the moment at which something told wakes it whether the lock of what told is free.
private final class LookingExecutor: TaskExecutor {
    enum Finding { case free, held }

    private struct State {
        var isLooking = false
        var findings: [Finding] = []
    }

    /// Only a fault takes so long.
    private static let patience = DispatchTimeInterval.seconds(60)

    private let state = Mutex(State())
    private let look: @Sendable () -> Void
    private let queue = DispatchQueue(label: "reader")
    private let (begun, beginning) = AsyncStream.makeStream(of: Void.self)

    /// - Parameter look: takes the lock and releases it.
    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    var findings: [Finding] { state.withLock { $0.findings } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if state.withLock({ $0.isLooking }) {
            let isFree = DispatchSemaphore(value: 0)
            // A thread of its own: those that the process shares may all be busy with other tests.
            Thread.detachNewThread { [look] in
                look()
                isFree.signal()
            }
            let finding = isFree.wait(timeout: .now() + Self.patience) == .success ? Finding.free : .held
            state.withLock { $0.findings.append(finding) }
        }
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        beginning.yield()
    }

    /// Returns when the task has run until it waits for something to be told; from then on each waking is looked at.
    func waitsForATelling() async {
        for await _ in begun { break }
        await withCheckedContinuation { continuation in
            queue.async {
                self.state.withLock { $0.isLooking = true }
                continuation.resume()
            }
        }
    }
}
