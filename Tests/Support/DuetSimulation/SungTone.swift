import Foundation

/// A tone that glides slowly up and down, known at every moment: by its phase one finds out when what is heard was sung.
package struct SungTone: Sendable {
    /// In hertz: the middle, and how far it goes to either side.
    package var middle = 600.0
    package var swing = 200.0
    /// Seconds from one highest pitch to the next.
    package var period = 2.0
    package var amplitude = 0.5

    package init() {}

    /// In radians, for a time in seconds on the singer's own clock.
    package func phase(_ time: Double) -> Double {
        2 * .pi * middle * time - swing * period * cos(2 * .pi * time / period)
    }

    package func frequency(_ time: Double) -> Double { middle + swing * sin(2 * .pi * time / period) }

    package func value(_ time: Double) -> Float { Float(amplitude * sin(phase(time))) }
}
