internal import DatagramIO
internal import Synchronization

/// What others want of the load's thread.
enum LoadCommand: Sendable {
    case open(PathPlan, done: @Sendable (LoadFailure?) -> Void)
    /// How many listeners have got something.
    case countServed(reply: @Sendable (Int) -> Void)
    case beginCheck
    case endCheck(reply: @Sendable (DeliveryCheck) -> Void)
    case stop
}

/// The way into the load's thread from any other.
final class LoadMailbox: Sendable {
    private struct State {
        var commands: [LoadCommand] = []
        /// Until the thread has a poller, nobody needs to wake it.
        var waker: Poller.Waker?
    }

    private let state = Mutex(State())

    func attach(_ waker: Poller.Waker) { state.withLock { $0.waker = waker } }

    func post(_ command: LoadCommand) {
        state.withLock {
            $0.commands.append(command)
            $0.waker?.wake()
        }
    }

    func take() -> [LoadCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Before the poller goes.
    func detach() { state.withLock { $0.waker = nil } }
}
