import CAllocationCount
import RTP
import Testing
import Timing
import Wire

@testable import Forwarding

/// What takes memory by hand gives all of it back.
@Suite(.enabled(if: allocation_count_is_available())) struct MemoryTests {
    /// How many pieces of memory ten rounds leave behind.
    private func left(_ round: () -> Void) -> Int64 {
        // What is made once for all, and kept.
        round()
        let before = allocation_balance()
        for _ in 0..<10 { round() }
        return allocation_balance() - before
    }

    @Test("a history of packets, a ring of packets and a feed of the mixer leave nothing behind")
    func nothingLeft() {
        let payload: [UInt8] = [1, 2, 3]
        payload.withUnsafeBytes { payload in
            #expect(
                left {
                    let history = PacketHistory()
                    history.store(SlotPacket(sequence: 1, timestamp: 2, marker: false), payload: payload)
                } == 0)
            #expect(
                left {
                    let ring = PacketRing<Int>(packets: 4, bytes: 64)
                    _ = ring.push(1, payload)
                } == 0)
        }
        #expect(left { _ = MixFeed(wakeMixer: {}, wakeStage: {}) } == 0)
        // The instrument sees what is left.
        #expect(left { _ = UnsafeMutablePointer<Int>.allocate(capacity: 4) } == 10)
    }
}
