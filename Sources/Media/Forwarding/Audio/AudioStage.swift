package import RTP
package import Timing
package import Wire

/// The sound of one room: a fixed number of slots, each with at most one producer, and everybody who listens.
///
/// Slots are sticky: a listener has one stream a slot for as long as it is there, whoever speaks on it. Nothing is heard
/// from somebody who is assigned to no slot, or to a muted one; nobody hears themselves.
///
/// A stage may have one more slot, the last: the mix of all others, made elsewhere. Then whoever has a slot hears the
/// others' slots, as early as they can be heard, and everybody else hears the mix and no slot beside it.
///
/// Packets leave through closures, one call a listener, with a header to be written in front of the payload. A payload is
/// only valid during the call, and the closure must not call back into the stage.
package final class AudioStage {
    /// Browsers handle this many receiving media sections well, and no conversation has more speakers at once.
    package static let maximumSlots = 16
    /// The shortest time between two reports of levels.
    package static let levelPeriod = Interval.milliseconds(100)

    package typealias Send = (_ handle: Int, _ header: OutgoingHeader, _ payload: UnsafeRawBufferPointer) -> Void

    /// Counted since the stage was made.
    package struct Stats: Sendable, Hashable {
        package var forwarded: UInt64 = 0
        /// Packets of the mix.
        package var mixed: UInt64 = 0
        /// From somebody without a slot, or on a muted one.
        package var refused: UInt64 = 0
        /// Too late, from before a seam, or a second stream of the same producer.
        package var stale: UInt64 = 0
        package var repeated: UInt64 = 0
        /// Asked to be repeated, but unknown, forgotten, or asked for too often.
        package var notRepeated: UInt64 = 0

        package init() {}
    }

    private struct Slot {
        var producer: MemberID?
        var isMuted = false
        var stream = SlotStream()
        let history = PacketHistory()
        var meter = PacketLevelMeter()
        /// Who has a line for this slot: first those who are sent it, then those who are not at present. Removal moves the
        /// last of each part into the gap; beyond that the order means nothing.
        var consumers: ContiguousArray<AudioConsumer> = []
        /// How many of them are sent it.
        var fed = 0
    }

    /// Where a listener's consumers are, so that reports and requests need no search through all listeners.
    private struct Listener {
        struct Line {
            var ssrc: SSRC
            var slot: Int
            /// Among the slot's consumers.
            var index: Int
            var isAcknowledged = false
            /// The last offer asked for it. A line that is not is silent, and keeps its numbers for when it comes back: its keys have
            /// sealed packets with them.
            var isOffered = true
        }

        var lines: [Line] = []
        /// Made with the first request for a repeat.
        var limiter: RepeatLimiter?
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
    private var listeners: [MemberID: Listener] = [:]
    private var levelsReadAt = Instant.distantPast
    private var toldSilence = true
    package private(set) var stats = Stats()
    /// Told of each cut, before `assign` returns: what a slot sent with lower numbers than this may not be heard any more, wherever it
    /// waits.
    package var onCut: ((_ slot: Int, _ before: UInt64) -> Void)?

    /// `slots` is brought into 1…16; the mix comes on top.
    package init(slots: Int, hasMix: Bool = false) {
        let count = min(max(slots, 1), Self.maximumSlots)
        self.slots = ContiguousArray((0..<count + (hasMix ? 1 : 0)).map { _ in Slot() })
        mixSlot = hasMix ? count : nil
        if hasMix { self.slots[count].producer = Self.mixer }
    }

    /// With the mix.
    package var slotCount: Int { slots.count }
    private var people: Range<Int> { 0..<(mixSlot ?? slots.count) }
    package var listenerCount: Int { listeners.count }

    /// The slot on which `member` is to be heard, muted or not.
    package func slot(of member: MemberID) -> Int? { places[member] }

    /// Who has a slot.
    package var producers: [MemberID] { slots[people].compactMap(\.producer) }

    // MARK: Rules

    /// Says who is heard on `slot`, and whether it is cut there. A member is on one slot at most: it leaves the other.
    /// When this returns, no packet against the rule leaves any more; what was heard so far ends in three frames of silence.
    package func assign(slot: Int, to member: MemberID?, muted: Bool, at now: Instant, send: Send) {
        guard people.contains(slot) else { return }
        if let member, let old = places[member], old != slot { clear(old, at: now, send) }
        let former = slots[slot].producer
        if former != member {
            clear(slot, at: now, send)
            slots[slot].producer = member
            if let member {
                places[member] = slot
                pause(member, on: slot)
                feed(member)
            }
            if let former { feed(former) }
        }
        if muted { cut(slot, at: now, send) }
        slots[slot].isMuted = muted
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
        slots[slot].meter.reset()
        guard slots[slot].stream.isActive else { return }
        onCut?(slot, slots[slot].stream.nextSequence)
        var silence: [SlotPacket] = []
        slots[slot].stream.cut(at: now) { silence.append($0) }
        SlotStream.silence.withUnsafeBytes { payload in
            for packet in silence {
                slots[slot].history.store(packet, payload: payload)
                deliver(packet, payload, on: slot, send)
            }
        }
    }

    // MARK: Listeners

    /// Lets `member` hear the slots that it has lines for, and no others. `handle` comes back with each packet. A member that
    /// listens already keeps the numbers of its lines; a line that is missing here falls silent.
    package func setListener(_ member: MemberID, handle: Int, lines: some Sequence<ListenerLine>) {
        var listener = listeners[member] ?? Listener()
        for index in listener.lines.indices { listener.lines[index].isOffered = false }
        for line in lines where slots.indices.contains(line.slot) {
            if let its = listener.lines.firstIndex(where: { $0.slot == line.slot }) {
                guard listener.lines[its].ssrc == line.ssrc else { continue }
                listener.lines[its].isOffered = true
                slots[line.slot].consumers[listener.lines[its].index].describe(line)
            } else if !listener.lines.contains(where: { $0.ssrc == line.ssrc }) {
                listener.lines.append(
                    Listener.Line(ssrc: line.ssrc, slot: line.slot, index: slots[line.slot].consumers.count))
                slots[line.slot].consumers.append(AudioConsumer(member: member, handle: handle, line: line))
            }
        }
        listeners[member] = listener
        feed(member)
    }

    package func removeListener(_ member: MemberID) {
        guard let listener = listeners.removeValue(forKey: member) else { return }
        for line in listener.lines {
            var index = line.index
            if index < slots[line.slot].fed {
                slots[line.slot].fed -= 1
                move(on: line.slot, slots[line.slot].fed, to: index)
                index = slots[line.slot].fed
            }
            move(on: line.slot, slots[line.slot].consumers.count - 1, to: index)
            slots[line.slot].consumers.removeLast()
        }
    }

    /// Lets two consumers of a slot change places, of which the one at `to` may belong to nobody any more.
    private func move(on slot: Int, _ index: Int, to other: Int) {
        guard index != other else { return }
        slots[slot].consumers.swapAt(index, other)
        for place in [index, other] {
            let member = slots[slot].consumers[place].member
            guard let its = listeners[member]?.lines.firstIndex(where: { $0.slot == slot }) else { continue }
            listeners[member]?.lines[its].index = place
        }
    }

    /// Sends `member` what it should hear from now on: with a mix, who has a slot the others' slots, everybody else the mix.
    private func feed(_ member: MemberID) {
        guard let listener = listeners[member] else { return }
        // A listener without a line for the mix hears the slots instead.
        let hearsSlots = places[member] != nil || !listener.lines.contains { $0.slot == mixSlot && $0.isOffered }
        for line in listener.lines {
            let index = line.index
            let isFed = index < slots[line.slot].fed
            let isWanted = line.isOffered && (line.slot == mixSlot) != hearsSlots
            guard isWanted != isFed else { continue }
            if isFed {
                slots[line.slot].consumers[index].pause()
                slots[line.slot].fed -= 1
                move(on: line.slot, slots[line.slot].fed, to: index)
            } else {
                move(on: line.slot, index, to: slots[line.slot].fed)
                slots[line.slot].fed += 1
            }
        }
    }

    private func pause(_ member: MemberID, on slot: Int) {
        guard let line = listeners[member]?.lines.first(where: { $0.slot == slot }) else { return }
        slots[slot].consumers[line.index].pause()
    }

    /// The listener has reported on this stream, so it knows which line it belongs to.
    package func acknowledge(_ member: MemberID, _ ssrc: SSRC) {
        guard let its = listeners[member]?.lines.firstIndex(where: { $0.ssrc == ssrc && !$0.isAcknowledged }),
            let line = listeners[member]?.lines[its]
        else { return }
        listeners[member]?.lines[its].isAcknowledged = true
        slots[line.slot].consumers[line.index].acknowledge()
    }

    // MARK: Packets

    /// Where a packet that was sent on stands in its slot.
    package struct Forwarded {
        package var slot: Int
        package var sequence: UInt64
        package var timestamp: UInt32
        package var startsSource: Bool
    }

    /// Sends a packet of `member` to everybody who may hear it; nil if nobody may. `payload` is the codec's data alone.
    @discardableResult
    package func forward(
        from member: MemberID, _ header: RTPHeader, extendedSequence: UInt64, level: AudioLevel?,
        payload: UnsafeRawBufferPointer, at now: Instant, send: Send
    ) -> Forwarded? {
        guard let slot = places[member], !slots[slot].isMuted else {
            stats.refused &+= 1
            return nil
        }
        guard payload.count > 0,
            case .packet(let packet) = slots[slot].stream.accept(header, extendedSequence: extendedSequence, at: now)
        else {
            stats.stale &+= 1
            return nil
        }
        slots[slot].meter.heard(level, at: now)
        slots[slot].history.store(packet, payload: payload)
        deliver(packet, payload, on: slot, send)
        stats.forwarded &+= 1
        return Forwarded(
            slot: slot, sequence: packet.sequence, timestamp: packet.timestamp, startsSource: packet.startsSource)
    }

    /// Sends a packet of the mix to everybody who has no slot.
    package func forwardMix(
        _ mix: MixPacket, payload: UnsafeRawBufferPointer, at now: Instant, send: Send
    ) {
        guard let mixSlot, payload.count > 0,
            case .packet(let packet) = slots[mixSlot].stream.accept(
                SourcePacket(ssrc: Self.mixSource, timestamp: mix.timestamp, marker: mix.marker), mix.sequence, at: now)
        else {
            stats.stale &+= 1
            return
        }
        slots[mixSlot].history.store(packet, payload: payload)
        deliver(packet, payload, on: mixSlot, send)
        stats.mixed &+= 1
    }

    @inline(__always)
    private func deliver(_ packet: SlotPacket, _ payload: UnsafeRawBufferPointer, on slot: Int, _ send: Send) {
        let producer = slots[slot].producer
        let fed = slots[slot].fed
        // One look at the array for all listeners: no copy-on-write and exclusivity checks per packet.
        slots[slot].consumers.withUnsafeMutableBufferPointer { consumers in
            for index in 0..<fed where consumers[index].member != producer {
                guard let header = consumers[index].header(for: packet) else { continue }
                send(consumers[index].handle, header, payload)
            }
        }
    }

    /// Gives what `member` has missed of its stream `ssrc`: `sequence`, and each `sequence + 1 + n` whose bit n is set in
    /// `following` (RFC 4585 §6.2.1). The packets are the same to the last byte.
    /// `roundTrip` to the listener, if known, is how long a repeat that is under way is waited for.
    package func `repeat`(
        for member: MemberID, _ ssrc: SSRC, sequence: SequenceNumber16, following: UInt16, roundTrip: Interval?,
        at now: Instant, send: Send
    ) {
        guard let listener = listeners[member], let line = listener.lines.first(where: { $0.ssrc == ssrc }) else {
            stats.notRepeated &+= 1
            return
        }
        var limiter = listener.limiter ?? RepeatLimiter()
        for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 {
            let consumer = slots[line.slot].consumers[line.index]
            guard let slotSequence = consumer.slotSequence(of: sequence.advanced(by: bit)),
                let entry = slots[line.slot].history.find(slotSequence),
                limiter.admits(ssrc, slotSequence, roundTrip: roundTrip, at: now)
            else {
                stats.notRepeated &+= 1
                continue
            }
            send(consumer.handle, consumer.repeatedHeader(for: entry.packet), entry.payload)
            stats.repeated &+= 1
        }
        listeners[member]?.limiter = limiter
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
