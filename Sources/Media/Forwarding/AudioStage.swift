package import RTP
package import Timing
package import Wire

/// The sound of one room: a fixed number of slots, each with at most one producer, and everybody who listens.
///
/// Slots are sticky: a listener has one stream a slot for as long as it is there, whoever speaks on it. Nothing is heard
/// from somebody who is assigned to no slot, or to a muted one; nobody hears themselves.
///
/// Packets leave through closures, one call a listener, with a header to be written in front of the payload. A payload is
/// only valid during the call, and the closure must not call back into the stage.
package final class AudioStage {
    /// Browsers handle that many receiving lines well; more people than that do not talk at once.
    package static let maximumSlots = 16
    /// What everybody's levels are told at most.
    package static let levelPeriod = Interval.milliseconds(100)

    package typealias Send = (_ handle: Int, _ header: OutgoingHeader, _ payload: UnsafeRawBufferPointer) -> Void

    /// Only ever grows.
    package struct Stats: Sendable, Hashable {
        package var forwarded: UInt64 = 0
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
        var meter = LevelMeter()
        /// Who listens to this slot. Removal moves the last one into the gap; the order means nothing.
        var consumers: ContiguousArray<AudioConsumer> = []
    }

    /// Where a listener's consumers are, so that reports and requests need no search through all listeners.
    private struct Listener {
        struct Line {
            var ssrc: SSRC
            var slot: Int
            /// Among the slot's consumers.
            var index: Int
            var isAcknowledged = false
        }

        var lines: [Line] = []
        /// Made with the first request for a repeat.
        var limiter: RepeatLimiter?
    }

    private var slots: ContiguousArray<Slot>
    /// The slot of each producer.
    private var places: [MemberID: Int] = [:]
    private var listeners: [MemberID: Listener] = [:]
    private var levelsReadAt = Instant.distantPast
    private var toldSilence = true
    package private(set) var stats = Stats()

    /// `slots` is brought into 1…16.
    package init(slots: Int) {
        let count = min(max(slots, 1), Self.maximumSlots)
        self.slots = ContiguousArray((0..<count).map { _ in Slot() })
    }

    package var slotCount: Int { slots.count }
    package var listenerCount: Int { listeners.count }

    /// The slot on which `member` is to be heard, muted or not.
    package func slot(of member: MemberID) -> Int? { places[member] }

    // MARK: Rules

    /// Says who is heard on `slot`, and whether it is cut there. A member is on one slot at most: it leaves the other.
    /// When this returns, no packet against the rule leaves any more; what was heard so far ends in three frames of silence.
    package func assign(slot: Int, to member: MemberID?, muted: Bool, at now: Instant, send: Send) {
        guard slots.indices.contains(slot) else { return }
        if let member, let old = places[member], old != slot { clear(old, at: now, send) }
        if slots[slot].producer != member {
            clear(slot, at: now, send)
            slots[slot].producer = member
            if let member {
                places[member] = slot
                pause(member, on: slot)
            }
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

    /// Lets `member` hear the slots that it has lines for. `handle` comes back with each packet. A member that listens
    /// already gets the lines that it does not have yet.
    package func addListener(_ member: MemberID, handle: Int, lines: some Sequence<ListenerLine>) {
        var listener = listeners[member] ?? Listener()
        for line in lines where slots.indices.contains(line.slot) {
            guard !listener.lines.contains(where: { $0.slot == line.slot || $0.ssrc == line.ssrc }) else { continue }
            listener.lines.append(
                Listener.Line(ssrc: line.ssrc, slot: line.slot, index: slots[line.slot].consumers.count))
            slots[line.slot].consumers.append(AudioConsumer(member: member, handle: handle, line: line))
        }
        listeners[member] = listener
    }

    package func removeListener(_ member: MemberID) {
        guard let listener = listeners.removeValue(forKey: member) else { return }
        for line in listener.lines {
            let last = slots[line.slot].consumers.count - 1
            slots[line.slot].consumers.swapAt(line.index, last)
            slots[line.slot].consumers.removeLast()
            guard line.index < last else { continue }
            let moved = slots[line.slot].consumers[line.index].member
            guard let its = listeners[moved]?.lines.firstIndex(where: { $0.slot == line.slot }) else { continue }
            listeners[moved]?.lines[its].index = line.index
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

    /// Sends a packet of `member` to everybody who may hear it. `payload` is the codec's data alone.
    package func forward(
        from member: MemberID, _ header: RTPHeader, extendedSequence: UInt64, level: AudioLevel?,
        payload: UnsafeRawBufferPointer, at now: Instant, send: Send
    ) {
        guard let slot = places[member], !slots[slot].isMuted else {
            stats.refused &+= 1
            return
        }
        guard payload.count > 0,
            case .packet(let packet) = slots[slot].stream.accept(header, extendedSequence: extendedSequence, at: now)
        else {
            stats.stale &+= 1
            return
        }
        slots[slot].meter.heard(level, at: now)
        slots[slot].history.store(packet, payload: payload)
        deliver(packet, payload, on: slot, send)
        stats.forwarded &+= 1
    }

    @inline(__always)
    private func deliver(_ packet: SlotPacket, _ payload: UnsafeRawBufferPointer, on slot: Int, _ send: Send) {
        let producer = slots[slot].producer
        // One look at the array for all listeners: no copy-on-write and exclusivity checks per packet.
        slots[slot].consumers.withUnsafeMutableBufferPointer { consumers in
            for index in consumers.indices where consumers[index].member != producer {
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
        for slot in slots {
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
        guard !toldSilence || slots.contains(where: { $0.stream.isActive }) else { return nil }
        return levelsReadAt + Self.levelPeriod
    }
}
