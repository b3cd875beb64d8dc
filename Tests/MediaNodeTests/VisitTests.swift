internal import MediaTestSupport
internal import PeerSession
internal import RoomPorts
internal import Testing
internal import Timing

@testable internal import MediaNode

/// People who come and go. `make soak ARGS='--only visits'` lets 10,000 of them into a whole server.
@Suite struct VisitTests {
    @Test("whoever comes and goes leaves no path, no room and no moment to be looked at behind")
    func visits() async throws {
        let party = try await Party(slots: 2, kind: .live(.vp8))
        let anchor = try await party.joined(1, slots: 2, pictures: 3, hasCamera: true)
        await party.assign(0, anchor)
        for number in UInt64(2)..<30 {
            let viewer = try await party.joined(number, slots: 2, pictures: 3, hasCamera: true)
            await party.run {
                anchor.film([UInt8(number)], isKeyFrame: true)
                return viewer.seen[0] != nil
            }
            if number % 3 == 0 {
                // They stand for a moment first, and are cut with their seat.
                await party.assign(1, viewer)
                viewer.film([1], isKeyFrame: true)
                await party.assign(1, nil)
            }
            if number.isMultiple(of: 2) {
                viewer.sayGoodbye()
            } else {
                party.node.closePeer(viewer.id, on: party.stage)
            }
            await party.run { party.isTold(MediaFact.closed, of: viewer) }
        }
        var counters = try #require(await party.node.counters())
        #expect(counters.peers == 1 && counters.connectedPeers == 1 && counters.stages == 1)
        party.node.closeStage(party.stage)
        await party.run { party.isTold(MediaFact.closed, of: anchor) }
        // What nobody counts on any more goes when its moment comes.
        await party.leap(MediaPeer.connectTimeout + MediaPeer.silenceUntilClosed)
        counters = try #require(await party.node.counters())
        #expect(counters.peers == 0 && counters.stages == 0)
        #expect(counters.deadlines == 0)
    }
}
