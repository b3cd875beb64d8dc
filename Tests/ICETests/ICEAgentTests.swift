import ICE
import NetworkSimulation
import SeededRandom
import Testing
import Timing
import Wire

/// An ICE agent on a simulated network; the client also says when it found its path.
final class ICENode: SimulatedEndpoint {
    var agent: any ICEAgent
    var verdicts: [ICEVerdict] = []
    var firstSelected: Instant?

    init(_ agent: any ICEAgent) { self.agent = agent }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {
        verdicts.append(agent.receive(UnsafeRawBufferPointer(rebasing: datagram[..<length]), path: path, at: now))
    }
    func advance(to now: Instant) { agent.advance(to: now) }
    var nextDeadline: Instant { agent.nextDeadline }
    func nextDatagram(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> (length: Int, path: NetworkPath)?
    {
        if agent.selectedPath != nil, firstSelected == nil { firstSelected = now }
        return agent.nextOutput(into: buffer).map { ($0.length, $0.path) }
    }
}

@Suite struct ICEAgentTests {
    static let client = TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: 5000)
    static let clientMobile = TransportAddress(ip: IPAddress(v4: 100, 64, 0, 1), port: 6000)
    static let server = TransportAddress(ip: IPAddress(v4: 192, 0, 2, 1), port: 7882)
    static let serverV6 = TransportAddress(ip: IPAddress(high: 0x2001_0db8_0000_0000, low: 1), port: 7882)

    static let directPath = NetworkPath(local: client, remote: server)

    static func credentials(_ seed: UInt64) -> ICECredentials {
        var random = SeededGenerator(seed: seed)
        return ICECredentials.random(using: &random)
    }

    struct Setup {
        let network: Network
        let client: ICENode
        let server: ICENode
        let clientCredentials = ICEAgentTests.credentials(1)
        let serverCredentials = ICEAgentTests.credentials(2)

        init(
            seed: UInt64 = 1, conditions: LinkConditions = .perfect,
            paths: [NetworkPath] = [ICEAgentTests.directPath], wrongPassword: Bool = false,
            wrongUfrag: Bool = false
        ) {
            network = Network(seed: seed, conditions: conditions)
            var known = serverCredentials
            if wrongPassword { known.password = String(known.password.reversed()) }
            if wrongUfrag { known.ufrag = "XXXXXXXX" }
            self.client = ICENode(
                ICEControllingAgent(
                    local: clientCredentials, remote: known, paths: paths, seed: seed, at: network.now))
            self.server = ICENode(ICELiteAgent(local: serverCredentials, remote: clientCredentials))
            network.attach(self.client, at: [ICEAgentTests.client, clientMobile])
            network.attach(self.server, at: [ICEAgentTests.server, serverV6])
        }
    }

    @Test("both sides settle on the only path, in two round trips")
    func onePath() {
        let setup = Setup()
        let start = setup.network.now
        setup.network.run(for: .seconds(1))
        #expect(setup.client.agent.selectedPath == NetworkPath(local: Self.client, remote: Self.server))
        #expect(setup.server.agent.selectedPath == NetworkPath(local: Self.server, remote: Self.client))
        #expect(setup.client.firstSelected.map { ($0 - start).milliseconds } == 80)
    }

    @Test("the preferred path is chosen when several answer, even if it is slower")
    func preference() {
        let preferred = NetworkPath(local: Self.client, remote: Self.serverV6)
        let setup = Setup(paths: [preferred, NetworkPath(local: Self.client, remote: Self.server)])
        setup.network.conditionsTo[Self.serverV6] = LinkConditions()
        setup.network.conditionsTo[Self.serverV6]?.delay = .milliseconds(60)
        setup.network.run(for: .seconds(2))
        #expect(setup.client.agent.selectedPath == preferred)
        #expect(setup.server.agent.selectedPath == NetworkPath(local: Self.serverV6, remote: Self.client))
    }

    @Test("a preferred path that is dead costs no more than the patience for it")
    func deadPreferred() {
        let dead = NetworkPath(local: Self.client, remote: TransportAddress(ip: IPAddress(v4: 192, 0, 2, 9), port: 1))
        let setup = Setup(paths: [dead, NetworkPath(local: Self.client, remote: Self.server)])
        let start = setup.network.now
        setup.network.run(for: .seconds(2))
        #expect(setup.client.agent.selectedPath?.remote == Self.server)
        #expect(setup.client.firstSelected.map { ($0 - start) < .milliseconds(400) } == true)
    }

    @Test("checks get through 30 % loss with duplicates and reordering", arguments: UInt64(1)...30)
    func loss(seed: UInt64) {
        let setup = Setup(seed: seed, conditions: .lossy(0.3))
        setup.network.run(for: .seconds(20))
        #expect(setup.client.agent.selectedPath != nil, "seed \(seed)")
        #expect(setup.server.agent.selectedPath != nil, "seed \(seed)")
    }

    @Test("a server that starts late is found")
    func lateServer() {
        let setup = Setup()
        var isUp = false
        setup.network.onSend = { _, _, _ in isUp }
        setup.network.run(for: .seconds(18))
        #expect(setup.client.agent.selectedPath == nil)
        isUp = true
        setup.network.run(for: .seconds(3))
        #expect(setup.client.agent.selectedPath != nil)
    }

    @Test("a wrong password or ufrag validates nothing", arguments: [true, false])
    func wrongCredentials(isPassword: Bool) {
        let setup = Setup(wrongPassword: isPassword, wrongUfrag: !isPassword)
        setup.network.run(for: .seconds(5))
        #expect(setup.server.agent.selectedPath == nil)
        #expect(!setup.server.agent.isValidated(NetworkPath(local: Self.server, remote: Self.client)))
        #expect(setup.client.agent.selectedPath == nil)
        #expect(!setup.server.verdicts.isEmpty)
        #expect(setup.server.verdicts.allSatisfy { $0 == .wrongCredentials })
    }

    @Test("consent keeps a path alive, and ends 30 s after the last check")
    func consent() {
        let setup = Setup()
        setup.network.run(for: .seconds(300))
        let path = NetworkPath(local: Self.server, remote: Self.client)
        #expect(setup.server.agent.selectedPath == path)
        setup.network.onSend = { _, _, _ in false }
        setup.network.run(for: .seconds(25))
        #expect(setup.server.agent.isValidated(path))
        setup.network.run(for: .seconds(8))
        #expect(!setup.server.agent.isValidated(path))
        #expect(setup.server.agent.selectedPath == nil)
    }

    @Test("consent checks come every 2 to 3 s, not in step")
    func consentPace() {
        let setup = Setup()
        setup.network.run(for: .seconds(1))
        var times: [Instant] = []
        setup.network.onSend = { _, path, now in
            if path.remote == Self.server { times.append(now) }
            return true
        }
        setup.network.run(for: .seconds(120))
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0).milliseconds }
        #expect(gaps.count >= 35)
        #expect(gaps.allSatisfy { (1_900...3_100).contains($0) })
        #expect(Set(gaps).count > 10)
    }

    @Test("after a NAT gave the client another address, the server follows with the next check")
    func rebinding() {
        let setup = Setup()
        setup.network.run(for: .seconds(2))
        let outside = TransportAddress(ip: IPAddress(v4: 203, 0, 113, 5), port: 40_000)
        setup.network.rebind(Self.client, seenAs: outside)
        setup.network.run(for: .seconds(4))
        #expect(setup.server.agent.selectedPath?.remote == outside)
    }

    @Test("a client whose path dies finds another one within seconds")
    func failover() {
        let setup = Setup(paths: [
            NetworkPath(local: Self.client, remote: Self.server),
            NetworkPath(local: Self.clientMobile, remote: Self.server),
        ])
        setup.network.run(for: .seconds(2))
        #expect(setup.client.agent.selectedPath?.local == Self.client)
        setup.network.onSend = { _, path, _ in path.local != Self.client && path.remote != Self.client }
        setup.network.run(for: .seconds(6))
        #expect(setup.client.agent.selectedPath?.local == Self.clientMobile)
        #expect(setup.server.agent.selectedPath?.remote == Self.clientMobile)
    }

    @Test("after a restart new credentials are used, old ones are good for ten seconds")
    func restart() {
        let setup = Setup()
        setup.network.run(for: .seconds(1))
        let (newClient, newServer) = (Self.credentials(3), Self.credentials(4))
        setup.server.agent.restart(local: newServer, remote: newClient, paths: [], at: setup.network.now)
        setup.server.verdicts = []
        // The client has not heard of it yet.
        setup.network.run(for: .seconds(6))
        #expect(!setup.server.verdicts.isEmpty)
        #expect(setup.server.verdicts.allSatisfy { $0 == .authentic })
        setup.network.run(for: .seconds(6))
        setup.server.verdicts = []
        setup.network.run(for: .seconds(2))
        #expect(!setup.server.verdicts.isEmpty)
        #expect(setup.server.verdicts.allSatisfy { $0 == .wrongCredentials })
        #expect(setup.server.agent.selectedPath != nil)

        setup.client.agent.restart(local: newClient, remote: newServer, paths: [], at: setup.network.now)
        setup.network.run(for: .seconds(1))
        setup.server.verdicts = []
        setup.network.run(for: .seconds(10))
        #expect(!setup.server.verdicts.isEmpty)
        #expect(setup.server.verdicts.allSatisfy { $0 == .authentic })
        #expect(setup.client.agent.selectedPath != nil)
    }

    @Test("noise never traps, in either agent", arguments: UInt64(1)...5)
    func noise(seed: UInt64) {
        let setup = Setup(seed: seed)
        var random = SeededGenerator(seed: seed)
        setup.network.onSend = { [network = setup.network] datagram, path, _ in
            for _ in 0..<20 {
                var copy = datagram
                for _ in 0..<1 + random.next() % 3 {
                    copy[Int(random.next() % UInt64(copy.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                copy.removeLast(Int(random.next() % 8))
                network.inject(copy, from: path.local, to: path.remote)
            }
            return true
        }
        setup.network.run(for: .seconds(10))
        #expect(setup.client.agent.selectedPath != nil)
    }
}
