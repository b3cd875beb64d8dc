internal import DatagramIO
internal import Forwarding
package import Timing
package import Wire

/// How the media plane is reached and what it takes on.
package struct MediaNodeConfiguration: Sendable, Hashable {
    /// UDP port of the first worker, the others have the next ones; 0 lets the system choose.
    package var port: UInt16 = 7882
    /// Whether the same ports take TCP connections, from those whose network lets no UDP through.
    package var takesTCP = true
    /// One more port for such connections, whichever worker they are for: one that every network lets through, such as 443.
    package var sharedTCPPort: UInt16?
    /// Threads that forward media, at least one, each with a port of its own.
    package var workers = 1
    /// Listeners get a path to another worker while their room's home spends more of its time on forwarding than this share.
    package var fullHome = 0.6
    /// Empty: every address of this host, IPv4 and IPv6.
    package var bindAddresses: [IPAddress] = []
    /// Addresses under which others see this host, where it cannot know itself (1:1 NAT, port forwarding). They are
    /// offered first.
    package var publicAddresses: [IPAddress] = []
    /// Paths at once on one worker; each costs about 30 KiB.
    package var maximumPeers = 10_000
    /// Paths at once from one remote address to one worker. High, since a whole office may sit behind one.
    package var maximumPeersPerAddress = 1000
    /// Paths that one worker sets up at once. A handshake costs about a millisecond, and those who never finish one must
    /// not take the room of those who do.
    package var maximumConnecting = 500
    /// What viewers are asked to wait at least and at most before they show a picture, where their browsers can be asked. A most of zero
    /// asks nobody.
    package var leastPlayout = Interval.zero
    package var mostPlayout = Interval.zero
    /// Media that has waited longer in this host is not forwarded: it would only be later for everybody.
    package var longestWait = Interval.milliseconds(100)
    /// The same for pictures: a worker that cannot keep up lets them go first.
    package var longestPictureWait = Interval.milliseconds(40)

    /// From so many listeners of a room on one worker on, packets of several speakers wait up to 8 ms for each other on their way to those
    /// who only listen, so that the kernel gets those for one listener in one message (decision 0027).
    package var smallestCrowd = AudioFanout.smallestCrowd
    /// The same on a worker that has much to do.
    package var smallestCrowdWhenBusy = AudioFanout.smallestCrowdWhenBusy

    package init() {}

    /// What is offered to clients, best first: public addresses, then those of `interfaces` that a socket listens on.
    func candidateAddresses(interfaces: [IPAddress]) -> [IPAddress] {
        let takesAll = bindAddresses.isEmpty || bindAddresses == [IPAddress(high: 0, low: 0)]
        let listening = interfaces.filter { address in
            takesAll
                || bindAddresses.contains { $0 == address || $0.isUnspecified && $0.isIPv4 == address.isIPv4 }
        }
        var seen: Set<IPAddress> = []
        return (publicAddresses + listening).filter { seen.insert($0).inserted }
    }
}
