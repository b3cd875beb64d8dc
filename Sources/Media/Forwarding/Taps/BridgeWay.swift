internal import Platform
import Timing

/// One way of a bridge between two stages: what is heard and seen on the first slot of one stage goes to a guest's place of the other,
/// which may be on another thread. The giving side belongs to the first stage's thread, the taking side to the other's; neither waits.
package final class BridgeWay: StageTap, Sendable {
    package enum Content: Sendable, Hashable {
        case sound(TappedPacket)
        case picture(PicturePacket)
    }

    /// The slot that is given: the host's.
    package static let slot = 0
    /// What a camera may send at most, 10 Mbit/s in 2,000 packets a second, for 400 ms: longer than a worker's turn takes.
    static let packets = 1_024
    static let bytes = 512 * 1024

    private let ring = PacketRing<Content>(packets: packets, bytes: bytes)
    private let cuts = CutLedger()
    private let lost = Atomic<UInt64>(0)
    private let wake: @Sendable () -> Void
    private let wakeGiver: @Sendable () -> Void

    /// Each wakes a side's thread if it sleeps, and returns at once.
    package init(wakeTaker: @escaping @Sendable () -> Void, wakeGiver: @escaping @Sendable () -> Void) {
        wake = wakeTaker
        self.wakeGiver = wakeGiver
    }

    /// Packets that the other side was too slow to take.
    package var dropped: UInt64 { lost.load(ordering: .relaxed) }

    // MARK: The giving side

    package var hearsMix: Bool { false }

    package func hear(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer) {
        guard packet.slot == Self.slot else { return }
        push(.sound(packet), payload)
    }

    package func see(_ packet: PicturePacket, _ payload: UnsafeRawBufferPointer) { push(.picture(packet), payload) }

    /// Nothing of other slots is given, so there is nothing to be cut: what has been asked for before stays to be waited for.
    package func cut(slot: Int, before sequence: UInt64) -> UInt64 {
        guard slot == Self.slot else { return cuts.askedSoFar }
        defer { wake() }
        return cuts.ask(slot: slot, before: sequence)
    }

    package func isInForce(_ cut: UInt64) -> Bool { cuts.isInForce(cut) }

    private func push(_ content: Content, _ payload: UnsafeRawBufferPointer) {
        // A packet of padding has no bytes, and a ring wants an address.
        let isPushed =
            payload.baseAddress == nil
            ? withUnsafeBytes(of: 0) { ring.push(content, UnsafeRawBufferPointer(rebasing: $0[..<0])) }
            : ring.push(content, payload)
        guard isPushed else {
            lost.wrappingAdd(1, ordering: .relaxed)
            return
        }
        wake()
    }

    // MARK: The taking side

    package var isEmpty: Bool { ring.isEmpty }

    /// The next packet, whose payload is valid during the call; false if there is none.
    package func take(_ body: (Content, UnsafeRawBufferPointer) -> Void) -> Bool { ring.pop(body) }

    /// How many cuts have been asked for so far. What is taken after this was read holds all that was given before those cuts.
    package var cutsAsked: UInt64 { cuts.askedSoFar }

    /// Everything that was given before the first `count` cuts has left, or never will.
    package func confirmCuts(_ count: UInt64) {
        if cuts.confirm(count) { wakeGiver() }
    }
}
