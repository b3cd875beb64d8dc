internal import Timing

/// What somebody wants of a picture.
package struct PictureWish: Hashable, Sendable {
    /// Neither.
    package static let nothing = PictureWish(layer: -1, spare: false)

    /// The highest layer; below 0: none.
    package var layer: Int
    /// The spare layer, since they cannot show the others.
    package var spare: Bool

    package init(layer: Int, spare: Bool) {
        self.layer = layer
        self.spare = spare
    }

    package mutating func formUnion(_ other: PictureWish) {
        layer = max(layer, other.layer)
        spare = spare || other.spare
    }
}

/// What anybody wants of a picture, as its producer is told: what is above need not be sent. The lowest layer is always wanted, so that who
/// comes sees something soon.
struct LayerWish {
    /// Who looks at something else for a moment comes back.
    static let patience = Interval.seconds(10)
    static let highest = VideoStage.maximumLayers - 1

    /// nil: a source that has been told nothing. It may send less because of what it was told in another place.
    private var told: PictureWish?
    private var lessSince: Instant?
    /// Since when the spare layer has been waited for.
    private var spareAwaited: Instant?

    /// Somebody wants that.
    /// - Returns: what the producer is to be told.
    mutating func raise(to wish: PictureWish) -> PictureWish? {
        guard var raised = told else { return nil }
        raised.formUnion(PictureWish(layer: min(wish.layer, Self.highest), spare: wish.spare))
        guard raised != told else { return nil }
        told = raised
        lessSince = nil
        return raised
    }

    /// `wanted` is what all together want now.
    /// - Parameter hasSpare: the spare layer comes. Where it is wanted and does not, word of that may have been lost with a connection.
    /// - Returns: what the producer is to be told.
    mutating func look(_ wanted: PictureWish, hasSpare: Bool, at now: Instant) -> PictureWish? {
        let change = lookForChange(wanted, at: now)
        guard let told, told.spare, !hasSpare else {
            spareAwaited = nil
            return change
        }
        guard change == nil, let since = spareAwaited else {
            spareAwaited = now
            return change
        }
        guard now - since >= Self.patience else { return nil }
        spareAwaited = now
        return told
    }

    private mutating func lookForChange(_ wanted: PictureWish, at now: Instant) -> PictureWish? {
        let wanted = PictureWish(layer: min(max(wanted.layer, 0), Self.highest), spare: wanted.spare)
        guard let told else {
            self.told = PictureWish(layer: Self.highest, spare: wanted.spare)
            return self.told
        }
        if let raised = raise(to: wanted) { return raised }
        guard wanted != told else {
            lessSince = nil
            return nil
        }
        guard let since = lessSince else {
            lessSince = now
            return nil
        }
        guard now - since >= Self.patience else { return nil }
        lessSince = nil
        self.told = wanted
        return wanted
    }
}
