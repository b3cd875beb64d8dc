internal import Glibc
internal import Timing

/// The order and age of queued datagrams, and what the kernel's answers mean for them. The datagrams themselves stand in a
/// batch with the same slot numbers; the system call is passed in, so that its refusals can be played in tests.
final class SendRing {
    /// A power of two.
    static let slots = 1024
    /// While the kernel takes nothing, so many datagrams may wait; then the oldest go. One slot is always free, so that asking for
    /// one costs nobody theirs.
    static let capacity = slots - 1
    /// Sound that waited for longer in this host is worth less than the room it takes.
    static let maximumDelay = Interval.milliseconds(20)

    struct Stats: Sendable, Hashable {
        var sent: UInt64 = 0
        var droppedLate: UInt64 = 0
        var droppedTooLarge: UInt64 = 0
        var droppedRefused: UInt64 = 0
    }

    private(set) var stats = Stats()
    /// Number of datagrams that wait.
    private(set) var count = 0
    /// The kernel refused to take more.
    private(set) var isBlocked = false
    private var head = 0
    private let committedAt: UnsafeMutablePointer<Instant>

    init() {
        committedAt = .allocate(capacity: Self.slots)
        committedAt.initialize(repeating: .distantPast, count: Self.slots)
    }

    deinit { committedAt.deallocate() }

    /// The slot that the next `commit` queues.
    func nextSlot() -> Int { (head + count) & (Self.slots - 1) }

    /// Queues the slot last given by `nextSlot`, and returns it; the oldest datagram goes if too many wait.
    func commit(at now: Instant) -> Int {
        let slot = nextSlot()
        committedAt[slot] = now
        count += 1
        if count > Self.capacity { drop(\.droppedLate) }
        return slot
    }

    /// Gives `send` runs of neighbouring slots until nothing is left or the kernel blocks. `send` returns how many it took
    /// (from the first on), or -errno of the first.
    func flush(at now: Instant, send: (_ first: Int, _ count: Int) -> Int32) {
        isBlocked = false
        while count > 0 {
            if now - committedAt[head] > Self.maximumDelay {
                drop(\.droppedLate)
                continue
            }
            let result = send(head, min(count, Self.slots - head))
            switch result {
            case 1...:
                stats.sent &+= UInt64(result)
                advance(by: Int(result))
            case -EAGAIN, -ENOBUFS, 0:
                isBlocked = true
                return
            case -EMSGSIZE: drop(\.droppedTooLarge)
            default: drop(\.droppedRefused)
            }
        }
    }

    private func drop(_ counter: WritableKeyPath<Stats, UInt64>) {
        stats[keyPath: counter] &+= 1
        advance(by: 1)
    }

    private func advance(by sent: Int) {
        count -= sent
        // An empty ring starts over, so that in the steady state no run wraps.
        head = count == 0 ? 0 : (head + sent) & (Self.slots - 1)
    }
}
