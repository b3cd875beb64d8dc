internal import Platform

/// A state over time: the present value first, then each newer one. A reader that is slow skips to the newest, since a state
/// says all that led to it; whoever needs each single event reads `events`. It ends when the state can change no more.
public struct StateChanges<Element: Sendable>: AsyncSequence, Sendable {
    let base: AsyncStream<Element>
    /// What the state is of, kept as long as it is read.
    var owner: (any Sendable)?

    /// Reads one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<Element>.Iterator
        let owner: (any Sendable)?

        /// The newest value that has not been read; `nil` at the end or when the task was cancelled.
        @available(macOS 15, iOS 18, *)
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await base.next(isolation: actor)
        }

        /// The newest value that has not been read; `nil` at the end or when the task was cancelled.
        public mutating func next() async -> Element? {
            // Whoever reads is one task: nobody else touches it meanwhile. What it reads from is shared by its copies.
            nonisolated(unsafe) var reader = base
            return await reader.next()
        }
    }

    /// An iterator over the subscription.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator(), owner: owner) }
}

/// A value that is read from any thread and set from one, with its subscriptions.
final class StateBox<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var value: Value
        var subscribers: [Int: AsyncStream<Value>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Does nothing if it is the same. The streams are fed without the lock, as in ``EventBroadcast``.
    func set(_ value: Value) {
        let subscribers = state.withLock { state -> [Int: AsyncStream<Value>.Continuation] in
            guard state.value != value else { return [:] }
            state.value = value
            return state.subscribers
        }
        for subscriber in subscribers.values { subscriber.yield(value) }
    }

    /// It will not change any more.
    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }

    /// - Parameter owner: kept by the subscription.
    func subscribe(of owner: (any Sendable)? = nil) -> StateChanges<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            continuation.yield(state.value)
            guard !state.isFinished else { return nil }
            state.next += 1
            state.subscribers[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return StateChanges(base: stream, owner: owner)
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.subscribers[number] = nil } }
        return StateChanges(base: stream, owner: owner)
    }

    /// The value now and after each interval, changed or not, until it can change no more.
    func readings(every interval: Duration) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        // Ends with the value, or with its reader.
        let reading = Task {
            while !Task.isCancelled, !isFinished {
                continuation.yield(value)
                // The interval itself; cut short when the reader goes.
                try? await Task.sleep(for: interval)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in reading.cancel() }
        return stream
    }
}
