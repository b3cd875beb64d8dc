internal import Platform

/// Everything that happens from the moment of subscribing on, in order.
///
/// Each reading of an `events` property, and each call of `events(replay:)`, is a subscription of its own; read it with one
/// `for try await` loop. With `events(replay: .all)` it begins with what happened before.
///
/// No event is lost silently: a subscription whose reader falls `EventStream.limit` events behind ends with the error
/// `too_slow`. It ends without an error when nothing more can happen.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
    /// How far a reader may fall behind: half an hour of a lively room, and some 2 MB.
    public static var limit: Int { 8_192 }
    /// So many events are kept for `events(replay: .all)`, the last ones.
    public static var replayLimit: Int { 256 }

    let base: AsyncThrowingStream<Element, any Error>
    /// What the events come from, kept as long as they are read.
    var owner: (any Sendable)?

    /// Reads one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Element, any Error>.Iterator
        let owner: (any Sendable)?

        /// The next event; `nil` when nothing more can happen or the task was cancelled.
        @available(macOS 15, iOS 18, *)
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(OvationError)
            -> Element?
        {
            do { return try await base.next(isolation: actor) } catch { throw OvationError.of(error) }
        }

        /// The next event; `nil` when nothing more can happen or the task was cancelled.
        public mutating func next() async throws(OvationError) -> Element? {
            // Whoever reads is one task: nobody else touches it meanwhile. What it reads from is shared by its copies.
            nonisolated(unsafe) var reader = base
            do { return try await reader.next() } catch { throw OvationError.of(error) }
        }
    }

    /// An iterator over the subscription.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator(), owner: owner) }
}

/// What a subscription begins with.
@nonexhaustive public enum EventReplay: Sendable, Hashable {
    /// With what happens next.
    case none
    /// With what has happened since the object came to be, of that the last `EventStream.replayLimit` events: nothing falls between
    /// entering a room and subscribing.
    case all
}

/// Hands events to any number of subscriptions.
final class EventBroadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [Int: AsyncThrowingStream<Element, any Error>.Continuation] = [:]
        var next = 0
        /// The last events, a ring once it is full.
        var past: [Element] = []
        var oldest = 0
        var isFinished = false

        mutating func keep(_ event: Element) {
            guard past.count == EventStream<Element>.replayLimit else { return past.append(event) }
            past[oldest] = event
            oldest = (oldest + 1) % past.count
        }
    }

    private let state = Mutex(State())

    /// Events of one broadcast are sent from one place at a time, so all subscriptions get them in the same order.
    ///
    /// The streams are fed without the lock: waking a reader waits for the lock of the reader's task, and whoever cancels that
    /// task holds it while the termination handler below waits for ours.
    func send(_ event: Element) {
        let subscribers = state.withLock { state in
            if !state.isFinished { state.keep(event) }
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

    /// - Parameter owner: kept by the subscription.
    func subscribe(_ replay: EventReplay = .none, of owner: (any Sendable)? = nil) -> EventStream<Element> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, throwing: (any Error).self,
            bufferingPolicy: .bufferingOldest(EventStream<Element>.limit))
        let number = state.withLock { state -> Int? in
            if replay == .all {
                for event in state.past[state.oldest...] + state.past[..<state.oldest] { continuation.yield(event) }
            }
            guard !state.isFinished else { return nil }
            state.next += 1
            state.subscribers[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return EventStream(base: stream, owner: owner)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return EventStream(base: stream, owner: owner)
    }
}
