internal import CNet

/// A named thread of the operating system. What `body` captures moves to it; `join` gives it back.
package final class WorkerThread: Sendable {
    private let id: UInt64

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `name`: the system keeps 15 characters.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SocketFailure) {
        let context = Unmanaged.passRetained(Body(run: body))
        var id: UInt64 = 0
        let result = cnet_thread_start(
            name,
            { context in
                guard let context else { return }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }, context.toOpaque(), &id)
        guard result == 0 else {
            context.release()
            throw SocketFailure(.thread, code: -result)
        }
        self.id = id
    }

    /// Waits until the thread has ended. To be called exactly once.
    package func join() { cnet_thread_join(id) }
}
