internal import DatagramIO
internal import ICE
internal import MediaTestSupport
internal import PeerSession
internal import RoomPorts
internal import SDP
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

@Suite(.serialized) struct NegotiationTests {
    @Test("A later offer of the same connection changes nothing for what flows")
    func renegotiation() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        alice.speak([1])
        await party.run { bob.payloads(on: 0) == [[1]] }
        let before = try #require(bob.accepted)
        try await bob.negotiate(with: party.node)
        let after = try #require(bob.accepted)
        #expect(after.slots == before.slots)
        #expect(after.ufrag == before.ufrag && after.password == before.password)
        #expect(bob.answer?.number == 2)
        alice.speak([2])
        await party.run { bob.payloads(on: 0) == [[1], [2]] }
        let heard = try #require(bob.heard[0])
        #expect(heard[1].sequence == heard[0].sequence + 1)
    }

    @Test("New ICE names restart ICE: keys and streams stay, and the call goes on by the new names")
    func iceRestart() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        alice.speak([1])
        await party.run { bob.payloads(on: 0) == [[1]] }
        let before = try #require(bob.accepted)
        for round in 0..<4 {
            bob.newCredentials()
            try await bob.negotiate(with: party.node)
            #expect(bob.accepted?.ufrag != before.ufrag)
            #expect(bob.accepted?.slots == before.slots)
            alice.speak([2, UInt8(round)])
            await party.run { bob.payloads(on: 0).last == [2, UInt8(round)] }
            // By the new names; with the old ones the path would live until its consent has run out.
            await party.run { bob.answeredChecks > 0 }
        }
        #expect(party.timesTold(MediaFact.connected, of: bob) == 1)
    }

    @Test("The same person with another peer connection takes over, and the room hears no goodbye")
    func reload() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 2)
        alice.speak([1])
        bob.speak([9])
        await party.run { bob.payloads(on: 0) == [[1]] && alice.payloads(on: 1) == [[9]] }
        let before = try #require(bob.accepted)
        bob.newPeerConnection()
        try await bob.negotiate(with: party.node)
        await party.run { bob.isConnected && party.timesTold(MediaFact.connected, of: bob) == 2 }
        let after = try #require(bob.accepted)
        #expect(Set(before.slots.map(\.ssrc)).isDisjoint(with: after.slots.map(\.ssrc)))
        alice.speak([2])
        bob.speak([8])
        await party.run { bob.payloads(on: 0) == [[2]] && alice.payloads(on: 1).last == [8] }
        // For the others the slot is one stream over the seam.
        let heard = try #require(alice.heard[1])
        #expect(heard.isUnbroken)
        #expect(!party.isTold(MediaFact.closed, of: bob))
        #expect(await party.node.counters()?.peers == 2)
    }

    @Test("A stale offer, an unknown room and what is no offer are refused and told apart")
    func refusals() async throws {
        let party = try await Party()
        let alice = try await party.joined(1)
        func refusal(_ offer: MediaOffer) async -> MediaRefusal? {
            do throws(MediaRefusal) {
                party.node.admit(offer.peer, on: offer.stage)
                _ = try await party.node.answer(offer)
                return nil
            } catch {
                return error
            }
        }
        try await alice.negotiate(with: party.node)
        let builder = OfferBuilder(
            ufrag: "abcd", password: String(repeating: "p", count: 24),
            fingerprint: "sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":"), sessionID: 5,
            version: 1,
            microphone: SlotSource(ssrc: 1, cname: "c", stream: StreamIdentification(stream: "-", track: nil)), slots: 1
        )
        let text = builder.offer().text
        for number: UInt32 in [0, 1, 2] {
            #expect(
                await refusal(MediaOffer(stage: party.stage, peer: alice.id, number: number, sdp: text)) == .staleOffer)
        }
        let elsewhere = StageID(rawValue: 1234)
        #expect(
            await refusal(MediaOffer(stage: elsewhere, peer: PeerID(rawValue: 5), number: 1, sdp: text))
                == .unknownStage)
        let weakHash = text.replacing("sha-256", with: "sha-1")
        let noPassword = text.split(separator: "\r\n").filter { !$0.hasPrefix("a=ice-pwd") }.joined(separator: "\r\n")
        for bad in ["", "hello", "v=0\r\n", weakHash, noPassword + "\r\n"] {
            let result = await refusal(MediaOffer(stage: party.stage, peer: PeerID(rawValue: 6), number: 1, sdp: bad))
            guard case .badOffer(let reason) = result else {
                Issue.record("expected badOffer, got \(String(describing: result)) for \(bad.prefix(30))")
                continue
            }
            #expect(!reason.isEmpty)
        }
        // Nothing of that touched the peer that is there.
        let bob = try await party.joined(2)
        await party.assign(0, alice)
        alice.speak([1])
        await party.run { bob.payloads(on: 0) == [[1]] }
        #expect(await party.node.counters()?.offersRefused == 9)
    }

    @Test("Limits: the number of peers, of unfinished ones, and a draining server refuse as overloaded")
    func limits() async throws {
        let party = try await Party {
            $0.maximumPeers = 3
            $0.maximumConnecting = 2
        }
        _ = try await party.joined(1)
        // Two that never connect: nobody drives them.
        let idle = try (2...3).map { try TestClient($0, on: party.stage, slots: 1, ip: party.ip) }
        try await idle[0].negotiate(with: party.node)
        try await idle[1].negotiate(with: party.node)
        let fourth = try party.client(4)
        await #expect(throws: MediaRefusal.overloaded) { try await fourth.negotiate(with: party.node) }
        party.node.closePeer(idle[0].id, on: party.stage)
        try await fourth.negotiate(with: party.node)
        await party.run { fourth.isConnected }
        party.node.closePeer(idle[1].id, on: party.stage)
        party.node.drain()
        let fifth = try party.client(5)
        await #expect(throws: MediaRefusal.overloaded) { try await fifth.negotiate(with: party.node) }
        // Who is there may still renegotiate.
        try await fourth.negotiate(with: party.node)
    }

    @Test("More paths from one address than allowed are closed as soon as they connect")
    func perAddress() async throws {
        let party = try await Party { $0.maximumPeersPerAddress = 1 }
        let alice = try await party.joined(1)
        let bob = try party.client(2)
        try await bob.negotiate(with: party.node)
        await party.run { bob.closeReason == .remote }
        await party.run { party.isTold(MediaFact.closed, of: bob) }
        #expect(!party.isTold(MediaFact.connected, of: bob))
        party.node.closePeer(alice.id, on: party.stage)
        await party.run { party.isTold(MediaFact.closed, of: alice) }
        _ = try await party.joined(3)
    }

    @Test("A stopped media plane says goodbye, ends its facts, refuses offers and confirms what it is told")
    func stop() async throws {
        let party = try await Party()
        let alice = try await party.joined(1)
        party.node.stop()
        await party.run { alice.closeReason == .remote && party.facts.isEnded }
        #expect(party.isTold(MediaFact.closed, of: alice))
        await #expect(throws: MediaRefusal.stopped) { try await alice.negotiate(with: party.node) }
        await party.assign(0, alice)
        #expect(await party.node.counters() == nil)
        party.node.stop()
    }

    @Test("Public addresses come first, and the port is the one in use")
    func candidates() async throws {
        let party = try await Party { $0.publicAddresses = [IPAddress(v4: 203, 0, 113, 7)] }
        let alice = try await party.joined(1)
        let candidates = try #require(alice.accepted?.candidates)
        #expect(candidates.map(\.address) == ["203.0.113.7", "127.0.0.1", "203.0.113.7", "127.0.0.1"])
        #expect(candidates.map(\.transport) == ["udp", "udp", "tcp", "tcp"])
        #expect(candidates.suffix(2).allSatisfy { $0.tcpKind == "passive" })
        #expect(candidates.allSatisfy { $0.port == party.node.ports[0] })
        #expect(zip(candidates, candidates.dropFirst()).allSatisfy { $0.priority > $1.priority })
        #expect(Set(candidates.map(\.foundation)).count == candidates.count)
    }

    @Test("A port in use is named when the media plane cannot start")
    func portInUse() async throws {
        let party = try await Party()
        var configuration = MediaNodeConfiguration()
        configuration.port = party.node.ports[0]
        configuration.bindAddresses = [party.ip]
        let error = await #expect(throws: MediaNodeError.self) { try await MediaPlane.start(configuration) }
        guard case .socket(let failure) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.isAddressInUse)
        #expect(failure.description.contains("\(party.node.ports[0])"))
    }

    @Test("A12-S an offer that is worked out while its sender is thrown out opens nothing")
    func offerAcrossAKick() async throws {
        let party = try await Party()
        let alice = try party.client(1)
        // The room lets her in and throws her out again while her offer is still being read.
        party.node.admit(alice.id, on: party.stage)
        party.node.closePeer(alice.id, on: party.stage)
        let offer = MediaOffer(stage: party.stage, peer: alice.id, number: 1, sdp: alice.offerText)
        await #expect(throws: MediaRefusal.notAdmitted) { try await party.node.answer(offer) }
        #expect(await party.node.counters()?.peers == 0)
        // Nobody but the room opens a way, also to somebody who was never there.
        let stranger = MediaOffer(
            stage: party.stage, peer: PeerID(rawValue: 99), number: 1, sdp: alice.offerText)
        await #expect(throws: MediaRefusal.notAdmitted) { try await party.node.answer(stranger) }
    }
}
