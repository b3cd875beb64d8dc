internal import RTP
internal import Timing

/// Packets of several speakers that wait for each other on their way to the audience, so that the kernel gets those for one listener as
/// one message.
///
/// Where a stage has many listeners, handing packets to the kernel is most of what they cost, and what it costs hardly depends on how
/// many datagrams a message holds. All datagrams of a message have one length, but for the last, which may be shorter (UDP_SEGMENT,
/// udp(7)). Packets of sound differ by some bytes: longer ones go first, and those between the first and the last are padded
/// (RFC 3550 §5.1).
struct CrowdBatch: ~Copyable {
    /// With fewer listeners, a packet is with everybody in less time than it would wait for.
    static let minimumListeners = 64
    /// The same on a thread that has much to do: there, a packet that leaves by itself makes others wait.
    static let minimumListenersWhenBusy = 16
    /// What a packet waits for others at most: less than half a frame of 20 ms. Who only listens has tens of milliseconds in their buffer.
    static let longestWait = Interval.milliseconds(8)
    /// A wait is worth its while where another packet is likely to come in it.
    static let longestGap = longestWait * 2
    /// More would cost listeners more than the message saves here: a packet of speech takes some 200 bytes on the wire.
    static let maximumPadding = 40

    /// A packet, and where its bytes stand.
    struct Waiting {
        let slot: Int
        var packet: SlotPacket
        /// With its padding.
        var payload: UnsafeRawBufferPointer
        let doubled: PacketHistory.Doubled?
    }

    /// In the order in which they leave: the longest first, at most one of each slot. Made when the first packet waits, since most rooms are
    /// no crowds; nothing is allocated for a packet.
    private var storage: UnsafeMutablePointer<Waiting>?
    private var count = 0
    private let capacity: Int
    /// When they leave.
    private(set) var due = Instant.distantFuture
    /// The mean time from one packet to the next; a stage begins as one with a single speaker.
    private var gap = Interval.milliseconds(20)
    private var lastArrival = Instant.distantPast
    /// The audience has been given packets that are longer than the same ones for others.
    private(set) var hasPadded = false

    init(slots: Int) { capacity = slots }

    // What waits holds no references.
    deinit { storage?.deallocate() }

    var packets: UnsafeBufferPointer<Waiting> { UnsafeBufferPointer(start: storage, count: count) }

    func holds(_ slot: Int) -> Bool {
        for waiting in packets where waiting.slot == slot { return true }
        return false
    }

    /// Another packet has come. Told of each, so that it is known how often they come.
    /// - Returns: whether it is worth waiting for more.
    mutating func note(arrival: Instant) -> Bool {
        let passed = min(max(arrival - lastArrival, .zero), .milliseconds(20))
        lastArrival = max(arrival, lastArrival)
        gap = gap + (passed - gap) / 16
        return gap <= Self.longestGap
    }

    /// A slot that has a packet here must not get another one.
    mutating func add(_ waiting: Waiting, arrival: Instant) {
        guard count < capacity else { return }
        let storage = self.storage ?? .allocate(capacity: capacity)
        self.storage = storage
        if count == 0 { due = arrival + Self.longestWait }
        var place = count
        while place > 0, storage[place - 1].payload.count < waiting.payload.count {
            (storage + place).initialize(to: storage[place - 1])
            place -= 1
        }
        (storage + place).initialize(to: waiting)
        count += 1
    }

    /// Says by how much each packet is to be padded so that as few messages as possible are needed; then `setPadded` is to be called for
    /// those with padding.
    mutating func arrange() {
        guard let storage else { return }
        var first = 0
        while first < count {
            let length = storage[first].payload.count
            var end = first + 1
            while end < count, length - storage[end - 1].payload.count <= Self.maximumPadding { end += 1 }
            // The last of a message may be shorter.
            var index = first + 1
            while index < end - 1 {
                storage[index].packet.padding = UInt8(length - storage[index].payload.count)
                index += 1
            }
            first = end
        }
    }

    /// nil: there was no room for the padding.
    mutating func setPadded(_ index: Int, _ payload: UnsafeRawBufferPointer?) {
        guard let storage, index < count else { return }
        if let payload {
            hasPadded = true
            storage[index].payload = payload
        } else {
            storage[index].packet.padding = 0
        }
    }

    mutating func clear() {
        count = 0
        due = .distantFuture
    }
}
