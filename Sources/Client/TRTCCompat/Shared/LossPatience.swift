internal import Platform

/// How long a lost connection is waited for before its room is left.
final class LossPatience: Sendable {
    /// As the published component has it.
    static let milliseconds = 120_000

    private let clock: DelayClock
    private let timer = Mutex<DelayClock.Cancel?>(nil)

    init(_ clock: DelayClock) { self.clock = clock }

    /// - Parameter isOver: called unless the connection is back before.
    func begin(_ isOver: @escaping @Sendable () -> Void) {
        let cancel = clock.after(Self.milliseconds) { [weak self] in
            if self?.end() ?? false { isOver() }
        }
        timer.withLock { timer in
            timer?()
            timer = cancel
        }
    }

    /// - Returns: whether it was waited for.
    @discardableResult
    func end() -> Bool {
        let cancel = timer.withLock { $0.take() }
        cancel?()
        return cancel != nil
    }
}
