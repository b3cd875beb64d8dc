internal import CNet
internal import Platform

/// A named thread of the operating system. What `body` captures moves to it.
package final class WorkerThread: Sendable {
    private let id: UInt64
    private let isJoined = Atomic(false)

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// What waits for the thread.
    package enum Urgency: Sendable {
        case ordinary
        /// A loudspeaker or a microphone: late by a few milliseconds is a gap in the sound. The thread goes before others where
        /// the system permits, which it does for few accounts unasked (Debian: `LimitRTPRIO`, the group `audio`).
        case sound
    }

    /// `name`: the system keeps 15 characters.
    package init(
        name: String, urgency: Urgency = .ordinary, _ body: @escaping @Sendable () -> Void
    ) throws(SocketFailure) {
        let context = Unmanaged.passRetained(
            Body {
                if urgency == .sound { _ = cnet_thread_hurry() }
                body()
            })
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

    /// Waits until the thread has ended; from the second call on it returns at once. Not from the thread itself.
    package func join() {
        guard !isJoined.exchange(true, ordering: .acquiringAndReleasing) else { return }
        cnet_thread_join(id)
    }

    deinit { if !isJoined.load(ordering: .acquiring) { cnet_thread_detach(id) } }
}
