internal import BandwidthEstimation
package import RTP
package import Timing
package import Wire

/// The pictures of one room: a fixed number of slots, each with at most one producer who may send it in several layers, and everybody
/// who watches.
///
/// Slots are sticky, as those of sound are. A viewer gets a picture from a key frame on: the newest one, if it is near, or one that the
/// producer is asked for. Nothing is seen from somebody who is assigned to no slot; nobody sees themselves.
///
/// Packets leave through closures, as those of `AudioFanout` do, but not one by one: `deliver` sends what has come.
package final class VideoStage {
    package typealias Send = AudioFanout.Send
    /// Asks the producer for a key frame of that stream.
    package typealias Ask = (_ producer: MemberID, _ ssrc: SSRC) -> Void

    /// Tells a producer what anybody wants.
    package typealias Wish = (_ producer: MemberID, _ wish: PictureWish) -> Void

    /// A browser sends three layers at most, and screens two.
    package static let maximumLayers = 3
    /// The same picture in another format, for those who cannot show the room's: one layer, on a line of its own.
    package static let spareLayer = maximumLayers
    static let layerCount = maximumLayers + 1
    /// A layer that has been silent for so long is taken for gone: it is not waited for.
    static let layerHold = Interval.seconds(2)
    /// How long a source must be silent before another one takes its layer over.
    static let sourceHold = Interval.milliseconds(500)
    /// A key frame costs everybody who watches: one viewer's line that loses much does not ask for more of them.
    static let keyFrameAllowance = Allowance(burst: 3, perSecond: 0.3)
    /// How often it is looked at what everybody should get: while somebody waits, and otherwise.
    static let waitingLook = Interval.milliseconds(50)
    static let usualLook = Interval.milliseconds(500)
    /// A probe is not filled with packets that are shorter: there would have to be too many.
    static let leastFilling = 500

    private var slots: ContiguousArray<VideoSlot>
    private var places: [MemberID: Int] = [:]
    private var viewers: [MemberID: PictureViewer] = [:]
    /// The highest layers that people chose, by slot: before they have lines, too.
    private var chosen: [MemberID: [Int: Int]] = [:]
    /// Where a line cannot carry everything, pictures of the more important stage come first.
    package let importance: Int
    /// Told for each stream that begins, or whose clock has been learnt anew.
    package var onClock: AudioFanout.Clock? { didSet { for slot in slots.indices { slots[slot].onClock = onClock } } }
    /// Told what a producer needs to send, whenever that changes.
    package var onWish: Wish? { didSet { for slot in slots.indices { slots[slot].wish.onChange = onWish } } }
    /// Told of a viewer for whom something waits from now on: it is to be driven.
    package var onWaiting: ((_ handle: Int) -> Void)? {
        didSet { for slot in slots.indices { slots[slot].onWaiting = onWaiting } }
    }

    /// Something came that nobody has been given yet.
    package private(set) var hasArrivals = false

    package var stats: VideoStats { slots.reduce(refusals) { $0 + $1.stats } }
    private var refusals = VideoStats()

    package init(slots count: Int, importance: Int = 0) {
        slots = ContiguousArray((0..<max(count, 0)).map { _ in VideoSlot() })
        self.importance = importance
    }

    package var slotCount: Int { slots.count }

    // MARK: Rules

    /// Says whose picture is on `slot`, and whether it is cut. A member is on one slot at most: it leaves the other. When this returns,
    /// no packet against the rule leaves any more.
    package func assign(slot: Int, to member: MemberID?, isCut: Bool) {
        guard slots.indices.contains(slot) else { return }
        if let member, let old = places[member], old != slot { clear(old) }
        if slots[slot].producer != member {
            clear(slot)
            slots[slot].assign(member)
            if let member { places[member] = slot }
        }
        slots[slot].setCut(isCut)
    }

    /// Forgets what `member` has sent so far, since its path is new or gone; its slot stays its own.
    package func resetSource(of member: MemberID) { if let slot = places[member] { slots[slot].resetSource() } }

    /// Whether what `member` sends is seen on that slot.
    package func shows(_ member: MemberID, on slot: Int) -> Bool { places[member] == slot && !slots[slot].isCut }

    /// What those want of a slot who are not among the viewers here.
    package func setWantedElsewhere(_ wish: PictureWish, on slot: Int) {
        if slots.indices.contains(slot) { slots[slot].setWantedElsewhere(wish) }
    }

    /// Somebody who is not among the viewers here cannot go on without a key frame of that stream.
    package func keyFrameWanted(onSlot slot: Int, of ssrc: SSRC, at now: Instant, ask: Ask) {
        if slots.indices.contains(slot) { slots[slot].request(ssrc, at: now, ask) }
    }

    private func clear(_ slot: Int) {
        if let producer = slots[slot].producer { places[producer] = nil }
        slots[slot].assign(nil)
        slots[slot].forgetLayers()
    }

    // MARK: Viewers

    /// Lets a viewer see the slots that it has lines for, and no others. A line that stays, or comes back, keeps its numbers.
    package func setViewer(
        _ viewer: PictureViewer, lines: some Sequence<ViewerLine>, at now: Instant, send: Send, ask: Ask
    ) {
        if let old = viewers[viewer.member], old !== viewer { remove(old) }
        viewers[viewer.member] = viewer
        let lines = lines.filter { slots.indices.contains($0.slot) }
        for (slot, index) in viewer.places(at: self) where !lines.contains(where: { $0.slot == slot }) {
            slots[slot].withdraw(index)
        }
        for line in lines {
            if let index = viewer.index(at: self, line.slot) {
                guard slots[line.slot].consumers[index].line.ssrc == line.ssrc else { continue }
                slots[line.slot].offer(line, to: index)
            } else {
                var consumer = VideoConsumer(of: viewer, line: line)
                consumer.wanted = chosen[viewer.member]?[line.slot] ?? .max
                // Of a line of which nothing is known yet, little is asked.
                if viewer.bandwidth != nil { consumer.allowed = 0 }
                viewer.setIndex(slots[line.slot].add(consumer), at: self, line.slot)
            }
        }
        for (slot, index) in viewer.places(at: self) where slots[slot].consumers[index].layer == nil {
            slots[slot].start(index, at: now, send, ask)
        }
    }

    package func removeViewer(_ member: MemberID) {
        chosen[member] = nil
        if let viewer = viewers.removeValue(forKey: member) { remove(viewer) }
    }

    private func remove(_ viewer: PictureViewer) {
        for (slot, index) in viewer.places(at: self) {
            viewer.setIndex(nil, at: self, slot)
            slots[slot].remove(index)?.setIndex(index, at: self, slot)
        }
    }

    /// `member` wants no higher layer than that of a slot, or none at all: −1. What it gets changes with the next key frame, and ends at
    /// once. What is said before the member has lines holds until `removeViewer`.
    package func limit(
        _ member: MemberID, slot: Int, toLayer highest: Int, at now: Instant, send: Send, ask: Ask
    ) {
        guard slots.indices.contains(slot) else { return }
        chosen[member, default: [:]][slot] = highest
        guard let index = viewers[member]?.index(at: self, slot) else { return }
        slots[slot].limit(index, wanted: highest)
        slots[slot].start(index, at: now, send, ask)
    }

    /// The viewer cannot go on without a key frame of its stream.
    package func keyFrameWanted(
        by member: MemberID, stream: Int, roundTrip: Interval?, at now: Instant, ask: Ask
    ) {
        guard let viewer = viewers[member] else { return }
        for (slot, index) in viewer.places(at: self) {
            let consumer = slots[slot].consumers[index]
            guard consumer.line.stream == stream, let layer = consumer.layer else { continue }
            guard viewer.keyFrames.take(now: now) else { return }
            slots[slot].request(layer, roundTrip: roundTrip, at: now, ask)
        }
    }

    // MARK: For a viewer's line

    func demand(_ slot: Int, _ index: Int, at now: Instant) -> PictureDemand { slots[slot].demand(index, at: now) }

    /// The viewer's line carries no more than that layer.
    func allow(
        _ slot: Int, _ index: Int, _ layer: Int, isUrgent: Bool, at now: Instant, _ exits: PictureViewer.Exits
    ) {
        slots[slot].limit(index, allowed: layer, isUrgent: isUrgent)
        slots[slot].start(index, at: now, exits.send, exits.ask)
    }

    /// Nothing comes any more from who shows that.
    func isSilent(_ slot: Int, at now: Instant) -> Bool { slots[slot].isSilent(at: now) }

    func waiting(_ slot: Int, _ index: Int) -> Instant? { slots[slot].waiting(index) }

    func sendNext(_ slot: Int, _ index: Int, at now: Instant, _ exits: PictureViewer.Exits) {
        slots[slot].sendNext(index, at: now, exits.send)
    }

    func skip(_ slot: Int, _ index: Int, at now: Instant, _ exits: PictureViewer.Exits) {
        slots[slot].skip(index, at: now, exits.send, exits.ask)
    }

    func sendFilling(
        _ slot: Int, _ index: Int, back: UInt64, at now: Instant, _ exits: PictureViewer.Exits
    ) -> Bool {
        slots[slot].sendFilling(index, back: back, at: now, exits.again)
    }

    func sendPadding(_ slot: Int, _ index: Int, length: Int, _ exits: PictureViewer.Exits) {
        let consumer = slots[slot].consumers[index]
        exits.fill(consumer.handle, consumer.padding, length)
    }

    // MARK: Packets

    /// Takes in a packet of `member`'s picture for everybody who gets that layer; they get it with the next `deliver`. An empty payload is
    /// padding: it only keeps numbers whole.
    package func forward(
        _ picture: PicturePacket, from member: MemberID, payload: UnsafeRawBufferPointer, send: Send, ask: Ask
    ) {
        guard let slot = places[member], !slots[slot].isCut, (0..<Self.layerCount).contains(picture.layer) else {
            refusals.refused &+= 1
            return
        }
        slots[slot].forward(picture, payload: payload, send, ask)
        hasArrivals = true
    }

    /// Gives everybody what has come since the last time. To be called after each batch of packets: what one viewer gets of it leaves
    /// together, which costs the kernel far less.
    package func deliver(at now: Instant, send: Send) {
        guard hasArrivals else { return }
        hasArrivals = false
        for slot in slots.indices { slots[slot].deliver(at: now, send) }
    }

    /// A producer's report tells when a layer was captured. Viewers get it in their reports.
    package func note(_ clock: CaptureClock, of ssrc: SSRC, from member: MemberID) {
        if let slot = places[member] { slots[slot].note(clock, of: ssrc) }
    }

    /// Gives what `member` has missed of its stream: see `AudioFanout.repeat`.
    package func `repeat`(
        for member: MemberID, stream: Int, sequence: SequenceNumber16, following: UInt16, roundTrip: Interval?,
        at now: Instant, send: Send
    ) {
        guard let viewer = viewers[member],
            let (slot, index) = viewer.places(at: self).first(where: {
                slots[$0.slot].consumers[$0.index].line.stream == stream
            })
        else { return }
        var limiter = viewer.limiter ?? RepeatLimiter(.picture)
        limiter.setRate(viewer.bandwidth?.estimate)
        limiter.repeatsTwice = viewer.bandwidth?.isCalm(at: now) ?? false
        for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 {
            slots[slot].repeat(
                index, sequence.advanced(by: bit), limiter: &limiter, roundTrip: roundTrip, at: now, send)
        }
        viewer.limiter = limiter
    }
}
