package import RTP
package import Timing
internal import Wire

/// The sound of one room: a fixed number of slots, each with at most one producer, and everybody who listens.
///
/// Slots are sticky: a listener has one stream a slot for as long as it is there, whoever speaks on it. Nothing is heard
/// from somebody who is assigned to no slot, or to a muted one; nobody hears themselves.
///
/// A stage may have one more slot, the last: the mix of all others, made elsewhere. Then whoever has a slot hears the
/// others' slots, as early as they can be heard, and everybody else hears the mix and no slot beside it.
///
/// The stage decides what is heard and numbers it; `fanout` sends it to the listeners of this worker, and taps get it for all others.
package final class AudioStage {
    /// Browsers handle 16 receiving media sections well, and no conversation has more speakers at once; the hosts of three other rooms
    /// come on top.
    package static let maximumSlots = 19
    /// The shortest time between two reports of levels.
    package static let levelPeriod = Interval.milliseconds(100)

    package typealias Send = AudioFanout.Send

    private struct Slot {
        var producer: MemberID?
        var isMuted = false
        var stream = SlotStream()
        var meter = PacketLevelMeter()
    }

    private struct Tap {
        let tap: any StageTap
        /// The number of its newest cut; 0 before the first.
        var lastCut: UInt64 = 0
    }

    /// The producer of the mix.
    private static let mixer = MemberID(rawValue: .max)
    /// The mix is one source, from the first packet to the last.
    private static let mixSource = SSRC(0)

    private var slots: ContiguousArray<Slot>
    /// The slot that carries the mix, if there is one.
    package let mixSlot: Int?
    /// The slot of each producer.
    private var places: [MemberID: Int] = [:]
    private var levelsReadAt = Instant.distantPast
    private var toldSilence = true
    private var taps: ContiguousArray<Tap> = []
    private var counted = AudioStats()
    /// The listeners on this worker.
    package let fanout: AudioFanout
    /// Told when somebody gets a slot or gives it up, before `assign` returns.
    package var onPlace: ((_ member: MemberID, _ slot: Int?) -> Void)?

    /// `slots` is brought into 1…19; the mix comes on top.
    /// `crowd`: from so many listeners on, packets of several speakers leave together.
    package init(slots: Int, hasMix: Bool = false, crowd: Int = AudioFanout.smallestCrowd) {
        let count = min(max(slots, 1), Self.maximumSlots)
        self.slots = ContiguousArray((0..<count + (hasMix ? 1 : 0)).map { _ in Slot() })
        mixSlot = hasMix ? count : nil
        fanout = AudioFanout(slots: self.slots.count, mixSlot: mixSlot, crowd: crowd)
        if hasMix { self.slots[count].producer = Self.mixer }
    }

    /// With the mix.
    package var slotCount: Int { slots.count }
    private var people: Range<Int> { 0..<(mixSlot ?? slots.count) }

    /// The slot on which `member` is to be heard, muted or not.
    package func slot(of member: MemberID) -> Int? { places[member] }

    /// Who has a slot.
    package var producers: [MemberID] { slots[people].compactMap(\.producer) }

    package var stats: AudioStats { counted + fanout.stats }

    // MARK: Taps

    /// Gives `tap` everything that is heard from now on.
    package func add(_ tap: some StageTap) { taps.append(Tap(tap: tap)) }

    package func remove(_ tap: some StageTap) { taps.removeAll { $0.tap === tap } }

    /// A tap has been asked to follow a cut of something beside the sound.
    package func note(_ cut: UInt64, of tap: some StageTap) {
        for index in taps.indices where taps[index].tap === tap { taps[index].lastCut = max(taps[index].lastCut, cut) }
    }

    /// What has been cut so far, as far as taps must follow.
    package var lastCuts: AwaitedCuts {
        AwaitedCuts(cuts: taps.filter { $0.lastCut > 0 }.map { ($0.tap, $0.lastCut) })
    }

    // MARK: Rules

    /// Says who is heard on `slot`, and whether it is cut there. A member is on one slot at most: it leaves the other.
    /// When this returns, no packet against the rule leaves any more; what was heard so far ends in three frames of silence.
    /// Taps follow: see `lastCuts`.
    package func assign(slot: Int, to member: MemberID?, muted: Bool, at now: Instant, send: Send) {
        guard people.contains(slot) else { return }
        // What was heard before goes out before.
        fanout.settle(send: send)
        if let member, let old = places[member], old != slot { clear(old, at: now, send) }
        let former = slots[slot].producer
        if former != member {
            clear(slot, at: now, send)
            slots[slot].producer = member
            if let member {
                places[member] = slot
                place(member, on: slot)
            }
            if let former { place(former, on: nil) }
        }
        if muted { cut(slot, at: now, send) }
        slots[slot].isMuted = muted
    }

    private func place(_ member: MemberID, on slot: Int?) {
        fanout.setProducer(member, slot: slot)
        onPlace?(member, slot)
    }

    /// Forgets what `member` has sent so far, since its path is new or gone; its slot stays its own.
    package func resetSource(of member: MemberID, at now: Instant, send: Send) {
        if let slot = places[member] { cut(slot, at: now, send) }
    }

    private func clear(_ slot: Int, at now: Instant, _ send: Send) {
        cut(slot, at: now, send)
        if let producer = slots[slot].producer { places[producer] = nil }
        slots[slot].producer = nil
    }

    private func cut(_ slot: Int, at now: Instant, _ send: Send) {
        fanout.settle(send: send)
        slots[slot].meter.reset()
        guard slots[slot].stream.isActive else { return }
        let before = slots[slot].stream.nextSequence
        var silence: [SlotPacket] = []
        slots[slot].stream.cut(at: now) { silence.append($0) }
        SlotStream.silence.withUnsafeBytes { payload in
            for packet in silence { give(packet, payload, on: slot, arrival: now, isFiller: true, send) }
        }
        for index in taps.indices { taps[index].lastCut = taps[index].tap.cut(slot: slot, before: before) }
    }

    // MARK: Packets

    /// Sends a packet of `member` to everybody who may hear it. `payload` is the codec's data alone.
    package func forward(
        _ source: SourcePacket, from member: MemberID, payload: UnsafeRawBufferPointer, send: Send
    ) {
        guard let slot = places[member], !slots[slot].isMuted else {
            counted.refused &+= 1
            return
        }
        guard payload.count > 0, case .packet(let packet) = slots[slot].stream.accept(source) else {
            counted.stale &+= 1
            return
        }
        // A copy does not say how loud it is.
        if !source.redundancy.isCopy { slots[slot].meter.heard(source.level, at: source.arrival) }
        give(
            packet, payload, on: slot, arrival: source.arrival, roundTrip: source.roundTrip,
            songPosition: source.songPosition, send)
        counted.forwarded &+= 1
        if source.redundancy.isCopy { counted.recovered &+= 1 }
    }

    /// A producer's report tells when its stream was captured. The listeners of this worker get it in their reports.
    /// - Returns: the clock of the slot's stream; nil if that stream is not heard.
    @discardableResult
    package func note(_ clock: CaptureClock, of ssrc: SSRC, from member: MemberID) -> CaptureClock? {
        guard let slot = places[member], let offset = slots[slot].stream.timestampOffset(of: ssrc) else { return nil }
        let shifted = clock.shifted(by: offset)
        fanout.setClock(shifted, of: slot)
        return shifted
    }

    /// Sends a packet of the mix to everybody who has no slot.
    package func forwardMix(
        _ mix: MixPacket, payload: UnsafeRawBufferPointer, at now: Instant, send: Send
    ) {
        let source = SourcePacket(
            ssrc: Self.mixSource, sequence: mix.sequence, timestamp: mix.timestamp, marker: mix.marker, arrival: now)
        guard let mixSlot, payload.count > 0, case .packet(let packet) = slots[mixSlot].stream.accept(source) else {
            counted.stale &+= 1
            return
        }
        give(packet, payload, on: mixSlot, arrival: now, send)
        counted.mixed &+= 1
    }

    private func give(
        _ packet: SlotPacket, _ payload: UnsafeRawBufferPointer, on slot: Int, arrival: Instant,
        roundTrip: Interval? = nil, songPosition: UInt32? = nil, isFiller: Bool = false, _ send: Send
    ) {
        guard let producer = slots[slot].producer else { return }
        fanout.deliver(packet, from: producer, payload, on: slot, arrival: arrival, isUrgent: isFiller, send)
        guard !taps.isEmpty else { return }
        var tapped = TappedPacket(
            slot: slot, producer: producer, sequence: packet.sequence, timestamp: packet.timestamp,
            marker: packet.marker, startsSource: packet.startsSource, isLate: packet.isLate, isFiller: isFiller,
            arrival: arrival, roundTrip: roundTrip, songPosition: songPosition)
        tapped.redundancy = packet.redundancy
        for index in taps.indices where slot != mixSlot || taps[index].tap.hearsMix {
            taps[index].tap.hear(tapped, payload)
        }
    }

    // MARK: Levels

    /// Who is heard how loudly, 0…100, if it is time to tell: at most every `levelPeriod`, once with nobody at silence.
    package func levels(at now: Instant) -> [MemberID: UInt8]? {
        guard now - levelsReadAt >= Self.levelPeriod else { return nil }
        levelsReadAt = now
        var levels: [MemberID: UInt8] = [:]
        for slot in slots[people] {
            guard let producer = slot.producer else { continue }
            let loudness = slot.meter.loudness(at: now)
            if loudness > 0 { levels[producer] = loudness }
        }
        guard !levels.isEmpty || !toldSilence else { return nil }
        toldSilence = levels.isEmpty
        return levels
    }

    /// When `levels(at:)` should be asked again; nil while all is silent.
    package var nextLevels: Instant? {
        guard !toldSilence || slots[people].contains(where: { $0.stream.isActive }) else { return nil }
        return levelsReadAt + Self.levelPeriod
    }
}

/// Cuts that taps must follow before everything that was cut is silent everywhere.
package struct AwaitedCuts {
    fileprivate let cuts: [(tap: any StageTap, cut: UInt64)]

    package var areInForce: Bool { cuts.allSatisfy { $0.tap.isInForce($0.cut) } }
}
