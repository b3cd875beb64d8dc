import RoomTestSupport
import Synchronization
import Testing
import Timing

@testable import OperatorAPI

@Suite struct ServerHistoryTests {
    @Test("R05-S an hour of figures is kept, media as a rate, and what is now stands last")
    func hour() async throws {
        let clock = VirtualRoomClock()
        let bytes = Mutex<UInt64>(0)
        let history = ServerHistory(clock: clock) {
            .init(people: 3, rooms: 2, mediaBytes: bytes.withLock { $0 }, load: 0.25)
        }
        for _ in 0..<300 {
            await history.take()
            clock.advance(by: ServerHistory.interval)
            bytes.withLock { $0 += 15_000 }
        }
        let samples = await history.samples()
        #expect(samples.count == ServerHistory.most + 1)
        #expect(samples.dropFirst().allSatisfy { $0.mediaBits == 8_000 && $0.people == 3 && $0.rooms == 2 })
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $1.time - $0.time == 15_000 })
        // A server's counts never fall; those of a plane that began anew are no rate.
        bytes.withLock { $0 = 0 }
        #expect(await history.samples().last?.mediaBits == 0)
        history.stop()
    }
}
