internal import Platform

/// The two ways between a stage and its listeners on another worker: what the stage accepts goes there, what microphones on that worker
/// send comes back. The stage's side belongs to the stage's thread, the branch's to the other; neither ever waits.
package final class BranchLink: StageTap, Sendable {
    /// A packet of somebody whose path is on the branch.
    package struct Spoken: Sendable, Hashable {
        package var member: MemberID
        package var packet: SourcePacket

        package init(member: MemberID, packet: SourcePacket) {
            self.member = member
            self.packet = packet
        }
    }

    /// 16 speakers with frames of 10 ms, and the mix, for 300 ms: longer than a worker's turn takes.
    static let packets = 512
    static let bytes = 256 * 1024

    private let down = PacketRing<TappedPacket>(packets: packets, bytes: bytes)
    private let up = PacketRing<Spoken>(packets: packets, bytes: bytes)
    private let cuts = CutLedger()
    private let lost = Atomic<UInt64>(0)
    private let wakeBranch: @Sendable () -> Void
    private let wakeStage: @Sendable () -> Void

    /// Each wakes the other side's thread if it sleeps, and returns at once.
    package init(wakeBranch: @escaping @Sendable () -> Void, wakeStage: @escaping @Sendable () -> Void) {
        self.wakeBranch = wakeBranch
        self.wakeStage = wakeStage
    }

    /// Packets that either side was too slow to take.
    package var dropped: UInt64 { lost.load(ordering: .relaxed) }

    // MARK: The stage's side

    package var hearsMix: Bool { true }

    package func hear(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer) {
        push(packet, payload, by: down, wakeBranch)
    }

    package func cut(slot: Int, before sequence: UInt64) -> UInt64 {
        defer { wakeBranch() }
        return cuts.ask(slot: slot, before: sequence)
    }

    package func isInForce(_ cut: UInt64) -> Bool { cuts.isInForce(cut) }

    /// The next packet of somebody on the branch, whose payload is valid during the call; false if there is none.
    package func takeSpoken(_ body: (Spoken, UnsafeRawBufferPointer) -> Void) -> Bool { up.pop(body) }

    /// For the stage's thread.
    package var hasSpoken: Bool { !up.isEmpty }

    // MARK: The branch's side

    /// For the branch's thread.
    package var hasHeard: Bool { !down.isEmpty }

    package func speak(_ packet: SourcePacket, of member: MemberID, _ payload: UnsafeRawBufferPointer) {
        push(Spoken(member: member, packet: packet), payload, by: up, wakeStage)
    }

    /// The next packet that the stage has accepted, whose payload is valid during the call; false if there is none.
    package func takeHeard(_ body: (TappedPacket, UnsafeRawBufferPointer) -> Void) -> Bool { down.pop(body) }

    /// How many cuts have been asked for so far. What is taken after this was read holds all that was given before those cuts.
    package var cutsAsked: UInt64 { cuts.askedSoFar }

    /// Everything that was given before the first `count` cuts has left, or never will.
    package func confirmCuts(_ count: UInt64) {
        if cuts.confirm(count) { wakeStage() }
    }

    private func push<Head>(
        _ head: Head, _ payload: UnsafeRawBufferPointer, by ring: PacketRing<Head>, _ wake: @Sendable () -> Void
    ) {
        guard ring.push(head, payload) else {
            lost.wrappingAdd(1, ordering: .relaxed)
            return
        }
        wake()
    }
}
