import ICE
import NetworkSimulation
import PeerSession
import Testing
import Timing
import Wire

/// Browsers may finish DTLS by a path that they have proved and not chosen yet; over a long way that takes a while.
@Suite struct LateNominationTests {
    @Test("whoever has keys is connected once a path to send by has been chosen, not before")
    func chosenLate() throws {
        let partner = try HandshakePartner()
        partner.check(nominates: false)
        partner.shakeHands()
        #expect(partner.peer.protectionProfile != nil)
        partner.pass(.milliseconds(400))
        #expect(partner.events.isEmpty && partner.peer.mediaPath == nil)
        partner.check(nominates: true)
        #expect(partner.events == [.connected])
        partner.check(nominates: true)
        partner.pass(.seconds(1))
        #expect(partner.events == [.connected])
    }

    @Test("whoever never chooses a path has no connection, and is gone when its time is over, whatever it sends")
    func neverChosen() throws {
        let partner = try HandshakePartner()
        partner.check(nominates: false)
        partner.shakeHands()
        for _ in 0..<28 {
            partner.pass(.seconds(1))
            partner.check(nominates: false)
        }
        #expect(!partner.events.contains(.connected) && !partner.peer.isClosed)
        partner.pass(.seconds(2))
        #expect(partner.events.last == .closed(.neverConnected))
    }

    @Test(
        "until a path is chosen, what belongs to the handshake goes where the other side's came from last; then by the chosen one"
    )
    func handshakePath() throws {
        let partner = try HandshakePartner()
        for path in [HandshakePartner.path, HandshakePartner.other] { partner.check(nominates: false, by: path) }
        partner.begin()
        partner.sendFlight(by: HandshakePartner.other)
        #expect(!partner.flights.isEmpty && partner.flights.allSatisfy { $0 == HandshakePartner.other })
        partner.forgetFlights()
        partner.sendFlight(by: HandshakePartner.path)
        #expect(!partner.flights.isEmpty && partner.flights.allSatisfy { $0 == HandshakePartner.path })
        #expect(partner.peer.protectionProfile != nil)
        partner.check(nominates: true, by: HandshakePartner.other)
        partner.forgetFlights()
        partner.close()
        #expect(partner.flights == [HandshakePartner.other], "its goodbye")
    }

    @Test("a client says the first word of the handshake once, however late the server hears which path it has chosen")
    func firstFlight() throws {
        let call = try Call()
        var (hellos, chosen) = (0, false)
        call.network.onSend = { datagram, path, now in
            guard path.remote == Call.serverAddress else { return true }
            let message = datagram.withUnsafeBytes { STUNMessage.parse($0) }
            if message?.usesCandidate == true {
                guard now >= Instant(nanoseconds: 1_000_000_000) + .seconds(2) else { return false }
                chosen = true
            }
            if (20...63).contains(datagram[0]), call.server.peer.protectionProfile == nil, datagram[13] == 1 {
                hellos += 1
            }
            return true
        }
        call.network.run(for: .seconds(1))
        #expect(!chosen && hellos == 0)
        call.network.run(for: .seconds(4))
        #expect(chosen && hellos == 1 && call.client.isConnected)
    }
}
