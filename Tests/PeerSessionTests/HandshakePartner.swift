import DTLS
import ICE
import PeerSession
import RTP
import SRTP
import SeededRandom
import Timing
import Wire

/// A server's peer, and the other side in the hands of the test: it proves paths, chooses one when it is told to, and speaks DTLS and SRTP.
final class HandshakePartner {
    static let path = NetworkPath(local: Call.serverAddress, remote: Call.clientAddress)
    static let other = NetworkPath(local: Call.serverAddress, remote: Call.otherAddress)
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    let peer: MediaPeer
    private(set) var events: [PeerEvent] = []
    /// Where the peer's datagrams of DTLS went.
    private(set) var flights: [NetworkPath] = []
    private let dtls: DTLSSession
    private let (mine, theirs): (ICECredentials, ICECredentials)
    private var sender: SRTPSender?
    private var number: UInt32 = 0
    private var buffer = [UInt8](repeating: 0, count: 2_048)

    init() throws {
        var random = SeededGenerator(seed: 7)
        (mine, theirs) = (ICECredentials.random(using: &random), ICECredentials.random(using: &random))
        let context = try DTLSContext(certificate: .selfSigned())
        let serverContext = try DTLSContext(certificate: .selfSigned())
        dtls = try DTLSSession(
            role: .client, context: context, remoteFingerprint: serverContext.certificate.fingerprint)
        peer = try MediaPeer(
            PeerConfiguration(
                role: .server, localCredentials: theirs, remoteCredentials: mine,
                remoteFingerprint: context.certificate.fingerprint, reportSSRC: SSRC(2), cname: "server",
                clock: NTPClock(reference: now, wallTime: WallTime(secondsSince1970: 1_800_000_000)), seed: 3),
            context: serverContext, at: now)
    }

    func check(nominates: Bool, by path: NetworkPath = HandshakePartner.path) {
        let length = buffer.withUnsafeMutableBytes { bytes -> Int? in
            var writer = STUNWriter(into: bytes, .request, transaction: STUNTransactionID(high: 1, low: 2))
            writer.addUsername("\(theirs.ufrag):\(mine.ufrag)")
            writer.addPriority(1)
            writer.addControlling(tieBreaker: 1)
            if nominates { writer.addUseCandidate() }
            return writer.finish(key: STUNIntegrityKey(password: theirs.password))
        }
        hand(length ?? 0, by: path)
    }

    /// Flights to and fro until both sides have keys.
    func shakeHands() {
        begin()
        for _ in 0..<20 where !dtls.isEstablished { sendFlight(by: Self.path) }
    }

    func begin() { dtls.start(at: now) }

    /// Everything that DTLS has to send just now.
    func sendFlight(by path: NetworkPath) {
        var flight: [[UInt8]] = []
        while let length = buffer.withUnsafeMutableBytes({ dtls.nextOutput(into: $0) }) {
            flight.append(Array(buffer[..<length]))
        }
        for datagram in flight {
            buffer.replaceSubrange(..<datagram.count, with: datagram)
            hand(datagram.count, by: path)
        }
    }

    func forgetFlights() { flights.removeAll() }

    /// Sends one packet of sound.
    func speak(by path: NetworkPath) {
        number += 1
        let header = CallNode.header(ssrc: Call.clientStream, number: number)
        let payload = [UInt8](repeating: 7, count: 80)
        let length = buffer.withUnsafeMutableBytes { bytes -> Int? in
            bytes.copyBytes(from: header)
            return payload.withUnsafeBytes { sender?.seal(headerLength: header.count, payload: $0, into: bytes) }
        }
        hand(length ?? 0, by: path)
    }

    func close() {
        peer.close()
        drain()
    }

    private func hand(_ length: Int, by path: NetworkPath) {
        _ = buffer.withUnsafeMutableBytes { peer.receive($0, length: length, path: path, at: now) }
        drain()
    }

    func pass(_ interval: Interval) {
        now = now + interval
        peer.advance(to: now)
        drain()
    }

    private func drain() {
        var output = [UInt8](repeating: 0, count: 2_048)
        while let next = output.withUnsafeMutableBytes({ peer.nextOutput(into: $0) }) {
            switch next {
            case .datagram(let length, let path):
                guard (20...63).contains(output[0]) else { continue }
                flights.append(path)
                output.withUnsafeBytes { dtls.receive(UnsafeRawBufferPointer(rebasing: $0[..<length]), at: now) }
            case .event(let event): events.append(event)
            }
        }
        while let event = dtls.nextEvent() {
            guard case .established(let agreed, let exported) = event,
                let profile = SRTPProfile(rawValue: agreed.identifier),
                let keys = SRTPMasterKey.split(exported: exported, profile: profile)
            else { continue }
            sender = SRTPSender(profile: profile, masterKey: keys.client)
        }
    }
}
