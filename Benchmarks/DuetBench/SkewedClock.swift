import DatagramIO
import MediaDevices
import Timing

/// The clock of another machine: it was set otherwise, and its crystal runs at another rate.
struct SkewedClock: DeviceClock {
    let offset: Interval
    /// How much faster than this machine's.
    let ppm: Double
    private let origin = SystemClock.now()
    private let system = SystemDeviceClock()

    init(offset: Interval = .zero, ppm: Double = 0) {
        self.offset = offset
        self.ppm = ppm
    }

    /// What it shows at a moment of this machine's clock.
    func local(_ machine: Instant) -> Instant {
        let passed = (machine - origin).nanoseconds
        return machine + offset + Interval(nanoseconds: Int64(Double(passed) * ppm / 1e6))
    }

    /// When it shows that, on this machine's clock.
    func machine(_ local: Instant) -> Instant {
        let passed = Double((local - origin - offset).nanoseconds) / (1 + ppm / 1e6)
        return origin + Interval(nanoseconds: Int64(passed.rounded()))
    }

    func now() -> Instant { local(SystemClock.now()) }

    func wait(until deadline: Instant) { system.wait(until: machine(deadline)) }
}
