internal import DatagramIO
internal import Forwarding
internal import MediaTestSupport
internal import RoomPorts
internal import Synchronization
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

/// Makes no mix, and keeps what it is given for one.
private final class NotingMixer: AudienceMixer {
    private let feed = Mutex<MixFeed?>(nil)

    func open(_ stage: StageID, wakeStage: @escaping @Sendable () -> Void) -> MixFeed {
        let feed = MixFeed(wakeMixer: {}, wakeStage: wakeStage)
        self.feed.withLock { $0 = feed }
        return feed
    }

    func close(_ stage: StageID) {}
    func set(_ song: StageSong?, on stage: StageID) {}
    func set(latency: Interval, of singer: PeerID, on stage: StageID) {}
    func stop() {}

    /// What has been asked to be cut since the last look.
    func cuts() -> [Int] {
        var slots: [Int] = []
        feed.withLock { $0 }?.takeCuts { slot, _ in slots.append(slot) }
        return slots
    }

    /// Says that everything that was asked for is in force.
    func confirm() {
        guard let feed = feed.withLock({ $0 }) else { return }
        feed.confirmCuts(feed.cutsAsked)
    }

    /// The newest packet that came since the last look.
    func newest() -> TappedPacket? {
        var newest: TappedPacket?
        guard let feed = feed.withLock({ $0 }) else { return nil }
        while feed.takeVocal({ packet, _ in newest = packet }) {}
        return newest
    }
}

private final class Confirmation: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

@Suite(.serialized) struct DuetPathTests {
    @Test(
        "A12-S V06-S a mute, and the end of somebody's path, is confirmed when the mix has it in force too",
        arguments: [true, false])
    func cutsInTheMix(isMute: Bool) async throws {
        let mixer = NotingMixer()
        let party = try await Party(slots: 2, kind: .chorus, mixer: mixer)
        let alice = try await party.joined(1, slots: 3)
        await party.assign(0, alice)
        await party.run {
            alice.speak([1])
            return mixer.newest() != nil
        }
        let confirmed = Confirmation()
        if isMute {
            party.node.assign(slot: 0, to: alice.id, muted: true, dark: false, on: party.stage) { confirmed.set() }
        } else {
            party.node.closePeer(alice.id, on: party.stage) { confirmed.set() }
        }
        // The worker has done it, and whatever was queued behind it.
        _ = await party.node.counters()
        #expect(mixer.cuts() == [0])
        _ = await party.node.counters()
        #expect(!confirmed.isSet, "the mix still has her voice of the last 0.3 s")
        mixer.confirm()
        await party.run { confirmed.isSet }
    }

    @Test("D03-S what a singer sings leaves before all that came earlier and waits with it, however much that is")
    func singersFirst() async throws {
        let party = try await Party(slots: 4, kind: .chorus, mixer: NotingMixer()) { $0.longestWait = .seconds(5) }
        let alice = try await party.joined(1, slots: 4)
        let bob = try await party.joined(2, slots: 4)
        await party.assign(0, alice)
        await party.assign(1, bob)
        let salon = StageID(rawValue: 78)
        party.node.openStage(salon, slots: 4, kind: .voice)
        var talkers: [TestClient] = []
        for slot in 0..<4 {
            talkers.append(try await party.joined(UInt64(10 + slot), on: salon))
            await party.assign(slot, talkers[slot], on: salon)
        }
        await party.fence(alice, to: bob, on: 0)
        // Forty packets of others lie before hers. All of them cost more than a packet may wait, and what is queued may wait hardly at all.
        await party.slow(.milliseconds(200)) {
            for _ in 0..<10 { for talker in talkers { talker.speak([2]) } }
            alice.speak([1])
        }
        await party.run { bob.payloads(on: 0).last == [1] }
        #expect(try #require(await party.node.counters()).mediaOverdue > 20, "as many waited")
    }

    @Test(
        "D04-S a singer of whom nothing can be measured is mixed by the round trip that the client told, until it is measured"
    )
    func statedRoundTrip() async throws {
        let mixer = NotingMixer()
        let party = try await Party(slots: 2, kind: .chorus, mixer: mixer)
        let alice = try party.client(1, slots: 3)
        // Told before there is a path; of another stage it counts for nothing here.
        party.node.setLatency(.zero, roundTrip: .milliseconds(160), of: alice.id, on: party.stage)
        party.node.setLatency(.zero, roundTrip: .seconds(2), of: alice.id, on: StageID(rawValue: 5))
        try await alice.negotiate(with: party.node)
        await party.run { alice.isConnected && party.isTold(MediaFact.connected, of: alice) }
        await party.assign(0, alice)
        func vocal() async -> TappedPacket? {
            var found: TappedPacket?
            await party.run {
                alice.speak([1])
                found = mixer.newest() ?? found
                return found != nil
            }
            return found
        }
        #expect(await vocal()?.roundTrip == .milliseconds(160))
        party.node.setLatency(.milliseconds(30), roundTrip: nil, of: alice.id, on: party.stage)
        #expect(await vocal()?.roundTrip == .milliseconds(160), "what is not told again holds")
        party.node.setLatency(.milliseconds(30), roundTrip: .milliseconds(90), of: alice.id, on: party.stage)
        _ = await party.node.counters()
        _ = mixer.newest()
        #expect(await vocal()?.roundTrip == .milliseconds(90))
        // Now she hears somebody, and her client reports on that.
        let bob = try await party.joined(2, slots: 3)
        await party.assign(1, bob)
        await party.run {
            bob.speak([2])
            alice.speak([1])
            return mixer.newest().flatMap(\.roundTrip).map { $0 != .milliseconds(90) } ?? false
        }
    }

    @Test(
        "D07-S L08-S the ways of those who sit in a chorus, or on a live stage, are measured from their own packets and reports, and told every two seconds",
        arguments: [StageKind.chorus, .live(.vp8)])
    func readings(_ kind: StageKind) async throws {
        let party = try await Party(slots: 2, kind: kind)
        let alice = try await party.joined(1, slots: 2)
        let bob = try await party.joined(2, slots: 2)
        _ = try await party.joined(3, slots: 2)
        await party.assign(0, alice)
        await party.assign(1, bob)
        alice.repeatsLost = false
        var next = SystemClock.now()
        var count = 0
        await party.run {
            if SystemClock.now() >= next {
                next = next + .milliseconds(20)
                count += 1
                alice.speak([1], isLost: count % 10 == 0)
                bob.speak([2])
            }
            let told = party.facts.network.last
            return told?[alice.id]?.lossFromPeer ?? 0 > 0 && told?[alice.id]?.roundTrip != nil
                && told?[bob.id]?.roundTrip != nil
        }
        let told = try #require(party.facts.network.last)
        #expect(Set(told.keys) == [alice.id, bob.id], "listeners' ways concern nobody")
        let (hers, his) = (try #require(told[alice.id]), try #require(told[bob.id]))
        #expect((0.03...0.25).contains(hers.lossFromPeer) && his.lossFromPeer == 0)
        #expect(hers.jitter.map { $0 < .milliseconds(500) } == true && his.jitter != nil)
        #expect(hers.roundTrip.map { $0 > .zero && $0 < .seconds(1) } == true)
        #expect(!hers.isLost && !his.isLost)
        // Then nobody sits there any more: said once.
        await party.assign(0, nil)
        await party.assign(1, nil)
        await party.run { party.facts.network.last == [:] }
        #expect(party.facts.network.filter(\.isEmpty).count == 1)
        await party.leap(.seconds(4))
        #expect(party.facts.network.filter(\.isEmpty).count == 1)
    }

    @Test("D07-S a salon's ways are told to nobody")
    func salon() async throws {
        let (party, alice, bob) = try await Party.ofTwo(speaking: 2)
        alice.speak([1])
        await party.run { bob.payloads(on: 0) == [[1]] }
        await party.leap(.seconds(5))
        bob.speak([2])
        await party.run { alice.payloads(on: 1) == [[2]] }
        #expect(party.facts.network.isEmpty)
    }
}
