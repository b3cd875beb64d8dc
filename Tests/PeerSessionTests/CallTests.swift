import DTLS
import ICE
import NetworkSimulation
import PeerSession
import RTP
import SRTP
import SeededRandom
import Testing
import Timing
import Wire

@Suite struct CallTests {
    @Test("both sides connect within a few round trips and prefer GCM")
    func connect() throws {
        let call = try Call()
        let start = call.network.now
        var connected: [Interval] = []
        for node in [call.client, call.server] {
            node.onEvent = { event, now in if event == .connected { connected.append(now - start) } }
        }
        call.network.run(for: .seconds(1))
        #expect(call.client.isConnected && call.server.isConnected)
        #expect(connected.allSatisfy { $0 <= .milliseconds(200) })
        #expect(call.client.peer.protectionProfile == .aeadAES128GCM)
        #expect(call.client.peer.mediaPath == NetworkPath(local: Call.clientAddress, remote: Call.serverAddress))
        #expect(call.server.peer.mediaPath == NetworkPath(local: Call.serverAddress, remote: Call.clientAddress))
    }

    @Test("a client speaks DTLS once a path is proved, and not before")
    func handshakeWaits() throws {
        let call = try Call()
        var bytes = [UInt8](repeating: 0, count: 2_048)
        // The first byte tells STUN (0…3) from DTLS (20…63): RFC 7983.
        let first = bytes.withUnsafeMutableBytes { buffer in
            call.client.advance(to: call.network.now)
            var found: [UInt8] = []
            while call.client.nextDatagram(into: buffer, at: call.network.now) != nil { found.append(buffer[0]) }
            return found
        }
        #expect(!first.isEmpty && first.allSatisfy { $0 < 4 })
        call.network.run(for: .seconds(1))
        #expect(call.client.isConnected)
    }

    @Test("a minute of sound on a perfect way arrives whole, in both directions, across a wrap of the numbers")
    func minute() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.speak(for: .seconds(60), firstNumber: 64_000)
        call.network.run(for: .seconds(62))
        for node in [call.client, call.server] {
            #expect(node.received.count == 3000)
            #expect(node.arrivals == 3000)
            #expect(node.received.allSatisfy { $0.key == UInt64($0.value) })
            #expect(node.peer.stats.repeatsRequested == 0)
            #expect(node.drops.isEmpty)
            #expect(node.peer.stats.packetsReceived == 3000)
            #expect(node.peer.stats.packetsSent == 3000)
        }
    }

    @Test(
        "a minute of sound over 20 % loss with reordering and duplicates: requests for repeats fill nearly every hole",
        arguments: UInt64(1)...12)
    func lossyMinute(seed: UInt64) throws {
        let call = try Call(seed: seed, conditions: .lossy(0.2))
        call.network.run(for: .seconds(15))
        try #require(call.client.isConnected && call.server.isConnected, "seed \(seed)")
        call.speak(for: .seconds(60))
        call.network.run(for: .seconds(63))
        for node in [call.client, call.server] {
            #expect(node.isConnected, "seed \(seed)")
            #expect(node.received.count >= 2950, "seed \(seed): \(node.received.count) of 3000")
            #expect(node.arrivals == node.received.count, "nothing is taken twice")
            #expect(node.received.allSatisfy { $0.key == UInt64($0.value) })
            #expect(node.repeated > 0)
            #expect(node.peer.stats.repeatsRequested > 400)
            #expect(!node.events.contains(.lost), "seed \(seed)")
        }
    }

    @Test("without requests for repeats a fifth of the sound stays lost")
    func lossWithoutRepeats() throws {
        let call = try Call(seed: 3, conditions: .lossy(0.2))
        call.network.run(for: .seconds(15))
        try #require(call.client.isConnected && call.server.isConnected)
        // NACKs are cut out on the way: RTCP is told by its packet type.
        call.network.onSend = { datagram, _, _ in !(datagram[0] >> 6 == 2 && (192...223).contains(datagram[1])) }
        call.speak(for: .seconds(60))
        call.network.run(for: .seconds(63))
        #expect((2200...2600).contains(call.server.received.count))
    }

    @Test("each side learns the other's round trip, loss and clock from the reports")
    func reports() throws {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(35)
        let call = try Call(conditions: conditions)
        call.network.run(for: .seconds(1))
        let began = call.network.now
        call.speak(for: .seconds(20))
        call.network.run(for: .seconds(21))
        for node in [call.client, call.server] {
            var roundTrips: [Int64] = []
            var senderReports = 0
            var lastNTP: UInt64 = 0
            for event in node.events {
                switch event {
                case .receiverReport(_, let roundTrip, let fractionLost):
                    if let roundTrip { roundTrips.append(roundTrip.milliseconds) }
                    #expect(fractionLost == 0)
                case .senderReport(_, let ntp, let timestamp, _, let at):
                    senderReports += 1
                    #expect(ntp > lastNTP)
                    lastNTP = ntp
                    // The report was made 35 ms before it came; its timestamp counts from the first packet, at 48 kHz.
                    let age = (at - began).nanoseconds - 35_000_000
                    let ticks = age * 48 / 1_000_000
                    #expect(abs(Int64(timestamp.rawValue) - ticks) <= 48)
                default: break
                }
            }
            #expect(roundTrips.count >= 15)
            #expect(roundTrips.allSatisfy { (68...72).contains($0) })
            #expect((16...28).contains(senderReports))
        }
    }

    @Test("who only listens reports too; a stream that has ended is reported on no more")
    func listenersReport() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.client.speak(Call.clientStream, from: call.network.now, for: .seconds(20))
        call.network.run(for: .seconds(25))
        func count(_ node: CallNode, _ isCounted: (PeerEvent) -> Bool) -> Int { node.events.count(where: isCounted) }
        #expect(count(call.client) { if case .receiverReport(_, .some, _) = $0 { true } else { false } } >= 15)
        let isSenderReport: (PeerEvent) -> Bool = { if case .senderReport = $0 { true } else { false } }
        let told = count(call.server, isSenderReport)
        #expect((16...28).contains(told))
        call.network.run(for: .seconds(20))
        #expect(count(call.server, isSenderReport) == told)
    }

    @Test("a report on a new stream leaves with its first packet, not a second later")
    func promptReport() throws {
        let call = try Call()
        call.network.run(for: .seconds(5))
        var heard: Instant?
        call.client.onEvent = { event, now in
            if case .senderReport = event, heard == nil { heard = now }
        }
        let began = call.network.now
        call.server.speak(Call.serverStream, from: began, for: .seconds(1))
        call.network.run(for: .milliseconds(500))
        // The way takes 20 ms.
        #expect(heard == began + .milliseconds(20))

        // The same when the source changes in mid-stream.
        heard = nil
        call.server.peer.sendReport(for: 0, at: call.network.now)
        call.network.run(for: .milliseconds(30))
        #expect(heard != nil)
    }

    @Test("what never comes is asked for five times, and then no more")
    func boundedRequests() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.network.onSend = { datagram, path, _ in
            let isMedia = datagram[0] >> 6 == 2 && !(192...223).contains(datagram[1])
            guard isMedia, path.remote == Call.serverAddress else { return true }
            // Three packets in a row are lost, and so are all repeats of them.
            let number = UInt16(datagram[2]) << 8 | UInt16(datagram[3])
            return !(100...102).contains(number)
        }
        // Both speak, so that the round trip of 40 ms is known by then, and leaves time for more.
        call.speak(for: .seconds(5))
        call.network.run(for: .seconds(6))
        #expect(call.server.received.count == 247)
        #expect(call.server.peer.stats.repeatsRequested == 15)
        #expect(call.client.peer.stats.repeatsAsked == 15)
    }

    @Test("a packet that its successor overtakes by less than 20 ms is not asked for; one by more is")
    func reordering() throws {
        for (delay, expected) in [(Int64(35), UInt64(0)), (60, 1)] {
            let call = try Call()
            call.network.run(for: .seconds(1))
            call.network.onSend = { [network = call.network] datagram, path, now in
                guard datagram[0] >> 6 == 2, datagram[1] == 111, datagram[3] == 100 else { return true }
                network.schedule(at: now + .milliseconds(delay)) {
                    network.inject(datagram, from: path.local, to: path.remote)
                }
                return false
            }
            call.client.speak(Call.clientStream, from: call.network.now, for: .seconds(4))
            call.network.run(for: .seconds(5))
            #expect(call.server.received.count == 200)
            #expect(call.server.peer.stats.repeatsRequested == expected, "\(delay) ms late")
        }
    }

    @Test("a hole as long as an outage is not asked for")
    func outage() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.client.speak(Call.clientStream, from: call.network.now, for: .seconds(10))
        call.network.run(for: .seconds(2))
        call.network.onSend = { datagram, path, _ in path.remote != Call.serverAddress || datagram[0] < 64 }
        call.network.run(for: .seconds(3))
        call.network.onSend = nil
        call.network.run(for: .seconds(6))
        #expect(call.server.peer.stats.repeatsRequested == 0)
        #expect(call.server.received.count == 350)
    }

    @Test("a silent other side is reported lost after 6 s, recovered when it is back, and closed after 30 s")
    func liveness() throws {
        let call = try Call()
        call.network.run(for: .seconds(3))
        call.network.onSend = { _, _, _ in false }
        call.network.run(for: .seconds(10))
        #expect(call.server.events.last == .lost)
        #expect(call.client.events.last == .lost)
        call.network.onSend = nil
        call.network.run(for: .seconds(5))
        #expect(call.server.events.last == .recovered)
        #expect(call.client.events.last == .recovered)
        call.network.onSend = { _, _, _ in false }
        // The last authentic packet was a consent check, up to 3 s ago.
        call.network.run(for: .seconds(26))
        #expect(!call.server.peer.isClosed)
        call.network.run(for: .seconds(5))
        #expect(call.server.closeReason == .consentExpired)
        #expect(call.client.closeReason == .consentExpired)
        #expect(call.server.nextDeadline == .distantFuture)
        for events in [call.server.events, call.client.events] {
            #expect(events == [.connected, .lost, .recovered, .lost, .closed(.consentExpired)])
        }
    }

    @Test("an address that changes under way is followed, and the sound goes on", arguments: UInt64(1)...5)
    func rebinding(seed: UInt64) throws {
        let call = try Call(seed: seed)
        call.network.run(for: .seconds(1))
        call.speak(for: .seconds(30))
        call.network.run(for: .seconds(10))
        let outside = TransportAddress(ip: IPAddress(v4: 203, 0, 113, 9), port: 1234)
        call.network.rebind(Call.clientAddress, seenAs: outside)
        call.network.run(for: .seconds(4))
        #expect(call.server.peer.mediaPath?.remote == outside)
        let (before, beforeClient) = (call.server.received.count, call.client.received.count)
        call.network.run(for: .seconds(10))
        #expect(call.server.received.count - before == 500)
        #expect(call.client.received.count - beforeClient == 500)
        #expect(!call.server.events.contains(.lost))
    }

    @Test("an ICE restart in mid-call loses nothing, keeps the keys and may move to another address")
    func restart() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.speak(for: .seconds(20))
        call.network.run(for: .seconds(5))
        var random = SeededGenerator(seed: 77)
        let (mine, theirs) = (ICECredentials.random(using: &random), ICECredentials.random(using: &random))
        call.server.peer.restartICE(local: theirs, remote: mine, at: call.network.now)
        // The answer takes its time.
        call.network.run(for: .milliseconds(300))
        let paths = [Call.otherAddress, Call.clientAddress].map { NetworkPath(local: $0, remote: Call.serverAddress) }
        call.client.peer.restartICE(local: mine, remote: theirs, paths: paths, at: call.network.now)
        call.network.run(for: .seconds(16))
        #expect(call.client.peer.mediaPath?.local == Call.otherAddress)
        #expect(call.server.peer.mediaPath?.remote == Call.otherAddress)
        #expect(call.client.received.count == 1000)
        #expect(call.server.received.count == 1000)
        #expect(call.client.events.filter { $0 == .connected }.count == 1)
    }

    @Test("a goodbye ends the other side at once", arguments: [true, false])
    func goodbye(byClient: Bool) throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        let (leaver, stayer) = byClient ? (call.client, call.server) : (call.server, call.client)
        leaver.peer.close()
        call.network.run(for: .seconds(1))
        #expect(leaver.events.last == .closed(.local))
        #expect(stayer.events.last == .closed(.remote))
        #expect(stayer.nextDeadline == .distantFuture)
    }
}
