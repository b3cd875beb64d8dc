internal import Codecs
internal import Timing

/// Which layer of a picture is the lowest and which the highest. Senders list them as they like (RFC 8853 §5.2: in the order of their
/// preference), so they are ranked by how large their key frames are and, where that is equal or unknown, by what they take.
struct LayerRanks {
    /// A rate tells layers apart only if it is so much higher: what equal layers take differs from moment to moment.
    private static let higher = 1.5

    /// By the layers' places. As browsers list them until something is known, and the spare layer, which is all there is of its format, is
    /// the lowest.
    private var ranks = [0, 1, 2, 0]

    subscript(place: Int) -> Int { ranks[place] }

    /// To be called at key frames. Those that have come share out the ranks that they had: a layer that is missing leaves its own free.
    /// - Returns: whether anything has changed.
    mutating func settle(_ layers: [VideoLayer?], at now: Instant) -> Bool {
        var order = (0..<VideoStage.maximumLayers).filter { layers[$0] != nil }
        order.sort { ranks[$0] < ranks[$1] }
        let held = order.map { ranks[$0] }
        let haveSizes = order.allSatisfy { layers[$0]?.size != nil }
        var hasChanged = false
        for end in order.indices.dropFirst() {
            var place = end
            while place > 0, isLower(layers[order[place]], layers[order[place - 1]], bySize: haveSizes, at: now) {
                order.swapAt(place, place - 1)
                place -= 1
                hasChanged = true
            }
        }
        for (layer, rank) in zip(order, held) { ranks[layer] = rank }
        return hasChanged
    }

    private func isLower(_ layer: VideoLayer?, _ other: VideoLayer?, bySize: Bool, at now: Instant) -> Bool {
        if bySize, let area = layer?.size?.area, let other = other?.size?.area, area != other { return area < other }
        guard let rate = layer?.steadyRate(at: now), let other = other?.steadyRate(at: now) else { return false }
        return rate * Self.higher < other
    }
}
