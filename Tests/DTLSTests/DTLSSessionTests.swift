import DTLS
import NetworkSimulation
import SeededRandom
import Testing
import Timing
import Wire

@Suite struct DTLSSessionTests {
    @Test("both sides end with the same keys, and with GCM, which both prefer")
    func handshake() throws {
        let peers = try DTLSPeers()
        peers.start()
        peers.network.run(for: .seconds(1))
        #expect(peers.client.keys != nil)
        #expect(peers.client.keys == peers.server.keys)
        #expect(peers.client.keys?.count == 56)
        #expect(peers.server.profile == gcm)
        #expect(peers.server.session.isEstablished)
    }

    @Test("the server's preference decides: a client that prefers CM gets GCM")
    func serverPreference() throws {
        let peers = try DTLSPeers(clientProfiles: [cm, gcm])
        peers.start()
        peers.network.run(for: .seconds(1))
        #expect(peers.client.profile == gcm)
        #expect(peers.server.profile == gcm)
    }

    @Test("a client that only knows CM gets CM, with keys of its length")
    func onlyCM() throws {
        let peers = try DTLSPeers(clientProfiles: [cm])
        peers.start()
        peers.network.run(for: .seconds(1))
        #expect(peers.client.profile == cm)
        #expect(peers.client.keys?.count == 60)
        #expect(peers.client.keys == peers.server.keys)
    }

    @Test("without a common profile both sides fail")
    func noCommonProfile() throws {
        let peers = try DTLSPeers(clientProfiles: [cm], serverProfiles: [gcm])
        peers.start()
        peers.network.run(for: .seconds(2))
        #expect(peers.server.keys == nil)
        #expect(peers.client.keys == nil)
        #expect(peers.client.events == [.failed(.noProfile)])
    }

    @Test("a server with another certificate than promised is refused by the client, and told so")
    func wrongServerCertificate() throws {
        let peers = try DTLSPeers(clientExpects: DTLSCertificate.selfSigned().fingerprint)
        peers.start()
        peers.network.run(for: .seconds(1))
        #expect(peers.client.events == [.failed(.wrongCertificate)])
        #expect(peers.server.events == [.failed(.handshake)])
    }

    @Test("a client with another certificate than promised is refused by the server, and told so")
    func wrongClientCertificate() throws {
        let peers = try DTLSPeers(serverExpects: DTLSCertificate.selfSigned().fingerprint)
        peers.start()
        peers.network.run(for: .seconds(1))
        #expect(peers.server.events == [.failed(.wrongCertificate)])
        #expect(peers.client.events == [.failed(.handshake)])
    }

    @Test("a handshake gets through 30 % loss with duplicates and reordering", arguments: UInt64(1)...40)
    func lossyHandshake(seed: UInt64) throws {
        let peers = try DTLSPeers(seed: seed, conditions: .lossy(0.3))
        peers.start()
        peers.network.run(for: .seconds(25))
        #expect(peers.client.keys != nil, "seed \(seed)")
        #expect(peers.client.keys == peers.server.keys, "seed \(seed)")
    }

    @Test("each single lost datagram is made good", arguments: 0..<8)
    func singleLoss(index: Int) throws {
        let peers = try DTLSPeers()
        var count = 0
        peers.network.onSend = { _, _, _ in
            defer { count += 1 }
            return count != index
        }
        peers.start()
        peers.network.run(for: .seconds(10))
        #expect(peers.client.keys != nil)
        #expect(peers.client.keys == peers.server.keys)
    }

    @Test("a server whose last flight is lost several times repeats it for each repeated Finished")
    func lastFlightLost() throws {
        let peers = try DTLSPeers()
        var dropped = 0
        peers.network.onSend = { [server = peers.server] _, path, _ in
            // Everything that the server says after it has the keys.
            guard path.local == DTLSPeers.serverAddress, server.session.isEstablished, dropped < 3 else { return true }
            dropped += 1
            return false
        }
        peers.start()
        peers.network.run(for: .seconds(20))
        #expect(dropped == 3)
        #expect(peers.client.session.isEstablished)
        #expect(peers.client.keys == peers.server.keys)
    }

    @Test("no datagram of a handshake is longer than 1,200 bytes")
    func datagramLengths() throws {
        let peers = try DTLSPeers()
        peers.start()
        peers.network.run(for: .seconds(1))
        let lengths = peers.client.datagramLengths + peers.server.datagramLengths
        #expect(lengths.allSatisfy { $0 <= DTLSSession.maximumDatagramLength })
        // Nor is a datagram spent on each record: those of a flight share one as far as they fit.
        #expect((2...3).contains(peers.server.datagramLengths.count), "\(lengths)")
        #expect((2...4).contains(peers.client.datagramLengths.count), "\(lengths)")
    }

    @Test("a goodbye of either side reaches the other", arguments: [true, false])
    func goodbye(byClient: Bool) throws {
        let peers = try DTLSPeers()
        peers.start()
        peers.network.run(for: .seconds(1))
        let (leaver, stayer) = byClient ? (peers.client, peers.server) : (peers.server, peers.client)
        leaver.session.close()
        peers.network.run(for: .seconds(1))
        #expect(stayer.events.last == .closed)
        #expect(stayer.session.isOver)
        #expect(leaver.session.isOver)
        #expect(leaver.events.last != .closed)
    }

    @Test("a forged goodbye has no effect; the true one, of which only the tag was another, has")
    func forgedGoodbye() throws {
        let peers = try DTLSPeers()
        peers.start()
        peers.network.run(for: .seconds(1))
        var goodbye: [UInt8] = []
        peers.network.onSend = { datagram, path, _ in
            guard path.local == DTLSPeers.clientAddress else { return true }
            goodbye = datagram
            return false
        }
        peers.client.session.close()
        peers.network.run(for: .seconds(1))
        let last = try #require(goodbye.indices.last)
        // In clear, sealed with nothing, and sealed as it should be but for one bit of the tag.
        let clear: [UInt8] = [21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0]
        let sealed: [UInt8] = [21, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 26] + [UInt8](repeating: 7, count: 26)
        var touched = goodbye
        touched[last] ^= 1
        for forged in [clear, sealed, touched] {
            peers.network.inject(forged, from: DTLSPeers.clientAddress, to: DTLSPeers.serverAddress)
        }
        peers.network.run(for: .seconds(1))
        #expect(peers.server.session.isEstablished)
        peers.network.inject(goodbye, from: DTLSPeers.clientAddress, to: DTLSPeers.serverAddress)
        peers.network.run(for: .seconds(1))
        #expect(peers.server.session.isOver && peers.server.events.last == .closed)
    }

    @Test("replaying the whole handshake afterwards changes nothing and makes the server repeat itself at most once")
    func replayedHandshake() throws {
        let peers = try DTLSPeers()
        var recorded: [[UInt8]] = []
        var lost = 0
        peers.network.onSend = { datagram, path, _ in
            if path.local == DTLSPeers.clientAddress {
                recorded.append(datagram)
                return true
            }
            // The server's last flight is lost twice, so that the client repeats its Finished under new numbers.
            guard peers.server.session.isEstablished, lost < 2 else { return true }
            lost += 1
            return false
        }
        peers.start()
        peers.network.run(for: .seconds(10))
        #expect(lost == 2 && peers.client.session.isEstablished)
        let before = peers.server.datagramLengths.count
        for _ in 0..<20 {
            for datagram in recorded {
                peers.network.inject(datagram, from: DTLSPeers.clientAddress, to: DTLSPeers.serverAddress)
            }
            peers.network.run(for: .milliseconds(200))
        }
        #expect(peers.server.session.isEstablished)
        #expect(peers.server.datagramLengths.count <= before + 1)
    }

    @Test("noise between the flights does not disturb the handshake", arguments: UInt64(1)...20)
    func noise(seed: UInt64) throws {
        let peers = try DTLSPeers(seed: seed)
        var random = SeededGenerator(seed: seed)
        peers.network.onSend = { [network = peers.network] _, path, _ in
            for _ in 0..<3 {
                var noise = (0..<1 + random.next() % 200).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                noise[0] = 20 + noise[0] % 44
                network.inject(noise, from: path.local, to: path.remote)
            }
            return true
        }
        peers.start()
        peers.network.run(for: .seconds(20))
        #expect(peers.client.keys != nil, "seed \(seed)")
        #expect(peers.client.keys == peers.server.keys, "seed \(seed)")
    }

    /// Before there are keys, whoever sits on an ICE-validated path can spoil a handshake; nobody can make it end
    /// wrongly.
    @Test("damaged copies never trap, and never let the two sides disagree", arguments: UInt64(1)...40)
    func damagedRecords(seed: UInt64) throws {
        let peers = try DTLSPeers(seed: seed)
        var random = SeededGenerator(seed: seed)
        peers.network.onSend = { [network = peers.network] datagram, path, _ in
            var copy = datagram
            copy[Int(random.next() % UInt64(copy.count))] ^= UInt8(truncatingIfNeeded: random.next()) | 1
            network.inject(copy, from: path.local, to: path.remote)
            copy.removeLast(Int(random.next() % UInt64(copy.count)))
            network.inject(copy, from: path.local, to: path.remote)
            return true
        }
        peers.start()
        peers.network.run(for: .seconds(20))
        if let keys = peers.client.keys, let others = peers.server.keys {
            #expect(keys == others, "seed \(seed)")
        }
    }

    /// Firefox's ClientHello with a post-quantum key share does not fit one datagram.
    @Test("a ClientHello in many fragments, out of order, is put together", arguments: [2, 5, 9])
    func fragmentedHello(pieces: Int) throws {
        let peers = try DTLSPeers()
        var isFirst = true
        peers.network.onSend = { [network = peers.network] datagram, path, _ in
            guard path.local == DTLSPeers.clientAddress else { return true }
            // The fragments take more record numbers than the whole did: all that follows is renumbered.
            let datagrams =
                isFirst
                ? Self.fragments(ofHello: datagram, pieces: pieces).reversed() : [Self.renumbered(datagram, by: pieces)]
            isFirst = false
            for datagram in datagrams { network.inject(datagram, from: path.local, to: path.remote) }
            return false
        }
        peers.start()
        peers.network.run(for: .milliseconds(240))
        #expect(peers.client.keys != nil)
        #expect(peers.client.keys == peers.server.keys)
    }

    /// Cuts a datagram with one handshake record into records of one fragment each (RFC 6347 §4.2.3).
    private static func fragments(ofHello datagram: [UInt8], pieces: Int) -> [[UInt8]] {
        let head = Array(datagram[13..<25])
        let body = Array(datagram[25...])
        let size = (body.count + pieces - 1) / pieces
        return stride(from: 0, to: body.count, by: size).enumerated().map { number, offset in
            let part = body[offset..<min(offset + size, body.count)]
            let length = part.count + 12
            let record = Array(datagram[..<10]) + [UInt8(number), UInt8(length >> 8), UInt8(length & 255)]
            // Type, length and number of the message as before, then offset and length of the fragment.
            let fragment = Array(head[..<6]) + [0, UInt8(offset >> 8), UInt8(offset & 255)]
            return record + fragment + [0, UInt8(part.count >> 8), UInt8(part.count & 255)] + part
        }
    }

    /// Adds to the record numbers of epoch 0.
    private static func renumbered(_ datagram: [UInt8], by offset: Int) -> [UInt8] {
        var copy = datagram
        var start = 0
        while start + 13 <= copy.count {
            if copy[start + 4] == 0 { copy[start + 10] += UInt8(offset) }
            start += 13 + (Int(copy[start + 11]) << 8 | Int(copy[start + 12]))
        }
        return copy
    }

    @Test("a client that never answers keeps a server to one flight a time-out, and to no more than it may take")
    func silentClient() throws {
        let peers = try DTLSPeers()
        peers.network.onSend = { _, path, _ in path.local == DTLSPeers.clientAddress }
        peers.start()
        peers.network.run(for: .seconds(30))
        #expect(peers.server.keys == nil)
        #expect((4..<60).contains(peers.server.datagramLengths.count), "\(peers.server.datagramLengths.count)")
    }

    @Test("an established session tries few records, however many are thrown at it, and still hears a goodbye later")
    func recordFlood() throws {
        let peers = try DTLSPeers()
        peers.start()
        peers.network.run(for: .seconds(1))
        #expect(peers.server.keys != nil)
        // Records of the right epoch with rubbish inside: each would take a trial decryption.
        let record: [UInt8] = [22, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 40] + [UInt8](repeating: 7, count: 40)
        let datagram = Array(repeatElement(record, count: 20).joined())
        for _ in 0..<1_000 {
            datagram.withUnsafeBytes { peers.server.session.receive($0, at: peers.network.now) }
        }
        #expect((1...60).contains(peers.server.session.recordsTried))
        peers.network.run(for: .seconds(5))
        peers.client.session.close()
        peers.network.run(for: .seconds(1))
        #expect(peers.server.events.contains(.closed))
    }
}
