internal import Forwarding
internal import Timing

/// What is told once everything that was queued before has left this host or been dropped: whoever lost a right is silent by then.
struct Confirmations {
    private enum Told {
        case done(@Sendable () -> Void)
        /// Homes are told how far their followers have come.
        case cuts(CutFollower, UInt64)
    }

    private var waiting: ContiguousArray<(told: Told, since: Instant?)> = []

    mutating func append(_ done: @escaping @Sendable () -> Void) { waiting.append((.done(done), nil)) }

    mutating func append(contentsOf done: [@Sendable () -> Void]) { for each in done { append(each) } }

    mutating func append(_ follower: CutFollower, _ cuts: UInt64) { waiting.append((.cuts(follower, cuts), nil)) }

    /// Tells whom nothing from before holds up.
    /// - Parameter waitsSince: since when the oldest of what was queued waits; nil if everything has left.
    mutating func tell(at now: Instant, waitsSince: Instant?) {
        guard !waiting.isEmpty else { return }
        var due = 0
        for index in waiting.indices {
            let since = waiting[index].since ?? now
            waiting[index].since = since
            if due == index, waitsSince.map({ $0 > since }) ?? true { due += 1 }
        }
        let told = waiting[..<due]
        waiting.removeFirst(due)
        for (entry, _) in told { Self.tell(entry) }
    }

    /// Tells everybody: nothing leaves any more.
    mutating func tellAll() {
        let told = waiting
        waiting = []
        for (entry, _) in told { Self.tell(entry) }
    }

    private static func tell(_ told: Told) {
        switch told {
        case .done(let done): done()
        case .cuts(let follower, let cuts): follower.confirm(cuts)
        }
    }
}
