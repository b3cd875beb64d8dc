internal import Platform

/// With which a waiting call can be called off, from any thread.
final class CallToken: Sendable {
    private let cancelled = Mutex(false)
    var isCancelled: Bool { cancelled.withLock { $0 } }
    func cancel() { cancelled.withLock { $0 = true } }
}
