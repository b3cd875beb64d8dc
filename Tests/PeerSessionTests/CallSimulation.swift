import COpenSSL
import ICE
import NetworkSimulation
import PeerSession
import RTP
import SeededRandom
import Testing
import Timing
import Wire

@testable import DTLS

/// A peer on a simulated network that talks, and answers requests for repeats like a forwarding server would.
final class CallNode: SimulatedEndpoint {
    let peer: MediaPeer
    private(set) var events: [PeerEvent] = []
    /// Extended sequence numbers of the media that came, with the payload's first bytes as the number they were sent
    /// under.
    private(set) var received: [UInt64: UInt32] = [:]
    private(set) var repeated = 0
    private(set) var arrivals = 0
    private(set) var drops: [DropReason] = []
    var onEvent: ((PeerEvent, Instant) -> Void)?

    private var speech: Speech?
    private var outgoing: [(bytes: [UInt8], path: NetworkPath)] = []

    /// A stream of 20 ms packets, numbered in their payload.
    private final class Speech {
        let ssrc: SSRC
        var nextPacket: Instant
        let end: Instant
        var number: UInt32
        var sent: [UInt16: (header: [UInt8], payload: [UInt8])] = [:]

        init(ssrc: SSRC, nextPacket: Instant, end: Instant, number: UInt32) {
            self.ssrc = ssrc
            self.nextPacket = nextPacket
            self.end = end
            self.number = number
        }
    }

    var onMedia: ((ReceivedMedia, [UInt8]) -> Void)?

    init(_ peer: MediaPeer) { self.peer = peer }

    /// Speaks from `start` on, 50 packets a second. `firstNumber` is the first sequence number.
    func speak(_ ssrc: SSRC, from start: Instant, for length: Interval, firstNumber: UInt32 = 0) {
        let terms = SendStreamTerms(ssrc: ssrc, clockRate: 48_000, cname: "speaker")
        if let number = peer.openSendStream(terms) { peer.sendReport(for: number, at: start) }
        speech = Speech(ssrc: ssrc, nextPacket: start, end: start + length, number: firstNumber)
    }

    var nextDeadline: Instant {
        min(peer.nextDeadline, outgoing.isEmpty ? speech?.nextPacket ?? .distantFuture : .distantPast)
    }

    func advance(to now: Instant) {
        if peer.nextDeadline <= now { peer.advance(to: now) }
        while let current = speech, current.nextPacket <= now {
            guard current.nextPacket < current.end else {
                current.nextPacket = .distantFuture
                break
            }
            sendPacket(of: current, at: now)
        }
    }

    private func sendPacket(of current: Speech, at now: Instant) {
        current.nextPacket = current.nextPacket + .milliseconds(20)
        let number = current.number
        current.number += 1
        if let path = peer.mediaPath {
            let header = CallNode.header(ssrc: current.ssrc, number: number)
            var payload = (0..<80).map { UInt8(truncatingIfNeeded: Int(number) &* 31 &+ $0) }
            for (offset, shift) in [24, 16, 8, 0].enumerated() {
                payload[offset] = UInt8(truncatingIfNeeded: number >> UInt32(shift))
            }
            if let bytes = seal(header, payload, at: now) {
                current.sent[UInt16(truncatingIfNeeded: number)] = (header, payload)
                outgoing.append((bytes, path))
            }
        }
    }

    static func header(ssrc: SSRC, number: UInt32) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { buffer in
            var writer = RTPHeaderWriter(
                into: buffer, payloadType: PayloadType(111),
                sequenceNumber: SequenceNumber16(UInt16(truncatingIfNeeded: number)),
                timestamp: RTPTimestamp(number &* 960), ssrc: ssrc)
            return Array(buffer[..<(writer.finish() ?? 0)])
        }
    }

    func seal(_ header: [UInt8], _ payload: [UInt8], at now: Instant, again: Bool = false) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 1500, alignment: 8) { buffer in
            buffer.copyBytes(from: header)
            let length = payload.withUnsafeBytes { payload in
                again
                    ? peer.sealAgain(headerLength: header.count, payload: payload, into: buffer)
                    : peer.seal(headerLength: header.count, payload: payload, into: buffer, at: now)
            }
            return length.map { Array(UnsafeRawBufferPointer(rebasing: buffer[..<$0])) }
        }
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {
        switch peer.receive(datagram, length: length, path: path, at: now) {
        case .media(let media):
            arrivals += 1
            let payload = UnsafeRawBufferPointer(datagram)[media.payload]
            onMedia?(media, Array(payload))
            let number = payload.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            received[media.extendedSequence] = number
        case .handled: break
        case .dropped(let reason): drops.append(reason)
        }
    }

    func nextDatagram(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> (length: Int, path: NetworkPath)?
    {
        while let output = peer.nextOutput(into: buffer) {
            switch output {
            case .datagram(let length, let path): return (length, path)
            case .event(let event): take(event, at: now)
            }
        }
        guard !outgoing.isEmpty else { return nil }
        let next = outgoing.removeFirst()
        buffer.copyBytes(from: next.bytes)
        return (next.bytes.count, next.path)
    }

    private func take(_ event: PeerEvent, at now: Instant) {
        events.append(event)
        onEvent?(event, now)
        guard case .nack(_, let ssrc, let sequence, let following) = event, ssrc == speech?.ssrc,
            let path = peer.mediaPath
        else { return }
        MissingSequences.Entry(first: sequence, following: following).forEach { number in
            guard let packet = speech?.sent[number.rawValue],
                let bytes = seal(packet.header, packet.payload, at: now, again: true)
            else { return }
            repeated += 1
            outgoing.append((bytes, path))
        }
    }

    var isConnected: Bool { events.contains(.connected) && !peer.isClosed }
    var closeReason: CloseReason? {
        for case .closed(let reason) in events { return reason }
        return nil
    }
}

extension DTLSContext {
    fileprivate func forbidAllVersions() { _ = shim_SSL_CTX_set_max_proto_version(context, DTLS1_VERSION) }
}

/// A client and a server, as two session descriptions would have made them.
struct Call {
    static let clientAddress = TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: 5000)
    static let otherAddress = TransportAddress(ip: IPAddress(v4: 100, 64, 0, 1), port: 6000)
    static let serverAddress = TransportAddress(ip: IPAddress(v4: 192, 0, 2, 1), port: 7882)
    static let clientStream = SSRC(0xc11e_0001)
    static let serverStream = SSRC(0x5e12_0001)

    let network: Network
    let client: CallNode
    let server: CallNode

    struct Mistakes: OptionSet {
        let rawValue: Int
        static let clientFingerprint = Mistakes(rawValue: 1)
        static let serverFingerprint = Mistakes(rawValue: 2)
        static let ufrag = Mistakes(rawValue: 4)
        static let password = Mistakes(rawValue: 8)
        /// The client has no version of DTLS that it may speak.
        static let clientVersion = Mistakes(rawValue: 16)
    }

    init(
        seed: UInt64 = 1, conditions: LinkConditions = .perfect, mistakes: Mistakes = [],
        paths: [NetworkPath] = [NetworkPath(local: clientAddress, remote: serverAddress)]
    ) throws {
        var random = SeededGenerator(seed: seed)
        network = Network(seed: seed, conditions: conditions)
        let clientContext = try DTLSContext(certificate: .selfSigned())
        let serverContext = try DTLSContext(certificate: .selfSigned())
        if mistakes.contains(.clientVersion) { clientContext.forbidAllVersions() }
        let stranger = try DTLSCertificate.selfSigned().fingerprint
        let clientCredentials = ICECredentials.random(using: &random)
        let serverCredentials = ICECredentials.random(using: &random)
        var known = serverCredentials
        if mistakes.contains(.ufrag) { known.ufrag = "wrong" }
        if mistakes.contains(.password) { known.password = "wrongwrongwrongwrongwrong" }
        let clock = NTPClock(reference: network.now, wallTime: WallTime(secondsSince1970: 1_800_000_000))

        client = CallNode(
            try MediaPeer(
                PeerConfiguration(
                    role: .client(paths: paths), localCredentials: clientCredentials, remoteCredentials: known,
                    remoteFingerprint: mistakes.contains(.serverFingerprint)
                        ? stranger : serverContext.certificate.fingerprint,
                    reportSSRC: SSRC(1), cname: "client", clock: clock, seed: random.next()),
                context: clientContext, at: network.now))
        server = CallNode(
            try MediaPeer(
                PeerConfiguration(
                    role: .server, localCredentials: serverCredentials, remoteCredentials: clientCredentials,
                    remoteFingerprint: mistakes.contains(.clientFingerprint)
                        ? stranger : clientContext.certificate.fingerprint,
                    reportSSRC: SSRC(2), cname: "server", clock: clock, seed: random.next()),
                context: serverContext, at: network.now))
        network.attach(client, at: [Call.clientAddress, Call.otherAddress])
        network.attach(server, at: [Call.serverAddress])
    }

    /// Both speak.
    func speak(for length: Interval, firstNumber: UInt32 = 0) {
        client.speak(Call.clientStream, from: network.now, for: length, firstNumber: firstNumber)
        server.speak(Call.serverStream, from: network.now, for: length, firstNumber: firstNumber)
    }
}
