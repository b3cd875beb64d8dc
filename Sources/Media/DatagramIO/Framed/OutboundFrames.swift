internal import Glibc
internal import Timing
internal import Wire

/// What waits until a connection takes it: datagrams with their lengths before them (RFC 4571 §2), and since when.
///
/// A connection that stalls delivers everything later, and media that comes late is of no use to anybody. So what waits too long goes, and
/// everything behind it: the next datagram is then a fresh one.
struct OutboundFrames {
    /// A key frame of 1080p and a second of sound fit.
    static let capacity = 256 << 10
    static let patience = Interval.milliseconds(200)

    enum Progress: Equatable {
        case allSent
        case blocked
        /// errno
        case failed(Int32)
    }

    private(set) var sent: UInt64 = 0
    private(set) var dropped: UInt64 = 0

    private var bytes: [UInt8] = []
    /// Bytes before it have left.
    private var head = 0
    /// Where each datagram that waits ends.
    private var frames: ContiguousArray<(end: Int, since: Instant)> = []
    /// Of those, the first that has not left whole.
    private var first = 0

    var isEmpty: Bool { first == frames.count }

    /// Since when the oldest datagram waits of which nothing has left.
    var waitsSince: Instant? {
        let index = isFirstBegun ? first + 1 : first
        return index < frames.count ? frames[index].since : nil
    }

    mutating func append(_ datagram: UnsafeRawBufferPointer, at now: Instant) {
        if bytes.count - head + InboundFrames.headerLength + datagram.count > Self.capacity { dropWaiting() }
        bytes.append(UInt8(truncatingIfNeeded: datagram.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: datagram.count))
        bytes.append(contentsOf: datagram)
        frames.append((bytes.count, now))
    }

    /// Gives `write` what waits. It returns how many bytes it took (≥ 1), or -errno.
    mutating func flush(at now: Instant, _ write: (UnsafeRawBufferPointer) -> Int) -> Progress {
        dropOverdue(at: now)
        while !isEmpty {
            let taken = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[head...])) }
            switch taken {
            case 1...: advance(by: taken)
            case Int(-EAGAIN), 0: return .blocked
            default: return .failed(Int32(truncatingIfNeeded: -taken))
            }
        }
        return .allSent
    }

    mutating func dropOverdue(at now: Instant) {
        if let since = waitsSince, now - since >= Self.patience { dropWaiting() }
    }

    /// What has begun to leave has to end, or the other side could not tell where the next one begins.
    mutating func dropWaiting() {
        let kept = isFirstBegun ? first + 1 : first
        dropped &+= UInt64(frames.count - kept)
        frames.removeSubrange(kept...)
        bytes.removeSubrange((frames.last?.end ?? head)...)
        if isEmpty { clear() }
    }

    private var isFirstBegun: Bool {
        guard first < frames.count else { return false }
        return head > (first == 0 ? 0 : frames[first - 1].end)
    }

    private mutating func advance(by taken: Int) {
        head += taken
        while first < frames.count, frames[first].end <= head {
            first += 1
            sent &+= 1
        }
        if isEmpty { clear() } else if head > Self.capacity { compact() }
    }

    private mutating func clear() {
        head = 0
        first = 0
        bytes.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
    }

    /// A connection that is never empty would keep all that has ever left.
    private mutating func compact() {
        // A datagram that has begun keeps its beginning: where it began is how one knows that it has.
        let start = first == 0 ? 0 : frames[first - 1].end
        bytes.removeSubrange(..<start)
        frames.removeSubrange(..<first)
        for index in frames.indices { frames[index].end -= start }
        head -= start
        first = 0
    }
}
