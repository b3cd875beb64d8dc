import HTTP
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import SignalProtocol
import Testing
import Timing

@testable import Signalling

/// L14: what a line carries is found out by peers that belong to no room.
@Suite struct LineTestTests {
    private let clock = VirtualRoomClock()
    private let media = RecordingMedia()
    private let tests: LineTests

    init() {
        let rooms = RoomDirectory(
            DirectoryPorts(
                journal: MemoryJournal(), ledger: MemoryLedger(), moderation: .inMemory(), media: media,
                bus: RecordingBus(), clock: clock,
                audience: { RoomAudience(ready: $0) }))
        tests = LineTests(rooms: rooms, media: media, clock: clock)
    }

    private func begin(_ session: UInt64, from last: UInt8 = 1) async -> RoomError? {
        do throws(RoomError) {
            _ = try await tests.begin(
                "v=0", by: SessionToken(rawValue: session), from: ClientAddress(text: "192.0.2.\(last)", isSecure: true)
            )
            return nil
        } catch {
            return error
        }
    }

    private var open: Int {
        media.orders.reduce(0) {
            switch $1 {
            case .open: $0 + 1
            case .close: $0 - 1
            default: $0
            }
        }
    }

    @Test("L14-S a line test has a stage of its own where nobody is heard, and ends by itself") func life() async {
        #expect(await begin(1) == nil)
        guard case .open(let stage, let slots)? = media.orders.first else {
            Issue.record("no stage")
            return
        }
        #expect(slots == 1 && media.kind(of: stage) == .live(.vp8) && media.admitted.count == 1)
        #expect(media.slots(of: stage)?[0]?.muted == true && media.slots(of: stage)?[0]?.dark == false)
        clock.advance(by: .milliseconds(11_999))
        #expect(open == 1)
        clock.advance(by: .milliseconds(1))
        #expect(open == 0 && media.admitted.isEmpty)
    }

    @Test("L14-S one test a session: a new one, or the end that is asked for, ends it; an old timer ends no newer one")
    func oneEach() async {
        #expect(await begin(1) == nil)
        clock.advance(by: .seconds(7))
        #expect(await begin(1) == nil)
        #expect(open == 1)
        clock.advance(by: .seconds(7))
        #expect(open == 1, "the first one's time is over, not the second one's")
        tests.end(SessionToken(rawValue: 1))
        tests.end(SessionToken(rawValue: 2))
        #expect(open == 0 && media.admitted.isEmpty)
        clock.advance(by: .seconds(20))
        #expect(open == 0)
    }

    @Test("L14-S tests are bounded from one address, and all together") func bounds() async {
        for session in 1...6 as ClosedRange<UInt64> { #expect(await begin(session) == nil) }
        #expect(await begin(7)?.code == .rateLimited)
        for session in 11...14 as ClosedRange<UInt64> { #expect(await begin(session, from: 2) == nil) }
        let refused = await begin(15, from: 3)
        #expect(refused?.code == .rateLimited && refused?.retryAfterMs == 6_000)
        #expect(open == 10)
        clock.advance(by: .seconds(12))
        #expect(open == 0)
        #expect(await begin(15, from: 3) == nil)
        #expect(await begin(7) == nil, "an address has another one after ten seconds")
        #expect(await begin(8)?.code == .rateLimited)
    }
}
