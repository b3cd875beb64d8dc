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

    /// Also where there is no other yet. Without closures, which take memory while a packet is forwarded.
    func isLower(_ place: Int, than other: Int?) -> Bool {
        guard let other else { return true }
        return ranks[place] < ranks[other]
    }

    func isHigher(_ place: Int, than other: Int?) -> Bool {
        guard let other else { return true }
        return ranks[place] > ranks[other]
    }

    /// To be called at key frames. Those that have come share out the ranks that they had: a layer that is missing leaves its own free.
    /// - Returns: whether anything has changed.
    mutating func settle(_ layers: [VideoLayer?], at now: Instant) -> Bool {
        var (count, haveSizes) = (0, true)
        for place in layers.indices where layers[place] != nil {
            count += 1
            if layers[place]?.size == nil { haveSizes = false }
        }
        guard count > 1 else { return false }
        var hasChanged = false
        // Neighbours change places until none stands wrong. Rates need not agree in a circle, so the rounds are counted.
        for _ in layers.indices {
            var isSettled = true
            for place in layers.indices where layers[place] != nil {
                guard let above = next(above: place, of: layers),
                    isLower(layers[above], layers[place], bySize: haveSizes, at: now)
                else { continue }
                ranks.swapAt(place, above)
                isSettled = false
            }
            if isSettled { break }
            hasChanged = true
        }
        return hasChanged
    }

    /// The layer that has come and ranks next.
    private func next(above place: Int, of layers: [VideoLayer?]) -> Int? {
        var found: Int?
        for other in layers.indices where layers[other] != nil && ranks[other] > ranks[place] {
            if isLower(other, than: found) { found = other }
        }
        return found
    }

    private func isLower(_ layer: VideoLayer?, _ other: VideoLayer?, bySize: Bool, at now: Instant) -> Bool {
        if bySize, let area = layer?.size?.area, let other = other?.size?.area, area != other { return area < other }
        guard let rate = layer?.steadyRate(at: now), let other = other?.steadyRate(at: now) else { return false }
        return rate * Self.higher < other
    }
}
