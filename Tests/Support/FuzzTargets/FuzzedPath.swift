import BandwidthEstimation
import DTLS
import Forwarding
import ICE
import PeerSession
import RTP
import SRTP
import SeededRandom
import Timing
import Wire

/// One person's media path: the server's real end, and the other one by hand, which may send anything under the keys that both agreed on.
/// Whatever the server sends is opened and looked at.
final class FuzzedPath {
    /// One packet that the server has sent, in clear.
    struct Sent {
        var ssrc: SSRC
        var index: UInt64
        var payload: [UInt8]
        var isPadding: Bool
    }

    /// libFuzzer calls its targets from one thread.
    nonisolated(unsafe) private static let contexts: (server: DTLSContext, client: DTLSContext) = {
        guard let server = try? DTLSContext(certificate: .selfSigned()),
            let client = try? DTLSContext(certificate: .selfSigned())
        else { preconditionFailure("certificates") }
        return (server, client)
    }()

    private static let toServer = NetworkPath(
        local: TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: 5_000),
        remote: TransportAddress(ip: IPAddress(v4: 192, 0, 2, 1), port: 7_882))
    static let fromClient = NetworkPath(local: toServer.remote, remote: toServer.local)

    let server: MediaPeer
    private(set) var sender: SRTPSender
    private var receiver: SRTPReceiver
    /// What the server's end has told meanwhile.
    var events: [PeerEvent] = []
    private var lastNumbers: [SSRC: UInt64] = [:]
    private var enciphered: [SSRC: [UInt64: [UInt8]]] = [:]
    private var lastReport: UInt64?
    /// Sequence numbers of the last packets, to be missed.
    private(set) var newest: [SSRC: UInt16] = [:]

    /// Both ends after their handshake; `now` is when that is through. Nil where nothing came of it.
    init?(_ random: inout SeededGenerator, number: UInt64, at now: inout Instant) {
        let ours = ICECredentials.random(using: &random)
        let theirs = ICECredentials.random(using: &random)
        let clock = NTPClock(reference: now, wallTime: WallTime(secondsSince1970: 1_800_000_000))
        let (serverContext, clientContext) = Self.contexts
        guard
            let server = try? MediaPeer(
                PeerConfiguration(
                    role: .server, localCredentials: ours, remoteCredentials: theirs,
                    remoteFingerprint: clientContext.certificate.fingerprint,
                    reportSSRC: SSRC(0xf000 + UInt32(number)),
                    cname: "s", clock: clock, seed: random.next()), context: serverContext, at: now),
            let dtls = try? DTLSSession(
                role: .client, context: clientContext, remoteFingerprint: serverContext.certificate.fingerprint)
        else { return nil }
        var agent = ICEControllingAgent(
            local: theirs, remote: ours, paths: [Self.toServer], seed: random.next(), at: now)
        guard let keys = Self.shakeHands(server, &agent, dtls, &events, at: &now),
            let sender = SRTPSender(profile: keys.profile, masterKey: keys.client),
            let receiver = SRTPReceiver(profile: keys.profile, masterKey: keys.server)
        else { return nil }
        self.server = server
        self.sender = sender
        self.receiver = receiver
    }

    private static func shakeHands(
        _ server: MediaPeer, _ agent: inout ICEControllingAgent, _ dtls: DTLSSession, _ events: inout [PeerEvent],
        at now: inout Instant
    ) -> (profile: SRTPProfile, client: SRTPMasterKey, server: SRTPMasterKey)? {
        var buffer = [UInt8](repeating: 0, count: 1_500)
        var hasStarted = false
        var keys: (SRTPProfile, SRTPMasterKey, SRTPMasterKey)?
        for _ in 0..<200 where keys == nil || server.protectionProfile == nil {
            agent.advance(to: now)
            buffer.withUnsafeMutableBytes { buffer in
                while let out = agent.nextOutput(into: buffer) {
                    _ = server.receive(buffer, length: out.length, path: fromClient, at: now)
                }
                if !hasStarted, agent.selectedPath != nil {
                    hasStarted = true
                    dtls.start(at: now)
                }
                while let length = dtls.nextOutput(into: buffer) {
                    _ = server.receive(buffer, length: length, path: fromClient, at: now)
                }
                while let output = server.nextOutput(into: buffer) {
                    switch output {
                    case .event(let event): events.append(event)
                    case .datagram(let length, _):
                        let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<length])
                        if datagram[0] < 20 {
                            _ = agent.receive(datagram, path: toServer, at: now)
                        } else {
                            dtls.receive(datagram, at: now)
                        }
                    }
                }
            }
            while let event = dtls.nextEvent() {
                guard case .established(let agreed, let exported) = event,
                    let profile = SRTPProfile(rawValue: agreed.identifier),
                    let (client, server) = SRTPMasterKey.split(exported: exported, profile: profile)
                else { return nil }
                keys = (profile, client, server)
            }
            now = now + .milliseconds(10)
            server.advance(to: now)
        }
        return keys
    }

    // MARK: What the hostile end sends

    /// A whole packet in clear, sealed as RTP or RTCP.
    /// - Parameter then: sees what the server made of it, and the buffer where it lies.
    func send(
        _ clear: [UInt8], at now: Instant,
        _ then: (Received, UnsafeRawBufferPointer) -> Void
    ) {
        var buffer = clear + [UInt8](repeating: 0, count: 64)
        buffer.withUnsafeMutableBytes { buffer in
            let length: Int?
            if clear.count > 1, (192...223).contains(clear[1]) {
                length = sender.sealControl(buffer, length: clear.count)
            } else {
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<clear.count])
                length = RTPHeader.parse(bytes, isEncrypted: true).flatMap {
                    sender.seal(
                        headerLength: $0.headerLength,
                        payload: UnsafeRawBufferPointer(rebasing: bytes[$0.headerLength...]), into: buffer)
                }
            }
            // What cannot be sealed goes as it is: the server must see that it is not authentic.
            let received = server.receive(buffer, length: length ?? clear.count, path: Self.fromClient, at: now)
            if length == nil, case .media = received { preconditionFailure("media without keys") }
            then(received, UnsafeRawBufferPointer(buffer))
        }
    }

    // MARK: What the server sends

    /// Looks at a datagram; nil for what is no media, and for what was sent before to the last byte.
    func look(at datagram: UnsafeRawBufferPointer) -> Sent? {
        guard datagram.count > 12, (128...191).contains(datagram[0]) else { return nil }
        var copy = Array(datagram)
        if (192...223).contains(datagram[1]) {
            let result = copy.withUnsafeMutableBytes { receiver.openControl($0, length: datagram.count) }
            guard case .opened(_, let index) = result else { preconditionFailure("a report is \(result)") }
            precondition(lastReport.map { $0 < index } ?? true, "one number for two reports")
            lastReport = index
            return nil
        }
        let ssrc = SSRC(datagram.loadUnaligned(fromByteOffset: 8, as: UInt32.self).bigEndian)
        let number = datagram.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian
        let index = self.index(of: ssrc, number)
        newest[ssrc] = number
        if let earlier = enciphered[ssrc]?[index] {
            precondition(earlier == copy, "one number for two packets")
            return nil
        }
        enciphered[ssrc, default: [:]][index] = copy
        let result = copy.withUnsafeMutableBytes { receiver.open($0, length: datagram.count) }
        guard case .opened(let length, let opened) = result else { preconditionFailure("a packet is \(result)") }
        precondition(opened == index, "a number counts its wraps otherwise")
        guard let header = copy.withUnsafeBytes({ RTPHeader.parse(UnsafeRawBufferPointer(rebasing: $0[..<length])) })
        else { preconditionFailure("a header that cannot be read") }
        return Sent(
            ssrc: ssrc, index: index, payload: Array(copy[header.payload]), isPadding: header.payload.isEmpty)
    }

    /// The number with its wraps, nearest to the newest one (RFC 3711 §3.3.1).
    private func index(of ssrc: SSRC, _ number: UInt16) -> UInt64 {
        guard let last = lastNumbers[ssrc] else {
            lastNumbers[ssrc] = UInt64(number)
            return UInt64(number)
        }
        let step = Int64(Int16(truncatingIfNeeded: Int(number) - Int(UInt16(truncatingIfNeeded: last))))
        let index = UInt64(max(0, Int64(last) + step))
        lastNumbers[ssrc] = max(last, index)
        return index
    }
}
