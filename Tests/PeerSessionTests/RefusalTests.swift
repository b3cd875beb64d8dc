import DTLS
import ICE
import NetworkSimulation
import PeerSession
import RTP
import SeededRandom
import Testing
import Timing
import Wire

@Suite struct RefusalTests {
    @Test("a certificate that was not promised ends the peer, whichever side shows it", arguments: [true, false])
    func fingerprint(atClient: Bool) throws {
        let call = try Call(mistakes: atClient ? .serverFingerprint : .clientFingerprint)
        call.network.run(for: .seconds(2))
        #expect(call.client.closeReason == .handshakeFailed)
        #expect(call.server.closeReason == .handshakeFailed)
        #expect(!call.client.events.contains(.connected))
        #expect(!call.server.events.contains(.connected))
    }

    @Test("a handshake that cannot even begin ends the peer at once, and not when its time is over")
    func firstFlight() throws {
        let call = try Call(mistakes: .clientVersion)
        call.network.run(for: .seconds(2))
        #expect(call.client.closeReason == .handshakeFailed)
    }

    @Test("wrong ICE credentials never get to DTLS; both give up after 30 s", arguments: [true, false])
    func credentials(isUfrag: Bool) throws {
        let call = try Call(mistakes: isUfrag ? .ufrag : .password)
        var hasDTLS = false
        call.network.onSend = { datagram, _, _ in
            if (20...63).contains(datagram[0]) { hasDTLS = true }
            return true
        }
        call.network.run(for: .seconds(29))
        #expect(call.client.closeReason == nil)
        call.network.run(for: .seconds(2))
        #expect(call.client.closeReason == .neverConnected)
        #expect(call.server.closeReason == .neverConnected)
        #expect(!hasDTLS)
        #expect(call.server.peer.stats[.wrongCredentials] > 0)
    }

    @Test("DTLS from an address without a check is not looked at")
    func unvalidatedDTLS() throws {
        let call = try Call()
        let stranger = TransportAddress(ip: IPAddress(v4: 66, 6, 6, 6), port: 666)
        var hellos = 0
        call.network.onSend = { [network = call.network] datagram, path, _ in
            // The client's own first flight, but from elsewhere; its checks do not get through.
            guard path.local == Call.clientAddress else { return true }
            if (20...63).contains(datagram[0]) {
                hellos += 1
                network.inject(datagram, from: stranger, to: Call.serverAddress)
                return false
            }
            return true
        }
        call.network.run(for: .seconds(5))
        #expect(hellos > 0)
        #expect(call.server.peer.stats[.unvalidatedPath] >= UInt32(hellos))
        #expect(!call.server.events.contains(.connected))
    }

    @Test("recorded datagrams do nothing when they are played again, from anywhere")
    func replay() throws {
        let call = try Call()
        var recorded: [[UInt8]] = []
        call.network.onSend = { datagram, path, _ in
            if path.local == Call.clientAddress { recorded.append(datagram) }
            return true
        }
        call.network.run(for: .seconds(1))
        call.speak(for: .seconds(5))
        call.network.run(for: .seconds(6))
        call.network.onSend = nil
        let heard = call.server.arrivals
        #expect(heard == 250)
        let stranger = TransportAddress(ip: IPAddress(v4: 66, 6, 6, 6), port: 666)
        let media = recorded.filter { $0[0] >= 128 }
        for datagram in media {
            call.network.inject(datagram, from: Call.clientAddress, to: Call.serverAddress)
            call.network.inject(datagram, from: stranger, to: Call.serverAddress)
        }
        call.network.run(for: .seconds(1))
        #expect(call.server.arrivals == heard)
        #expect(call.server.peer.stats[.replayed] == UInt32(media.count))
        #expect(call.server.peer.stats[.unvalidatedPath] == UInt32(media.count))

        // Recorded handshake flights change nothing either.
        for datagram in recorded where (20...63).contains(datagram[0]) {
            call.network.inject(datagram, from: Call.clientAddress, to: Call.serverAddress)
        }
        call.network.run(for: .seconds(1))
        #expect(call.server.isConnected)
    }

    @Test("media with a flipped bit is thrown away, whichever bit it is")
    func damage() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        var bit = 0
        call.network.onSend = { [network = call.network] datagram, path, _ in
            guard datagram[0] >= 128, path.local == Call.clientAddress else { return true }
            var copy = datagram
            copy[bit / 8 % copy.count] ^= 1 << UInt8(bit % 8)
            bit += 1
            network.inject(copy, from: path.local, to: path.remote)
            return false
        }
        call.client.speak(Call.clientStream, from: call.network.now, for: .seconds(20))
        call.network.run(for: .seconds(21))
        #expect(bit >= 1000)
        #expect(call.server.arrivals == 0)
        #expect(call.server.peer.stats[.authenticationFailed] > 800)
    }

    @Test("nothing can be sealed before the keys, nor on a stream that is not open")
    func sealing() throws {
        let call = try Call()
        let header = CallNode.header(ssrc: Call.clientStream, number: 1)
        call.client.peer.openSendStream(Call.clientStream, clockRate: 48_000, cname: "c")
        #expect(call.client.seal(header, [1, 2, 3], at: call.network.now) == nil)
        call.network.run(for: .seconds(1))
        #expect(call.client.seal(header, [1, 2, 3], at: call.network.now) != nil)
        let other = CallNode.header(ssrc: SSRC(99), number: 1)
        #expect(call.client.seal(other, [1, 2, 3], at: call.network.now) == nil)
        #expect(call.client.seal(Array(header.prefix(8)), [1, 2, 3], at: call.network.now) == nil)
        call.client.peer.closeSendStream(Call.clientStream)
        let next = CallNode.header(ssrc: Call.clientStream, number: 2)
        #expect(call.client.seal(next, [1, 2, 3], at: call.network.now) == nil)
    }

    @Test(
        "a stream goes on under its number when one before it is closed, and no stream is sealed under another's name")
    func numbersOfStreams() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        let peer = call.client.peer
        let streams = (0..<3).map { SSRC(UInt32(2_000 + $0)) }
        for ssrc in streams { peer.openSendStream(ssrc, clockRate: 48_000, cname: "c") }
        func seal(_ ssrc: SSRC, _ number: UInt32, as stream: Int) -> Int? {
            withUnsafeTemporaryAllocation(byteCount: 1500, alignment: 8) { buffer in
                buffer.copyBytes(from: CallNode.header(ssrc: ssrc, number: number))
                return [UInt8](repeating: 7, count: 20).withUnsafeBytes {
                    peer.seal(stream: stream, headerLength: 12, payload: $0, into: buffer, at: call.network.now)
                }
            }
        }
        for (number, ssrc) in streams.enumerated() { #expect(seal(ssrc, 1, as: 1 + number) != nil) }
        peer.closeSendStream(streams[0])
        for wrong in [0, 1, 2, 31, 1_000] {
            #expect(seal(streams[0], UInt32(2 + wrong), as: wrong) == nil)
            #expect(seal(streams[1], UInt32(2 + wrong), as: wrong) != nil)
            #expect(seal(streams[2], UInt32(2 + wrong), as: wrong) != nil)
        }
        // What was sealed under a wrong number is used up all the same.
        #expect(seal(streams[2], 2, as: 1) == nil)
    }

    @Test("a peer has so many streams at once; one that is closed makes room for another")
    func streamsAtOnce() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        let peer = call.client.peer
        let open: (Int) -> Bool = { peer.openSendStream(SSRC(UInt32($0 + 1_000)), clockRate: 48_000, cname: "c") }
        var opened = 0
        while open(opened) { opened += 1 }
        #expect((1...MediaPeer.maximumSendStreams).contains(opened) && !open(0), "nor one that is open already")
        peer.closeSendStream(SSRC(1_000))
        #expect(open(opened) && !open(opened + 1))
    }

    @Test("a repeat is byte for byte what was sent before")
    func identicalRepeat() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.client.peer.openSendStream(Call.clientStream, clockRate: 48_000, cname: "c")
        let header = CallNode.header(ssrc: Call.clientStream, number: 65_535)
        let first = try #require(call.client.seal(header, [1, 2, 3], at: call.network.now))
        for number in UInt32(65_536)..<65_600 {
            let later = CallNode.header(ssrc: Call.clientStream, number: number)
            #expect(call.client.seal(later, [9], at: call.network.now) != nil)
        }
        #expect(call.client.seal(header, [1, 2, 3], at: call.network.now, again: true) == first)
        // The same number with fresh content would give the key stream away.
        #expect(call.client.seal(header, [1, 2, 4], at: call.network.now) == nil)
    }

    @Test("noise and damaged copies of everything never trap, and the call survives", arguments: UInt64(1)...6)
    func noise(seed: UInt64) throws {
        let call = try Call(seed: seed)
        call.network.run(for: .seconds(1))
        var random = SeededGenerator(seed: seed)
        call.network.onSend = { [network = call.network] datagram, path, _ in
            for _ in 0..<4 {
                var copy = datagram
                for _ in 0..<1 + random.next() % 4 {
                    copy[Int(random.next() % UInt64(copy.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                copy.removeLast(Int(random.next() % UInt64(copy.count + 1)))
                network.inject(copy, from: path.local, to: path.remote)
                let noise = (0..<random.next() % 64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                network.inject(noise, from: path.local, to: path.remote)
            }
            return true
        }
        call.speak(for: .seconds(10))
        call.network.run(for: .seconds(11))
        #expect(call.server.isConnected && call.client.isConnected, "seed \(seed)")
        #expect(call.server.received.count == 500, "seed \(seed)")
        #expect(call.client.received.count == 500, "seed \(seed)")
    }

    @Test("noise from the very first datagram on never traps, in either role", arguments: UInt64(1)...6)
    func earlyNoise(seed: UInt64) throws {
        let call = try Call(seed: seed)
        var random = SeededGenerator(seed: seed)
        withUnsafeTemporaryAllocation(byteCount: 1500, alignment: 8) { buffer in
            for node in [call.client, call.server] {
                for _ in 0..<3_000 {
                    let length = Int(random.next() % 200)
                    for index in 0..<length { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
                    let path = NetworkPath(
                        local: Call.serverAddress,
                        remote: TransportAddress(ip: IPAddress(v4: 1, 2, 3, 4), port: 5))
                    if case .media = node.peer.receive(buffer, length: length, path: path, at: call.network.now) {
                        Issue.record("noise was taken for media")
                    }
                    while node.peer.nextOutput(into: buffer) != nil {}
                }
                #expect(node.peer.stats[.malformed] + node.peer.stats[.unknownProtocol] > 0)
            }
        }
        call.network.run(for: .seconds(2))
        #expect(call.client.isConnected)
    }
}
