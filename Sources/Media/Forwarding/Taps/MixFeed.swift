internal import Synchronization
package import Timing

/// A packet that a singer sent and the stage has accepted, as the mixer gets it. Numbers are the slot's: they go on
/// without seams whoever sings there.
package struct VocalPacket: Sendable, Hashable {
    package var slot: Int
    /// Whose microphone it is.
    package var singer: MemberID
    package var sequence: UInt64
    /// In ticks of 48 kHz, modulo 2³².
    package var timestamp: UInt32
    /// From here on somebody else is heard, or the same one after a cut: what was learnt of the clock holds no more.
    package var startsSource: Bool
    package var arrival: Instant
    /// To the singer and back, as far as known.
    package var roundTrip: Interval?
    /// Position in the song, in ticks of 48 kHz, that the singer heard when the first sample was captured, latencies
    /// subtracted.
    package var songPosition: UInt32?

    package init(
        slot: Int, singer: MemberID, sequence: UInt64, timestamp: UInt32, startsSource: Bool, arrival: Instant,
        roundTrip: Interval? = nil, songPosition: UInt32? = nil
    ) {
        self.slot = slot
        self.singer = singer
        self.sequence = sequence
        self.timestamp = timestamp
        self.startsSource = startsSource
        self.arrival = arrival
        self.roundTrip = roundTrip
        self.songPosition = songPosition
    }
}

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
///
/// Sendable by this rule: `marks` is only reached atomically.
package final class MixFeed: @unchecked Sendable {
    /// 16 singers with a packet every 2.5 ms for 40 ms: twice what the mixer leaves lying between two blocks.
    static let vocalPackets = 256
    static let vocalBytes = 64 * 1024
    /// A second of the mix and more, at 128 kbit/s.
    static let mixPackets = 64
    static let mixBytes = 32 * 1024

    private let vocals = PacketRing<VocalPacket>(packets: vocalPackets, bytes: vocalBytes)
    private let mix = PacketRing<MixPacket>(packets: mixPackets, bytes: mixBytes)
    private let mixerSleeps = Atomic(false)
    /// For each slot the number before which nothing may be heard any more; 0: none that the mixer does not know of.
    private let marks: UnsafeMutablePointer<Atomic<UInt64>>
    private let cutsAskedFor = Atomic<UInt64>(0)
    private let cutsConfirmed = Atomic<UInt64>(0)
    private let lostVocals = Atomic<UInt64>(0)
    private let lostMix = Atomic<UInt64>(0)
    private let wakeMixer: @Sendable () -> Void
    private let wakeStage: @Sendable () -> Void

    /// Each wakes the other side's thread if it sleeps, and returns at once.
    package init(wakeMixer: @escaping @Sendable () -> Void, wakeStage: @escaping @Sendable () -> Void) {
        self.wakeMixer = wakeMixer
        self.wakeStage = wakeStage
        marks = .allocate(capacity: AudioStage.maximumSlots)
        for slot in 0..<AudioStage.maximumSlots { (marks + slot).initialize(to: Atomic(0)) }
    }

    deinit {
        marks.deinitialize(count: AudioStage.maximumSlots)
        marks.deallocate()
    }

    /// Packets that the mixer was too slow to take.
    package var vocalsDropped: UInt64 { lostVocals.load(ordering: .relaxed) }
    /// Packets of the mix that the media thread was too slow to take.
    package var mixDropped: UInt64 { lostMix.load(ordering: .relaxed) }

    // MARK: The stage's side

    package func give(_ vocal: VocalPacket, _ payload: UnsafeRawBufferPointer) {
        guard vocals.push(vocal, payload) else {
            lostVocals.add(1, ordering: .relaxed)
            return
        }
        guard mixerSleeps.load(ordering: .sequentiallyConsistent) else { return }
        if mixerSleeps.exchange(false, ordering: .sequentiallyConsistent) { wakeMixer() }
    }

    /// What came on a slot with lower numbers than that may not be heard any more.
    /// - Returns: the cut's own number, for `isInForce`.
    package func cut(slot: Int, before sequence: UInt64) -> UInt64 {
        guard slot < AudioStage.maximumSlots else { return 0 }
        marks[slot].store(sequence, ordering: .releasing)
        let number = cutsAskedFor.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        mixerSleeps.store(false, ordering: .sequentiallyConsistent)
        wakeMixer()
        return number
    }

    /// Whether nothing of what was cut is in any packet of the mix that is still to come.
    package func isInForce(_ cut: UInt64) -> Bool { cutsConfirmed.load(ordering: .acquiring) >= cut }

    /// The next packet of the mix, whose payload is valid during the call; false if there is none.
    package func takeMix(_ body: (MixPacket, UnsafeRawBufferPointer) -> Void) -> Bool { mix.pop(body) }

    // MARK: The mixer's side

    /// The next vocal packet, whose payload is valid during the call; false if there is none.
    package func takeVocal(_ body: (VocalPacket, UnsafeRawBufferPointer) -> Void) -> Bool { vocals.pop(body) }

    /// How many cuts have been asked for so far. Read it before `takeCuts`.
    package var cutsAsked: UInt64 { cutsAskedFor.load(ordering: .sequentiallyConsistent) }

    /// Slots that have been cut since the last call, with the numbers before which nothing may be heard any more.
    package func takeCuts(_ body: (_ slot: Int, _ before: UInt64) -> Void) {
        for slot in 0..<AudioStage.maximumSlots {
            let before = marks[slot].exchange(0, ordering: .acquiring)
            if before > 0 { body(slot, before) }
        }
    }

    /// The mix holds no sound of the first `count` cuts any more.
    package func confirmCuts(_ count: UInt64) {
        guard cutsConfirmed.load(ordering: .relaxed) < count else { return }
        cutsConfirmed.store(count, ordering: .releasing)
        wakeStage()
    }

    package func post(_ packet: MixPacket, _ payload: UnsafeRawBufferPointer) {
        guard mix.push(packet, payload) else {
            lostMix.add(1, ordering: .relaxed)
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
