import DTLS
import ICE
import PeerSession
import RTP
import SeededRandom
import Testing
import Timing
import Wire

/// Browsers may finish DTLS by a path that they have proved and not chosen yet; over a long way that takes a while.
@Suite struct LateNominationTests {
    /// A server's peer, and the other side in the hands of the test: it proves a path, chooses it when it is told to, and speaks DTLS.
    private final class Handshake {
        static let path = NetworkPath(local: Call.serverAddress, remote: Call.clientAddress)
        var now = Instant(nanoseconds: 1_000_000_000)
        let peer: MediaPeer
        private(set) var events: [PeerEvent] = []
        private let dtls: DTLSSession
        private let (mine, theirs): (ICECredentials, ICECredentials)
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

        func check(nominates: Bool) {
            let length = buffer.withUnsafeMutableBytes { bytes -> Int? in
                var writer = STUNWriter(into: bytes, .request, transaction: STUNTransactionID(high: 1, low: 2))
                writer.addUsername("\(theirs.ufrag):\(mine.ufrag)")
                writer.addPriority(1)
                writer.addControlling(tieBreaker: 1)
                if nominates { writer.addUseCandidate() }
                return writer.finish(key: STUNIntegrityKey(password: theirs.password))
            }
            hand(length ?? 0)
        }

        /// Flights to and fro until both sides have keys.
        func shakeHands() {
            dtls.start(at: now)
            for _ in 0..<20 where !dtls.isEstablished {
                while let length = buffer.withUnsafeMutableBytes({ dtls.nextOutput(into: $0) }) { hand(length) }
            }
        }

        private func hand(_ length: Int) {
            _ = buffer.withUnsafeMutableBytes { peer.receive($0, length: length, path: Self.path, at: now) }
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
                case .datagram(let length, _):
                    guard (20...63).contains(output[0]) else { continue }
                    output.withUnsafeBytes { dtls.receive(UnsafeRawBufferPointer(rebasing: $0[..<length]), at: now) }
                case .event(let event): events.append(event)
                }
            }
        }
    }

    @Test("whoever has keys is connected once a path to send by has been chosen, not before")
    func chosenLate() throws {
        let handshake = try Handshake()
        handshake.check(nominates: false)
        handshake.shakeHands()
        #expect(handshake.peer.protectionProfile != nil)
        handshake.pass(.milliseconds(400))
        #expect(handshake.events.isEmpty && handshake.peer.mediaPath == nil)
        handshake.check(nominates: true)
        #expect(handshake.events == [.connected])
        handshake.check(nominates: true)
        handshake.pass(.seconds(1))
        #expect(handshake.events == [.connected])
    }

    @Test("whoever never chooses a path has no connection, and is gone when its time is over, whatever it sends")
    func neverChosen() throws {
        let handshake = try Handshake()
        handshake.check(nominates: false)
        handshake.shakeHands()
        for _ in 0..<28 {
            handshake.pass(.seconds(1))
            handshake.check(nominates: false)
        }
        #expect(!handshake.events.contains(.connected) && !handshake.peer.isClosed)
        handshake.pass(.seconds(2))
        #expect(handshake.events.last == .closed(.neverConnected))
    }
}
