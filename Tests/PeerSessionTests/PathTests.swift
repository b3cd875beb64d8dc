import ICE
import NetworkSimulation
import PeerSession
import Testing
import Timing
import Wire

/// Which path a peer sends by, as checks and media tell of it.
@Suite struct PathTests {
    private typealias Partner = HandshakePartner

    @Test("a path that nobody has checked for 30 s is sent to no more, nor is any other before it is chosen")
    func runsOut() throws {
        let partner = try Partner()
        partner.check(nominates: true)
        partner.shakeHands()
        #expect(partner.events == [.connected] && partner.peer.mediaPath == Partner.path)
        for _ in 0..<29 {
            partner.pass(.seconds(1))
            partner.check(nominates: false, by: Partner.other)
        }
        #expect(partner.peer.mediaPath == Partner.path)
        partner.pass(.seconds(1))
        #expect(partner.peer.mediaPath == nil && !partner.peer.isClosed)
        partner.check(nominates: true, by: Partner.other)
        #expect(partner.peer.mediaPath == Partner.other && partner.events == [.connected])
    }

    @Test("where the path in use runs out, one that was chosen before it and is still checked takes its place")
    func fallsBack() throws {
        let partner = try Partner()
        partner.check(nominates: true)
        partner.shakeHands()
        partner.check(nominates: true, by: Partner.other)
        #expect(partner.peer.mediaPath == Partner.other)
        for _ in 0..<30 {
            partner.pass(.seconds(1))
            partner.check(nominates: false)
        }
        #expect(partner.peer.mediaPath == Partner.path)
    }

    @Test("no path runs out while a peer connects")
    func lastsWhileConnecting() {
        #expect(ICELiteAgent.pathLifetime >= MediaPeer.connectTimeout)
    }

    @Test("of two paths that are chosen in turn the one by which media comes is sent to")
    func mediaDecides() throws {
        let partner = try Partner()
        partner.check(nominates: true)
        partner.shakeHands()
        partner.pass(.seconds(1))
        partner.check(nominates: true, by: Partner.other)
        #expect(partner.peer.mediaPath == Partner.other)
        partner.pass(.seconds(1))
        for _ in 0..<3 {
            partner.check(nominates: true)
            #expect(partner.peer.mediaPath == Partner.other, "nothing speaks for the former one")
            partner.check(nominates: true, by: Partner.other)
        }
        partner.speak(by: Partner.path)
        #expect(partner.peer.stats.packetsReceived == 1)
        partner.check(nominates: true)
        #expect(partner.peer.mediaPath == Partner.path)
    }

    @Test("while media comes, a client whose checks are not answered asks no more often and looks for no other path")
    func mediaIsLife() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        #expect(call.client.isConnected)
        call.speak(for: .seconds(12))
        var checks = 0
        call.network.onSend = { datagram, path, _ in
            guard datagram[0] < 4 else { return true }
            if path.remote == Call.serverAddress { checks += 1 }
            return path.remote == Call.serverAddress
        }
        call.network.run(for: .seconds(10))
        #expect((3...5).contains(checks), "one in 2 to 3 s")
        #expect(call.client.isConnected && call.server.isConnected)
    }
}
