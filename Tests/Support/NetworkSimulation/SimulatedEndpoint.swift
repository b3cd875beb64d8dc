package import Timing
package import Wire

/// A machine without sockets and clocks, as the simulation drives it. Never called from two threads.
package protocol SimulatedEndpoint: AnyObject {
    /// A datagram arrived by `path`: `local` is ours.
    func receive(_ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant)
    func advance(to now: Instant)
    var nextDeadline: Instant { get }
    /// The next datagram to be sent, written to `buffer`; nil once there is none.
    func nextDatagram(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> (length: Int, path: NetworkPath)?
}
