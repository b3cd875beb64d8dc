package import Timing

/// The time as rooms see it, and being woken. The rules never read it: what it says is passed to them, and timers come
/// back as commands.
package protocol RoomClock: Sendable {
    /// Monotonic.
    var now: Instant { get }
    /// For people.
    var wallTime: WallTime { get }
    /// What songs are placed on: the wall clock as it was when the process started, and on from there without ever stepping.
    /// Survives a restart as well as the machine's clock does.
    var roomTime: WallTime { get }

    /// Runs `action` once, at `deadline` or soon after, on any thread. Cannot be taken back: the receiver looks whether
    /// it still wants it.
    func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void)
}

extension RoomClock {
    /// For clocks that do not step.
    package var roomTime: WallTime { wallTime }
}
