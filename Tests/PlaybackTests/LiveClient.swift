internal import DTLS
internal import DatagramIO
internal import ICE
internal import MediaNode
internal import PeerSession
internal import RTP
internal import RoomPorts
internal import SDP
internal import Testing
internal import Timing
internal import Wire

/// A native client's media path over a real socket: sends what it is given, keeps what it hears.
final class LiveClient {
    struct Heard {
        var sequence: UInt64
        var timestamp: UInt32
        var payload: [UInt8]
    }

    let id: PeerID
    let stage: StageID
    let socket: DatagramSocket
    private let certificate: DTLSCertificate
    private let context: DTLSContext
    private var random = SystemRandomNumberGenerator()
    private let ssrc = UInt32.random(in: 1...(.max))
    private lazy var credentials = ICECredentials.random(using: &random)
    private var media: MediaPeer?
    private var accepted: AcceptedOffer?
    private(set) var answer: MediaAnswer?
    private(set) var isConnected = false
    private(set) var heard: [Int: [Heard]] = [:]
    private var sequence: UInt16 = 65_000
    private var positionID: UInt8?
    /// Whether the server wants to be told the position in the song.
    var statesPosition: Bool { positionID != nil }

    init(_ id: UInt64, on stage: StageID) throws {
        self.id = PeerID(rawValue: id)
        self.stage = stage
        socket = try DatagramSocket(binding: TransportAddress(ip: IPAddress(v4: 127, 0, 0, 1), port: 0))
        certificate = try DTLSCertificate.selfSigned()
        context = try DTLSContext(certificate: certificate)
    }

    /// `lines`: how many it wants to hear, with that of the mix.
    func negotiate(with node: MediaPlane, lines: Int) async throws {
        var builder = OfferBuilder(
            ufrag: credentials.ufrag, password: credentials.password, fingerprint: certificate.fingerprint.sdpValue,
            sessionID: UInt64.random(in: 1...(1 << 60)), version: 1,
            microphone: SlotSource(ssrc: ssrc, cname: "mic", stream: StreamIdentification(stream: "-", track: nil)),
            slots: lines)
        builder.extensions.append(ExtensionMapping(id: 9, uri: ExtensionURI.songPosition))
        node.admit(id, on: stage)
        let answer = try await node.answer(MediaOffer(stage: stage, peer: id, number: 1, sdp: builder.offer().text))
        self.answer = answer
        let accepted = try AcceptedOffer(answer: SessionDescription(parsing: answer.sdp))
        self.accepted = accepted
        positionID = accepted.extensions.first { $0.uri == ExtensionURI.songPosition }?.id
        let fingerprint = try #require(accepted.fingerprints.first.flatMap(CertificateFingerprint.init(sdpValue:)))
        let paths = accepted.candidates.filter { $0.transport == "udp" }.compactMap { candidate -> NetworkPath? in
            guard let remote = IPAddress(text: candidate.address), remote.isIPv4 else { return nil }
            return NetworkPath(local: socket.local, remote: TransportAddress(ip: remote, port: candidate.port))
        }
        let now = SystemClock.now()
        let configuration = PeerConfiguration(
            role: .client(paths: paths), localCredentials: credentials,
            remoteCredentials: ICECredentials(ufrag: accepted.ufrag, password: accepted.password),
            remoteFingerprint: fingerprint, reportSSRC: SSRC(.random(in: 1...(.max))), cname: "client",
            clock: NTPClock(reference: now, wallTime: SystemClock.wallTime()), seed: random.next())
        media = try MediaPeer(configuration, context: context, at: now)
        media?.openSendStream(SSRC(ssrc), clockRate: 48_000, cname: "mic")
        drain()
    }

    func send(_ payload: UnsafeRawBufferPointer, timestamp: UInt32, songPosition: UInt32?) {
        guard let media, let path = media.mediaPath, let payloadType = accepted?.microphonePayloadType else { return }
        let slot = socket.nextSlot()
        var writer = RTPHeaderWriter(
            into: slot, payloadType: PayloadType(payloadType), sequenceNumber: SequenceNumber16(sequence),
            timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc))
        if let positionID, let songPosition {
            withUnsafeBytes(of: songPosition.bigEndian) { writer.add(extension: $0, id: positionID) }
        }
        guard let headerLength = writer.finish() else { return }
        sequence &+= 1
        let now = SystemClock.now()
        guard let length = media.seal(headerLength: headerLength, payload: payload, into: slot, at: now) else { return }
        socket.commit(length: length, path: path, at: now)
        socket.flush(at: now)
    }

    func work() {
        let now = SystemClock.now()
        while socket.receive(at: now, { slot, length, path, _ in receive(slot, length, path) }) > 0 {}
        if let media, media.nextDeadline <= now { media.advance(to: now) }
        drain()
    }

    private func receive(_ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath) {
        guard let media else { return }
        if case .media(let packet) = media.receive(slot, length: length, path: path, at: SystemClock.now()),
            let line = accepted?.slots.first(where: { $0.ssrc == packet.header.ssrc.rawValue })
        {
            heard[line.index, default: []].append(
                Heard(
                    sequence: packet.extendedSequence, timestamp: packet.header.timestamp.rawValue,
                    payload: Array(slot[packet.header.payload])))
        }
        drain()
    }

    private func drain() {
        guard let media else { return }
        let now = SystemClock.now()
        while let output = media.nextOutput(into: socket.nextSlot()) {
            switch output {
            case .datagram(let length, let path): socket.commit(length: length, path: path, at: now)
            case .event(.connected): isConnected = true
            case .event: break
            }
        }
        socket.flush(at: now)
    }
}
