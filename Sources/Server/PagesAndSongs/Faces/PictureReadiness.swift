package import RoomPorts
import Synchronization
import Timing

/// Whether this server can read pictures, which an operator may change while it runs, by installing a library. Finding out starts a
/// process: it is done once a minute at most, for all who ask.
package final class PictureReadiness: Sendable {
    private static let lifetime = Interval.seconds(60)

    private let clock: any TimeSource
    private let obstacle: @Sendable () async -> String?
    private let asked = Mutex<(answer: Task<Bool, Never>, at: Instant)?>(nil)

    /// - Parameter obstacle: what keeps pictures from being read; `nil`: nothing.
    package init(clock: any TimeSource, obstacle: @escaping @Sendable () async -> String?) {
        self.clock = clock
        self.obstacle = obstacle
    }

    package var isPossible: Bool {
        get async {
            let now = clock.now
            let answer = asked.withLock { asked -> Task<Bool, Never> in
                if let asked, now < asked.at + Self.lifetime { return asked.answer }
                let answer = Task { [obstacle] in await obstacle() == nil }
                asked = (answer, now)
                return answer
            }
            return await answer.value
        }
    }
}
