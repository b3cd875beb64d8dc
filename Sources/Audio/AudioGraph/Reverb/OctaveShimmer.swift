internal import Glibc

/// The octave above of a diffuse sound: two play heads run through the latest 85 ms at double speed and take turns.
/// Coarse for a voice, right for a tail, in which the seams are lost.
struct OctaveShimmer: ~Copyable {
    /// Frames between one head's returns.
    private static let grain = 4_096
    private var line = DelayLine(frames: grain)
    private let window: UnsafeMutablePointer<Float>
    private var head = 0
    /// In a feedback loop, the octave of next to nothing hertz is next to nothing hertz, and what is above 12 kHz would
    /// come back below: neither may go round.
    private var lowCut = OnePole(cutoff: 250)
    private var highCut = OnePole(cutoff: 6_000)

    init() {
        window = .allocate(capacity: Self.grain)
        for frame in 0..<Self.grain {
            let rise = sin(.pi * Float(frame) / Float(Self.grain))
            (window + frame).initialize(to: rise * rise)
        }
    }

    deinit { window.deallocate() }

    mutating func clear() {
        line.clear()
        head = 0
        lowCut.clear()
        highCut.clear()
    }

    @inline(__always)
    mutating func next(_ sample: Float) -> Float {
        let low = lowCut.low(sample)
        line.write(highCut.low(sample - low))
        let other = (head &+ Self.grain / 2) & (Self.grain - 1)
        // A head that starts far back and comes one frame nearer per frame hears the past at double speed.
        let sum = window[head] * line.read(Self.grain - head) + window[other] * line.read(Self.grain - other)
        head = (head &+ 1) & (Self.grain - 1)
        return sum
    }
}
