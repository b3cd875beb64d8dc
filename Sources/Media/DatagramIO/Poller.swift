internal import CNet
package import Timing

/// Waits for sockets, for a wake from another thread, or for a point in time.
package final class Poller {
    /// What became ready in one `wait`.
    package struct Ready: Sendable {
        /// Bit n: socket of tag n has something to read.
        package var readable: UInt32 = 0
        /// Bit n: socket of tag n takes datagrams again.
        package var writable: UInt32 = 0
        package var woken = false
    }

    /// Tags are bits of a word.
    package static let maximumSockets = 32

    private let poller: cnet_poller
    private let entries: UnsafeMutablePointer<cnet_ready>
    private static let entryCapacity = 16

    package init() throws(SocketFailure) {
        poller = cnet_poller_open()
        guard poller.epoll >= 0 else { throw SocketFailure(.poll, code: -poller.epoll) }
        entries = .allocate(capacity: Self.entryCapacity)
        entries.initialize(repeating: cnet_ready(), count: Self.entryCapacity)
    }

    deinit {
        cnet_poller_close(poller)
        entries.deallocate()
    }

    /// What another thread needs to end a `wait`. Valid as long as the poller lives.
    package var waker: Waker { Waker(poller: poller) }

    package struct Waker: Sendable {
        fileprivate let poller: cnet_poller
        /// Ends the running or the next `wait`.
        package func wake() { cnet_wake(poller) }
    }

    /// Reports `socket` under `tag` (below `maximumSockets`) from now on.
    package func add(_ socket: DatagramSocket, tag: Int) throws(SocketFailure) {
        precondition((0..<Self.maximumSockets).contains(tag), "a tag is a bit of a word")
        let result = cnet_poller_watch(poller, socket.descriptor, UInt32(tag), false, true)
        guard result == 0 else { throw SocketFailure(.poll, code: -result) }
    }

    /// The same for connections, which count as readable whenever something is to be done about them.
    func add(_ connections: FramedConnections, tag: Int) throws(SocketFailure) {
        precondition((0..<Self.maximumSockets).contains(tag), "a tag is a bit of a word")
        let result = cnet_poller_watch(poller, connections.descriptor, UInt32(tag), false, true)
        guard result == 0 else { throw SocketFailure(.poll, code: -result) }
    }

    /// Whether to report when `socket` takes datagrams again. Changing it cannot fail for a socket that was added.
    package func setWatchesWriting(_ watches: Bool, of socket: DatagramSocket, tag: Int) {
        _ = cnet_poller_watch(poller, socket.descriptor, UInt32(tag), watches, false)
    }

    /// Blocks until something is ready or `deadline` is reached; with a deadline in the past it only looks.
    package func wait(until deadline: Instant?, now: Instant) -> Ready {
        var ready = Ready()
        let count = cnet_poller_wait(
            poller, entries, Int32(Self.entryCapacity), Self.nanoseconds(until: deadline, now: now))
        // An error other than an interruption would be a programming error (a bad descriptor); treat it as nothing ready.
        guard count > 0 else { return ready }
        for entry in UnsafeBufferPointer(start: entries, count: Int(count)) {
            if entry.tag == CNET_WAKE_TAG {
                ready.woken = true
            } else {
                if entry.readable { ready.readable |= 1 << entry.tag }
                if entry.writable { ready.writable |= 1 << entry.tag }
            }
        }
        return ready
    }

    static func nanoseconds(until deadline: Instant?, now: Instant) -> Int64 {
        guard let deadline else { return -1 }
        return deadline > now ? min((deadline - now).nanoseconds, 60_000_000_000) : 0
    }
}
