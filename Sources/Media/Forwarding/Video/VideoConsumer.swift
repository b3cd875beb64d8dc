package import Codecs
package import RTP
internal import Timing
internal import Wire

/// The line on which a viewer receives a picture, as it was negotiated.
package struct ViewerLine: Hashable, Sendable {
    package var slot: Int
    package var ssrc: SSRC
    /// The stream's number at its peer.
    package var stream: Int
    /// What the viewer can show.
    package var format: VideoFormat
    /// That is another one than the room's.
    package var isSpare: Bool
    /// Where the viewer's numbers start: random. The lower 15 bits of the sequence are used.
    package var firstSequence: UInt16
    package var firstTimestamp: UInt32

    package init(
        slot: Int, ssrc: SSRC, stream: Int, format: VideoFormat, isSpare: Bool = false, firstSequence: UInt16,
        firstTimestamp: UInt32
    ) {
        self.slot = slot
        self.ssrc = ssrc
        self.stream = stream
        self.format = format
        self.isSpare = isSpare
        self.firstSequence = firstSequence
        self.firstTimestamp = firstTimestamp
    }
}

/// One viewer of one picture: which layer it gets, and how that layer's numbers become its own. A stretch of one layer begins at a key
/// frame; within it, constants are added.
struct VideoConsumer {
    /// What has been sent of one layer without a switch.
    private struct Stretch {
        var layer: Int
        /// The layer's number of the first packet.
        var firstInput: UInt64
        /// The viewer's number of it.
        var firstOutput: UInt64
        /// The viewer's highest number so far; what lies between stretches was never sent.
        var lastOutput: UInt64
        /// Added to the layer's timestamps, modulo 2³².
        var timestampOffset: UInt32
        var offsets: DescriptorOffsets

        func output(of input: UInt64) -> UInt64 { firstOutput + (input - firstInput) }
    }

    /// Repeats reach back so many switches.
    private static let earlierKept = 3

    private let owner: Unmanaged<PictureViewer>
    let member: MemberID
    let handle: Int
    private(set) var line: ViewerLine
    /// The last offer asked for it. A line that is not is dark, and keeps its numbers for when it comes back: its keys have sealed packets
    /// with them.
    private(set) var isOffered = true
    /// The highest layer that was chosen for it, and that its line allows.
    var wanted = Int.max
    var allowed = Int.max
    /// The layer's number of what it gets next.
    private(set) var cursor: UInt64 = 0
    /// When the present stretch began: what it repeats from before has not waited longer.
    private(set) var beganAt = Instant.distantPast
    private var current: Stretch?
    /// Newest last.
    private var earlier: [Stretch] = []
    /// It is sent the current stretch's layer at present.
    private(set) var isRunning = false
    private var nextSequence: UInt64
    private var lastTimestamp: UInt32
    private var lastArrival: Instant?
    private var lastMarker = true
    private var lastDescriptor: PayloadDescriptor?
    /// When what it gets was captured, in its own timestamps: known once a report has told of a layer, and the same for all layers.
    private(set) var clock: CaptureClock?

    /// `viewer` lives as long as the consumer.
    init(of viewer: PictureViewer, line: ViewerLine) {
        owner = .passUnretained(viewer)
        member = viewer.member
        handle = viewer.handle
        self.line = line
        nextSequence = UInt64(line.firstSequence & 0x7fff)
        lastTimestamp = line.firstTimestamp
    }

    var viewer: PictureViewer { owner._withUnsafeGuaranteedRef { $0 } }
    var highest: Int { min(wanted, allowed) }

    /// Whether its line takes a packet now, and nothing else waits for that.
    @inline(__always)
    func mayLeave(at now: Instant) -> Bool { owner._withUnsafeGuaranteedRef { $0.mayLeave(at: now) } }

    /// It has got later packets of that layer, and passed this one over, since it had not come.
    @inline(__always)
    func hasPassed(_ packet: LayerPacket, _ layer: Int) -> Bool {
        guard isRunning, let stretch = current, stretch.layer == layer else { return false }
        return packet.sequence >= stretch.firstInput && packet.sequence < cursor
    }

    /// The next packet that it gets of those before `end`; what has not come is passed over.
    func earlier(than end: UInt64, in history: LayerHistory) -> (packet: LayerPacket, payload: UnsafeRawBufferPointer)?
    {
        var sequence = max(cursor, end > UInt64(LayerHistory.indexCount) ? end - UInt64(LayerHistory.indexCount) : 0)
        while sequence < end {
            if let entry = history.find(sequence) { return entry }
            sequence += 1
        }
        return nil
    }

    /// The layer that is sent; nil while a key frame is waited for.
    var layer: Int? { isRunning ? current?.layer : nil }

    /// The line is missing in the last offer.
    mutating func withdraw() {
        isOffered = false
        stop()
    }

    /// The last offer has the line, perhaps with another format.
    mutating func offer(_ line: ViewerLine) {
        if line.format != self.line.format { stop() }
        isOffered = true
        self.line.format = line.format
        self.line.isSpare = line.isSpare
    }

    /// Nothing more goes out until a key frame.
    mutating func stop() { isRunning = false }

    /// Another source may use the numbers of a layer again: what went out of the former one is not repeated, since other packets would go
    /// out under its numbers (RFC 3711 §9.1).
    mutating func forget(_ layer: Int) {
        earlier.removeAll { $0.layer == layer }
        guard current?.layer == layer else { return }
        isRunning = false
        current = nil
    }

    /// Nothing more goes out until a key frame, and nothing of what went out is worth repeating, or can be.
    mutating func abandon() {
        isRunning = false
        current = nil
        earlier.removeAll(keepingCapacity: true)
    }

    /// From this packet on, the first of a key frame, the viewer gets that layer.
    /// - Parameter layerClock: when that layer was captured, if known.
    mutating func begin(_ layer: Int, with packet: LayerPacket, clock layerClock: CaptureClock?, at now: Instant) {
        // A frame that was not sent to its end must be seen as broken.
        let first = nextSequence + (lastMarker ? 0 : 1)
        let timestamp: UInt32
        if let mapped = captured(packet, layerClock) {
            timestamp = mapped
        } else if let lastArrival {
            // As much later as time has passed, and later at all: a frame of its own.
            let passed = max(1, (now - lastArrival).nanoseconds / 1_000 * 90 / 1_000)
            timestamp = lastTimestamp &+ UInt32(clamping: passed)
        } else {
            timestamp = lastTimestamp
        }
        var offsets = DescriptorOffsets()
        if let last = lastDescriptor, let next = packet.payload?.descriptor {
            offsets = DescriptorOffsets(from: next, after: last)
        }
        if let current {
            if earlier.count == Self.earlierKept { earlier.removeFirst() }
            earlier.append(current)
        }
        current = Stretch(
            layer: layer, firstInput: packet.sequence, firstOutput: first, lastOutput: first,
            timestampOffset: timestamp &- packet.timestamp, offsets: offsets)
        isRunning = true
        cursor = packet.sequence
        beganAt = now
        if let layerClock { learn(layerClock) } else { clock = nil }
    }

    /// A report has told when the layer that it gets was captured.
    mutating func learn(_ layerClock: CaptureClock) {
        if let current { clock = layerClock.shifted(by: current.timestampOffset) }
    }

    /// Where a packet of another layer stands by when it was captured, if that is a little later than what was sent last.
    private func captured(_ packet: LayerPacket, _ layerClock: CaptureClock?) -> UInt32? {
        guard let clock, let layerClock, lastArrival != nil else { return nil }
        let mapped = clock.timestamp(at: layerClock.instant(of: packet.timestamp))
        return (1...Self.furthestAhead).contains(Int32(bitPattern: mapped &- lastTimestamp)) ? mapped : nil
    }

    /// Ten seconds: what is further off is no clock.
    private static let furthestAhead: Int32 = 900_000

    /// Numbers a packet of `layer` for this viewer; nil if it does not get that layer, or not this packet.
    mutating func next(_ packet: LayerPacket, of layer: Int, at now: Instant) -> OutgoingPacket? {
        guard isRunning, let stretch = current, stretch.layer == layer, packet.sequence >= stretch.firstInput
        else { return nil }
        let outgoing = numbered(packet, in: stretch, isFirst: packet.sequence == stretch.firstInput)
        if outgoing.sequence >= nextSequence {
            nextSequence = outgoing.sequence + 1
            current?.lastOutput = outgoing.sequence
            lastTimestamp = outgoing.timestamp
            lastArrival = now
            lastMarker = packet.marker
            if let descriptor = packet.payload?.descriptor { lastDescriptor = stretch.offsets.applied(to: descriptor) }
        }
        cursor = max(cursor, packet.sequence + 1)
        return outgoing
    }

    /// What padding says of itself: it stands where the stream stands.
    var padding: OutgoingPacket {
        OutgoingPacket(
            ssrc: line.ssrc, stream: line.stream, sequence: nextSequence, timestamp: lastTimestamp, marker: false)
    }

    /// Which packet of which layer the viewer has missed; nil if it was never sent, too long ago, or given up.
    func missed(_ number: SequenceNumber16) -> (layer: Int, sequence: UInt64)? {
        guard nextSequence > 0 else { return nil }
        let age = UInt64(UInt16(truncatingIfNeeded: nextSequence - 1) &- number.rawValue)
        guard age < nextSequence, age < UInt64(LayerHistory.indexCount) else { return nil }
        let sequence = nextSequence - 1 - age
        guard let stretch = stretch({ $0.firstOutput <= sequence }), sequence <= stretch.lastOutput else { return nil }
        return (stretch.layer, stretch.firstInput + (sequence - stretch.firstOutput))
    }

    /// The same that `next(_:of:at:)` gave for this packet.
    func again(_ packet: LayerPacket, of layer: Int) -> OutgoingPacket? {
        guard let stretch = stretch({ $0.layer == layer && $0.firstInput <= packet.sequence }) else { return nil }
        return numbered(packet, in: stretch, isFirst: false)
    }

    /// The newest that fits.
    private func stretch(_ fits: (Stretch) -> Bool) -> Stretch? {
        if let current, fits(current) { return current }
        return earlier.last(where: fits)
    }

    private func numbered(_ packet: LayerPacket, in stretch: Stretch, isFirst: Bool) -> OutgoingPacket {
        var patch = PayloadPatch()
        if let descriptor = packet.payload?.descriptor {
            let rewritten = stretch.offsets.applied(to: descriptor)
            patch = PayloadPatch { rewritten.write(into: $0) }
        }
        return OutgoingPacket(
            ssrc: line.ssrc, stream: line.stream, sequence: stretch.output(of: packet.sequence),
            timestamp: packet.timestamp &+ stretch.timestampOffset, marker: packet.marker, startsSource: isFirst,
            patch: patch)
    }
}
