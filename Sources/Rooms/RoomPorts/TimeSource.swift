package import Timing

/// The time as rooms see it, and being woken. The rules never read it: what it says is passed to them, and timers come
/// back as commands.
package protocol TimeSource: Sendable {
    /// Monotonic.
    var now: Instant { get }
    /// For people.
    var wallTime: WallTime { get }
    /// What songs are placed on: the wall clock as it was when the process started, and on from there without ever stepping.
    /// Survives a restart as well as the machine's clock does.
    var roomTime: WallTime { get }

    /// Runs `action` once, at `deadline` or soon after, on any thread, unless the alarm is cancelled before. An alarm that is on its
    /// way while it is cancelled may still ring: the receiver looks whether it still wants it.
    @discardableResult
    func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> RoomAlarm
}

/// Something that a clock was asked to do later.
package struct RoomAlarm: Sendable {
    private let taken: @Sendable () -> Void

    /// - Parameter cancel: lets the clock forget the alarm and all that it holds.
    package init(cancel: @escaping @Sendable () -> Void) { taken = cancel }

    package func cancel() { taken() }
}

extension TimeSource {
    /// For clocks that do not step.
    package var roomTime: WallTime { wallTime }
}
