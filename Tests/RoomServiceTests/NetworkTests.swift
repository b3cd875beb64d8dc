import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Testing
import Timing

@Suite struct NetworkTests {
    /// A chorus room with two singers whose ways are open, and somebody who listens.
    private struct Duet {
        let salon: Salon
        let (owner, member, listener): (Client, Client, Client)
        let peers: [PeerID]

        init() async throws {
            salon = try await Salon()
            owner = salon.create(kind: .chorus, seats: 2)
            (member, listener) = (salon.enter(.member), salon.enter(.other))
            peers = [
                try salon.core.openMedia(for: owner.session).peer, try salon.core.openMedia(for: member.session).peer,
            ]
            salon.submit(.takeSeat(TakeSeat(0)), by: owner)
            salon.submit(.takeSeat(TakeSeat(1)), by: member)
            salon.advance(.seconds(1))
        }

        /// What the media plane measures, as it tells it, and two seconds.
        func measure(_ readings: PathReading?...) {
            var told: [PeerID: PathReading] = [:]
            for (peer, reading) in zip(peers, readings) { told[peer] = reading }
            told[PeerID(rawValue: 9_999)] = PathReading(roundTrip: .seconds(1))
            salon.core.hear(.network(salon.stage, told))
            salon.advance(.seconds(2))
        }

        func reports(of client: Client) -> [NetworkReport] {
            client.outbox.passing.compactMap { if case .network(let report) = $0 { report } else { nil } }
        }
    }

    private func way(_ roundTripMs: Int64, jitterMs: Int64 = 2, loss: Double = 0) -> PathReading {
        PathReading(
            roundTrip: .milliseconds(roundTripMs), jitter: .milliseconds(jitterMs), lossFromPeer: loss,
            lossToPeer: loss / 2)
    }

    @Test(
        "D07-S everybody hears how each singer's way does, and how far they are apart: both halves, the packet and the wait"
    )
    func report() async throws {
        let duet = try await Duet()
        duet.measure(way(20), way(190, jitterMs: 7, loss: 0.031))
        let expected = NetworkReport(
            singers: [
                .owner: SingerNetwork(quality: .excellent, roundTripMs: 20, jitterMs: 2, lossPercent: 0),
                .member: SingerNetwork(quality: .poor, roundTripMs: 190, jitterMs: 7, lossPercent: 3),
            ], apart: SingersApart(ms: 10 + 95 + 10 + 20, isTight: false))
        for client in [duet.owner, duet.member, duet.listener] {
            #expect(duet.reports(of: client) == [expected])
        }
        #expect(expected.isTooFarForTightDuet)
    }

    @Test("D07-S it is told again only when something has changed that people would see, and at most every two seconds")
    func onlyChanges() async throws {
        let duet = try await Duet()
        duet.measure(way(20), way(30))
        for step in 0..<10 { duet.measure(way(20 + Int64(step % 3)), way(33, jitterMs: Int64(step % 4))) }
        #expect(duet.reports(of: duet.listener).count == 1, "flicker is no news")
        duet.measure(way(20), way(36))
        #expect(duet.reports(of: duet.listener).count == 2)
        // However often the media plane should tell.
        let before = duet.salon.clock.now
        for step in 0..<40 {
            duet.salon.core.hear(.network(duet.salon.stage, [duet.peers[0]: way(Int64(step % 2) * 200)]))
            duet.salon.advance(.milliseconds(100))
        }
        let seconds = (duet.salon.clock.now - before).seconds
        #expect(duet.reports(of: duet.listener).count <= 2 + Int(seconds / 2) + 1)
    }

    @Test(
        "L08-S on stage of a live room only poor ways are told, when a quality changes, and a better one after three looks"
    )
    func onStage() async throws {
        let salon = try await Salon()
        let host = salon.create(kind: .live, seats: 3)
        let (guest, viewer) = (salon.enter(.member), salon.enter(.other))
        let peers = try [host, guest, viewer].map { try salon.core.openMedia(for: $0.session).peer }
        salon.submit(.takeSeat(TakeSeat(0)), by: host)
        salon.submit(.takeSeat(TakeSeat(1)), by: guest)
        func look(_ readings: PathReading...) -> [NetworkReport] {
            salon.core.hear(.network(salon.stage, Dictionary(uniqueKeysWithValues: zip(peers, readings))))
            salon.advance(.seconds(2))
            return viewer.outbox.passing.compactMap { if case .network(let report) = $0 { report } else { nil } }
        }
        #expect(look(way(20), way(100), way(900)).isEmpty, "good ways, and a viewer's, are nobody's news")
        let poor = SingerNetwork(quality: .poor, roundTripMs: 40, jitterMs: 2, lossPercent: 4)
        #expect(look(way(20), way(40, loss: 0.04)).last == NetworkReport(singers: [.member: poor]))
        #expect(look(way(20), way(70, loss: 0.03)).count == 1, "numbers alone are no news")
        #expect(look(way(20), way(40, loss: 0.14)).last?.singers[.member]?.quality == .bad)
        for _ in 0..<2 { #expect(look(way(20), way(40)).count == 2, "a short calm changes nothing") }
        #expect(look(way(20), way(40)).last == NetworkReport())
        #expect(look(way(20), way(40)).count == 3)
        #expect(look(way(20), way(40, loss: 0.2)).last?.singers.keys.contains(.member) == true)
        // Who comes now hears it; who has left the stage is in it no more.
        let late = salon.enter(UserID(literal: "late"))
        salon.advance(.seconds(2))
        #expect(late.outbox.passing.contains { if case .network = $0 { true } else { false } })
        salon.submit(.leaveSeat, by: guest)
        #expect(look(way(20), way(40, loss: 0.2)).last == NetworkReport())
    }

    @Test("D07-S too far is said beyond the limit, and close enough again only some way below it")
    func hysteresis() async throws {
        let duet = try await Duet()
        // 30 ms for packet and wait: the ways' halves together are what is given.
        var words: [Bool] = []
        for halves in [10, 20, 21, 19, 16, 15, 14, 18, 20, 22] as [Int64] {
            duet.measure(way(halves), way(halves))
            words.append(try #require(duet.reports(of: duet.listener).last?.apart).isTight)
        }
        #expect(words == [true, true, false, false, false, false, true, true, true, false])
    }

    @Test("D07-S what the media plane cannot measure the client's own word tells: the round trip, and the wait")
    func stated() async throws {
        let duet = try await Duet()
        let unmeasured = PathReading(jitter: .milliseconds(1))
        duet.measure(unmeasured, way(40))
        #expect(duet.reports(of: duet.listener).last?.apart == nil)
        #expect(duet.reports(of: duet.listener).last?.singers[.owner]?.quality == .unknown, "however even it comes")
        duet.salon.core.setEquipment(
            SingerEquipment(latency: .zero, roundTrip: .milliseconds(80), buffer: .milliseconds(45)),
            of: duet.owner.session)
        duet.measure(unmeasured, way(40))
        let report = try #require(duet.reports(of: duet.listener).last)
        #expect(report.singers[.owner]?.roundTripMs == 80)
        #expect(report.apart == SingersApart(ms: 40 + 20 + 10 + 45, isTight: false))
        duet.measure(way(20), way(40))
        #expect(duet.reports(of: duet.listener).last?.singers[.owner]?.roundTripMs == 20, "what is measured goes first")
    }

    @Test("D07-S a path that is lost is down, and apart from nobody; who leaves the seat is in no report")
    func lostAndGone() async throws {
        let duet = try await Duet()
        duet.measure(way(20), way(30))
        var lost = way(30)
        lost.isLost = true
        duet.measure(way(20), lost)
        #expect(duet.reports(of: duet.listener).last?.singers[.member]?.quality == .down)
        #expect(duet.reports(of: duet.listener).last?.apart == nil)
        duet.salon.submit(.leaveSeat, by: duet.member)
        duet.measure(way(20), way(30))
        #expect(duet.reports(of: duet.listener).last?.singers.keys.map(\.self) == [.owner])
        duet.measure(nil, nil)
        #expect(duet.reports(of: duet.listener).last == NetworkReport())
    }

    @Test("D07-S who comes later is told within two seconds, though nothing has changed")
    func newcomer() async throws {
        let duet = try await Duet()
        duet.measure(way(20), way(30))
        duet.salon.advance(.seconds(60))
        let late = duet.salon.enter(.admin)
        duet.salon.advance(.seconds(2))
        #expect(duet.reports(of: late).count == 1 && duet.reports(of: late) == duet.reports(of: duet.owner).suffix(1))
    }

    @Test(
        "D07-S one leads: it is stored, told with a number, in the snapshot and the gap, outlives a crash, and ends with the seat's grace"
    )
    func leadFollow() async throws {
        let duet = try await Duet()
        let salon = duet.salon
        #expect(duet.listener.snapshot?.duet == nil)
        let point = duet.member.point
        salon.journal.setMode(.manual)
        let answer = salon.submit(.setDuetMode(SetDuetMode(.leadFollow, leader: nil)), by: duet.member, key: "k")
        #expect(answer.current == nil, "not before it is stored")
        salon.commit()
        salon.journal.setMode(.automatic)
        #expect(answer.current == .success(.done))
        salon.advance(.seconds(1))
        #expect(
            duet.listener.outbox.changes.last?.what
                == .duetChanged(DuetChanged(.leadFollow(leader: .owner), by: .member)))
        #expect(salon.enter(.admin).snapshot?.duet == .leadFollow(leader: .owner))
        try await salon.crash()
        let back = salon.client(.member)
        salon.attach(back, since: point)
        let gap = try #require(back.resumption)
        #expect(gap.events.count == 1)
        guard case .change(let change) = gap.events.first else { return }
        #expect(change.what == .duetChanged(DuetChanged(.leadFollow(leader: .owner), by: .member)))
        #expect(salon.enter(.other).snapshot?.duet == .leadFollow(leader: .owner))
        // Nobody has brought the owner back: the seat is freed, and with it the lead.
        salon.advance(.seconds(20))
        #expect(back.outbox.changes.last?.what == .duetChanged(DuetChanged(.together, by: nil)))
        #expect(salon.enter(UserID(literal: "late")).snapshot?.duet == nil)
    }
}
