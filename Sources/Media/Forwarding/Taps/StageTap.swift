internal import Platform
package import Timing

/// A packet that a stage has accepted, as its taps get it. Numbers are the slot's: they go on without seams whoever is heard there.
package struct TappedPacket: Sendable, Hashable {
    package var slot: Int
    /// Whose microphone it is.
    package var producer: MemberID
    package var sequence: UInt64
    /// In ticks of 48 kHz, modulo 2³².
    package var timestamp: UInt32
    /// The first packet of a talk spurt (RFC 3551 §4.1), or of another source.
    package var marker: Bool
    /// From here on somebody else is heard, or the same one after a cut: what was learnt of the clock holds no more.
    package var startsSource: Bool
    /// Newer packets have been given before.
    package var isLate: Bool
    /// Silence that the stage sends in place of what it cut.
    package var isFiller: Bool
    package var arrival: Instant
    /// To the producer and back, as far as known.
    package var roundTrip: Interval?
    /// Position in the song, in ticks of 48 kHz, that the singer heard when the first sample was captured, latencies
    /// subtracted.
    package var songPosition: UInt32?
    package var redundancy = Redundancy.none

    package init(
        slot: Int, producer: MemberID, sequence: UInt64, timestamp: UInt32, marker: Bool = false, startsSource: Bool,
        isLate: Bool = false, isFiller: Bool = false, arrival: Instant, roundTrip: Interval? = nil,
        songPosition: UInt32? = nil
    ) {
        self.slot = slot
        self.producer = producer
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.startsSource = startsSource
        self.isLate = isLate
        self.isFiller = isFiller
        self.arrival = arrival
        self.roundTrip = roundTrip
        self.songPosition = songPosition
    }
}

/// Somebody beside the listeners who gets what is heard on a stage: the mixer, another worker's listeners, a recorder. Called on the
/// stage's thread, once for each packet; nothing here may wait or allocate.
package protocol StageTap: AnyObject {
    /// Gets the packets of the mix too.
    var hearsMix: Bool { get }
    /// `payload` is valid during the call.
    func hear(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer)
    /// What came on a slot with lower numbers than that may not be heard any more, wherever it waits.
    /// - Returns: the cut's own number, for `isInForce`. Later cuts have higher ones.
    func cut(slot: Int, before sequence: UInt64) -> UInt64
    /// Whether nothing of what was cut is in anything that the tap still gives.
    func isInForce(_ cut: UInt64) -> Bool
}

/// Cuts on their way from a stage to the thread behind a tap, and the word that they are in force on the way back. Neither side waits.
///
/// Sendable by this rule: `marks` is only reached atomically.
final class CutLedger: @unchecked Sendable {
    /// For each slot the number before which nothing may be heard any more; 0: none that the other side does not know of.
    private let marks: UnsafeMutablePointer<Atomic<UInt64>>
    private let asked = Atomic<UInt64>(0)
    private let confirmed = Atomic<UInt64>(0)

    init() {
        marks = .allocate(capacity: AudioStage.maximumSlots)
        for slot in 0..<AudioStage.maximumSlots { (marks + slot).initialize(to: Atomic(0)) }
    }

    deinit {
        marks.deinitialize(count: AudioStage.maximumSlots)
        marks.deallocate()
    }

    // MARK: The stage's side

    /// - Returns: the cut's own number.
    func ask(slot: Int, before sequence: UInt64) -> UInt64 {
        guard slot < AudioStage.maximumSlots else { return 0 }
        marks[slot].store(sequence, ordering: .releasing)
        return asked.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }

    func isInForce(_ cut: UInt64) -> Bool { confirmed.load(ordering: .acquiring) >= cut }

    // MARK: The other side

    /// How many cuts have been asked for so far. Read it before `take`.
    var askedSoFar: UInt64 { asked.load(ordering: .sequentiallyConsistent) }

    /// Slots that have been cut since the last call, with the numbers before which nothing may be heard any more.
    func take(_ body: (_ slot: Int, _ before: UInt64) -> Void) {
        for slot in 0..<AudioStage.maximumSlots {
            let before = marks[slot].exchange(0, ordering: .acquiring)
            if before > 0 { body(slot, before) }
        }
    }

    /// The first `count` cuts are in force. False if that was known.
    func confirm(_ count: UInt64) -> Bool {
        guard confirmed.load(ordering: .relaxed) < count else { return false }
        confirmed.store(count, ordering: .releasing)
        return true
    }
}
