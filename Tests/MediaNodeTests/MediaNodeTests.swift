internal import DatagramIO
internal import Forwarding
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

@Suite(.serialized) struct MediaNodeTests {
    @Test(
        "Two speakers and a listener hear each other on their slots, and nobody hears themselves",
        arguments: [IPAddress(v4: 127, 0, 0, 1), IPAddress(high: 0, low: 1)])
    func hearEachOther(ip: IPAddress) async throws {
        let party = try await Party(ip: ip)
        let alice = try await party.joined(1)
        let bob = try await party.joined(2)
        let carol = try await party.joined(3)
        await party.assign(0, alice)
        await party.assign(2, bob)
        #expect(alice.answer?.slots.map(\.sound) == [.seat(0), .seat(1), .seat(2), .seat(3)])
        #expect(alice.answer?.slots.map(\.mid) == ["1", "2", "3", "4"])

        let hello = (UInt8(0)..<20).map { [UInt8(1), $0, 9] }
        let world = (UInt8(0)..<20).map { [UInt8(2), $0, 8, 7] }
        for (a, b) in zip(hello, world) {
            alice.speak(a)
            bob.speak(b)
        }
        carol.speak([3, 3, 3])
        await party.run {
            carol.payloads(on: 0).count == 20 && carol.payloads(on: 2).count == 20
                && alice.payloads(on: 2).count == 20 && bob.payloads(on: 0).count == 20
        }
        #expect(carol.payloads(on: 0) == hello)
        #expect(carol.payloads(on: 2) == world)
        #expect(alice.payloads(on: 2) == world)
        #expect(bob.payloads(on: 0) == hello)
        #expect(alice.heard[0] == nil && bob.heard[2] == nil)
        for client in [alice, bob, carol] { #expect(client.heard[1] == nil && client.heard[3] == nil) }
        #expect(carol.heard[0]?.isUnbroken == true)
        let counters = try #require(await party.node.counters())
        #expect(counters.audio.forwarded == 40)
        #expect(counters.audio.refused == 1)
        #expect(counters.connectedPeers == 3 && counters.peers == 3 && counters.stages == 1)
    }

    @Test("With a socket an address, people on different ones hear each other")
    func severalSockets() async throws {
        let v6 = IPAddress(high: 0, low: 1)
        let party = try await Party { $0.bindAddresses = [IPAddress(v4: 127, 0, 0, 1), v6] }
        let alice = try await party.joined(1)
        let bob = try await party.joined(2, ip: v6)
        await party.assign(0, alice)
        await party.assign(1, bob)
        for n in UInt8(0)..<10 {
            alice.speak([1, n])
            bob.speak([2, n])
        }
        await party.run { bob.payloads(on: 0).count == 10 && alice.payloads(on: 1).count == 10 }
        #expect(bob.media?.mediaPath?.remote.ip == v6)
        #expect(bob.payloads(on: 0) == (0..<10).map { [1, $0] })
    }

    @Test("V06-S nothing of a muted speaker leaves after the mute is confirmed; unmuting lets it through again")
    func mute() async throws {
        let (party, alice, bob, carol) = try await Party.ofThree(speaking: 2)
        alice.speak([1])
        await party.run { carol.payloads(on: 0) == [[1]] }
        await party.assign(0, alice, muted: true)
        for n in UInt8(0)..<50 { alice.speak([2, n]) }
        await party.fence(bob, to: carol, on: 1)
        #expect(carol.payloads(on: 0) == [[1]] + Array(repeating: TestClient.silence, count: 3))

        await party.assign(0, alice)
        alice.speak([3])
        await party.run { carol.payloads(on: 0).last == [3] }
        let heard = try #require(carol.heard[0])
        #expect(heard.count == 5 && heard.isUnbroken)
        #expect(heard.map(\.marker) == [true, false, false, false, true])
    }

    @Test("V06-S somebody without a seat is not heard, whatever is sent, and is cut when the seat is taken away")
    func unassigned() async throws {
        let (party, alice, bob) = try await Party.ofTwo()
        await party.assign(1, bob)
        let carol = try await party.joined(3)
        for n in UInt8(0)..<20 { alice.speak([1, n]) }
        await party.fence(bob, to: carol, on: 1)
        #expect(carol.heard[0] == nil)
        await party.assign(0, alice)
        alice.speak([2])
        await party.run { carol.payloads(on: 0) == [[2]] }
        await party.assign(0, nil)
        for n in UInt8(0)..<20 { alice.speak([3, n]) }
        await party.fence(bob, to: carol, on: 1)
        #expect(carol.payloads(on: 0) == [[2]] + Array(repeating: TestClient.silence, count: 3))
    }

    @Test("An assignment before the peer has a path holds when it comes")
    func assignedBefore() async throws {
        let party = try await Party()
        let alice = try party.client(1)
        await party.assign(3, alice)
        let bob = try await party.joined(2)
        try await alice.negotiate(with: party.node)
        await party.run { alice.isConnected && party.isTold(MediaFact.connected, of: alice) }
        alice.speak([5])
        await party.run { bob.payloads(on: 3) == [[5]] }
    }

    @Test("A slot that goes to another speaker stays one stream for the listener, with a report at the seam")
    func reassigned() async throws {
        let (party, alice, bob, carol) = try await Party.ofThree(speaking: 1)
        for n in UInt8(0)..<10 { alice.speak([1, n]) }
        await party.run { carol.payloads(on: 0).count == 10 }
        let ssrc = try #require(carol.accepted?.slots.first?.ssrc)
        await party.run { carol.sendersReported.contains(SSRC(ssrc)) }
        await party.assign(0, bob)
        for n in UInt8(0)..<10 { bob.speak([2, n]) }
        await party.run { carol.payloads(on: 0).count == 23 && alice.payloads(on: 0).count == 10 }
        let heard = try #require(carol.heard[0])
        #expect(heard.count == 23 && heard.isUnbroken)
        for (earlier, later) in zip(heard, heard.dropFirst()) {
            #expect(Int32(bitPattern: later.timestamp &- earlier.timestamp) > 0)
        }
        #expect(heard.indices.filter { heard[$0].marker } == [0, 13])
        // The first speaker hears the second now, from a start of its own.
        #expect(alice.heard[0]?.first?.marker == true)
    }

    @Test("What is lost on the way to a listener is asked for and sent again, the same")
    func lossDownstream() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        let frames = (UInt8(0)..<40).map { [1, $0, 5, 5] }
        let lost = [5, 17, 18]
        for (n, frame) in frames.enumerated() {
            if lost.contains(n) { bob.losesNext = 1 }
            alice.speak(frame)
            await party.run { lost.contains(n) ? bob.losesNext == 0 : bob.payloads(on: 0).contains(frame) }
        }
        await party.run { bob.payloads(on: 0).count == 40 }
        let heard = try #require(bob.heard[0]).sorted { $0.sequence < $1.sequence }
        #expect(heard.map(\.payload) == frames)
        #expect(heard.count == 40 && heard.isUnbroken)
        #expect(heard.map(\.timestamp) == (0..<40).map { heard[0].timestamp &+ 960 * $0 })
        #expect(try #require(await party.node.counters()).audio.repeated >= 3)
    }

    @Test("What is lost on the way from a speaker is asked for, and takes its place with every listener")
    func lossUpstream() async throws {
        let (party, alice, bob, carol) = try await Party.ofThree(speaking: 1)
        let frames = (UInt8(0)..<40).map { [1, $0, 5] }
        for (n, frame) in frames.enumerated() { alice.speak(frame, isLost: [3, 20, 21].contains(n)) }
        await party.run { bob.payloads(on: 0).count == 40 && carol.payloads(on: 0).count == 40 }
        for listener in [bob, carol] {
            let heard = try #require(listener.heard[0]).sorted { $0.sequence < $1.sequence }
            #expect(heard.map(\.payload) == frames)
            #expect(heard.count == 40 && heard.isUnbroken)
        }
    }

    @Test("Sound in a format that was not agreed on is not forwarded")
    func unexpectedFormat() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        for n in UInt8(0)..<5 { alice.speak([9, n], as: 0) }
        alice.speak([])
        await party.fence(alice, to: bob, on: 0)
        #expect(bob.payloads(on: 0).count == 1)
        #expect(await party.node.counters()?.unexpectedMedia == 5)
    }

    @Test("V14-S levels are told while somebody is heard, and once with nobody at silence; a muted one is not shown")
    func levels() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        await party.assign(1, bob, muted: true)
        await party.run {
            alice.speak([1], level: 15)
            bob.speak([2], level: 5)
            return party.facts.levels.count >= 3
        }
        #expect(party.facts.levels.allSatisfy { Array($0.keys) == [alice.id] })
        #expect(party.facts.levels.contains { $0[alice.id, default: 0] > 60 })
        await party.run { party.facts.levels.last == [:] }
        #expect(party.facts.levels.filter(\.isEmpty).count == 1)
    }

    @Test("Somebody who is thrown out is told goodbye, reported once, and not heard any more")
    func closePeer() async throws {
        let (party, alice, bob, carol) = try await Party.ofThree(speaking: 2)
        let path = try #require(alice.media?.mediaPath)
        party.node.closePeer(alice.id, on: party.stage)
        await party.run { alice.closeReason == .remote }
        alice.sendRaw([0x80, 111, 0, 1] + [UInt8](repeating: 7, count: 60), to: path)
        await party.fence(bob, to: carol, on: 1)
        await party.run { party.isTold(MediaFact.closed, of: alice) }
        #expect(carol.heard[0] == nil)
        #expect(party.timesTold(MediaFact.closed, of: alice) == 1)
        let counters = try #require(await party.node.counters())
        #expect(counters.peers == 2 && counters.connectedPeers == 2)
        #expect(counters.unknownDatagrams >= 1)
    }

    @Test("A client that says goodbye is reported as gone")
    func clientCloses() async throws {
        let party = try await Party()
        let alice = try await party.joined(1)
        alice.sayGoodbye()
        await party.run { party.isTold(MediaFact.closed, of: alice) }
        #expect(await party.node.counters()?.peers == 0)
    }

    @Test("Silence is reported as lost, the next packet as recovered, and a long silence as the end")
    func silence() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        await party.leap(MediaPeer.silenceUntilLost)
        await party.run { party.isTold(MediaFact.lost, of: alice, bob) }
        alice.speak([1])
        await party.run {
            party.isTold(MediaFact.recovered, of: alice) && bob.payloads(on: 0) == [[1]]
        }
        await party.leap(MediaPeer.silenceUntilClosed)
        await party.run { party.isTold(MediaFact.closed, of: alice, bob) }
        #expect(await party.node.counters()?.peers == 0)
    }

    @Test(
        "whoever comes while somebody speaks has the newest sound with the path, not with the next packet; nothing after a mute"
    )
    func greeting() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        // On a slow machine a path takes longer than what one says stays new.
        var carol: TestClient?
        for id in 10..<30 as Range<UInt64> where carol == nil {
            let count = bob.payloads(on: 0).count
            for n in UInt8(0)..<4 { alice.speak([n]) }
            await party.run { bob.payloads(on: 0).count == count + 4 }
            let newcomer = try await party.joined(id)
            // Answered after what the path brought with it.
            _ = await party.node.counters()
            newcomer.work()
            if !newcomer.payloads(on: 0).isEmpty { carol = newcomer }
        }
        let greeted = try #require(carol)
        #expect(greeted.payloads(on: 0) == [[2], [3]])
        alice.speak([4])
        await party.run { greeted.payloads(on: 0) == [[2], [3], [4]] }
        await party.assign(0, alice, muted: true)
        let dave = try await party.joined(4)
        await party.assign(0, alice)
        alice.speak([5])
        await party.run { dave.payloads(on: 0).contains([5]) }
        #expect(dave.payloads(on: 0).allSatisfy { $0 == [5] })
    }

    @Test("A path that never comes up is given up and reported")
    func neverConnected() async throws {
        let party = try await Party()
        let idle = try TestClient(1, on: party.stage, slots: 1, ip: party.ip)
        try await idle.negotiate(with: party.node)
        #expect(await party.node.counters()?.peers == 1)
        await party.leap(MediaPeer.connectTimeout)
        await party.run { party.isTold(MediaFact.closed, of: idle) }
        #expect(await party.node.counters()?.peers == 0)
    }

    @Test("A closed stage lets go of everybody, and takes no more offers")
    func closeStage() async throws {
        let (party, alice, bob) = try await Party.ofTwo()
        party.node.closeStage(party.stage)
        await party.run { alice.closeReason == .remote && bob.closeReason == .remote }
        await party.run { party.isTold(MediaFact.closed, of: alice, bob) }
        await #expect(throws: MediaRefusal.unknownStage) { try await alice.negotiate(with: party.node) }
        // Rules for a room that is gone are confirmed all the same: nothing leaves.
        await party.assign(0, alice)
        let counters = try #require(await party.node.counters())
        #expect(counters.peers == 0 && counters.stages == 0)
    }

    @Test("Garbage of every kind, from strangers and from the peer's own address, does not disturb the call")
    func garbage() async throws {
        let (party, alice, bob) = try await Party.ofTwo()
        let stranger = try party.client(9)
        await party.assign(0, alice)
        let toNode = try #require(alice.media?.mediaPath)
        var random = SeededGenerator(seed: 20)
        for n in 0..<600 {
            let length = Int.random(in: 1...1400, using: &random)
            var bytes = (0..<length).map { _ in UInt8.random(in: 0...(.max), using: &random) }
            // Every protocol's first bytes, and what lies between.
            bytes[0] = [0, 1, 20, 22, 23, 63, 64, 127, 128, 144, 191, 192, 255][n % 13]
            if n % 3 == 0, length > 8 { bytes.replaceSubrange(4..<8, with: [0x21, 0x12, 0xa4, 0x42]) }
            stranger.sendRaw(bytes, to: NetworkPath(local: stranger.socket.local, remote: toNode.remote))
            alice.sendRaw(bytes, to: toNode)
            alice.speak([1, UInt8(truncatingIfNeeded: n)])
            guard n % 50 == 49 else { continue }
            await party.run { bob.payloads(on: 0).count == n + 1 }
            // As much time as a microphone takes for as much.
            await party.leap(.milliseconds(250))
        }
        #expect(bob.payloads(on: 0).count == 600)
        let counters = try #require(await party.node.counters())
        #expect(counters.unknownDatagrams > 400)
        #expect(counters.drops.reduce(0, +) > 300)
        #expect(counters.connectedPeers == 2)
    }

    @Test(
        "a microphone that sends more than any microphone does is heard as much as one may be, before it is multiplied")
    func flood() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        for round in 0..<40 {
            for n in 0..<50 { alice.speak([1, UInt8(truncatingIfNeeded: round &* 50 &+ n)]) }
            // The socket's buffer holds so many.
            _ = await party.node.counters()
        }
        await party.run {
            alice.speak([2])
            return bob.payloads(on: 0).contains([2])
        }
        let counters = try #require(await party.node.counters())
        #expect(counters.mediaOverLimit > 500)
        #expect(bob.payloads(on: 0).count < 1_200)
        // What is left of it was not even opened, and most of that the kernel kept.
        #expect(counters.mediaLeftUnopened > 100)
        #expect(counters.mediaLeftUnopened + counters.mediaOverLimit < 1_200)
    }

    @Test(
        "the kernel keeps a flood from the thread as long as it goes on: others are heard, and who stops is heard again"
    )
    func flooded() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 1)
        let carol = try await party.joined(3)
        await party.assign(1, carol)
        /// - Returns: how many datagrams reached the thread.
        func flood(_ count: Int) async throws -> UInt64 {
            let before = try #require(await party.node.counters()).sockets.received
            for _ in 0..<(count / 50) {
                for _ in 0..<50 { alice.speak([1]) }
                _ = await party.node.counters()
            }
            return try #require(await party.node.counters()).sockets.received - before
        }
        let first = try await flood(3_000)
        #expect(first > 900 && first < 2_000)
        carol.speak([3])
        await party.run { bob.payloads(on: 1) == [[3]] }

        // Too little of it in a term.
        await party.leap(Floods.term)
        await party.leap(Floods.term)
        await party.run {
            alice.speak([4])
            return bob.payloads(on: 0).contains([4])
        }
    }

    @Test("a flood is refused as long as enough of it is authentic; whoever comes from there next is heard")
    func afterTheFlood() {
        var floods = Floods()
        let remote = TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: 1)
        let now = Instant(nanoseconds: 1)
        floods.begin(remote, at: now)
        #expect(floods.takeChange(at: now) == [remote])
        for _ in 0..<Floods.proof { floods.notePassed(remote) }
        #expect(floods.takeChange(at: now + Floods.term) == nil)
        for _ in 1..<Floods.proof { floods.notePassed(remote) }
        #expect(floods.takeChange(at: now + Floods.term + Floods.term) == [])
        #expect(floods.takeChange(at: now) == nil)
        floods.begin(remote, at: now)
        #expect(floods.takeChange(at: now) == [remote])
        #expect(floods.takeChange(at: now) == nil)
        floods.forget(remote)
        #expect(floods.takeChange(at: now) == [] && floods.nextDeadline == .distantFuture)
        for port in 1...UInt16(DatagramSocket.maximumRefused + 1) {
            floods.begin(TransportAddress(ip: remote.ip, port: port), at: now)
        }
        #expect(floods.takeChange(at: now)?.count == DatagramSocket.maximumRefused)
    }

    @Test(
        "A worker that is busy nearly all the time takes on nobody new; those who are there go on, and changes of theirs are answered"
    )
    func overload() async throws {
        let party = try await Party()
        let alice = try await party.joined(1)
        let bob = try await party.joined(2)
        await party.assign(0, alice)
        await party.keepBusy()
        let carol = try party.client(3)
        await #expect(throws: MediaRefusal.overloaded) { try await carol.negotiate(with: party.node) }
        try await bob.negotiate(with: party.node)
        alice.speak([1])
        await party.run { bob.payloads(on: 0) == [[1]] }
        await party.rest()
        try await carol.negotiate(with: party.node)
        await party.run { carol.isConnected }
    }

    @Test("Sound that waited in this host for longer than it is worth is left out, what comes in time is heard")
    func overdue() async throws {
        let party = try await Party { $0.longestWait = .zero - .milliseconds(1) }
        let alice = try await party.joined(1)
        let bob = try await party.joined(2)
        await party.assign(0, alice)
        for n in UInt8(0)..<20 { alice.speak([n]) }
        bob.speak([9])
        var counters = MediaCounters()
        let end = SystemClock.now() + Party.patience
        while counters.mediaOverdue + counters.audio.forwarded + counters.audio.refused < 21, SystemClock.now() < end {
            counters = try #require(await party.node.counters())
        }
        #expect(counters.mediaOverdue == 21 && counters.audio.forwarded == 0 && bob.heard[0] == nil)
    }
}
