internal import DatagramIO
internal import Synchronization

/// The way into a media worker from any thread: a lock for a queue, and a wake for the poller.
final class Mailbox: Sendable {
    private struct State {
        var commands: [WorkerCommand] = []
        var waker: Poller.Waker
        var isClosed = false
    }

    private let state: Mutex<State>
    /// The worker waits, or is about to.
    private let isAsleep = Atomic(false)

    init(waker: Poller.Waker) { state = Mutex(State(waker: waker)) }

    /// False if the worker has stopped: the command will never be looked at.
    func post(_ command: WorkerCommand) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            // A worker that has commands has been woken already. Waking under the lock keeps the poller alive meanwhile.
            if state.commands.count == 1 { state.waker.wake() }
            return true
        }
    }

    /// Lets the worker look around, at its feeds for example.
    func wake() { state.withLock { if !$0.isClosed { $0.waker.wake() } } }

    /// The same for every packet that is put on a way into the worker: costs nothing while it is awake.
    func ring() {
        guard isAsleep.load(ordering: .sequentiallyConsistent) else { return }
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { wake() }
    }

    /// From now on `ring` wakes the worker, which looks once more before it waits. For the worker.
    func fallAsleep() { isAsleep.store(true, ordering: .sequentiallyConsistent) }

    /// `ring` does nothing. For the worker.
    func stayAwake() { isAsleep.store(false, ordering: .sequentiallyConsistent) }

    /// Everything posted since the last call. For the worker.
    func take() -> [WorkerCommand] {
        state.withLock { state in
            guard !state.commands.isEmpty else { return [] }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Takes what is left and refuses everything from now on. For the worker, before its poller goes.
    func close() -> [WorkerCommand] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}
