package import Timing

/// How long received sound waits, counted from the arrival of the fastest packets to the moment at which it is played.
package enum PlayoutDelay: Sendable, Hashable {
    /// As long as the network's jitter asks for: nearly nothing is lost by being late.
    case adaptive
    /// As short as can be: for two who sing together, and rather lose a late frame than wait for it.
    case minimal
    /// Always the same.
    case fixed(Interval)

    /// What singers wait for late packets at most, beside the block that the device asks for. Up to some 25 ms one way people keep time
    /// by hearing each other, and most of that belongs to the line: what is later than this is not worth waiting for.
    static let minimalMaximum = Interval.milliseconds(30)
    /// Less saves nothing that a listener notices.
    static let adaptiveMinimum = Interval.milliseconds(20)
    /// A conversation with more is none. What comes later than that is lost.
    static let maximum = Interval.milliseconds(500)
}
