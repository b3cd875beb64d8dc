internal import Timing

/// What everybody together wants of one picture, and that its producer hears of it.
struct ProducerWish {
    /// Told what the producer needs to send.
    var onChange: VideoStage.Wish?
    private var wish = LayerWish()
    /// By those who are not among the slot's viewers.
    private var elsewhere = PictureWish.nothing

    /// Another source, which has been told nothing.
    mutating func beginAnew() { wish = LayerWish() }

    /// Somebody wants that. If it is more than before, the producer hears of it at once.
    mutating func note(_ wanted: PictureWish, of producer: MemberID?) {
        if let raised = wish.raise(to: wanted) { tell(raised, producer) }
    }

    mutating func setElsewhere(_ wanted: PictureWish, of producer: MemberID?) {
        elsewhere = wanted
        note(wanted, of: producer)
    }

    /// Looks at what is wanted now, which may be less.
    /// - Parameter viewers: what the slot's own want.
    mutating func look(_ viewers: PictureWish, hasSpare: Bool, of producer: MemberID?, at now: Instant) {
        var everybody = elsewhere
        everybody.formUnion(viewers)
        if let changed = wish.look(everybody, hasSpare: hasSpare, at: now) { tell(changed, producer) }
    }

    private func tell(_ wish: PictureWish, _ producer: MemberID?) {
        if let producer { onChange?(producer, wish) }
    }
}
