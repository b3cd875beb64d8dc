import Dispatch
import Foundation
import HeapModule
package import RoomPorts
import Synchronization
package import Timing

/// Alarms of all rooms behind one timer of the system. One that is cancelled is gone at once, with all that it holds; the system's own
/// delayed blocks stay until their time, however long.
///
/// Sendable by this rule: the timer, which Dispatch does not mark, is made in `init` and touched under the lock alone.
package final class AlarmQueue: @unchecked Sendable {
    private struct Alarm: Comparable, Sendable {
        var at: Instant
        var number: UInt64
        static func < (a: Alarm, b: Alarm) -> Bool { (a.at, a.number) < (b.at, b.number) }
    }

    private struct State: Sendable {
        /// Numbers without an action have been cancelled.
        var heap = Heap<Alarm>()
        var actions: [UInt64: @Sendable () -> Void] = [:]
        var next: UInt64 = 0
        /// When the timer is set to ring.
        var armed = Instant.distantFuture
    }

    /// Cancelled alarms are swept out of the heap when they outnumber the others by this.
    private static let slack = 64
    /// A year; Dispatch counts in a signed 64-bit number of its own.
    private static let longest: Int64 = 365 * 86_400 * 1_000_000_000

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "ovation.clock")
    private let timer: any DispatchSourceTimer
    private let now: @Sendable () -> Instant

    package init(now: @escaping @Sendable () -> Instant) {
        self.now = now
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.ring() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// How many alarms wait, and how many places they take.
    package var counts: (waiting: Int, places: Int) { state.withLock { ($0.actions.count, $0.heap.count) } }

    package func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> RoomAlarm {
        let number = state.withLock { state in
            state.next += 1
            state.actions[state.next] = action
            state.heap.insert(Alarm(at: deadline, number: state.next))
            arm(&state)
            return state.next
        }
        return RoomAlarm { [weak self] in self?.cancel(number) }
    }

    private func cancel(_ number: UInt64) {
        state.withLock { state in
            guard state.actions.removeValue(forKey: number) != nil else { return }
            guard state.heap.count > 2 * state.actions.count + Self.slack else { return }
            state.heap = Heap(state.heap.unordered.filter { state.actions[$0.number] != nil })
        }
    }

    private func ring() {
        let due = state.withLock { state in
            let now = now()
            var due: [@Sendable () -> Void] = []
            while let first = state.heap.min, first.at <= now {
                state.heap.removeMin()
                if let action = state.actions.removeValue(forKey: first.number) { due.append(action) }
            }
            state.armed = .distantFuture
            arm(&state)
            return due
        }
        for action in due { action() }
    }

    private func arm(_ state: inout State) {
        while let first = state.heap.min, state.actions[first.number] == nil { state.heap.removeMin() }
        guard let first = state.heap.min, first.at < state.armed else { return }
        state.armed = first.at
        let wait = max(0, min((first.at - now()).nanoseconds, Self.longest))
        timer.schedule(deadline: .now() + .nanoseconds(Int(wait)))
    }
}
