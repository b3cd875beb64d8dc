internal import Glibc
internal import Testing
internal import Timing
internal import Wire

@testable internal import DatagramIO

@Suite struct DatagramSocketTests {
    private struct Received: Equatable {
        var bytes: [UInt8]
        var path: NetworkPath
        var arrival: Instant
    }

    /// All sending happens at once, however slow the machine: what is queued for 20 ms would be dropped.
    private static let moment = SystemClock.now()
    private static let anyV6 = IPAddress(high: 0, low: 0)
    private static let anyV4 = IPAddress(v4: 0, 0, 0, 0)
    private static let loopbackV6 = IPAddress(high: 0, low: 1)

    private func open(_ ip: IPAddress) throws -> DatagramSocket {
        try DatagramSocket(binding: TransportAddress(ip: ip, port: 0))
    }

    private func send(
        _ bytes: [UInt8], from socket: DatagramSocket, to remote: TransportAddress, as local: IPAddress? = nil
    ) {
        let slot = socket.nextSlot()
        slot.copyBytes(from: bytes)
        let path = NetworkPath(
            local: TransportAddress(ip: local ?? socket.local.ip, port: socket.local.port), remote: remote)
        socket.commit(length: bytes.count, path: path, at: Self.moment)
    }

    /// Waits until `count` datagrams came; loopback delivers within the send call, the poller is there to not depend on it.
    private func receive(_ count: Int, on socket: DatagramSocket) throws -> [Received] {
        let poller = try Poller()
        try poller.add(socket, tag: 3)
        var all: [Received] = []
        let deadline = SystemClock.now() + .seconds(5)
        while all.count < count, SystemClock.now() < deadline {
            let ready = poller.wait(until: deadline, now: SystemClock.now())
            guard ready.readable == 1 << 3 else { continue }
            while socket.receive(
                at: SystemClock.now(),
                { slot, length, path, arrival in
                    all.append(Received(bytes: Array(slot[..<length]), path: path, arrival: arrival))
                }) > 0
            {}
        }
        return all
    }

    @Test(
        "D03-S of what has come together, that of chosen ways is handed out first, each way in its order, and nothing twice"
    )
    func chosenFirst() throws {
        let own = IPAddress(v4: 127, 0, 0, 1)
        let (receiver, chosen, other) = (try open(own), try open(own), try open(own))
        for number in 0..<30 as Range<UInt8> {
            send([number], from: number % 3 == 2 ? chosen : other, to: receiver.local)
            for socket in [chosen, other] where socket.hasQueued { socket.flush(at: Self.moment) }
        }
        send([UInt8](repeating: 1, count: DatagramSocket.slotBytes), from: chosen, to: receiver.local)
        chosen.flush(at: Self.moment)
        let poller = try Poller()
        try poller.add(receiver, tag: 3)
        _ = poller.wait(until: SystemClock.now() + .seconds(5), now: SystemClock.now())
        var numbers: [UInt8] = []
        var pauses: [Int] = []
        _ = receiver.receive(
            at: SystemClock.now(), hasFirst: true, isFirst: { $0.remote == chosen.local },
            then: { pauses.append(numbers.count) }
        ) { slot, length, _, _ in if length == 1 { numbers.append(slot[0]) } }
        let all = Array(0..<30 as Range<UInt8>)
        #expect(numbers == all.filter { $0 % 3 == 2 } + all.filter { $0 % 3 != 2 })
        #expect(pauses == [10])
    }

    @Test(
        "the kernel keeps media of refused addresses back, but for a sample; their checks and reports come, and media of others",
        arguments: ["IPv4", "IPv6", "IPv4 at a socket for both"])
    func refusal(way: String) throws {
        let (bound, own) =
            switch way {
            case "IPv4": (Self.anyV4, IPAddress(v4: 127, 0, 0, 1))
            case "IPv6": (Self.anyV6, Self.loopbackV6)
            default: (Self.anyV6, IPAddress(v4: 127, 0, 0, 1))
            }
        let server = try open(bound)
        let flooding = try open(own)
        let honest = try open(own)
        let target = TransportAddress(ip: own, port: server.local.port)
        var others = (1...20).map { TransportAddress(ip: own, port: UInt16($0)) }
        others.append(flooding.local)
        #expect(server.refuseMedia(from: others))
        let check: [UInt8] = [0, 1, 2, 3]
        let report: [UInt8] = [0x80, 200, 0, 0]
        for _ in 0..<200 {
            // The kernel's buffers hold a hundred of each.
            for _ in 0..<50 { send([0x90, 111, 0, 7], from: flooding, to: target) }
            flooding.flush(at: Self.moment)
        }
        send(check, from: flooding, to: target)
        send(report, from: flooding, to: target)
        flooding.flush(at: Self.moment)
        for _ in 0..<50 { send([0x90, 111, 0, 8], from: honest, to: target) }
        honest.flush(at: Self.moment)
        func isMedia(_ received: Received) -> Bool { received.bytes == [0x90, 111, 0, 7] }
        var received: [Received] = []
        while received.count(where: { !isMedia($0) }) < 52 {
            let more = try receive(1, on: server)
            guard !more.isEmpty else { break }
            received += more
        }
        #expect(received.count(where: { $0.bytes == check || $0.bytes == report }) == 2)
        #expect(received.count(where: { $0.path.remote == honest.local }) == 50)
        // One in 512 of 10,000.
        #expect((1...100).contains(received.count(where: isMedia)))

        #expect(server.refuseMedia(from: []))
        send([0x90, 111, 0, 7], from: flooding, to: target)
        flooding.flush(at: Self.moment)
        #expect(try receive(1, on: server).count == 1)
    }

    @Test("as many addresses can be refused as are named, and no more")
    func refusals() throws {
        let server = try open(Self.anyV6)
        let remotes = (1...UInt16(DatagramSocket.maximumRefused)).map {
            TransportAddress(ip: Self.loopbackV6, port: $0)
        }
        #expect(server.refuseMedia(from: remotes))
        #expect(!server.refuseMedia(from: remotes + [TransportAddress(ip: Self.loopbackV6, port: 99)]))
    }

    @Test("An answer leaves from the very address the datagram came to", arguments: [true, false])
    func sourceAddress(dualStack: Bool) throws {
        let server = try open(dualStack ? Self.anyV6 : Self.anyV4)
        let client = try open(IPAddress(v4: 127, 0, 0, 1))
        // 127.0.0.77 is this host too; a plain sendto would answer from 127.0.0.1.
        let target = TransportAddress(ip: IPAddress(v4: 127, 0, 0, 77), port: server.local.port)
        send([1, 2, 3], from: client, to: target)
        client.flush(at: Self.moment)
        let before = SystemClock.now()
        let question = try #require(try receive(1, on: server).first)
        #expect(question.bytes == [1, 2, 3])
        #expect(question.path.local == target)
        #expect(question.path.remote == client.local)
        #expect(question.arrival <= SystemClock.now())
        #expect(before - question.arrival < .seconds(1))

        send([4], from: server, to: question.path.remote, as: question.path.local.ip)
        server.flush(at: Self.moment)
        let answer = try #require(try receive(1, on: client).first)
        #expect(answer.bytes == [4])
        #expect(answer.path.remote == target)
    }

    @Test(
        "A run of equal datagrams for one address leaves as one message and comes as what it was",
        arguments: [true, false])
    func segments(dualStack: Bool) throws {
        let sender = try open(dualStack ? Self.anyV6 : Self.anyV4)
        let near = try open(IPAddress(v4: 127, 0, 0, 1))
        let far = try open(IPAddress(v4: 127, 0, 0, 2))
        let own = IPAddress(v4: 127, 0, 0, 1)
        var sent: [(to: DatagramSocket, bytes: [UInt8])] = []
        func queue(_ count: Int, of length: Int, for socket: DatagramSocket) {
            for _ in 0..<count {
                let bytes = [UInt8](repeating: UInt8(sent.count), count: length)
                sent.append((socket, bytes))
                send(bytes, from: sender, to: socket.local, as: own)
            }
        }
        // One message: the last may be shorter.
        queue(10, of: 1_200, for: near)
        queue(1, of: 77, for: near)
        // A change of address in the middle of equal lengths.
        queue(3, of: 300, for: near)
        queue(5, of: 300, for: far)
        // Longer than the first: another message.
        queue(4, of: 500, for: far)
        sender.flush(at: Self.moment)
        #expect(sender.stats.sent == 23 && sender.stats.messages == 1 + 1 + 1 + 1)
        #expect(sender.stats.sentBytes == UInt64(sent.reduce(0) { $0 + $1.bytes.count }))
        for socket in [near, far] {
            let expected = sent.filter { $0.to === socket }.map(\.bytes)
            let received = try receive(expected.count, on: socket)
            #expect(received.map(\.bytes) == expected)
            #expect(received.allSatisfy { $0.path.remote == TransportAddress(ip: own, port: sender.local.port) })
        }
        // No more than 64 in one message.
        for _ in 0..<2 { queue(40, of: 20, for: near) }
        sender.flush(at: Self.moment)
        #expect(try receive(80, on: near).count == 80)
        #expect(sender.stats.messages == 4 + 2)
    }

    @Test("One dual-stack socket speaks IPv6 as well")
    func ipv6() throws {
        let server = try open(Self.anyV6)
        let client = try open(Self.loopbackV6)
        send([9, 9], from: client, to: TransportAddress(ip: Self.loopbackV6, port: server.local.port))
        client.flush(at: Self.moment)
        let question = try #require(try receive(1, on: server).first)
        #expect(question.path.local.ip == Self.loopbackV6)
        #expect(question.path.remote == client.local)
        send([8], from: server, to: question.path.remote, as: question.path.local.ip)
        server.flush(at: Self.moment)
        #expect(try receive(1, on: client).map(\.bytes) == [[8]])
    }

    @Test("Beside an IPv4 socket on the same port, one for all of IPv6 leaves IPv4 to it")
    func bothFamilies() throws {
        let v6 = try DatagramSocket(binding: TransportAddress(ip: Self.anyV6, port: 0), isDualStack: false)
        let v4 = try DatagramSocket(binding: TransportAddress(ip: Self.anyV4, port: v6.local.port))
        let local4 = TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: v6.local.port)
        let local6 = TransportAddress(ip: Self.loopbackV6, port: v6.local.port)
        #expect(v4.serves(local4) && !v4.serves(local6))
        #expect(v6.serves(local6) && !v6.serves(local4))
        let client = try open(IPAddress(v4: 127, 0, 0, 1))
        send([4], from: client, to: local4)
        client.flush(at: Self.moment)
        #expect(try receive(1, on: v4).map(\.bytes) == [[4]])
    }

    @Test("Batches keep order and content; a full batch leaves before the flush")
    func batches() throws {
        let server = try open(Self.anyV6)
        let client = try open(IPAddress(v4: 127, 0, 0, 1))
        let target = TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: server.local.port)
        let count = DatagramSocket.flushThreshold * 3 + 5
        let datagrams = (0..<count).map { n in [UInt8](repeating: UInt8(n % 251), count: 1 + n * 7 % 1400) }
        for datagram in datagrams { send(datagram, from: client, to: target) }
        #expect(client.stats.sent == UInt64(DatagramSocket.flushThreshold * 3))
        #expect(client.hasQueued)
        client.flush(at: Self.moment)
        #expect(!client.hasQueued)
        #expect(try receive(count, on: server).map(\.bytes) == datagrams)
        #expect(server.stats.received == UInt64(count))
    }

    @Test("A datagram that the kernel refuses does not hold up the next")
    func refused() throws {
        let server = try open(Self.anyV6)
        let client = try open(IPAddress(v4: 127, 0, 0, 1))
        send([1], from: client, to: TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: 0))
        send([2], from: client, to: TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: server.local.port))
        client.flush(at: Self.moment)
        #expect(client.stats.droppedRefused == 1)
        #expect(try receive(1, on: server).map(\.bytes) == [[2]])
    }

    @Test("A datagram larger than a slot is dropped and counted")
    func truncated() throws {
        let server = try open(IPAddress(v4: 127, 0, 0, 1))
        let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = server.local.port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        for size in [DatagramSocket.slotBytes + 1, DatagramSocket.slotBytes] {
            let sent = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(
                        sender, [UInt8](repeating: 7, count: size), size, 0, $0,
                        socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(sent == size)
        }
        #expect(try receive(1, on: server).map(\.bytes.count) == [DatagramSocket.slotBytes])
        #expect(server.stats.truncated == 1)
    }

    @Test("A taken port is told apart from other failures")
    func addressInUse() throws {
        let first = try open(Self.anyV6)
        let failure = #expect(throws: SocketFailure.self) { try DatagramSocket(binding: first.local) }
        #expect(failure?.isAddressInUse == true)
        #expect(failure?.description.contains("\(first.local.port)") == true)
        let other = #expect(throws: SocketFailure.self) {
            // TEST-NET-3 (RFC 5737) is nobody's.
            try DatagramSocket(binding: TransportAddress(ip: IPAddress(v4: 203, 0, 113, 1), port: 0))
        }
        #expect(other?.isAddressInUse == false)
    }

    @Test("A socket serves its own port and the addresses it is bound to")
    func serves() throws {
        let any = try open(Self.anyV6)
        let one = try open(IPAddress(v4: 127, 0, 0, 1))
        let onePort = one.local.port
        #expect(any.serves(TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: any.local.port)))
        #expect(!any.serves(TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: any.local.port ^ 1)))
        #expect(one.serves(TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: onePort)))
        #expect(!one.serves(TransportAddress(ip: IPAddress(v4: 127, 0, 0, 2), port: onePort)))
    }
}

@Suite struct PollerTests {
    @Test("Waits are never negative, and end within a minute")
    func rounding() {
        let now = Instant(nanoseconds: 5_000_000)
        #expect(Poller.nanoseconds(until: nil, now: now) == -1)
        #expect(Poller.nanoseconds(until: now, now: now) == 0)
        #expect(Poller.nanoseconds(until: .distantPast, now: now) == 0)
        #expect(Poller.nanoseconds(until: now + Interval(nanoseconds: 1), now: now) == 1)
        #expect(Poller.nanoseconds(until: now + .milliseconds(3), now: now) == 3_000_000)
        #expect(Poller.nanoseconds(until: .distantFuture, now: now) == 60_000_000_000)
    }

    @Test("A wake from another thread ends the wait, once")
    func wake() throws {
        let poller = try Poller()
        let waker = poller.waker
        let thread = try WorkerThread(name: "waker") { waker.wake() }
        #expect(poller.wait(until: nil, now: SystemClock.now()).woken)
        thread.join()
        #expect(!poller.wait(until: .distantPast, now: SystemClock.now()).woken)
    }

    @Test("Writability is reported only while it is watched")
    func writability() throws {
        let poller = try Poller()
        let socket = try DatagramSocket(binding: TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: 0))
        try poller.add(socket, tag: 0)
        #expect(poller.wait(until: .distantPast, now: SystemClock.now()).writable == 0)
        poller.setWatchesWriting(true, of: socket, tag: 0)
        #expect(poller.wait(until: nil, now: SystemClock.now()).writable == 1)
        poller.setWatchesWriting(false, of: socket, tag: 0)
        #expect(poller.wait(until: .distantPast, now: SystemClock.now()).writable == 0)
    }
}

@Suite struct InterfaceAddressesTests {
    @Test("IPv4 comes before IPv6, loopback last, link-local and repeats are left out")
    func order() {
        let v4 = IPAddress(v4: 192, 168, 1, 5)
        let v6 = IPAddress(high: 0x2001_0db8_0000_0000, low: 7)
        let linkLocal = IPAddress(high: 0xfe80_0000_0000_0000, low: 9)
        let loopback4 = IPAddress(v4: 127, 0, 0, 1)
        let loopback6 = IPAddress(high: 0, low: 1)
        let found: [(ip: IPAddress, loopback: Bool)] = [
            (loopback6, true), (linkLocal, false), (loopback4, true), (v6, false), (v4, false), (v4, false),
        ]
        #expect(InterfaceAddresses.ordered(found) == [v4, v6, loopback4, loopback6])
        let many = (0..<40).map { (ip: IPAddress(v4: 10, 0, 0, UInt8($0)), loopback: false) }
        #expect(InterfaceAddresses.ordered(many).count == InterfaceAddresses.maximum)
    }

    @Test("This host has at least a loopback address")
    func current() throws {
        #expect(try InterfaceAddresses.current().contains { $0.isLoopback })
    }
}

@Suite struct IPAddressTextTests {
    @Test(
        "Addresses are read and written in their usual form",
        arguments: [
            "192.0.2.1", "0.0.0.0", "255.255.255.255", "127.0.0.1", "2001:db8::1", "::1", "::", "fe80::1:2:3:4",
        ])
    func roundTrip(text: String) throws {
        #expect(try #require(IPAddress(text: text)).text == text)
    }

    @Test(
        "Names, zones and broken addresses are not read",
        arguments: ["", "localhost", "1.2.3", "1.2.3.256", "fe80::1%eth0", "1::2::3"])
    func refused(text: String) {
        #expect(IPAddress(text: text) == nil)
    }

    @Test("A v4 address is the mapped one, in network order")
    func bytes() {
        #expect(IPAddress(text: "192.0.2.1") == IPAddress(v4: 192, 0, 2, 1))
        #expect(IPAddress(text: "::ffff:192.0.2.1") == IPAddress(v4: 192, 0, 2, 1))
        #expect(IPAddress(text: "2001:db8::5") == IPAddress(high: 0x2001_0db8_0000_0000, low: 5))
    }
}
