package import Timing

/// How long received sound waits, counted from the arrival of the fastest packets to the moment at which it is played.
package enum PlayoutDelay: Sendable, Hashable {
    /// As long as the network's jitter asks for: nearly nothing is lost by being late.
    case adaptive
    /// As short as can be: for two who sing together, and rather lose a late frame than wait for it.
    case minimal
    /// Always the same.
    case fixed(Interval)

    /// Less saves nothing that a listener notices.
    static let adaptiveMinimum = Interval.milliseconds(20)
    /// A conversation with more is none. What comes later than that is lost.
    static let maximum = Interval.milliseconds(500)
}
