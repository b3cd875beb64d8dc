internal import DatagramIO
internal import Forwarding
internal import MediaTestSupport
internal import PeerSession
internal import RoomPorts
internal import Synchronization
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

/// Three workers that share the people of one room among them.
@Suite(.serialized) struct SeveralWorkersTests {
    private func party(kind: StageKind = .voice, mixer: (any AudienceMixer)? = nil) async throws -> Party {
        try await Party(kind: kind, mixer: mixer) {
            $0.workers = 3
            $0.fullHome = 0
        }
    }

    private func port(of client: TestClient) -> UInt16? { client.media?.mediaPath?.remote.port }

    @Test("People whose paths are on different workers hear each other, nobody hears themselves")
    func heard() async throws {
        let party = try await party()
        var people: [TestClient] = []
        for id in 1...6 as ClosedRange<UInt64> { people.append(try await party.joined(id)) }
        #expect(Set(people.compactMap(port)) == Set(party.node.ports) && party.node.ports.count == 3)
        for slot in 0..<3 { await party.assign(slot, people[slot]) }
        let frames = (UInt8(0)..<50).map { number in (UInt8(0)..<3).map { [$0, number, 7] } }
        // In parts: what has waited for 100 ms is left out, and a sanitizer needs longer for all at once.
        for part in stride(from: 0, to: frames.count, by: 5) {
            for frame in frames[part..<part + 5] {
                for speaker in 0..<3 { people[speaker].speak(frame[speaker]) }
            }
            await party.run {
                people.indices.allSatisfy { listener in
                    (0..<3).allSatisfy { $0 == listener || people[listener].payloads(on: $0).count == part + 5 }
                }
            }
        }
        for (index, listener) in people.enumerated() {
            for slot in 0..<3 where slot != index {
                #expect(listener.payloads(on: slot) == frames.map { $0[slot] })
                #expect(listener.heard[slot]?.isUnbroken == true)
            }
            if index < 3 { #expect(listener.heard[index] == nil, "nobody hears themselves") }
        }
        let counters = try #require(await party.node.counters())
        #expect(counters.peers == 6 && counters.stages == 1 && counters.audio.forwarded == 150)
        // Who speaks on another worker than the room's home is shown as well.
        await party.run {
            people[0].speak([1], level: 20)
            people[1].speak([1], level: 20)
            people[2].speak([1], level: 20)
            return party.facts.levels.contains { $0.keys.count == 3 }
        }
    }

    @Test(
        "V06-S a mute is confirmed when the last packet has left every worker, and so is the end of somebody's path",
        arguments: [true, false])
    func cut(isMute: Bool) async throws {
        let party = try await party()
        var people: [TestClient] = []
        for id in 1...6 as ClosedRange<UInt64> { people.append(try await party.joined(id)) }
        for slot in 0..<3 { await party.assign(slot, people[slot]) }
        for speaker in 0..<3 {
            let listeners = people[3...]
            people[speaker].speak([77])
            await party.run { listeners.allSatisfy { !$0.payloads(on: speaker).isEmpty } }
            for number in UInt8(0)..<30 { people[speaker].speak([number]) }
            if isMute {
                await party.assign(speaker, people[speaker], muted: true)
            } else {
                await withCheckedContinuation { continuation in
                    party.node.closePeer(people[speaker].id, on: party.stage) { continuation.resume() }
                }
            }
            // What was confirmed has left: it lies in the listeners' sockets.
            await party.run { listeners.allSatisfy { $0.payloads(on: speaker).last == TestClient.silence } }
            let counts = listeners.map { $0.payloads(on: speaker).count }
            for number in UInt8(0)..<30 { people[speaker].speak([number]) }
            _ = await party.node.counters()
            await party.rest()
            await party.run { true }
            #expect(listeners.map { $0.payloads(on: speaker).count } == counts)
        }
    }

    @Test("A listener on another worker than the room's home asks that worker for what got lost")
    func repeats() async throws {
        let party = try await party()
        var people: [TestClient] = []
        for id in 1...3 as ClosedRange<UInt64> { people.append(try await party.joined(id)) }
        await party.assign(0, people[0])
        var number: UInt8 = 0
        var next = SystemClock.now()
        await party.run {
            if number < 40, SystemClock.now() >= next {
                next = next + .milliseconds(10)
                if number % 4 == 1 { for listener in people[1...] { listener.losesNext = 1 } }
                people[0].speak([number])
                number += 1
            }
            return number == 40 && people[1...].allSatisfy { Set($0.payloads(on: 0).map(\.[0])).count == 40 }
        }
    }

    @Test("A12-S D07-S a chorus' listeners on other workers hear its mix, and its singers' ways are read there")
    func chorus() async throws {
        let mixer = PlayingMixer()
        let party = try await party(kind: .chorus, mixer: mixer)
        var people: [TestClient] = []
        for id in 1...6 as ClosedRange<UInt64> { people.append(try await party.joined(id, slots: 5)) }
        for slot in 0..<3 { await party.assign(slot, people[slot]) }
        await party.run {
            mixer.play([9])
            for singer in people[..<3] { singer.speak([1]) }
            return people[3...].allSatisfy { !$0.payloads(on: 4).isEmpty }
                && people[0].payloads(on: 1).isEmpty == false && people[1].payloads(on: 2).isEmpty == false
        }
        #expect(people[..<3].allSatisfy { $0.heard[4] == nil }, "who sings hears the others")
        #expect(people[3...].allSatisfy { listener in (0..<3).allSatisfy { listener.heard[$0] == nil } })
        await party.run {
            for singer in people[..<3] { singer.speak([1]) }
            return party.facts.network.contains { Set($0.keys) == Set(people[..<3].map(\.id)) }
        }
    }

    @Test("A room that closes ends the paths on all its workers")
    func close() async throws {
        let party = try await party()
        var people: [TestClient] = []
        for id in 1...4 as ClosedRange<UInt64> { people.append(try await party.joined(id)) }
        await party.assign(0, people[1])
        party.node.closeStage(party.stage)
        await party.run { people.allSatisfy { party.isTold(MediaFact.closed, of: $0) } }
        #expect(await party.node.counters()?.peers == 0)
        await withCheckedContinuation { continuation in
            party.node.assign(slot: 0, to: nil, muted: false, dark: false, on: party.stage) { continuation.resume() }
        }
        party.node.stop()
        await party.run { party.facts.isEnded }
    }
}

/// Plays what it is told to, into the room that was opened last.
private final class PlayingMixer: AudienceMixer {
    private let state = Mutex<(feed: MixFeed?, sequence: UInt64)>((nil, 0))

    func open(_ stage: StageID, wakeStage: @escaping @Sendable () -> Void) -> MixFeed {
        let feed = MixFeed(wakeMixer: {}, wakeStage: wakeStage)
        state.withLock { $0.feed = feed }
        return feed
    }

    func play(_ payload: [UInt8]) {
        state.withLock { state in
            state.sequence += 1
            let packet = MixPacket(
                sequence: state.sequence, timestamp: UInt32(state.sequence * 960), marker: false)
            payload.withUnsafeBytes { state.feed?.post(packet, $0) }
        }
    }

    func close(_ stage: StageID) {}
    func set(_ song: StageSong?, on stage: StageID) {}
    func set(latency: Interval, of singer: PeerID, on stage: StageID) {}
    func stop() {}
}

@Suite struct RoutesTests {
    private let stage = StageID(rawValue: 1)
    private func peers(_ count: Int) -> [PeerID] { (1...UInt64(count)).map { PeerID(rawValue: $0) } }

    @Test("Rooms spread over workers, by load first and by number where loads hardly differ")
    func homes() {
        var routes = Routes(workers: 3, fullHome: 0.6)
        let homes = (1...6).map { routes.open(StageID(rawValue: $0), loads: [0, 0.05, 0]) }
        #expect(homes == [0, 1, 2, 0, 1, 2])
        #expect(routes.open(StageID(rawValue: 6), loads: [0, 0, 0]) == nil, "it is open")
        #expect(routes.open(StageID(rawValue: 7), loads: [0.5, 0.5, 0.1]) == 2)
    }

    @Test("Listeners go to the home until it is full, then to one branch until that is full; nobody moves")
    func overflow() throws {
        var routes = Routes(workers: 3, fullHome: 0.6)
        _ = routes.open(stage, loads: [0, 0, 0])
        let people = peers(6)
        for peer in people { routes.admit(peer, on: stage) }
        #expect(try routes.place(people[0], on: stage, loads: [0.2, 0, 0]) == 0)
        #expect(try routes.place(people[1], on: stage, loads: [0.7, 0.3, 0]) == 2)
        #expect(routes.branch(stage, to: 2) && !routes.branch(stage, to: 2) && !routes.branch(stage, to: 0))
        #expect(try routes.place(people[2], on: stage, loads: [0.7, 0.3, 0.5]) == 2)
        #expect(try routes.place(people[3], on: stage, loads: [0.7, 0.3, 0.6]) == 1)
        #expect(try routes.place(people[0], on: stage, loads: [0.9, 0, 0]) == 0, "offered again")
        #expect(routes[stage]?.workers == [0, 2])
    }

    @Test("Whom a room has not let in has no place; who left has none any more")
    func admission() throws {
        var routes = Routes(workers: 2, fullHome: 0.6)
        let anna = PeerID(rawValue: 1)
        #expect(throws: MediaRefusal.unknownStage) { try routes.place(anna, on: stage, loads: [0, 0]) }
        _ = routes.open(stage, loads: [0.3, 0])
        #expect(throws: MediaRefusal.notAdmitted) { try routes.place(anna, on: stage, loads: [0, 0]) }
        routes.admit(anna, on: stage)
        #expect(routes.note(.milliseconds(5), of: anna, on: stage) == nil, "no path yet")
        #expect(try routes.place(anna, on: stage, loads: [0, 0]) == 1)
        #expect(routes.note(.milliseconds(7), of: anna, on: stage) == 1)
        #expect(routes[stage]?.statedRoundTrips[anna] == .milliseconds(7))
        #expect(routes.expel(anna, on: stage) == 1)
        #expect(routes[stage]?.statedRoundTrips[anna] == nil)
        #expect(throws: MediaRefusal.notAdmitted) { try routes.place(anna, on: stage, loads: [0, 0]) }
        #expect(routes.expel(anna, on: stage) == 1, "its home, where everything about a stage is confirmed")
        #expect(routes.close(stage)?.workers == [1])
        #expect(routes.expel(anna, on: stage) == nil)
    }

    @Test("A peer that got no path may go elsewhere, but not while another of its offers is on its way")
    func refusedOffers() throws {
        var routes = Routes(workers: 2, fullHome: 0)
        _ = routes.open(stage, loads: [0, 0])
        let anna = PeerID(rawValue: 1)
        routes.admit(anna, on: stage)
        let first = try routes.place(anna, on: stage, loads: [0.5, 0])
        #expect(first == 1)
        routes.noteOffer(of: anna, on: stage)
        routes.noteOffer(of: anna, on: stage)
        routes.noteAnswer(to: anna, on: stage, hasPath: false)
        #expect(try routes.place(anna, on: stage, loads: [0, 0.9]) == 1, "the second offer is on its way there")
        routes.noteAnswer(to: anna, on: stage, hasPath: true)
        #expect(try routes.place(anna, on: stage, loads: [0, 0.9]) == 1, "and has a path now")
        routes.noteOffer(of: anna, on: stage)
        routes.noteAnswer(to: anna, on: stage, hasPath: false)
        #expect(try routes.place(anna, on: stage, loads: [0, 0.9]) == 0)
        // What nobody waits for changes nothing.
        routes.noteAnswer(to: anna, on: stage, hasPath: false)
        #expect(routes.expel(anna, on: stage) == 0)
    }

    @Test("What is kept of stated ways has a limit; those with a path stay")
    func statements() throws {
        var routes = Routes(workers: 1, fullHome: 0.6)
        _ = routes.open(stage, loads: [0])
        let people = peers(Routes.statementsKept + 1)
        for peer in people { routes.admit(peer, on: stage) }
        _ = try routes.place(people[0], on: stage, loads: [0])
        for peer in people { _ = routes.note(.milliseconds(1), of: peer, on: stage) }
        #expect(routes[stage]?.statedRoundTrips.count == 2)
        #expect(
            routes[stage]?.statedRoundTrips[people[0]] != nil && routes[stage]?.statedRoundTrips[people.last!] != nil)
    }
}
