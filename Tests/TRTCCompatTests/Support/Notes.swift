import Dispatch
import Synchronization

/// What somebody heard, line by line, in order; tests wait for lines.
final class Notes: Sendable {
    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    private struct Waiter {
        var isReady: @Sendable ([String]) -> Bool
        var done: @Sendable (Bool) -> Void
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    /// A wait that takes longer than this has failed; no test depends on how long it really takes.
    private static let patience = 60

    private let state = Mutex(State())

    func write(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let lines = state.lines
            let ready = state.waiters.filter { $0.value.isReady(lines) }
            for number in ready.keys { state.waiters[number] = nil }
            return Array(ready.values)
        }
        for waiter in ready { waiter.done(true) }
    }

    var lines: [String] { state.withLock { $0.lines } }

    /// Forgets what was heard so far.
    func clear() { state.withLock { $0.lines = [] } }

    /// The first line that begins so, heard already or to come.
    @discardableResult
    func line(_ prefix: String) async throws -> String {
        try await wait(prefix) { $0.contains { $0.hasPrefix(prefix) } }
        return lines.first { $0.hasPrefix(prefix) } ?? ""
    }

    /// The first line that fits, heard already or to come.
    @discardableResult
    func line(_ what: String, where fits: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await wait(what) { $0.contains(where: fits) }
        return lines.first(where: fits) ?? ""
    }

    /// Waits until what was heard fits.
    func until(_ what: String, _ fits: @escaping @Sendable ([String]) -> Bool) async throws {
        try await wait(what, until: fits)
    }

    /// Waits until exactly these lines stand at the end, once so many have been heard.
    func last(_ lines: [String]) async throws -> [String] {
        try await wait(lines.joined(separator: "; ")) { $0.count >= lines.count && $0.suffix(1) == lines.suffix(1) }
        return Array(self.lines.suffix(lines.count))
    }

    private func wait(_ what: String, until isReady: @escaping @Sendable ([String]) -> Bool) async throws {
        let heard = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let number = state.withLock { state -> Int? in
                if isReady(state.lines) { return nil }
                state.next += 1
                state.waiters[state.next] = Waiter(isReady: isReady) { continuation.resume(returning: $0) }
                return state.next
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.patience)) { [self] in
                state.withLock { $0.waiters.removeValue(forKey: number) }?.done(false)
            }
        }
        if !heard { throw Missing(description: "waited in vain for \(what); heard \(lines.joined(separator: "\n"))") }
    }
}
