internal import Platform

/// Everything that happens from the moment of subscribing on, in order.
///
/// Each reading of an `events` property is a subscription of its own; read it with one `for try await` loop. The first
/// subscription of an object also gets what happened before it since the object came to be (unless that is more than
/// `backlogLimit`), so nothing falls between creating and subscribing.
///
/// No event is lost silently: a subscription whose reader falls `EventStream.limit` events behind ends with the error
/// `too_slow`. It ends without an error when nothing more can happen.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
    /// How far a reader may fall behind: half an hour of a lively room, and some 2 MB.
    public static var limit: Int { 8_192 }
    /// What is kept for a first subscription, which may never come.
    public static var backlogLimit: Int { 256 }

    let base: AsyncThrowingStream<Element, any Error>

    /// Reads one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Element, any Error>.Iterator

        /// The next event; `nil` when nothing more can happen or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(OvationError)
            -> Element?
        {
            do { return try await base.next(isolation: actor) } catch { throw OvationError.of(error) }
        }

        /// The next event; `nil` when nothing more can happen or the task was cancelled.
        public mutating func next() async throws(OvationError) -> Element? { try await next(isolation: nil) }
    }

    /// An iterator over the subscription.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}

/// Hands events to any number of subscriptions.
final class EventBroadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [Int: AsyncThrowingStream<Element, any Error>.Continuation] = [:]
        var next = 0
        /// What the first subscription will get too; `nil` once there has been one.
        var backlog: [Element]? = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Events of one broadcast are sent from one place at a time, so all subscriptions get them in the same order.
    ///
    /// The streams are fed without the lock: waking a reader waits for the lock of the reader's task, and whoever cancels that
    /// task holds it while the termination handler below waits for ours.
    func send(_ event: Element) {
        let subscribers = state.withLock { state in
            // Nobody listens, perhaps ever: what is kept for the first subscription has an end.
            if !state.isFinished, let kept = state.backlog?.count {
                if kept < EventStream<Element>.backlogLimit {
                    state.backlog?.append(event)
                } else {
                    state.backlog = nil
                }
            }
            return state.subscribers
        }
        for (number, subscriber) in subscribers {
            switch subscriber.yield(event) {
            case .dropped:
                remove(number)
                subscriber.finish(throwing: OvationError(.tooSlow))
            case .terminated: remove(number)
            case .enqueued: break
            @unknown default: break
            }
        }
    }

    private func remove(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }

    /// Nothing more will happen.
    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }

    func subscribe() -> EventStream<Element> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, throwing: (any Error).self,
            bufferingPolicy: .bufferingOldest(EventStream<Element>.limit))
        let number = state.withLock { state -> Int? in
            for event in state.backlog ?? [] { continuation.yield(event) }
            state.backlog = nil
            guard !state.isFinished else { return nil }
            state.next += 1
            state.subscribers[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return EventStream(base: stream)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return EventStream(base: stream)
    }
}
