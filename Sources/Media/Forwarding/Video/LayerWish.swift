internal import Timing

/// The highest layer of a picture that anybody wants, as its producer is told: what is above need not be sent. The lowest is always wanted,
/// so that who comes sees something soon.
struct LayerWish {
    /// Who looks at something else for a moment comes back.
    static let patience = Interval.seconds(10)
    static let highest = VideoStage.maximumLayers - 1

    /// nil: a source that has been told nothing. It may send less because of what it was told in another place.
    private var told: Int?
    private var lowerSince: Instant?

    /// Somebody wants that layer.
    /// - Returns: what the producer is to be told.
    mutating func raise(to layer: Int) -> Int? {
        let layer = min(layer, Self.highest)
        guard let told, layer > told else { return nil }
        self.told = layer
        lowerSince = nil
        return layer
    }

    /// `wanted` is the highest layer that anybody wants now; below 0: nobody wants any.
    /// - Returns: what the producer is to be told.
    mutating func look(_ wanted: Int, at now: Instant) -> Int? {
        let wanted = min(max(wanted, 0), Self.highest)
        guard let told else {
            self.told = Self.highest
            return Self.highest
        }
        guard wanted < told else {
            lowerSince = nil
            return raise(to: wanted)
        }
        guard let since = lowerSince else {
            lowerSince = now
            return nil
        }
        guard now - since >= Self.patience else { return nil }
        lowerSince = nil
        self.told = wanted
        return wanted
    }
}
