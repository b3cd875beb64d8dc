internal import Codecs
internal import RTP
internal import Timing
internal import Wire

/// One picture of a stage: who may send it, its layers, and everybody who watches it.
struct VideoSlot {
    typealias Send = VideoStage.Send
    /// Asks for a key frame of that stream of the producer.
    typealias Ask = VideoStage.Ask

    private(set) var producer: MemberID?
    private(set) var isCut = false
    private var layers = PictureLayers()
    private(set) var consumers: ContiguousArray<VideoConsumer> = []
    /// Somebody waits for a key frame.
    private var hasWaiting = false
    /// Layers of which something came that nobody has been given yet: bit n for layer n.
    private var arrived: UInt8 = 0
    /// When it is looked at again what everybody should get.
    private var nextLook = Instant.distantPast
    var stats = VideoStats()
    var wish = ProducerWish()
    /// Told for each stream that begins, or whose clock has been learnt anew.
    var onClock: AudioFanout.Clock?
    /// Told of a viewer for whom something waits from now on.
    var onWaiting: ((_ handle: Int) -> Void)?

    // MARK: Rules

    mutating func assign(_ member: MemberID?) {
        guard producer != member else { return }
        resetSource()
        producer = member
    }

    /// What the producer sends from now on comes from a source that has been told nothing.
    mutating func resetSource() {
        forgetLayers()
        wish.beginAnew()
    }

    mutating func setCut(_ cut: Bool) {
        if cut, !isCut { forgetLayers() }
        isCut = cut
    }

    mutating func forgetLayers() {
        layers = PictureLayers()
        for index in consumers.indices { consumers[index].stop() }
    }

    // MARK: Viewers

    /// - Returns: its place among the consumers.
    mutating func add(_ consumer: VideoConsumer) -> Int {
        consumers.append(consumer)
        noteWish(of: consumers.count - 1)
        return consumers.count - 1
    }

    /// The last consumer moves into the gap.
    /// - Returns: who that is.
    mutating func remove(_ index: Int) -> PictureViewer? {
        let last = consumers.count - 1
        if index != last { consumers.swapAt(index, last) }
        consumers.removeLast()
        return index < consumers.count ? consumers[index].viewer : nil
    }

    mutating func withdraw(_ index: Int) { consumers[index].withdraw() }

    mutating func offer(_ line: ViewerLine, to index: Int) {
        consumers[index].offer(line)
        noteWish(of: index)
    }

    private mutating func noteWish(of index: Int) { wish.note(wanted(of: consumers[index]), of: producer) }

    mutating func setWantedElsewhere(_ wanted: PictureWish) { wish.setElsewhere(wanted, of: producer) }

    private func wanted(of consumer: VideoConsumer) -> PictureWish {
        guard consumer.isOffered, consumer.member != producer, consumer.wanted >= 0 else { return .nothing }
        return consumer.line.isSpare
            ? PictureWish(layer: -1, spare: true) : PictureWish(layer: consumer.wanted, spare: false)
    }

    /// What somebody chose, and what its line allows: the lower counts.
    mutating func limit(_ index: Int, wanted: Int? = nil, allowed: Int? = nil, isUrgent: Bool = false) {
        if let wanted {
            consumers[index].wanted = wanted
            noteWish(of: index)
        }
        if let allowed { consumers[index].allowed = allowed }
        guard let layer = consumers[index].layer else { return }
        let highest = consumers[index].highest
        // What is sent ends at once where nothing is wanted, or the line cannot take more of it.
        if isUrgent, layers.isAbove(highest, layer) {
            consumers[index].abandon()
        } else if highest < 0 {
            consumers[index].stop()
        }
    }

    // MARK: Which layer

    /// Something came from the producer, and nothing does any more.
    func isSilent(at now: Instant) -> Bool {
        producer != nil && !isCut && layers.areSilent(at: now)
    }

    /// What a viewer could get, and what it costs.
    func demand(_ index: Int, at now: Instant) -> PictureDemand {
        let consumer = consumers[index]
        var demand = PictureDemand(wanted: consumer.wanted, allowed: consumer.allowed)
        guard consumer.isOffered, consumer.member != producer, !isCut else { return demand }
        layers.price(&demand, for: consumer, at: now)
        return demand
    }

    /// Begins with a key frame that is there, or asks for one.
    mutating func start(_ index: Int, at now: Instant, _ send: Send, _ ask: Ask) {
        let consumer = consumers[index]
        guard consumer.member != producer, !isCut else { return }
        guard let target = layers.target(consumer, at: now) else {
            // Its first packet begins it.
            if consumer.layer == nil, consumer.highest >= 0, consumer.isOffered { hasWaiting = true }
            return
        }
        guard consumer.layer != target else { return }
        // Who sees another layer already would see the past again.
        if consumer.layer == nil, let first = layers[target]?.replayable {
            begin(target, at: first, index, now)
            flush(index, at: now, send)
        } else {
            hasWaiting = true
            nextLook = min(nextLook, now + VideoStage.waitingLook)
            request(target, roundTrip: nil, at: now, ask)
        }
    }

    mutating func request(_ ssrc: SSRC, at now: Instant, _ ask: Ask) {
        guard !isCut, let layer = layers.place(of: ssrc) else { return }
        request(layer, roundTrip: nil, at: now, ask)
    }

    mutating func request(_ layer: Int, roundTrip: Interval?, at now: Instant, _ ask: Ask) {
        guard let producer, let ssrc = layers.asks(layer, roundTrip: roundTrip, at: now) else { return }
        ask(producer, ssrc)
        stats.keyFramesAsked &+= 1
    }

    /// Lets everybody begin, or wait for, what they should get. A picture from which nothing comes needs no look.
    private mutating func look(at now: Instant, _ send: Send, _ ask: Ask) {
        hasWaiting = false
        var wanted = PictureWish.nothing
        for index in consumers.indices {
            start(index, at: now, send, ask)
            wanted.formUnion(self.wanted(of: consumers[index]))
        }
        wish.look(wanted, hasSpare: layers.hasSpare(at: now), of: producer, at: now)
        nextLook = now + (hasWaiting ? VideoStage.waitingLook : VideoStage.usualLook)
    }

    private mutating func begin(_ layer: Int, at sequence: UInt64, _ index: Int, _ now: Instant) {
        guard let entry = layers[layer]?.history.find(sequence) else { return }
        consumers[index].begin(layer, with: entry.packet, clock: layers[layer]?.clock, at: now)
        tellClock(consumers[index])
    }

    private func tellClock(_ consumer: VideoConsumer) {
        onClock?(consumer.handle, consumer.line.stream, consumer.clock)
    }

    // MARK: Packets

    /// Takes a packet in. `deliver` gives it to everybody, except what fills a gap: that leaves at once.
    mutating func forward(
        _ picture: PicturePacket, payload: UnsafeRawBufferPointer, _ send: Send, _ ask: Ask
    ) {
        let now = picture.arrival
        let layer = picture.layer
        // A source that began anew is another layer, of which nobody has anything yet.
        if layers[layer]?.ssrc != picture.ssrc || layers[layer]?.format != picture.format {
            if let present = layers[layer], now - present.lastArrival < VideoStage.sourceHold {
                stats.stale &+= 1
                return
            }
            deliver(at: now, send)
            layers.begin(layer, with: picture)
            for index in consumers.indices { consumers[index].forget(layer) }
            nextLook = now
        }
        var accepted = layers.accept(picture, payload: payload, at: layer)
        if case .restarted? = accepted {
            stopViewers(of: layer, at: now)
            accepted = layers.accept(picture, payload: payload, at: layer)
        }
        guard case .packet(let packet, let startsKeyFrame)? = accepted else {
            stats.stale &+= 1
            return
        }
        if startsKeyFrame {
            // Who goes over to this layer gets the end of the other one first.
            deliver(at: now, send)
            // All layers have their key frame at once, if they have one: then it is looked at who should get what.
            if layers.settleRanks(at: now) { nextLook = min(nextLook, now + VideoStage.waitingLook) }
            beginWaiting(layer, at: now)
        }
        arrived |= 1 << UInt8(layer)
        fill(packet, payload, of: layer, at: now, send)
        stats.forwarded &+= 1
        if nextLook <= now { look(at: now, send, ask) }
    }

    private mutating func stopViewers(of layer: Int, at now: Instant) {
        for index in consumers.indices where consumers[index].layer == layer { consumers[index].stop() }
        nextLook = now
    }

    /// A key frame has been found: everybody who should get that layer begins with it. What came of it before this packet is given first.
    private mutating func beginWaiting(_ layer: Int, at now: Instant) {
        guard let first = layers[layer]?.keyFrame?.first else { return }
        for index in consumers.indices {
            let consumer = consumers[index]
            guard consumer.layer != layer, consumer.member != producer, layers.target(consumer, at: now) == layer else {
                continue
            }
            begin(layer, at: first, index, now)
        }
    }

    /// Gives everybody who has passed a packet over, since it had not come, what has come again: it waits for nothing.
    private mutating func fill(
        _ packet: LayerPacket, _ payload: UnsafeRawBufferPointer, of layer: Int, at now: Instant, _ send: Send
    ) {
        guard packet.sequence < layers[layer]?.highest ?? 0 else { return }
        let content = Self.content(packet, payload)
        for index in consumers.indices where consumers[index].hasPassed(packet, layer) {
            guard let outgoing = consumers[index].next(packet, of: layer, at: now) else { continue }
            send(consumers[index].handle, outgoing, content)
            stats.sent &+= 1
        }
    }

    /// Gives everybody what has come since the last time, as much as may leave now: one viewer after the other, so that what goes to one
    /// address leaves together.
    mutating func deliver(at now: Instant, _ send: Send) {
        guard arrived != 0 else { return }
        for layer in layers.indices where arrived & 1 << UInt8(layer) != 0 {
            guard let source = layers[layer], let highest = source.highest else { continue }
            deliver(layer, source.history, end: highest + 1, at: now, send)
        }
        arrived = 0
    }

    private mutating func deliver(
        _ layer: Int, _ history: LayerHistory, end: UInt64, at now: Instant, _ send: Send
    ) {
        var sent: UInt64 = 0
        let onWaiting = onWaiting
        consumers.withUnsafeMutableBufferPointer { consumers in
            for index in consumers.indices where consumers[index].layer == layer {
                while let entry = consumers[index].earlier(than: end, in: history) {
                    guard consumers[index].mayLeave(at: now) else {
                        if consumers[index].viewer.waitsAnew() { onWaiting?(consumers[index].handle) }
                        break
                    }
                    guard let outgoing = consumers[index].next(entry.packet, of: layer, at: now) else { break }
                    send(consumers[index].handle, outgoing, Self.content(entry.packet, entry.payload))
                    sent &+= 1
                }
            }
        }
        stats.sent &+= sent
    }

    /// Sends a viewer what there is for it, as much as may leave now.
    private mutating func flush(_ index: Int, at now: Instant, _ send: Send) {
        while waiting(index) != nil {
            guard consumers[index].mayLeave(at: now) else { return wait(index) }
            sendNext(index, at: now, send)
        }
    }

    private func wait(_ index: Int) {
        if consumers[index].viewer.waitsAnew() { onWaiting?(consumers[index].handle) }
    }

    /// Since when the packet waits that a viewer gets next; nil if there is none.
    func waiting(_ index: Int) -> Instant? {
        layers.next(for: consumers[index]).map { max($0.packet.arrival, consumers[index].beganAt) }
    }

    /// Sends a viewer the packet that it gets next.
    mutating func sendNext(_ index: Int, at now: Instant, _ send: Send) {
        guard let layer = consumers[index].layer, let entry = layers.next(for: consumers[index]),
            let outgoing = consumers[index].next(entry.packet, of: layer, at: now)
        else { return }
        send(consumers[index].handle, outgoing, Self.content(entry.packet, entry.payload))
        stats.sent &+= 1
    }

    /// A viewer is too far behind: it goes on at the newest key frame, if that is ahead of it, or waits for one.
    mutating func skip(_ index: Int, at now: Instant, _ send: Send, _ ask: Ask) {
        guard let layer = consumers[index].layer else { return }
        let isAhead = layers[layer]?.keyFrame.map { $0.first > consumers[index].cursor } ?? false
        stats.skipped &+= 1
        consumers[index].abandon()
        if isAhead, let first = layers[layer]?.keyFrame?.first {
            begin(layer, at: first, index, now)
        } else {
            start(index, at: now, send, ask)
        }
    }

    // MARK: Repeats

    /// Gives again what a viewer has missed, if that still helps.
    mutating func `repeat`(
        _ index: Int, _ missed: SequenceNumber16, limiter: inout RepeatLimiter, roundTrip: Interval?, at now: Instant,
        _ send: Send
    ) {
        let consumer = consumers[index]
        guard let (layer, input) = consumer.missed(missed), let entry = layers[layer]?.history.find(input),
            let outgoing = consumer.again(entry.packet, of: layer)
        else {
            stats.notRepeated &+= 1
            return
        }
        let copies = limiter.copies(
            consumer.line.ssrc, outgoing.sequence, bytes: entry.payload.count, roundTrip: roundTrip, at: now)
        if copies == 0 { stats.notRepeated &+= 1 }
        for _ in 0..<copies { send(consumer.handle, outgoing, Self.content(entry.packet, entry.payload)) }
        stats.repeated &+= UInt64(copies)
    }

    /// Sends a viewer a packet that it has had already, the `back`th from the end, to fill a probe: false if there is none.
    mutating func sendFilling(_ index: Int, back: UInt64, at now: Instant, _ send: Send) -> Bool {
        let consumer = consumers[index]
        guard let layer = consumer.layer, consumer.cursor > back, let history = layers[layer]?.history,
            let entry = history.find(consumer.cursor - 1 - back), entry.payload.count >= VideoStage.leastFilling,
            let outgoing = consumer.again(entry.packet, of: layer)
        else { return false }
        send(consumer.handle, outgoing, Self.content(entry.packet, entry.payload))
        stats.filling &+= 1
        return true
    }

    // MARK: Clocks

    /// A producer's report tells when a layer was captured. Viewers get it in their reports.
    mutating func note(_ clock: CaptureClock, of ssrc: SSRC) {
        guard let layer = layers.place(of: ssrc) else { return }
        layers.setClock(clock, of: layer)
        for index in consumers.indices where consumers[index].layer == layer {
            consumers[index].learn(clock)
            tellClock(consumers[index])
        }
    }

    /// What stands behind the descriptor that each viewer gets anew.
    private static func content(_ packet: LayerPacket, _ payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let descriptor = packet.payload?.descriptor else { return payload }
        return UnsafeRawBufferPointer(rebasing: payload[descriptor.length...])
    }
}
