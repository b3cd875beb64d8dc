internal import CNet
internal import Glibc
package import Timing
package import Wire

/// A bound UDP socket with a receive batch and a send queue of its own, for one thread.
///
/// Receiving goes through `receive`, sending through `nextSlot`, `commit` and `flush`; both work on slots that are allocated
/// once. Nothing here blocks and nothing spins.
package final class DatagramSocket {
    /// What happened to datagrams; only ever grows.
    package struct Stats: Sendable, Hashable {
        package var received: UInt64 = 0
        /// Longer than a slot, hence unusable.
        package var truncated: UInt64 = 0
        package var receiveErrors: UInt64 = 0
        package var sent: UInt64 = 0
        /// In so many bytes, without their headers.
        package var sentBytes: UInt64 = 0
        /// In so many messages to the kernel: one may hold many datagrams for one address.
        package var messages: UInt64 = 0
        /// The kernel took nothing for longer than 20 ms, or the queue was full.
        package var droppedLate: UInt64 = 0
        /// Larger than the way allows (EMSGSIZE).
        package var droppedTooLarge: UInt64 = 0
        /// Refused for another reason: no route, address gone, firewall.
        package var droppedRefused: UInt64 = 0

        package init() {}
    }

    /// One datagram; any Ethernet-sized packet fits, and slots stay aligned to cache lines.
    package static let slotBytes = 2048
    /// Datagrams for one `recvmmsg`; measured, more than 64 no longer lowers the cost per packet. They are told apart by the bits of a word.
    package static let receiveSlots = 64
    /// After so many queued datagrams they leave without waiting for the end of the turn.
    static let flushThreshold = 64
    /// Asked of the kernel for either direction; a burst of 20 ms at 250,000 packets/s needs about 4 MiB.
    package static let bufferBytes: Int32 = 4 << 20

    /// From how many addresses the kernel can refuse media.
    package static let maximumRefused = Int(CNET_REFUSED_MAX)
    /// Of refused media, one datagram in so many comes all the same: it tells whether there still is more.
    package static let passingOneIn = Int(CNET_PASSING_ONE_IN)

    /// Where the socket is bound; the port is the real one if 0 was asked for.
    package let local: TransportAddress

    let descriptor: Int32
    private let family: Int32
    let isDualStack: Bool
    private let receiveBatch: OpaquePointer
    private let receiveSlotTable: UnsafeMutablePointer<cnet_datagram>
    private let sendBatch: OpaquePointer
    private let sendSlotTable: UnsafeMutablePointer<cnet_datagram>
    private let ring = SendRing()
    /// The kernel cuts runs of equal datagrams itself.
    private var segmentation = cnet_segmentation(enabled: true, messages: 0)
    private var receiveStats = Stats()
    private var sentBytes: UInt64 = 0

    /// Binds. The unspecified IPv6 address takes IPv4 too, if `isDualStack`.
    package init(
        binding address: TransportAddress, isDualStack: Bool = true, bufferBytes: Int32 = DatagramSocket.bufferBytes
    ) throws(SocketFailure) {
        let family: Int32 = address.ip.isIPv4 ? 4 : 6
        var name = cnet_address(address)
        let descriptor = cnet_udp_open(family, &name, isDualStack, bufferBytes)
        guard descriptor >= 0 else { throw SocketFailure(.open, address: address, code: -descriptor) }
        let port = cnet_udp_port(descriptor)
        guard port >= 0,
            let receiveBatch = cnet_batch_create(UInt32(Self.receiveSlots), UInt32(Self.slotBytes))
        else {
            close(descriptor)
            throw SocketFailure(port < 0 ? .open : .memory, address: address, code: port < 0 ? -port : ENOMEM)
        }
        guard let sendBatch = cnet_batch_create(UInt32(SendRing.slots), UInt32(Self.slotBytes)) else {
            cnet_batch_destroy(receiveBatch)
            close(descriptor)
            throw SocketFailure(.memory, address: address, code: ENOMEM)
        }
        self.descriptor = descriptor
        self.family = family
        self.isDualStack = isDualStack && family == 6 && address.ip.isUnspecified
        self.local = TransportAddress(ip: address.ip, port: UInt16(truncatingIfNeeded: port), scope: address.scope)
        self.receiveBatch = receiveBatch
        self.sendBatch = sendBatch
        receiveSlotTable = cnet_batch_slots(receiveBatch)
        sendSlotTable = cnet_batch_slots(sendBatch)
    }

    deinit {
        close(descriptor)
        cnet_batch_destroy(receiveBatch)
        cnet_batch_destroy(sendBatch)
    }

    /// Whether a datagram from `address` of this host can leave through this socket.
    package func serves(_ address: TransportAddress) -> Bool {
        guard address.port == local.port else { return false }
        if local.ip.isUnspecified { return isDualStack || (family == 4) == address.ip.isIPv4 }
        return local.ip == address.ip
    }

    // MARK: Receiving

    /// What is done with a datagram: the whole slot (it may be written to and is valid until the next `receive`), the length within, the
    /// way it came, and when the kernel saw it on the monotonic clock (not after the `now` that was given).
    package typealias Taking = (
        _ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath, _ arrival: Instant
    ) -> Void

    /// Reads at most `receiveSlots` datagrams and hands each to `body`. Returns how many there were; `receiveSlots` means that more may
    /// wait.
    package func receive(at now: Instant, _ body: Taking) -> Int {
        receive(at: now, hasFirst: false, isFirst: { _ in false }, then: {}, body)
    }

    /// The same, but for the order: what came by ways that are `isFirst` is handed out before all else of the batch, and `then` is called
    /// in between. Of one way, datagrams keep their order.
    /// - Parameter hasFirst: there may be such ways.
    package func receive(
        at now: Instant, hasFirst: Bool, isFirst: (NetworkPath) -> Bool, then: () -> Void, _ body: Taking
    ) -> Int {
        let count = Int(cnet_receive(descriptor, receiveBatch))
        guard count > 0 else {
            if count < 0 { receiveStats.receiveErrors &+= 1 }
            return 0
        }
        receiveStats.received &+= UInt64(count)
        let wall = cnet_realtime()
        /// Bit n: the nth has been handed out.
        var handed: UInt64 = 0
        if hasFirst {
            for index in 0..<count where isFirst(path(index)) {
                handed |= 1 << UInt64(index)
                hand(index, at: now, wall, body)
            }
            if handed != 0 { then() }
        }
        for index in 0..<count where handed & 1 << UInt64(index) == 0 { hand(index, at: now, wall, body) }
        return count
    }

    @inline(__always)
    private func path(_ index: Int) -> NetworkPath {
        let slot = receiveSlotTable + index
        return NetworkPath(
            local: TransportAddress(slot.pointee.local, port: local.port),
            remote: TransportAddress(slot.pointee.remote, port: slot.pointee.remote.port))
    }

    @inline(__always)
    private func hand(_ index: Int, at now: Instant, _ wall: Int64, _ body: Taking) {
        let slot = receiveSlotTable + index
        guard !slot.pointee.truncated, let data = slot.pointee.data else {
            receiveStats.truncated &+= 1
            return
        }
        // The wall clock may be stepped between the kernel's stamp and ours: believe ages up to a second only.
        let age = slot.pointee.arrived == 0 ? 0 : wall &- slot.pointee.arrived
        let arrival = (0...1_000_000_000).contains(age) ? now + Interval(nanoseconds: -age) : now
        body(
            UnsafeMutableRawBufferPointer(start: data, count: Self.slotBytes), Int(slot.pointee.length), path(index),
            arrival)
    }

    /// What the kernel throws away before this socket hears of it: media from those addresses, but for one datagram in
    /// `passingOneIn`. In place of what was refused before.
    /// - Parameter remotes: at most `maximumRefused`.
    /// - Returns: whether the system can.
    @discardableResult
    package func refuseMedia(from remotes: [TransportAddress]) -> Bool {
        let names = remotes.map { cnet_address($0) }
        return cnet_udp_refuse_media(descriptor, names, UInt32(names.count)) == 0
    }

    // MARK: Sending

    /// The slot that the next `commit` sends; write the datagram into it. Without a `commit` nothing happens.
    package func nextSlot() -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: sendSlotTable[ring.nextSlot()].data, count: Self.slotBytes)
    }

    /// Queues the first `length` bytes of the slot last given by `nextSlot`. A full batch leaves at once.
    package func commit(length: Int, path: NetworkPath, at now: Instant) {
        precondition((1...Self.slotBytes).contains(length), "a datagram fits its slot")
        let slot = sendSlotTable + ring.commit(at: now)
        slot.pointee.length = UInt32(length)
        slot.pointee.remote = cnet_address(path.remote)
        // A socket that is bound to one address sends from no other.
        slot.pointee.local = local.ip.isUnspecified ? cnet_address(path.local) : cnet_address()
        if ring.count >= Self.flushThreshold, !ring.isBlocked { flush(at: now) }
    }

    package var hasQueued: Bool { ring.count > 0 }
    /// The kernel refuses to take more: watch the descriptor for writability, then `flush`.
    package var isBlocked: Bool { ring.isBlocked }

    /// Gives the kernel what is queued. What it does not take now stays, for at most 20 ms.
    package func flush(at now: Instant) {
        ring.flush(at: now) { first, count in
            let sent = cnet_send(descriptor, family, sendBatch, UInt32(first), UInt32(count), &segmentation)
            for slot in first..<first + Int(max(0, sent)) { sentBytes &+= UInt64(sendSlotTable[slot].length) }
            return sent
        }
    }

    package var stats: Stats {
        var stats = receiveStats
        stats.sent = ring.stats.sent
        stats.sentBytes = sentBytes
        stats.messages = segmentation.messages
        stats.droppedLate = ring.stats.droppedLate
        stats.droppedTooLarge = ring.stats.droppedTooLarge
        stats.droppedRefused = ring.stats.droppedRefused
        return stats
    }
}

extension IPAddress {
    /// `::` or `0.0.0.0`.
    package var isUnspecified: Bool { high == 0 && (low == 0 || low == 0xffff_0000_0000) }
    /// `::1` or `127.0.0.0/8`.
    package var isLoopback: Bool { high == 0 && (low == 1 || low >> 24 == 0xffff_7f) }
    /// `fe80::/10`, only meaningful together with an interface.
    package var isLinkLocal: Bool { high >> 54 == 0x3fa }
}

extension cnet_address {
    init(_ address: TransportAddress) {
        self.init(high: address.ip.high, low: address.ip.low, scope: address.scope, port: address.port)
    }
}

extension TransportAddress {
    init(_ address: cnet_address, port: UInt16) {
        self.init(ip: IPAddress(high: address.high, low: address.low), port: port, scope: address.scope)
    }
}
