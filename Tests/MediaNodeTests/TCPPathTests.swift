internal import DatagramIO
internal import MediaTestSupport
internal import RoomPorts
internal import SDP
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

/// People whose network lets no UDP through come by TCP.
@Suite(.serialized) struct TCPPathTests {
    private static let ip = IPAddress(v4: 127, 0, 0, 1)

    /// A port that was free a moment ago.
    private static func freePort() throws -> UInt16 {
        let probe = try FramedConnections()
        return try probe.listen(on: TransportAddress(ip: ip, port: 0), isDualStack: false, isShared: false).port
    }

    private func joined(_ id: UInt64, by port: UInt16? = nil, _ party: Party) async throws -> TestClient {
        let client = try party.client(id)
        client.reach = .tcp(port: port)
        try await client.negotiate(with: party.node)
        await party.run { client.isConnected && party.isTold(MediaFact.connected, of: client) }
        return client
    }

    @Test("R08-S who comes by TCP speaks and hears as everybody does, also with somebody who comes by UDP")
    func heard() async throws {
        let party = try await Party()
        let alice = try await joined(1, party)
        let bob = try await party.joined(2)
        let carol = try await joined(3, party)
        await party.assign(0, alice)
        await party.assign(1, bob)
        for number in 0..<20 as Range<UInt8> {
            alice.speak([1, number])
            bob.speak([2, number])
            await party.run {
                carol.payloads(on: 0).count == number + 1 && carol.payloads(on: 1).count == number + 1
                    && bob.payloads(on: 0).count == number + 1 && alice.payloads(on: 1).count == number + 1
            }
        }
        #expect(carol.payloads(on: 0) == (0..<20).map { [1, $0] })
        #expect(alice.heard[1]?.isUnbroken == true)
        let counters = try #require(await party.node.counters())
        #expect(counters.connections.open == 2 && counters.connections.sent > 40)
    }

    @Test("R08-S the shared port leads to whichever worker has the path")
    func sharedPort() async throws {
        let port = try Self.freePort()
        let party = try await Party {
            $0.workers = 3
            $0.fullHome = 0
            $0.sharedTCPPort = port
        }
        var people: [TestClient] = []
        for id in 1...6 as ClosedRange<UInt64> { people.append(try await joined(id, by: port, party)) }
        await party.assign(0, people[0])
        people[0].speak([4, 2])
        await party.run { people.dropFirst().allSatisfy { $0.payloads(on: 0) == [[4, 2]] } }
        let counters = try #require(await party.node.counters())
        #expect(counters.peers == 6 && counters.connections.open == 6)
        // The first worker has accepted all of them, and kept no more than its own.
        #expect(counters.connections.accepted == 6)
    }

    @Test("R08-S who names nobody is closed, whichever worker looks last")
    func strangers() async throws {
        let port = try Self.freePort()
        let party = try await Party {
            $0.workers = 3
            $0.sharedTCPPort = port
        }
        let lines = try [port, party.node.ports[1]].map {
            try #require(TCPLine(to: TransportAddress(ip: Self.ip, port: $0)))
        }
        for line in lines { line.send([0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42] + [UInt8](repeating: 0, count: 12)) }
        await party.run { lines.allSatisfy { $0.receive() == nil } }
        #expect(try #require(await party.node.counters()).connections.open == 0)
    }

    @Test("R08-S the connection ends with the peer, and the next one of the same person is new")
    func ends() async throws {
        let party = try await Party()
        let alice = try await joined(1, party)
        let line = try #require(alice.line)
        await withCheckedContinuation { continuation in
            party.node.closePeer(alice.id, on: party.stage) { continuation.resume() }
        }
        await party.run {
            alice.work()
            return line.isClosed
        }
        #expect(try #require(await party.node.counters()).connections.open == 0)
    }

    @Test("R08-S a cut is told once what waits for a stalled connection has gone")
    func cut() async throws {
        let party = try await Party()
        let alice = try await party.joined(1)
        let bob = try await joined(2, party)
        await party.assign(0, alice)
        bob.readsNothing = true
        // More than the kernel holds on both sides.
        var dropped: UInt64 = 0
        for _ in 0..<600 where dropped == 0 {
            alice.speak([UInt8](repeating: 3, count: 600))
            await party.leap(.milliseconds(20))
            dropped = try #require(await party.node.counters()).connections.dropped
        }
        #expect(dropped > 0)
        // Something new waits.
        for _ in 0..<3 {
            alice.speak([UInt8](repeating: 3, count: 600))
            await party.leap(.milliseconds(20))
        }
        await party.assign(0, nil)
        dropped = try #require(await party.node.counters()).connections.dropped
        // Nothing of hers waits any more: no later turn drops anything.
        await party.leap(.milliseconds(500))
        #expect(try #require(await party.node.counters()).connections.dropped == dropped)
    }

    @Test("R08-S with TCP off, nothing of it is offered or taken")
    func off() async throws {
        let party = try await Party { $0.takesTCP = false }
        let alice = try await party.joined(1)
        #expect(alice.accepted?.candidates.allSatisfy { $0.transport == "udp" } == true)
        #expect(TCPLine(to: TransportAddress(ip: Self.ip, port: party.node.ports[0])) == nil)
    }

    @Test("R08-S a shared port that is taken is said by its number")
    func taken() async throws {
        let other = try FramedConnections()
        let address = try other.listen(
            on: TransportAddress(ip: Self.ip, port: 0), isDualStack: false, isShared: false)
        var configuration = MediaNodeConfiguration()
        configuration.port = 0
        configuration.bindAddresses = [Self.ip]
        configuration.sharedTCPPort = address.port
        do {
            _ = try await MediaPlane.start(configuration)
            Issue.record("it started")
        } catch {
            #expect("\(error)".contains("could not listen for TCP connections on port \(address.port)"))
        }
    }
}
