internal import Platform

/// A packet of the mix on its way to the stage.
package struct MixPacket: Sendable, Hashable {
    /// Rises by one with each packet that is sent; silence has none.
    package var sequence: UInt64
    /// In ticks of 48 kHz, modulo 2³².
    package var timestamp: UInt32
    /// The first after silence.
    package var marker: Bool

    package init(sequence: UInt64, timestamp: UInt32, marker: Bool) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
    }
}

/// The two ways between a stage and its mixer: what singers send goes there, the mix comes back. The stage's side belongs
/// to the media thread, the mixer's to the thread that mixes; neither ever waits for the other.
package final class MixFeed: StageTap, Sendable {
    /// 16 singers with a packet every 2.5 ms for 40 ms: twice what the mixer leaves lying between two blocks.
    static let vocalPackets = 256
    static let vocalBytes = 64 * 1024
    /// A second of the mix and more, at 128 kbit/s.
    static let mixPackets = 64
    static let mixBytes = 32 * 1024

    private let vocals = PacketRing<TappedPacket>(packets: vocalPackets, bytes: vocalBytes)
    private let mix = PacketRing<MixPacket>(packets: mixPackets, bytes: mixBytes)
    private let mixerSleeps = Atomic(false)
    private let cuts = CutLedger()
    private let lostVocals = Atomic<UInt64>(0)
    private let lostMix = Atomic<UInt64>(0)
    private let wakeMixer: @Sendable () -> Void
    private let wakeStage: @Sendable () -> Void

    /// Each wakes the other side's thread if it sleeps, and returns at once.
    package init(wakeMixer: @escaping @Sendable () -> Void, wakeStage: @escaping @Sendable () -> Void) {
        self.wakeMixer = wakeMixer
        self.wakeStage = wakeStage
    }

    /// Packets that the mixer was too slow to take.
    package var vocalsDropped: UInt64 { lostVocals.load(ordering: .relaxed) }
    /// Packets of the mix that the media thread was too slow to take.
    package var mixDropped: UInt64 { lostMix.load(ordering: .relaxed) }

    // MARK: The stage's side

    package var hearsMix: Bool { false }

    package func hear(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer) {
        // A voice that ends needs no silence to end in: the mixer knows of the cut.
        guard !packet.isFiller else { return }
        guard vocals.push(packet, payload) else {
            lostVocals.wrappingAdd(1, ordering: .relaxed)
            return
        }
        guard mixerSleeps.load(ordering: .sequentiallyConsistent) else { return }
        if mixerSleeps.exchange(false, ordering: .sequentiallyConsistent) { wakeMixer() }
    }

    package func cut(slot: Int, before sequence: UInt64) -> UInt64 {
        let number = cuts.ask(slot: slot, before: sequence)
        mixerSleeps.store(false, ordering: .sequentiallyConsistent)
        wakeMixer()
        return number
    }

    package func isInForce(_ cut: UInt64) -> Bool { cuts.isInForce(cut) }

    /// The next packet of the mix, whose payload is valid during the call; false if there is none.
    package func takeMix(_ body: (MixPacket, UnsafeRawBufferPointer) -> Void) -> Bool { mix.pop(body) }

    // MARK: The mixer's side

    /// The next vocal packet, whose payload is valid during the call; false if there is none.
    package func takeVocal(_ body: (TappedPacket, UnsafeRawBufferPointer) -> Void) -> Bool { vocals.pop(body) }

    /// How many cuts have been asked for so far. Read it before `takeCuts`.
    package var cutsAsked: UInt64 { cuts.askedSoFar }

    /// Slots that have been cut since the last call, with the numbers before which nothing may be heard any more.
    package func takeCuts(_ body: (_ slot: Int, _ before: UInt64) -> Void) { cuts.take(body) }

    /// The mix holds no sound of the first `count` cuts any more.
    package func confirmCuts(_ count: UInt64) {
        if cuts.confirm(count) { wakeStage() }
    }

    package func post(_ packet: MixPacket, _ payload: UnsafeRawBufferPointer) {
        guard mix.push(packet, payload) else {
            lostMix.wrappingAdd(1, ordering: .relaxed)
            return
        }
        wakeStage()
    }

    /// From now on the next vocal packet wakes the mixer. False if there is one already.
    package func fallAsleep() -> Bool {
        mixerSleeps.store(true, ordering: .sequentiallyConsistent)
        guard !vocals.isEmpty else { return true }
        mixerSleeps.store(false, ordering: .sequentiallyConsistent)
        return false
    }
}
