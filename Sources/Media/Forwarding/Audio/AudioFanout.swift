package import RTP
package import Timing
package import Wire

/// The listeners of a stage on one worker: numbers each packet for everybody who may hear it, and gives again what got lost.
///
/// Packets leave through closures, one call a listener, numbered for the stream that it gets. A payload is
/// only valid during the call, and the closure must not call back.
package final class AudioFanout {
    /// Says when what a listener's stream carries was captured; nil: not known.
    package typealias Clock = (_ handle: Int, _ stream: Int, _ clock: CaptureClock?) -> Void
    package typealias Send = (_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) -> Void

    private struct Slot {
        let history = PacketHistory()
        /// Who has a line for this slot: first those who are sent it, then those who are not at present. Removal moves the
        /// last of each part into the gap; beyond that the order means nothing.
        var consumers: ContiguousArray<AudioConsumer> = []
        /// How many of them are sent it.
        var fed = 0
        /// In the slot's timestamps.
        var clock: CaptureClock?
        /// What a newcomer may be given; nil once that has been cut.
        var newest: Newest?
    }

    /// The newest packet of a slot.
    private struct Newest {
        var sequence: UInt64
        var arrival: Instant
        /// The first one after a seam.
        var first: UInt64
    }

    /// Where a listener's consumers are, so that requests need no search through all listeners.
    private struct Listener {
        struct Line {
            var ssrc: SSRC
            var slot: Int
            /// Among the slot's consumers.
            var index: Int
            /// The last offer asked for it. A line that is not is silent, and keeps its numbers for when it comes back: its keys have
            /// sealed packets with them.
            var isOffered = true
        }

        var lines: [Line] = []
        /// Made with the first request for a repeat.
        var limiter: RepeatLimiter?
    }

    private var slots: ContiguousArray<Slot>
    /// The slot that carries the mix, if there is one.
    private let mixSlot: Int?
    /// From so many listeners on, packets of several speakers go to the audience together.
    private var crowd: Int
    private var batch: CrowdBatch
    private var repeatCredit = CrowdRepeatCredit()
    /// Who has a slot, and so hears the others' slots.
    private var producers: Set<MemberID> = []
    private var listeners: [MemberID: Listener] = [:]
    /// Told for each stream that begins, or whose clock has been learnt anew.
    package var onClock: Clock?
    /// Told when the first packet of a batch waits: see `due`.
    package var onWaiting: (() -> Void)?
    private(set) var repeated: UInt64 = 0
    private(set) var notRepeated: UInt64 = 0

    /// `slots` with the mix. Who sings waits for nobody: a stage with a mix has no batches.
    package init(slots: Int, mixSlot: Int?, crowd: Int = AudioFanout.smallestCrowd) {
        self.slots = ContiguousArray((0..<slots).map { _ in Slot() })
        self.mixSlot = mixSlot
        self.crowd = mixSlot == nil ? crowd : .max
        batch = CrowdBatch(slots: slots)
    }

    package static let smallestCrowd = CrowdBatch.minimumListeners
    package static let smallestCrowdWhenBusy = CrowdBatch.minimumListenersWhenBusy

    /// From now on so many listeners are a crowd. What waits already leaves when it is due.
    package func setCrowd(_ listeners: Int) {
        if mixSlot == nil { crowd = listeners }
    }

    package var listenerCount: Int { listeners.count }

    package func hasSlot(_ member: MemberID) -> Bool { producers.contains(member) }

    /// What was repeated here, and what was not. The rest is the stage's.
    package var stats: AudioStats {
        var stats = AudioStats()
        stats.repeated = repeated
        stats.notRepeated = notRepeated
        return stats
    }

    // MARK: Who listens

    /// Lets `member` hear the slots that it has lines for, and no others. `handle` comes back with each packet. A member that
    /// listens already keeps the numbers of its lines; a line that is missing here falls silent.
    package func setListener(_ member: MemberID, handle: Int, lines: some Sequence<ListenerLine>) {
        var listener = listeners[member] ?? Listener()
        for index in listener.lines.indices { listener.lines[index].isOffered = false }
        for line in lines where slots.indices.contains(line.slot) {
            if let its = listener.lines.firstIndex(where: { $0.slot == line.slot }) {
                guard listener.lines[its].ssrc == line.ssrc else { continue }
                listener.lines[its].isOffered = true
                slots[line.slot].consumers[listener.lines[its].index].setRedundancy(line.redundancy)
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

    /// Somebody has a slot from now on, or none any more. With a mix, who has one hears the others' slots, everybody else the mix.
    package func setProducer(_ member: MemberID, slot: Int?) {
        if let slot {
            producers.insert(member)
            pause(member, on: slot)
        } else {
            producers.remove(member)
        }
        feed(member)
    }

    private func feed(_ member: MemberID) {
        guard let listener = listeners[member] else { return }
        let isSeated = producers.contains(member)
        // A listener without a line for the mix hears the slots instead.
        let hearsSlots = isSeated || !listener.lines.contains { $0.slot == mixSlot && $0.isOffered }
        for line in listener.lines {
            slots[line.slot].consumers[line.index].setSeated(isSeated, wasPadded: batch.hasPadded)
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

    // MARK: Packets

    /// Sends a packet of `slot` to everybody who may hear it; nobody hears themselves. In a crowd, those who only listen may get it
    /// later, with others: see `due`.
    @inline(__always)
    func deliver(
        _ packet: SlotPacket, from producer: MemberID?, _ payload: UnsafeRawBufferPointer, on slot: Int,
        arrival: Instant, isUrgent: Bool, _ send: Send
    ) {
        // What waits of this slot goes first, and lies where this one is about to be kept.
        if batch.holds(slot) { deliverWaiting(send: send) }
        var packet = packet
        let doubled = packet.redundancy == .carriesCopy ? slots[slot].history.doubled(packet, payload) : nil
        // Kept as it was sent.
        if packet.redundancy == .carriesCopy, doubled == nil { packet.redundancy = .none }
        let isCrowd = slots[slot].fed >= crowd
        if isCrowd { repeatCredit.earn(slots[slot].fed) }
        slots[slot].history.store(packet, payload: payload, spare: isCrowd ? CrowdBatch.maximumPadding : 0)
        if packet.startsSource { slots[slot].clock = nil }
        noteNewest(packet, on: slot, arrival: arrival, isFiller: isUrgent)
        guard isCrowd, batch.note(arrival: arrival), !isUrgent, !packet.isLate,
            let kept = slots[slot].history.find(packet.sequence)
        else {
            return hand(packet, from: producer, payload, doubled, on: slot, send)
        }
        hand(packet, from: producer, payload, doubled, on: slot, toSeatsAlone: true, send)
        let isFirst = batch.packets.isEmpty
        batch.add(
            CrowdBatch.Waiting(slot: slot, packet: packet, payload: kept.payload, doubled: doubled), arrival: arrival)
        if isFirst { onWaiting?() }
    }

    @inline(__always)
    private func hand(
        _ packet: SlotPacket, from producer: MemberID?, _ payload: UnsafeRawBufferPointer,
        _ doubled: PacketHistory.Doubled?, on slot: Int, toSeatsAlone: Bool = false, _ send: Send
    ) {
        let fed = slots[slot].fed
        let clock = slots[slot].clock
        let onClock = onClock
        // One look at the array for all listeners: no copy-on-write and exclusivity checks per packet.
        slots[slot].consumers.withUnsafeMutableBufferPointer { consumers in
            for index in 0..<fed where consumers[index].member != producer {
                if toSeatsAlone, !consumers[index].isSeated { continue }
                Self.hand(packet, payload, doubled, to: &consumers[index], clock, onClock, send)
            }
        }
    }

    @inline(__always)
    private static func hand(
        _ packet: SlotPacket, _ payload: UnsafeRawBufferPointer, _ doubled: PacketHistory.Doubled?,
        to consumer: inout AudioConsumer, _ clock: CaptureClock?, _ onClock: Clock?, _ send: Send
    ) {
        let types = consumer.line.redundancy
        // Whoever takes copies gets this one with the next packet, which is about to be sent.
        if packet.redundancy == .copyFromNext, types != nil { return }
        guard var outgoing = consumer.next(packet) else { return }
        if outgoing.startsSource {
            onClock?(consumer.handle, outgoing.stream, clock?.shifted(by: consumer.line.firstTimestamp))
        }
        if let doubled, let types {
            doubled.dress(&outgoing, types)
            send(consumer.handle, outgoing, doubled.payload)
        } else {
            send(consumer.handle, outgoing, payload)
        }
    }

    @inline(__always)
    private func noteNewest(_ packet: SlotPacket, on slot: Int, arrival: Instant, isFiller: Bool) {
        if isFiller {
            slots[slot].newest = nil
        } else if !packet.isLate {
            let first = packet.startsSource ? nil : slots[slot].newest?.first
            slots[slot].newest = Newest(sequence: packet.sequence, arrival: arrival, first: first ?? packet.sequence)
        }
    }

    // MARK: Newcomers

    /// How old the newest packet may be that a newcomer gets: a frame, and what a line shakes it.
    private static let greetingAge = Interval.milliseconds(60)
    /// With two, a receiver has the older one to begin with at once, and the newer one for what it would else wait.
    private static let greetingPackets: UInt64 = 2

    /// Gives a listener whose way has just come up the newest sound of each slot, so that it hears the room at once and not with the next
    /// packets. Nothing from before a cut.
    package func greet(_ member: MemberID, at now: Instant, send: Send) {
        for line in listeners[member]?.lines ?? [] {
            guard line.index < slots[line.slot].fed, let newest = slots[line.slot].newest,
                now - newest.arrival <= Self.greetingAge, newest.sequence > newest.first,
                slots[line.slot].consumers[line.index].isNewcomer
            else { continue }
            let packets = newest.sequence + 1 - Self.greetingPackets...newest.sequence
            let entries = packets.compactMap { slots[line.slot].history.find($0) }
            guard entries.count == packets.count, entries.allSatisfy({ !$0.packet.redundancy.isCopy }) else { continue }
            for entry in entries {
                guard let outgoing = slots[line.slot].consumers[line.index].next(entry.packet) else { continue }
                if outgoing.startsSource {
                    let clock = slots[line.slot].clock
                    let first = slots[line.slot].consumers[line.index].line.firstTimestamp
                    onClock?(
                        slots[line.slot].consumers[line.index].handle, outgoing.stream, clock?.shifted(by: first))
                }
                _ = give(entry, outgoing, on: line, send)
            }
        }
    }

    // MARK: Batches

    /// When what waits for other packets is to go to the audience by `deliverWaiting(send:)`.
    package var due: Instant { batch.due }

    /// To be called before anybody gets a slot, gives it up, or falls silent there: what was heard before leaves, and newcomers get
    /// none of it.
    package func settle(send: Send) {
        deliverWaiting(send: send)
        for index in slots.indices { slots[index].newest = nil }
    }

    /// Sends what waits for other packets: to one listener after the other all that is for it.
    package func deliverWaiting(send: Send) {
        guard !batch.packets.isEmpty else { return }
        batch.arrange()
        let (packets, onClock) = (batch.packets, onClock)
        for index in packets.indices where packets[index].packet.padding > 0 {
            let history = slots[packets[index].slot].history
            batch.setPadded(
                index, history.pad(packets[index].packet.sequence, by: Int(packets[index].packet.padding)))
        }
        slots.withUnsafeMutableBufferPointer { slots in
            // Who listens to one slot of a stage listens to the others, and stands in the same place.
            var longest = 0
            for waiting in packets { longest = max(longest, slots[waiting.slot].fed) }
            for index in 0..<longest {
                for waiting in packets where index < slots[waiting.slot].fed {
                    if slots[waiting.slot].consumers[index].isSeated { continue }
                    Self.hand(
                        waiting.packet, waiting.payload, waiting.doubled, to: &slots[waiting.slot].consumers[index],
                        slots[waiting.slot].clock, onClock, send)
                }
            }
        }
        batch.clear()
    }

    /// When what a slot carries was captured, in the slot's timestamps.
    func setClock(_ clock: CaptureClock, of slot: Int) {
        slots[slot].clock = clock
        guard let onClock else { return }
        for consumer in slots[slot].consumers[..<slots[slot].fed] {
            onClock(consumer.handle, consumer.line.stream, clock.shifted(by: consumer.line.firstTimestamp))
        }
    }

    /// Sends what another worker's stage has accepted.
    package func deliver(_ packet: TappedPacket, _ payload: UnsafeRawBufferPointer, send: Send) {
        guard slots.indices.contains(packet.slot) else { return }
        deliver(
            SlotPacket(packet), from: packet.producer, payload, on: packet.slot, arrival: packet.arrival,
            isUrgent: packet.isFiller, send)
    }

    /// Gives what `member` has missed of its stream `ssrc`: `sequence`, and each `sequence + 1 + n` whose bit n is set in
    /// `following` (RFC 4585 §6.2.1). The packets are the same to the last byte.
    /// `roundTrip` to the listener, if known, is how long a repeat that is under way is waited for.
    package func `repeat`(
        for member: MemberID, _ ssrc: SSRC, sequence: SequenceNumber16, following: UInt16, roundTrip: Interval?,
        at now: Instant, send: Send
    ) {
        guard let listener = listeners[member], let line = listener.lines.first(where: { $0.ssrc == ssrc }) else {
            notRepeated &+= 1
            return
        }
        var limiter = listener.limiter ?? RepeatLimiter()
        for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 {
            let consumer = slots[line.slot].consumers[line.index]
            guard let slotSequence = consumer.slotSequence(of: sequence.advanced(by: bit)),
                let entry = slots[line.slot].history.find(slotSequence),
                limiter.copies(ssrc, slotSequence, roundTrip: roundTrip, at: now) > 0,
                slots[line.slot].fed < crowd || repeatCredit.spend()
            else {
                notRepeated &+= 1
                continue
            }
            if give(entry, consumer.again(entry.packet), on: line, send) {
                repeated &+= 1
            } else {
                notRepeated &+= 1
            }
        }
        listeners[member]?.limiter = limiter
    }

    /// Sends a kept packet as it goes out first and each time after, to the last byte.
    /// - Returns: false if the one before it, which goes along as a copy, is gone.
    private func give(
        _ entry: PacketHistory.Entry, _ numbered: OutgoingPacket, on line: Listener.Line, _ send: Send
    ) -> Bool {
        let (consumer, history) = (slots[line.slot].consumers[line.index], slots[line.slot].history)
        guard entry.packet.redundancy == .carriesCopy, let types = consumer.line.redundancy else {
            send(consumer.handle, numbered, numbered.padding > 0 ? entry.padded : entry.payload)
            return true
        }
        guard let doubled = history.doubled(entry.packet, entry.payload) else { return false }
        var outgoing = numbered
        doubled.dress(&outgoing, types)
        send(consumer.handle, outgoing, doubled.payload)
        return true
    }
}

extension SlotPacket {
    fileprivate init(_ packet: TappedPacket) {
        self.init(
            sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
            startsSource: packet.startsSource, isLate: packet.isLate, redundancy: packet.redundancy)
    }
}
