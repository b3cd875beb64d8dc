package import RoomPorts
import ServiceLifecycle
package import Timing

/// Something done every so often, by the server's clock, until the server shuts down.
package struct Housekeeping: Service {
    let clock: any TimeSource
    let interval: Interval
    let work: @Sendable () async -> Void

    package init(clock: any TimeSource, interval: Interval, work: @escaping @Sendable () async -> Void) {
        self.clock = clock
        self.interval = interval
        self.work = work
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while await rest() { await work() }
        }
    }

    /// Waits for the next time.
    /// - Returns: `false` when the server shuts down.
    private func rest() async -> Bool {
        let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let alarm = clock.schedule(at: clock.now + interval) { bell.yield() }
        defer { alarm.cancel() }
        return await rings.first { true } != nil
    }
}
