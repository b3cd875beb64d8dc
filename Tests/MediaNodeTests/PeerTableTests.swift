internal import DTLS
internal import Forwarding
internal import ICE
internal import MediaTestSupport
internal import PeerSession
internal import RTP
internal import RoomPorts
internal import SDP
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

@Suite struct PeerTableTests {
    private let certificate = try? DTLSCertificate.selfSigned()
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func path(_ port: UInt16) -> NetworkPath {
        NetworkPath(
            local: TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: 7882),
            remote: TransportAddress(ip: IPAddress(v4: 198, 51, 100, 1), port: port))
    }

    private func configuration(
        _ role: PeerConfiguration.Role, _ local: ICECredentials, _ remote: ICECredentials
    ) throws -> PeerConfiguration {
        PeerConfiguration(
            role: role, localCredentials: local, remoteCredentials: remote,
            remoteFingerprint: try #require(certificate).fingerprint, reportSSRC: SSRC(1), cname: "x",
            clock: NTPClock(reference: start, wallTime: WallTime(secondsSince1970: 1_800_000_000)), seed: 5)
    }

    /// A peer of the table whose machine has really connected by `path`, with no network between.
    private func connectedPeer(_ id: UInt64, in table: PeerTable, by path: NetworkPath) throws -> Peer {
        let context = try DTLSContext(certificate: try #require(certificate))
        let ours = ICECredentials(ufrag: "server0\(id)", password: String(repeating: "s", count: 24))
        let theirs = ICECredentials(ufrag: "client0\(id)", password: String(repeating: "c", count: 24))
        let server = try MediaPeer(try configuration(.server, ours, theirs), context: context, at: start)
        let back = NetworkPath(local: path.remote, remote: path.local)
        let client = try MediaPeer(
            try configuration(.client(paths: [back]), theirs, ours), context: context, at: start)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 8)
        defer { buffer.deallocate() }
        var isConnected = false
        var now = start
        for _ in 0..<200 where !isConnected {
            for (from, to, way) in [(client, server, path), (server, client, back)] {
                from.advance(to: now)
                while let output = from.nextOutput(into: buffer) {
                    if case .datagram(let length, _) = output {
                        _ = to.receive(buffer, length: length, path: way, at: now)
                    } else if from === server, case .event(.connected) = output {
                        isConnected = true
                    }
                }
            }
            now = now + .milliseconds(20)
        }
        try #require(isConnected && server.mediaPath == path)
        let peer = try self.peer(id, in: table, machine: server, credentials: ours)
        peer.isConnected = true
        table.learn(path, of: peer)
        return peer
    }

    private func peer(
        _ id: UInt64, in table: PeerTable, machine: MediaPeer? = nil, credentials: ICECredentials? = nil
    ) throws -> Peer {
        let credentials =
            credentials ?? ICECredentials(ufrag: "server0\(id)", password: String(repeating: "s", count: 24))
        let media =
            try machine
            ?? MediaPeer(
                try configuration(.server, credentials, credentials),
                context: try DTLSContext(certificate: try #require(certificate)), at: start)
        var random = SeededGenerator(seed: id)
        let place = try #require(table.nextPlace())
        let terms = PeerTerms(slots: 1, using: &random)
        let fingerprint = try #require(certificate).fingerprint.sdpValue
        let offer = OfferBuilder(
            ufrag: "abcd", password: credentials.password, fingerprint: fingerprint, sessionID: 1, version: 1,
            microphone: terms.sources[0], slots: 0)
        let answerer = OfferAnswerer(
            ufrag: credentials.ufrag, password: credentials.password, fingerprint: fingerprint, candidates: [],
            sessionID: 1, version: 1, slots: terms.sources)
        let negotiated = try answerer.answer(offer.offer())
        let peer = Peer(
            id: PeerID(rawValue: id),
            stage: Stage(
                home: StageHome(id: StageID(rawValue: 1), slots: 1, feed: nil, crowd: .max), id: StageID(rawValue: 1),
                kind: .voice),
            handle: place.handle,
            generation: place.generation, media: media, terms: terms,
            credentials: credentials, negotiated: negotiated, offerNumber: 1, remoteSessionID: 1)
        table.insert(peer)
        table.learn(ufrag: credentials.ufrag, of: peer)
        return peer
    }

    @Test("A path that a living peer uses is not given to another, one that it has left is")
    func pathTheft() throws {
        let table = PeerTable(capacity: 4)
        let victim = try connectedPeer(1, in: table, by: path(1))
        let thief = try peer(2, in: table)
        table.learn(path(1), of: thief)
        #expect(table.peer(at: path(1)) === victim)
        table.learn(path(2), of: thief)
        #expect(table.peer(at: path(2)) === thief)
        // The same port of a NAT, given to somebody else once the first one is gone silent.
        victim.isLost = true
        table.learn(path(1), of: thief)
        #expect(table.peer(at: path(1)) === thief)
        // The loser's end does not take away what is another's now.
        table.remove(victim)
        #expect(table.peer(at: path(1)) === thief)
    }

    @Test("A peer with many paths has its oldest forgotten, but never the one in use")
    func manyPaths() throws {
        let table = PeerTable(capacity: 4)
        let peer = try connectedPeer(1, in: table, by: path(1))
        for port in 2...UInt16(PeerTable.maximumPaths + 3) { table.learn(path(port), of: peer) }
        #expect(peer.paths.count == PeerTable.maximumPaths)
        #expect(table.peer(at: path(1)) === peer)
        #expect(table.peer(at: path(2)) == nil)
        #expect(table.peer(at: path(UInt16(PeerTable.maximumPaths + 3))) === peer)
    }

    @Test("Places are used again, and nothing of the one before is found there")
    func reuse() throws {
        let table = PeerTable(capacity: 2)
        let first = try peer(1, in: table)
        let second = try peer(2, in: table)
        #expect(table.isFull && table.nextPlace() == nil)
        table.learn(path(1), of: first)
        table.remove(first)
        #expect(table.peer(at: path(1)) == nil && table[first.id] == nil && table[first.handle] == nil)
        #expect(table.peer(named: "server01".utf8) == nil)
        #expect(table.lane(first.handle) == nil)
        let third = try peer(3, in: table)
        #expect(third.handle == first.handle && third.generation != first.generation)
        #expect(table[third.handle] === third && table[second.id] === second)
        third.media.lane.path = path(9)
        #expect(table.lane(third.handle)?.path == path(9))
    }

    @Test("A peer is found by its present ICE name and the one before, not by older or longer ones")
    func names() throws {
        let table = PeerTable(capacity: 2)
        let peer = try peer(1, in: table)
        table.learn(ufrag: "AAAAAAAA", of: peer)
        #expect(table.peer(named: "server01".utf8) === peer)
        table.learn(ufrag: "BBBBBBBB", of: peer)
        #expect(table.peer(named: "server01".utf8) == nil)
        #expect(table.peer(named: "AAAAAAAA".utf8) === peer && table.peer(named: "BBBBBBBB".utf8) === peer)
        #expect(table.peer(named: "BBBBBBBBB".utf8) == nil && table.peer(named: "".utf8) == nil)
        #expect(table.peer(named: "BBBBBBB".utf8) == nil)
    }
}
