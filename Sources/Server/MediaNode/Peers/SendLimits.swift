internal import Timing

/// What a peer may send before it is multiplied by those who listen and watch.
struct SendLimits {
    /// The shortest frames of a microphone are 400 a second; half as many again for repeats and what a line has held up.
    private static let soundPackets = Allowance(burst: 300, perSecond: 600)
    /// Opus ends at 510 kbit/s (RFC 6716 §2.1.1).
    private static let soundBytes = Allowance(burst: 64_000, perSecond: 80_000)
    /// What cameras and screens send together, repeats and key frames of all layers too: 10 Mbit/s, in packets that are often short.
    private static let picturePackets = Allowance(burst: 2_000, perSecond: 2_000)
    private static let pictureBytes = Allowance(burst: 1_250_000, perSecond: 1_250_000)
    /// Packets beyond those limits that are still opened. A peer that goes on like this is no browser on a bad line.
    private static let opened = Allowance(burst: 500, perSecond: 500)
    /// How long nothing of such a peer is opened then, which is also how long it is silent after its last packet too many.
    private static let unopenedTime = Interval.milliseconds(20)
    /// What is left unopened and wakes this thread all the same. Beyond it, the kernel is asked to throw it away.
    private static let unopened = Allowance(burst: 200, perSecond: 2_000)

    private var soundPackets = TokenBucket(SendLimits.soundPackets, now: .distantPast)
    private var soundBytes = TokenBucket(SendLimits.soundBytes, now: .distantPast)
    private var picturePackets = TokenBucket(SendLimits.picturePackets, now: .distantPast)
    private var pictureBytes = TokenBucket(SendLimits.pictureBytes, now: .distantPast)
    private var opened = TokenBucket(SendLimits.opened, now: .distantPast)
    private var unopenedUntil = Instant.distantPast
    private var unopened = TokenBucket(SendLimits.unopened, now: .distantPast)

    /// Whether the microphone keeps within what one may send.
    mutating func takeSound(_ count: Int, at now: Instant) -> Bool {
        if soundPackets.take(now: now), soundBytes.take(Double(count), now: now) { return true }
        noteExcess(at: now)
        return false
    }

    /// Whether pictures keep within what one may send.
    mutating func takePicture(_ count: Int, at now: Instant) -> Bool {
        if picturePackets.take(now: now), pictureBytes.take(Double(count), now: now) { return true }
        noteExcess(at: now)
        return false
    }

    /// Only authentic packets count, so that nobody can silence somebody else by their address.
    private mutating func noteExcess(at now: Instant) {
        if !opened.take(now: now) { unopenedUntil = now + Self.unopenedTime }
    }

    /// What to do with a datagram before anything is known of it but its first bytes. Reports and checks of the path are always opened.
    mutating func judge(_ datagram: UnsafeRawBufferPointer, at now: Instant) -> Judgement {
        guard now < unopenedUntil, datagram.count > 1,
            // RFC 7983 §7, RFC 5761 §4.
            (128...191).contains(datagram[0]), !(192...223).contains(datagram[1])
        else { return .open }
        return unopened.take(now: now) ? .leave : .leaveAndRefuse
    }

    enum Judgement {
        case open
        /// Sound or pictures of somebody who has sent far too much just now.
        case leave
        /// The same of somebody who goes on like that.
        case leaveAndRefuse
    }
}
