import RoomModel
import SignalProtocol
import Testing
import Timing

@testable import Ovation

/// How far singers are apart and who leads, as a client takes it up. Pure.
@Suite struct DuetTests {
    private func report(_ apartMs: Int?, isTight: Bool = false) -> NetworkReport {
        NetworkReport(
            singers: ["alice": SingerNetwork(quality: .good, roundTripMs: 70), "bob": SingerNetwork(quality: .poor)],
            apart: apartMs.map { SingersApart(ms: $0, isTight: isTight) })
    }

    @Test("D07-K the state shows how each singer's way does and who leads, and tells of both; a resynchronisation too")
    func state() {
        var room = RoomState(.example())
        #expect(room.duet == .together && room.network == NetworkReport() && !room.network.isTooFarForTightDuet)
        let news = RoomNewsEvent.passing(.network(report(64)))
        #expect(room.take(.known(news)) == .told([.networkChanged(report(64))]))
        #expect(room.network == report(64) && room.network.isTooFarForTightDuet)
        #expect(!report(40, isTight: true).isTooFarForTightDuet && !report(nil).isTooFarForTightDuet)
        let mode = DuetMode.leadFollow(leader: "alice")
        #expect(
            room.take(.known(.change(2, .duetChanged(DuetChanged(mode, by: "bob")))))
                == .told([.duetChanged(DuetChanged(mode, by: "bob"))]))
        #expect(room.duet == mode && room.duet.leader == "alice")
        var snapshot = RoomSnapshot.example(seq: 9)
        let told = room.replace(with: snapshot)
        #expect(told.contains(.duetChanged(DuetChanged(.together, by: nil))) && room.network == report(64))
        snapshot.duet = mode
        #expect(RoomState(snapshot).duet == mode)
    }

    @Test("D07-K a follower is as late as the leader's voice comes, the leader and those who sing together are not")
    func lag() {
        var room = RoomState(.example())
        let wait = Interval.milliseconds(15)
        func ways(_ alice: Int?, _ bob: Int?) -> NetworkReport {
            NetworkReport(singers: [
                "alice": SingerNetwork(quality: .good, roundTripMs: alice),
                "bob": SingerNetwork(quality: .good, roundTripMs: bob),
            ])
        }
        _ = room.apply(.passing(.network(ways(180, 20))))
        #expect(room.song.lagBehindLeader(of: room.me.id, wait: wait) == nil)
        _ = room.apply(.change(2, .duetChanged(DuetChanged(.leadFollow(leader: "alice"), by: nil))))
        #expect(
            room.song.lagBehindLeader(of: room.me.id, wait: wait) == .milliseconds(90 + 10 + 10 + 15), "bob follows")
        for (alice, bob, lag) in [(nil, 20, 0), (180, nil, 0), (-5, 20, 35), (.max, 20, 1_035)] as [(Int?, Int?, Int64)]
        {
            _ = room.apply(.passing(.network(ways(alice, bob))))
            #expect(room.song.lagBehindLeader(of: room.me.id, wait: wait) == .milliseconds(lag))
        }
        _ = room.apply(.change(3, .duetChanged(DuetChanged(.leadFollow(leader: "bob"), by: nil))))
        #expect(room.song.lagBehindLeader(of: room.me.id, wait: wait) == nil)
    }

    @Test("D04-K a singer's client tells its round trip and wait when they have changed, and every ten seconds")
    func teller() {
        var teller = LatencyReporter()
        var now = Instant(nanoseconds: 1_000_000_000)
        func told(_ roundTripMs: Int64?, _ bufferMs: Int64? = nil) -> LatencyStatement? {
            teller.statement(
                roundTrip: roundTripMs.map { .milliseconds($0) }, buffer: bufferMs.map { .milliseconds($0) }, at: now)
        }
        #expect(told(80) == nil, "to whom would it matter")
        teller.isSinging = true
        #expect(told(nil) == nil)
        #expect(told(80) == LatencyStatement(outputMs: 0, inputMs: 0, roundTripMs: 80))
        #expect(told(82) == nil && told(79) == nil && teller.wait == .milliseconds(20))
        #expect(told(83, 20) == LatencyStatement(outputMs: 0, inputMs: 0, roundTripMs: 83, bufferMs: 20))
        #expect(teller.wait == .milliseconds(20))
        now = now + .milliseconds(9_999)
        #expect(told(83, 20) == nil)
        now = now + .milliseconds(1)
        #expect(told(83, 20) != nil)
        teller.calibrate(outputMs: 120, inputMs: 7)
        #expect(told(83, 20) == LatencyStatement(outputMs: 120, inputMs: 7, roundTripMs: 83, bufferMs: 20))
        #expect(told(90_000, 5_000)?.roundTripMs == 2_000 && told(90_000, 50)?.bufferMs == 50)
        teller.isSinging = false
        #expect(told(10) == nil)
        teller.isSinging = true
        #expect(told(83, 50) != nil, "whoever sits down anew says it anew")
    }
}
