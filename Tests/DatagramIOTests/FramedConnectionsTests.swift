internal import Glibc
internal import MediaTestSupport
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import DatagramIO

@Suite struct FramesTests {
    private static func framed(_ datagram: [UInt8]) -> [UInt8] {
        [UInt8(datagram.count >> 8), UInt8(datagram.count & 0xff)] + datagram
    }

    @Test(
        "However a stream is cut, the datagrams in it come whole and in order", arguments: 1...30 as ClosedRange<UInt64>
    )
    func inbound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let datagrams = (0..<60).map { _ in
            let length = [0, 1, 2, 20, 1_200, 2_048].randomElement(using: &random)!
            return (0..<length).map { _ in UInt8.random(in: 0...(.max), using: &random) }
        }
        let stream = datagrams.flatMap(Self.framed)
        var frames = InboundFrames()
        var taken: [[UInt8]] = []
        var start = 0
        while start < stream.count {
            let end = min(stream.count, start + [1, 2, 3, 100, 5_000].randomElement(using: &random)!)
            let isUnderstood = stream[start..<end].withUnsafeBytes { chunk in
                frames.take(chunk) { datagram in
                    taken.append(Array(datagram))
                    return true
                }
            }
            #expect(isUnderstood)
            start = end
        }
        // Empty ones only keep the connection alive.
        #expect(taken == datagrams.filter { !$0.isEmpty })
    }

    @Test(
        "A length that no datagram has ends the stream, whether it comes at once or byte by byte",
        arguments: [1, 2, 10])
    func tooLong(step: Int) {
        var frames = InboundFrames()
        let stream: [UInt8] = Self.framed([1, 2, 3]) + [0x08, 0x01] + [UInt8](repeating: 0, count: 20)
        var taken = 0
        var isUnderstood = true
        for start in stride(from: 0, to: stream.count, by: step) where isUnderstood {
            isUnderstood = stream[start..<min(start + step, stream.count)].withUnsafeBytes { chunk in
                frames.take(chunk) { _ in
                    taken += 1
                    return true
                }
            }
        }
        #expect(!isUnderstood && taken == 1)
    }

    @Test(
        "What leaves are whole datagrams in order, none begun after 200 ms, and never more than fits",
        arguments: 1...30 as ClosedRange<UInt64>)
    func outbound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var frames = OutboundFrames()
        var now = Instant(nanoseconds: 1_000)
        var stream: [UInt8] = []
        var queued: [Instant] = []
        var number: UInt32 = 0
        /// Since what was left began, no datagram may begin that was queued before this.
        var begun: [(offset: Int, at: Instant)] = []
        for _ in 0..<3_000 {
            if Bool.random(using: &random) {
                let bytes = withUnsafeBytes(of: number.bigEndian, Array.init)
                let filler = [UInt8](repeating: 7, count: Int.random(in: 0...2_000, using: &random))
                (bytes + filler).withUnsafeBytes { frames.append($0, at: now) }
                queued.append(now)
                number += 1
            } else {
                now = now + .milliseconds(Int64.random(in: 0...30, using: &random))
                var allowance = Int.random(in: 0...1_500, using: &random)
                let progress = frames.flush(at: now) { bytes in
                    #expect(bytes.count <= OutboundFrames.capacity + 2_100)
                    guard allowance > 0 else { return Int(-EAGAIN) }
                    let taken = min(bytes.count, allowance)
                    begun.append((stream.count, now))
                    stream += bytes[..<taken]
                    allowance -= taken
                    return taken
                }
                #expect(frames.isEmpty == (progress == .allSent))
            }
        }
        while !frames.isEmpty {
            _ = frames.flush(at: now) { bytes in
                begun.append((stream.count, now))
                stream += bytes
                return bytes.count
            }
        }
        var offset = 0
        var last = -1
        var count: UInt64 = 0
        while offset < stream.count {
            let length = Int(stream[offset]) << 8 | Int(stream[offset + 1])
            let number = stream[(offset + 2)..<(offset + 6)].reduce(0) { $0 << 8 | Int($1) }
            #expect(number > last)
            let at = begun.last { $0.offset <= offset }!.at
            #expect(at - queued[number] < OutboundFrames.patience)
            last = number
            count += 1
            offset += 2 + length
        }
        #expect(offset == stream.count)
        #expect(frames.sent == count)
        #expect(frames.sent + frames.dropped == UInt64(number))
        #expect(frames.dropped > 0)
    }

    @Test("A connection that breaks says so")
    func failure() {
        var frames = OutboundFrames()
        let now = Instant(nanoseconds: 0)
        ([1, 2] as [UInt8]).withUnsafeBytes { frames.append($0, at: now) }
        #expect(frames.flush(at: now) { _ in Int(-EPIPE) } == .failed(EPIPE))
    }
}

/// Knows datagrams that begin with 1, takes 1 1 for authentic, and answers with what came.
private final class EchoingOwner: ConnectionOwner {
    let connections: FramedConnections
    var received: [[UInt8]] = []
    var paths: [NetworkPath] = []
    var passed: [HandedConnection] = []
    var readsOn = true

    init(_ connections: FramedConnections) { self.connections = connections }

    func isNamed(by datagram: UnsafeRawBufferPointer) -> Bool { datagram.first == 1 }

    func receive(_ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) -> Bool {
        received.append(Array(slot[..<length]))
        paths.append(path)
        guard length > 1, slot[1] == 1 else { return false }
        connections.commit(UnsafeRawBufferPointer(rebasing: slot[..<length]), path: path, at: now)
        return true
    }

    func pass(_ connection: HandedConnection) { passed.append(connection) }
}

/// TCP connections that carry datagrams, over sockets of this host.
@Suite struct FramedConnectionsTests {
    private final class House {
        let connections: FramedConnections
        let owner: EchoingOwner
        let address: TransportAddress
        var now = SystemClock.now()

        init(isShared: Bool = false, limits: FramedConnections.Limits = FramedConnections.Limits()) throws {
            connections = try FramedConnections(limits: limits)
            owner = EchoingOwner(connections)
            address = try connections.listen(
                on: TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: 0), isDualStack: false, isShared: isShared)
        }

        func call() throws -> TCPLine { try #require(TCPLine(to: address)) }

        /// Works until that holds. What is on its way within this host needs no time to pass, only turns.
        func run(until condition: () -> Bool) {
            let end = SystemClock.now() + .seconds(20)
            while !condition() {
                guard SystemClock.now() < end else {
                    Issue.record("what should happen did not")
                    return
                }
                connections.receive(at: now, for: owner)
                connections.flush(at: now)
                connections.advance(at: now)
            }
        }
    }

    @Test("Whoever begins with an authentic check is served, and answered by the same connection")
    func served() throws {
        let house = try House()
        let line = try house.call()
        line.send([1, 1, 5])
        var answers: [[UInt8]] = []
        house.run {
            answers += line.receive() ?? []
            return !answers.isEmpty
        }
        #expect(answers == [[1, 1, 5]])
        // From now on anything may come, in any pieces.
        line.sendRaw([0, 3, 9])
        line.sendRaw([8, 7, 0, 0, 0, 1, 6])
        house.run { house.owner.received.count == 3 }
        #expect(house.owner.received == [[1, 1, 5], [9, 8, 7], [6]])
        #expect(Set(house.owner.paths).count == 1)
        #expect(house.owner.paths.first?.local == house.address)
        #expect(house.connections.stats.open == 1 && house.connections.stats.sent == 1)
        line.end()
        house.run { house.connections.stats.open == 0 }
    }

    @Test(
        "Who names nobody, proves nothing or speaks something else is closed at once",
        arguments: [[0, 2, 2, 2], [0, 2, 1, 2], [0x47, 0x45, 0x54, 0x20], [0xff, 0xff, 1, 1]] as [[UInt8]])
    func refused(bytes: [UInt8]) throws {
        let house = try House()
        let line = try house.call()
        line.sendRaw(bytes)
        // "GET " is the beginning of a datagram of 18,245 bytes.
        house.run { line.receive() == nil }
        #expect(house.connections.stats.open == 0 && house.connections.stats.refused == 1)
        #expect(house.owner.passed.isEmpty)
    }

    @Test("Who says nothing, or half of it, goes after five seconds, or when too many others come")
    func silent() throws {
        var limits = FramedConnections.Limits()
        limits.opening = 2
        let house = try House(limits: limits)
        let first = try house.call()
        first.sendRaw([0, 9, 1])
        house.run { house.connections.stats.accepted == 1 }
        let second = try house.call()
        house.run { house.connections.stats.accepted == 2 }
        let honest = try house.call()
        house.run { house.connections.stats.accepted == 3 }
        #expect(house.connections.stats.open == 2)
        house.run { first.receive() == nil }
        honest.send([1, 1])
        house.run { !house.owner.received.isEmpty }
        #expect(second.receive() == [])
        #expect(house.connections.nextDeadline <= house.now + .seconds(5))
        house.now = house.now + .seconds(5)
        house.run { second.receive() == nil }
        #expect(house.connections.stats.open == 1 && house.connections.nextDeadline == .distantFuture)
    }

    @Test("Who opens many connections from one address pushes out their own")
    func crowding() throws {
        var limits = FramedConnections.Limits()
        limits.openingFromOne = 2
        let house = try House(limits: limits)
        let other = try #require(TCPLine(to: house.address, from: IPAddress(v4: 127, 0, 0, 2)))
        house.run { house.connections.stats.accepted == 1 }
        var lines: [TCPLine] = []
        for number in 1...5 as ClosedRange<UInt64> {
            lines.append(try house.call())
            house.run { house.connections.stats.accepted == 1 + number }
        }
        house.run { lines.prefix(3).allSatisfy { $0.receive() == nil } }
        #expect(lines.suffix(2).allSatisfy { $0.receive() == [] } && other.receive() == [])
        #expect(house.connections.stats.open == 3)
    }

    @Test("Who comes to the shared port for another goes there with all that has been read")
    func shared() throws {
        let house = try House(isShared: true)
        let line = try house.call()
        line.send([2, 1])
        line.send([3])
        house.run { !house.owner.passed.isEmpty }
        let handed = try #require(house.owner.passed.first)
        #expect(handed.hops == 1 && house.connections.stats.open == 0)
        let other = try House()
        // It does not know it either.
        other.connections.adopt(handed, at: other.now, for: other.owner)
        let again = try #require(other.owner.passed.first)
        #expect(again.hops == 2 && again.local == house.address)
        let last = try FramedConnections()
        let knowing = Knowing(last)
        last.adopt(again, at: other.now, for: knowing)
        #expect(knowing.received.prefix(1) == [[2, 1]])
        // The same connection cannot be taken twice.
        other.connections.adopt(handed, at: other.now, for: other.owner)
        #expect(other.connections.stats.open == 0)
        let end = SystemClock.now() + .seconds(20)
        while knowing.received.count < 2, SystemClock.now() < end { last.receive(at: other.now, for: knowing) }
        #expect(knowing.received == [[2, 1], [3]])
    }

    private final class Knowing: ConnectionOwner {
        var received: [[UInt8]] = []
        var readsOn: Bool { true }
        init(_ connections: FramedConnections) {}
        func isNamed(by datagram: UnsafeRawBufferPointer) -> Bool { true }
        func receive(_ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) -> Bool {
            received.append(Array(slot[..<length]))
            return true
        }
        func pass(_ connection: HandedConnection) {}
    }

    @Test("What there is no time for in a turn comes with the next one")
    func time() throws {
        let house = try House()
        let line = try house.call()
        line.send([1, 1])
        house.run { house.owner.received.count == 1 }
        house.owner.readsOn = false
        line.send([7])
        for _ in 0..<5 { house.connections.receive(at: house.now, for: house.owner) }
        #expect(house.owner.received.count == 1)
        house.owner.readsOn = true
        house.run { house.owner.received.count == 2 }
    }

    @Test("A connection that nobody adopts is closed")
    func orphan() throws {
        let house = try House(isShared: true)
        let line = try house.call()
        line.send([2, 1])
        house.run { !house.owner.passed.isEmpty }
        #expect(line.receive() == [])
        house.owner.passed = []
        house.run { line.receive() == nil }
    }

    @Test("What a stalled connection has not taken after 200 ms goes, and what comes then is fresh")
    func stalled() throws {
        let house = try House()
        let line = try house.call()
        line.send([1, 1])
        house.run { line.receive()?.isEmpty == false }
        let path = try #require(house.owner.paths.first)
        func queue(_ count: Int, _ content: UInt8) {
            for _ in 0..<count {
                [UInt8](repeating: content, count: 1_000).withUnsafeBytes {
                    house.connections.commit($0, path: path, at: house.now)
                }
            }
            house.connections.flush(at: house.now)
        }
        // More than the kernel takes on both sides.
        for _ in 0..<40 { queue(100, 5) }
        let since = try #require(house.connections.waitsSince)
        #expect(since == house.now && house.connections.nextDeadline == house.now + .milliseconds(200))
        house.now = house.now + .milliseconds(200)
        house.connections.flush(at: house.now)
        #expect(house.connections.waitsSince == nil && house.connections.stats.dropped > 100)
        queue(1, 6)
        var contents: [UInt8] = []
        house.run {
            contents += (line.receive() ?? []).map { datagram in
                #expect(datagram.count == 1_000 && Set(datagram).count == 1)
                return datagram[0]
            }
            return contents.last == 6
        }
        #expect(contents.count(where: { $0 == 6 }) == 1)
    }

    @Test("Whose path is forgotten is closed, with a goodbye, and what is sent there later goes nowhere")
    func forgotten() throws {
        let house = try House()
        let line = try house.call()
        line.send([1, 1])
        house.run { line.receive()?.isEmpty == false }
        let path = try #require(house.owner.paths.first)
        ([9, 9] as [UInt8]).withUnsafeBytes { house.connections.commit($0, path: path, at: house.now) }
        house.connections.close(path, at: house.now)
        ([8, 8] as [UInt8]).withUnsafeBytes { house.connections.commit($0, path: path, at: house.now) }
        house.connections.close(path, at: house.now)
        var last: [[UInt8]] = []
        house.run {
            guard let datagrams = line.receive() else { return true }
            last += datagrams
            return false
        }
        #expect(last == [[9, 9]])
        // The next one gets the same place, and not what is meant for the one before.
        let next = try house.call()
        next.send([1, 1, 7])
        house.run { house.owner.received.count == 2 }
        #expect(house.owner.paths[1].connection != path.connection)
        ([8, 8] as [UInt8]).withUnsafeBytes { house.connections.commit($0, path: path, at: house.now) }
        var answers: [[UInt8]] = []
        house.run {
            answers += next.receive() ?? []
            return !answers.isEmpty
        }
        #expect(answers == [[1, 1, 7]])
    }
}
