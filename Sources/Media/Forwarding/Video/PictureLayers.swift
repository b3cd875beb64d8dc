internal import Codecs
internal import RTP
internal import Timing

/// The layers of one picture as they come from its producer, and which of them a viewer should get.
struct PictureLayers {
    /// In the order in which they are offered; empty places are layers that have not come.
    private var layers: [VideoLayer?] = Array(repeating: nil, count: VideoStage.layerCount)
    private var ranks = LayerRanks()

    var indices: Range<Int> { layers.indices }

    /// The layer at a place. It changes by the methods below: an accessor that lends it out takes memory for each packet.
    subscript(place: Int) -> VideoLayer? { layers[place] }

    mutating func begin(_ place: Int, with picture: PicturePacket) { layers[place] = VideoLayer(picture) }

    /// nil: that layer has not begun.
    mutating func accept(
        _ picture: PicturePacket, payload: UnsafeRawBufferPointer, at place: Int
    ) -> VideoLayer.Accepted? {
        layers[place]?.accept(picture, payload: payload)
    }

    /// Whether a key frame of that layer is to be asked for now, and of which stream.
    mutating func asks(_ place: Int, roundTrip: Interval?, at now: Instant) -> SSRC? {
        layers[place]?.asks(roundTrip: roundTrip, at: now) == true ? layers[place]?.ssrc : nil
    }

    mutating func setClock(_ clock: CaptureClock, of place: Int) { layers[place]?.clock = clock }

    func place(of ssrc: SSRC) -> Int? { layers.firstIndex { $0?.ssrc == ssrc } }

    func isAbove(_ limit: Int, _ place: Int) -> Bool { ranks[place] > limit }

    /// To be called at key frames.
    /// - Returns: whether anybody may have to get another layer now.
    mutating func settleRanks(at now: Instant) -> Bool { ranks.settle(layers, at: now) }

    // MARK: What comes

    private func comes(_ place: Int, at now: Instant) -> Bool {
        guard let layer = layers[place] else { return false }
        return now - layer.lastArrival < VideoStage.layerHold
    }

    private func comes(_ place: Int, for consumer: VideoConsumer, at now: Instant) -> Bool {
        layers[place]?.format == consumer.line.format && comes(place, at: now)
    }

    func hasSpare(at now: Instant) -> Bool { comes(VideoStage.spareLayer, at: now) }

    /// Something came, and nothing does any more.
    func areSilent(at now: Instant) -> Bool {
        var cameLast: Instant?
        for case let layer? in layers { cameLast = max(cameLast ?? layer.lastArrival, layer.lastArrival) }
        return cameLast.map { now - $0 >= VideoStage.layerHold } ?? false
    }

    // MARK: For a viewer

    /// The layer that a viewer should get: the highest that comes and that it may have.
    func target(_ consumer: VideoConsumer, at now: Instant) -> Int? {
        guard consumer.highest >= 0, consumer.isOffered else { return nil }
        var lowest: Int?
        var highest: Int?
        for place in layers.indices where comes(place, for: consumer, at: now) {
            if ranks.isLower(place, than: lowest) { lowest = place }
            if ranks[place] <= consumer.highest, ranks.isHigher(place, than: highest) { highest = place }
        }
        return highest ?? lowest
    }

    /// Notes what each layer costs that a viewer could get.
    func price(_ demand: inout PictureDemand, for consumer: VideoConsumer, at now: Instant) {
        for place in layers.indices where comes(place, for: consumer, at: now) {
            demand.setRate(layers[place]?.rate(at: now) ?? 0, of: ranks[place])
        }
    }

    /// The packet that a viewer gets next; nil if there is none.
    func next(for consumer: VideoConsumer) -> (packet: LayerPacket, payload: UnsafeRawBufferPointer)? {
        guard let place = consumer.layer, let source = layers[place], let highest = source.highest else { return nil }
        return consumer.earlier(than: highest + 1, in: source.history)
    }
}
