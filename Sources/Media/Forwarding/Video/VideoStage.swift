package import Codecs
package import RTP
package import Timing
package import Wire

/// The pictures of one room: a fixed number of slots, each with at most one producer who may send it in several layers, and everybody
/// who watches.
///
/// Slots are sticky, as those of sound are. A viewer gets a picture from a key frame on: the newest one, if it is near, or one that the
/// producer is asked for. Nothing is seen from somebody who is assigned to no slot; nobody sees themselves.
///
/// Packets leave through closures, as those of `AudioFanout` do.
package final class VideoStage {
    package typealias Send = AudioFanout.Send
    /// Asks the producer for a key frame of that stream.
    package typealias Ask = (_ producer: MemberID, _ ssrc: SSRC) -> Void

    /// A browser sends three layers at most, and screens two.
    package static let maximumLayers = 3
    /// A layer that has been silent for so long is taken for gone: it is not waited for.
    static let layerHold = Interval.seconds(2)
    /// How long a source must be silent before another one takes its layer over.
    static let sourceHold = Interval.milliseconds(500)
    /// A key frame costs everybody who watches: one viewer's line that loses much does not ask for more of them.
    static let keyFrameAllowance = Allowance(burst: 3, perSecond: 0.3)
    /// How often it is looked at what everybody should get: while somebody waits, and otherwise.
    static let waitingLook = Interval.milliseconds(50)
    static let usualLook = Interval.milliseconds(500)

    private struct Slot {
        var producer: MemberID?
        var isCut = false
        /// Empty places are layers that have not come.
        var layers: [VideoLayer?] = Array(repeating: nil, count: VideoStage.maximumLayers)
        var consumers: ContiguousArray<VideoConsumer> = []
        /// Somebody waits for a key frame.
        var hasWaiting = false
        /// When it is looked at again what everybody should get.
        var nextLook = Instant.distantPast
    }

    private struct Viewer {
        let handle: Int
        /// Where it is among the consumers of each slot that it has a line for.
        var places: [Int: Int] = [:]
        var limiter: RepeatLimiter?
        var keyFrames = TokenBucket(VideoStage.keyFrameAllowance, now: .distantPast)
        /// The layers that it wants at most, by slot.
        var highest: [Int: Int]

        init(handle: Int, highest: [Int: Int]) {
            self.handle = handle
            self.highest = highest
        }
    }

    private var slots: ContiguousArray<Slot>
    private var places: [MemberID: Int] = [:]
    private var viewers: [MemberID: Viewer] = [:]
    /// What those who have no lines yet have said.
    private var early: [MemberID: [Int: Int]] = [:]
    /// Told for each stream that begins, or whose clock has been learnt anew.
    package var onClock: AudioFanout.Clock?
    package private(set) var stats = VideoStats()

    package init(slots count: Int) { slots = ContiguousArray((0..<max(count, 0)).map { _ in Slot() }) }

    package var slotCount: Int { slots.count }

    // MARK: Rules

    /// Says whose picture is on `slot`, and whether it is cut. A member is on one slot at most: it leaves the other. When this returns,
    /// no packet against the rule leaves any more.
    package func assign(slot: Int, to member: MemberID?, isCut: Bool) {
        guard slots.indices.contains(slot) else { return }
        if let member, let old = places[member], old != slot { clear(old) }
        if slots[slot].producer != member {
            clear(slot)
            slots[slot].producer = member
            if let member { places[member] = slot }
        }
        if isCut, !slots[slot].isCut { forgetLayers(slot) }
        slots[slot].isCut = isCut
    }

    /// Forgets what `member` has sent so far, since its path is new or gone; its slot stays its own.
    package func resetSource(of member: MemberID) { if let slot = places[member] { forgetLayers(slot) } }

    private func clear(_ slot: Int) {
        forgetLayers(slot)
        if let producer = slots[slot].producer { places[producer] = nil }
        slots[slot].producer = nil
    }

    private func forgetLayers(_ slot: Int) {
        slots[slot].layers = Array(repeating: nil, count: Self.maximumLayers)
        for index in slots[slot].consumers.indices { slots[slot].consumers[index].stop() }
    }

    // MARK: Viewers

    /// Lets `member` see the slots that it has lines for, and no others. A line that stays, or comes back, keeps its numbers.
    package func setViewer(
        _ member: MemberID, handle: Int, lines: some Sequence<ViewerLine>, at now: Instant, send: Send, ask: Ask
    ) {
        var viewer = viewers[member] ?? Viewer(handle: handle, highest: early.removeValue(forKey: member) ?? [:])
        let lines = lines.filter { slots.indices.contains($0.slot) }
        for (slot, index) in viewer.places where !lines.contains(where: { $0.slot == slot }) {
            slots[slot].consumers[index].withdraw()
        }
        for line in lines {
            if let index = viewer.places[line.slot] {
                guard slots[line.slot].consumers[index].line.ssrc == line.ssrc else { continue }
                slots[line.slot].consumers[index].offer(line)
            } else {
                var consumer = VideoConsumer(member: member, handle: handle, line: line)
                consumer.wanted = viewer.highest[line.slot] ?? .max
                viewer.places[line.slot] = slots[line.slot].consumers.count
                slots[line.slot].consumers.append(consumer)
            }
        }
        viewers[member] = viewer
        for (slot, index) in viewer.places where slots[slot].consumers[index].layer == nil {
            start(slot, index, at: now, send, ask)
        }
    }

    package func removeViewer(_ member: MemberID) {
        early[member] = nil
        guard let viewer = viewers.removeValue(forKey: member) else { return }
        for (slot, index) in viewer.places { removeConsumer(index, from: slot) }
    }

    /// The last consumer of the slot moves into the gap.
    private func removeConsumer(_ index: Int, from slot: Int) {
        let last = slots[slot].consumers.count - 1
        if index != last {
            slots[slot].consumers.swapAt(index, last)
            viewers[slots[slot].consumers[index].member]?.places[slot] = index
        }
        slots[slot].consumers.removeLast()
    }

    /// `member` wants no higher layer than that of a slot, or none at all: −1. What it gets changes with the next key frame, and ends at
    /// once. What is said before the member has lines holds until `removeViewer`.
    package func limit(
        _ member: MemberID, slot: Int, toLayer highest: Int, at now: Instant, send: Send, ask: Ask
    ) {
        guard slots.indices.contains(slot) else { return }
        guard viewers[member] != nil else {
            early[member, default: [:]][slot] = highest
            return
        }
        viewers[member]?.highest[slot] = highest
        guard let index = viewers[member]?.places[slot] else { return }
        slots[slot].consumers[index].wanted = highest
        if highest < 0 { slots[slot].consumers[index].stop() }
        start(slot, index, at: now, send, ask)
    }

    /// The viewer cannot go on without a key frame of its stream.
    package func keyFrameWanted(
        by member: MemberID, stream: Int, roundTrip: Interval?, at now: Instant, ask: Ask
    ) {
        guard let viewer = viewers[member] else { return }
        for (slot, index) in viewer.places {
            let consumer = slots[slot].consumers[index]
            guard consumer.line.stream == stream, let layer = consumer.layer else { continue }
            guard viewers[member]?.keyFrames.take(now: now) == true else { return }
            request(slot, layer, roundTrip: roundTrip, at: now, ask)
        }
    }

    // MARK: Which layer

    /// The layer that a viewer should get: the highest that comes and that it wants.
    private func target(_ slot: Int, _ consumer: VideoConsumer, at now: Instant) -> Int? {
        guard consumer.wanted >= 0, consumer.isOffered else { return nil }
        var lowest: Int?
        var highest: Int?
        for index in 0..<Self.maximumLayers {
            guard let layer = slots[slot].layers[index], layer.format == consumer.line.format,
                now - layer.lastArrival < Self.layerHold
            else { continue }
            if lowest == nil { lowest = index }
            if index <= consumer.wanted { highest = index }
        }
        return highest ?? lowest
    }

    /// Begins with a key frame that is there, or asks for one.
    private func start(_ slot: Int, _ index: Int, at now: Instant, _ send: Send, _ ask: Ask) {
        let consumer = slots[slot].consumers[index]
        guard consumer.member != slots[slot].producer, !slots[slot].isCut else { return }
        guard let target = target(slot, consumer, at: now) else {
            // Its first packet begins it.
            if consumer.layer == nil, consumer.wanted >= 0, consumer.isOffered { slots[slot].hasWaiting = true }
            return
        }
        guard consumer.layer != target else { return }
        // Who sees another layer already would see the past again.
        if consumer.layer == nil, let range = slots[slot].layers[target]?.replayable() {
            replay(range, of: target, on: slot, to: index, at: now, send)
        } else {
            slots[slot].hasWaiting = true
            slots[slot].nextLook = min(slots[slot].nextLook, now + Self.waitingLook)
            request(slot, target, roundTrip: nil, at: now, ask)
        }
    }

    /// Gives a viewer everything from a key frame on.
    private func replay(
        _ range: ClosedRange<UInt64>, of layer: Int, on slot: Int, to index: Int, at now: Instant, _ send: Send
    ) {
        guard let history = slots[slot].layers[layer]?.history, let first = history.find(range.lowerBound) else {
            return
        }
        begin(layer, with: first.packet, on: slot, index, at: now)
        for sequence in range {
            guard let entry = history.find(sequence),
                let outgoing = slots[slot].consumers[index].next(entry.packet, of: layer, at: now)
            else { continue }
            send(slots[slot].consumers[index].handle, outgoing, Self.content(entry.packet, entry.payload))
            stats.sent &+= 1
        }
    }

    private func request(_ slot: Int, _ layer: Int, roundTrip: Interval?, at now: Instant, _ ask: Ask) {
        guard let producer = slots[slot].producer, slots[slot].layers[layer] != nil else { return }
        if slots[slot].layers[layer]?.asks(roundTrip: roundTrip, at: now) == true,
            let ssrc = slots[slot].layers[layer]?.ssrc
        {
            ask(producer, ssrc)
            stats.keyFramesAsked &+= 1
        }
    }

    /// Lets everybody begin, or wait for, what they should get. A picture from which nothing comes needs no look.
    private func look(_ slot: Int, at now: Instant, _ send: Send, _ ask: Ask) {
        slots[slot].hasWaiting = false
        for index in slots[slot].consumers.indices { start(slot, index, at: now, send, ask) }
        slots[slot].nextLook = now + (slots[slot].hasWaiting ? Self.waitingLook : Self.usualLook)
    }

    // MARK: Packets

    /// Sends a packet of `member`'s picture to everybody who gets that layer. An empty payload is padding: it only keeps numbers whole.
    package func forward(
        _ picture: PicturePacket, from member: MemberID, payload: UnsafeRawBufferPointer, send: Send, ask: Ask
    ) {
        guard let slot = places[member], !slots[slot].isCut, (0..<Self.maximumLayers).contains(picture.layer) else {
            stats.refused &+= 1
            return
        }
        let now = picture.arrival
        let layer = picture.layer
        // A source that began anew is another layer, of which nobody has anything yet.
        if slots[slot].layers[layer]?.ssrc != picture.ssrc || slots[slot].layers[layer]?.format != picture.format {
            if let present = slots[slot].layers[layer], now - present.lastArrival < Self.sourceHold {
                stats.stale &+= 1
                return
            }
            slots[slot].layers[layer] = VideoLayer(picture)
            stopViewers(of: layer, on: slot, at: now)
        }
        var accepted = slots[slot].layers[layer]?.accept(picture, payload: payload)
        if case .restarted? = accepted {
            stopViewers(of: layer, on: slot, at: now)
            accepted = slots[slot].layers[layer]?.accept(picture, payload: payload)
        }
        guard case .packet(let packet, let startsKeyFrame)? = accepted else {
            stats.stale &+= 1
            return
        }
        if startsKeyFrame { beginWaiting(slot, layer, at: now, before: packet.sequence, send) }
        deliver(packet, payload, of: layer, on: slot, at: now, send)
        stats.forwarded &+= 1
        if slots[slot].nextLook <= now { look(slot, at: now, send, ask) }
    }

    private func stopViewers(of layer: Int, on slot: Int, at now: Instant) {
        for index in slots[slot].consumers.indices where slots[slot].consumers[index].layer == layer {
            slots[slot].consumers[index].stop()
        }
        slots[slot].nextLook = now
    }

    /// A key frame has been found: everybody who should get that layer begins. What came of it before this packet is given first.
    private func beginWaiting(_ slot: Int, _ layer: Int, at now: Instant, before sequence: UInt64, _ send: Send) {
        guard let first = slots[slot].layers[layer]?.keyFrame?.first else { return }
        for index in slots[slot].consumers.indices {
            let consumer = slots[slot].consumers[index]
            guard consumer.layer != layer, consumer.member != slots[slot].producer,
                target(slot, consumer, at: now) == layer
            else { continue }
            if first < sequence {
                replay(first...(sequence - 1), of: layer, on: slot, to: index, at: now, send)
            } else if let entry = slots[slot].layers[layer]?.history.find(first) {
                begin(layer, with: entry.packet, on: slot, index, at: now)
            }
        }
    }

    private func begin(_ layer: Int, with packet: LayerPacket, on slot: Int, _ index: Int, at now: Instant) {
        slots[slot].consumers[index].begin(layer, with: packet, clock: slots[slot].layers[layer]?.clock, at: now)
        tellClock(slots[slot].consumers[index])
    }

    private func tellClock(_ consumer: VideoConsumer) {
        onClock?(consumer.handle, consumer.line.stream, consumer.clock)
    }

    /// A producer's report tells when a layer was captured. Viewers get it in their reports.
    package func note(_ clock: CaptureClock, of ssrc: SSRC, from member: MemberID) {
        guard let slot = places[member],
            let layer = slots[slot].layers.firstIndex(where: { $0?.ssrc == ssrc })
        else { return }
        slots[slot].layers[layer]?.clock = clock
        for index in slots[slot].consumers.indices where slots[slot].consumers[index].layer == layer {
            slots[slot].consumers[index].learn(clock)
            tellClock(slots[slot].consumers[index])
        }
    }

    private func deliver(
        _ packet: LayerPacket, _ payload: UnsafeRawBufferPointer, of layer: Int, on slot: Int, at now: Instant,
        _ send: Send
    ) {
        let content = Self.content(packet, payload)
        // Padding in the middle of a stretch keeps the numbers whole; viewers need none of it.
        var sent: UInt64 = 0
        slots[slot].consumers.withUnsafeMutableBufferPointer { consumers in
            for index in consumers.indices {
                guard let outgoing = consumers[index].next(packet, of: layer, at: now) else { continue }
                send(consumers[index].handle, outgoing, content)
                sent &+= 1
            }
        }
        stats.sent &+= sent
    }

    /// What stands behind the descriptor that each viewer gets anew.
    private static func content(_ packet: LayerPacket, _ payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let descriptor = packet.payload?.vp8 else { return payload }
        return UnsafeRawBufferPointer(rebasing: payload[descriptor.length...])
    }

    /// Gives what `member` has missed of its stream: see `AudioFanout.repeat`.
    package func `repeat`(
        for member: MemberID, stream: Int, sequence: SequenceNumber16, following: UInt16, roundTrip: Interval?,
        at now: Instant, send: Send
    ) {
        guard let viewer = viewers[member],
            let (slot, index) = viewer.places.first(where: { slots[$0].consumers[$1].line.stream == stream })
        else { return }
        let consumer = slots[slot].consumers[index]
        var limiter = viewer.limiter ?? RepeatLimiter(.picture)
        for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 {
            guard let (layer, input) = consumer.missed(sequence.advanced(by: bit)),
                let entry = slots[slot].layers[layer]?.history.find(input),
                let outgoing = consumer.again(entry.packet, of: layer),
                limiter.admits(consumer.line.ssrc, outgoing.sequence, roundTrip: roundTrip, at: now)
            else {
                stats.notRepeated &+= 1
                continue
            }
            send(consumer.handle, outgoing, Self.content(entry.packet, entry.payload))
            stats.repeated &+= 1
        }
        viewers[member]?.limiter = limiter
    }
}

/// What became of the pictures of a stage since it was made.
package struct VideoStats: Sendable, Hashable {
    package var forwarded: UInt64 = 0
    /// Packets to viewers.
    package var sent: UInt64 = 0
    /// From somebody without a slot, or on one that is cut.
    package var refused: UInt64 = 0
    /// Had come before, too late, or no payload.
    package var stale: UInt64 = 0
    package var repeated: UInt64 = 0
    package var notRepeated: UInt64 = 0
    package var keyFramesAsked: UInt64 = 0

    package init() {}

    package static func + (a: VideoStats, b: VideoStats) -> VideoStats {
        var sum = a
        sum.forwarded &+= b.forwarded
        sum.sent &+= b.sent
        sum.refused &+= b.refused
        sum.stale &+= b.stale
        sum.repeated &+= b.repeated
        sum.notRepeated &+= b.notRepeated
        sum.keyFramesAsked &+= b.keyFramesAsked
        return sum
    }
}
