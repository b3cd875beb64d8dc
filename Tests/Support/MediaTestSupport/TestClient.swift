internal import DTLS
package import DatagramIO
internal import ICE
package import PeerSession
package import RTP
package import RoomPorts
package import SDP
package import Timing
package import Wire

/// A browser's side of a media path, over a real socket: offers, connects, speaks, and keeps what it hears. It goes on doing so
/// whatever it is told.
package final class TestClient {
    /// An answer that cannot be read.
    package struct Unreadable: Error {
        package let answer: String
    }

    package struct Heard: Equatable {
        package var sequence: UInt64
        package var timestamp: UInt32
        package var marker: Bool
        package var payload: [UInt8]
    }

    package static let silence: [UInt8] = [0xf8, 0xff, 0xfe]

    package let id: PeerID
    package let stage: StageID
    package let slots: Int
    package let socket: DatagramSocket
    /// Its network lets only TCP through, to any of the server's ports or to this one.
    package enum Reach: Equatable {
        case udp
        case tcp(port: UInt16?)
    }
    package var reach = Reach.udp
    package private(set) var line: TCPLine?
    private let certificate: DTLSCertificate
    private let context: DTLSContext
    private var random = SystemRandomNumberGenerator()
    package private(set) var sessionID: UInt64
    package private(set) var offerNumber: UInt32 = 0
    package private(set) var media: MediaPeer?
    package private(set) var accepted: AcceptedOffer?
    package var answer: MediaAnswer?
    private let ssrc: UInt32

    package private(set) var isConnected = false
    package private(set) var closeReason: CloseReason?
    package private(set) var sendersReported: Set<SSRC> = []
    /// By slot.
    package private(set) var heard: [Int: [Heard]] = [:]

    /// Checks that the other side has answered under the names of its last answer.
    package private(set) var answeredChecks = 0
    /// How many pictures it wants to see, and whether it has a camera.
    package var pictures = 0
    package var encoding = PictureEncoding.vp8
    package var hasCamera = false
    /// The camera's line is said to be the spare one, and nothing else of pictures is offered.
    package var isCameraSpare = false
    package let cameraSSRC = UInt32.random(in: 1...(.max)) & ~1
    private var cameraStream: Int?
    private var cameraSequence: UInt64 = 100
    private var filmed: [UInt64: (packet: OutgoingPacket, payload: [UInt8])] = [:]
    package private(set) var seen: [Int: [Heard]] = [:]
    package private(set) var keyFramesWanted = 0
    /// How many media packets the network loses on their way to us from now on.
    package var losesNext = 0
    /// Whether it sends again what it is asked for.
    package var repeatsLost = true
    /// What was sent, for repeats.
    private var sent: [UInt16: (header: [UInt8], payload: [UInt8])] = [:]
    private var sequence: UInt16
    private var timestamp: UInt32

    package init(_ id: UInt64, on stage: StageID, slots: Int, ip: IPAddress) throws {
        self.id = PeerID(rawValue: id)
        self.stage = stage
        self.slots = slots
        socket = try DatagramSocket(binding: TransportAddress(ip: ip, port: 0))
        certificate = try DTLSCertificate.selfSigned()
        context = try DTLSContext(certificate: certificate)
        sessionID = UInt64.random(in: 1...(1 << 60))
        ssrc = UInt32.random(in: 1...(.max))
        sequence = UInt16.random(in: 0...(.max))
        timestamp = UInt32.random(in: 0...(.max))
    }

    // MARK: Negotiation

    private var builder: OfferBuilder {
        var builder = OfferBuilder(
            ufrag: credentials.ufrag, password: credentials.password, fingerprint: certificate.fingerprint.sdpValue,
            sessionID: sessionID, version: UInt64(offerNumber),
            microphone: SlotSource(
                ssrc: ssrc, cname: "mic", stream: StreamIdentification(stream: "-", track: nil)), slots: slots)
        builder.pictures = pictures
        builder.encoding = encoding
        if hasCamera {
            builder.camera = ViewSource(
                ssrc: cameraSSRC, repeatSSRC: cameraSSRC ^ 1, cname: "mic",
                stream: StreamIdentification(stream: "-", track: nil))
        }
        return builder
    }

    /// The camera's line is offered, and carries nothing.
    package var isCameraInactive = false

    private lazy var credentials = ICECredentials.random(using: &random)

    /// What it would offer now.
    package var offerText: String {
        var offer = builder.offer()
        for index in offer.media.indices where isCameraInactive && offer.media[index].mid == "camera" {
            offer.media[index].direction = .inactive
        }
        return offer.text
    }

    /// The next offer. A first one, or one after `newPeerConnection`, opens the path when its answer is taken.
    package func nextOffer() -> (number: UInt32, sdp: String) {
        offerNumber += 1
        return (offerNumber, offerText)
    }

    package func take(sdp: String) throws {
        guard let description = try? SessionDescription(parsing: sdp),
            let accepted = try? AcceptedOffer(answer: description),
            let fingerprint = accepted.fingerprints.first.flatMap(CertificateFingerprint.init(sdpValue:))
        else { throw Unreadable(answer: sdp) }
        let isRestart = self.accepted.map { $0.ufrag != accepted.ufrag } ?? false
        if isRestart { answeredChecks = 0 }
        self.accepted = accepted
        let remote = ICECredentials(ufrag: accepted.ufrag, password: accepted.password)
        var paths = accepted.candidates.filter(isReachable).compactMap { candidate -> NetworkPath? in
            guard let remote = IPAddress(text: candidate.address), remote.isIPv4 == socket.local.ip.isIPv4 else {
                return nil
            }
            return NetworkPath(local: socket.local, remote: TransportAddress(ip: remote, port: candidate.port))
        }
        if reach != .udp, line == nil || isRestart {
            paths = Array(paths.prefix(1))
            checkedPath = paths.first
            line = checkedPath.flatMap { TCPLine(to: $0.remote) }
        }
        let now = SystemClock.now()
        if let media {
            if isRestart { media.restartICE(local: credentials, remote: remote, paths: paths, at: now) }
        } else {
            let configuration = PeerConfiguration(
                role: .client(paths: paths), localCredentials: credentials, remoteCredentials: remote,
                remoteFingerprint: fingerprint, reportSSRC: SSRC(.random(in: 1...(.max))), cname: "client",
                clock: NTPClock(reference: now, wallTime: SystemClock.wallTime()), seed: random.next())
            media = try? MediaPeer(configuration, context: context, at: now)
            media?.openSendStream(SSRC(ssrc), clockRate: 48_000, cname: "mic")
            openCamera()
        }
        drain()
    }

    private func isReachable(_ candidate: ICECandidate) -> Bool {
        switch reach {
        case .udp: candidate.transport == "udp"
        case .tcp(let port):
            candidate.transport == "tcp" && candidate.tcpKind == "passive" && (port ?? candidate.port) == candidate.port
        }
    }

    /// As after a reload of the page: the same person, nothing else the same.
    package func newPeerConnection() {
        media = nil
        accepted = nil
        isConnected = false
        closeReason = nil
        heard = [:]
        sessionID += 1
        credentials = ICECredentials.random(using: &random)
    }

    package func newCredentials() { credentials = ICECredentials.random(using: &random) }

    // MARK: Media

    /// Sends one frame of 20 ms with that content, or lets the network lose it.
    package func speak(_ payload: [UInt8], level: UInt8 = 20, as format: UInt8? = nil, isLost: Bool = false) {
        let now = SystemClock.now()
        let slot = socket.nextSlot()
        guard let (length, path) = seal(payload, level: level, as: format, into: slot, at: now), !isLost else { return }
        commit(slot, length, path)
        socket.flush(at: now)
    }

    /// The next packet of the microphone as it would go out, for whoever sends it later.
    package func sealed(_ payload: [UInt8]) -> [UInt8]? {
        let slot = socket.nextSlot()
        return seal(payload, level: 20, as: nil, into: slot, at: SystemClock.now()).map { Array(slot[..<$0.length]) }
    }

    private func seal(
        _ payload: [UInt8], level: UInt8, as format: UInt8?, into slot: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> (length: Int, path: NetworkPath)? {
        guard let media, let path = media.mediaPath, let payloadType = format ?? accepted?.microphonePayloadType
        else { return nil }
        var writer = RTPHeaderWriter(
            into: slot, marker: false, payloadType: PayloadType(payloadType),
            sequenceNumber: SequenceNumber16(sequence), timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc))
        writer.add(AudioLevel(attenuation: level, isVoice: true), id: 1)
        guard let headerLength = writer.finish() else { return nil }
        sent[sequence] = (Array(slot[..<headerLength]), payload)
        sequence &+= 1
        timestamp &+= 960
        let length = payload.withUnsafeBytes {
            media.seal(headerLength: headerLength, payload: $0, into: slot, at: now)
        }
        return length.map { ($0, path) }
    }

    private func `repeat`(_ number: SequenceNumber16) {
        guard repeatsLost, let media, let path = media.mediaPath, let (header, payload) = sent[number.rawValue] else {
            return
        }
        let slot = socket.nextSlot()
        slot.copyBytes(from: header)
        let length = payload.withUnsafeBytes {
            media.sealAgain(headerLength: header.count, payload: $0, into: slot)
        }
        if let length { commit(slot, length, path) }
    }

    /// What a picture is made of: see `film`.
    private func openCamera() {
        var extensions = HeaderExtensionMap()
        extensions.set(.mid, id: 4)
        media?.setReceiving(
            (accepted?.pictures ?? []).map { picture in
                ReceiveTrack(
                    mid: nil,
                    formats: [
                        ReceiveTrack.Format(
                            payloadType: PayloadType(picture.payloadType), clockRate: 90_000,
                            repeats: picture.repeatPayloadType.map { PayloadType($0) })
                    ],
                    sources: [
                        ReceiveTrack.Source(ssrc: SSRC(picture.ssrc), repeats: picture.repeatSSRC.map { SSRC($0) })
                    ], repeats: .picture)
            }, extensions: extensions)
        guard hasCamera, let payloadType = accepted?.cameraPayloadType else { return }
        cameraStream = media?.openSendStream(
            SendStreamTerms(
                ssrc: SSRC(cameraSSRC), clockRate: 90_000, cname: "mic", payloadType: PayloadType(payloadType),
                mid: Mid("camera"), midID: 4,
                repeats: RepeatStreamTerms(
                    ssrc: SSRC(cameraSSRC ^ 1), payloadType: PayloadType(97), firstSequence: 7)))
    }

    /// Sends one frame in one packet, as VP8 (RFC 7741), or lets the network lose it.
    package func film(
        _ content: [UInt8], isKeyFrame: Bool = false, isLost: Bool = false, as format: UInt8? = nil
    ) {
        guard let media, let path = media.mediaPath, let stream = cameraStream else { return }
        let packet = OutgoingPacket(
            ssrc: SSRC(cameraSSRC), stream: stream, sequence: cameraSequence,
            timestamp: UInt32(truncatingIfNeeded: cameraSequence &* 3_000), marker: true)
        let payload = Self.picture(content, isKeyFrame: isKeyFrame, encoding)
        filmed[cameraSequence] = (packet, payload)
        cameraSequence += 1
        let now = SystemClock.now()
        let slot = socket.nextSlot()
        if let format {
            media.describeSendStream(stream, payloadType: PayloadType(format), mid: Mid("camera"), midID: 4)
        }
        let length = payload.withUnsafeBytes { media.lane.seal(packet, payload: $0, into: slot, at: now) }
        guard let length, !isLost else { return }
        commit(slot, length, path)
        socket.flush(at: now)
    }

    private func filmAgain(_ number: SequenceNumber16) {
        guard let media, let path = media.mediaPath,
            let (packet, payload) = filmed.first(where: { UInt16(truncatingIfNeeded: $0.key) == number.rawValue })?
                .value
        else { return }
        let slot = socket.nextSlot()
        let now = SystemClock.now()
        let length = payload.withUnsafeBytes { media.lane.sealAgain(packet, payload: $0, into: slot, at: now) }
        if let length { commit(slot, length, path) }
    }

    /// A packet that is a whole frame: VP8's descriptor and the first byte of its frame, or units of H.264, a key frame with its
    /// parameters (RFC 6184 §5.7.1).
    private static func picture(_ content: [UInt8], isKeyFrame: Bool, _ encoding: PictureEncoding) -> [UInt8] {
        switch encoding {
        case .vp8: [0x10, isKeyFrame ? 0 : 1] + content
        // I, L and, in its first byte, P unless it is a key frame (RFC 9628 §4.2).
        case .vp9: [isKeyFrame ? 0xa8 : 0xe8, 0x80, 1, 0, 1] + content
        case .av1: [isKeyFrame ? 0x18 : 0x10] + content
        case .h264: (isKeyFrame ? [24, 0, 1, 0x67, 0, UInt8(content.count + 1), 0x65] : [0x61]) + content
        }
    }

    private static func content(of payload: [UInt8], _ encoding: PictureEncoding) -> [UInt8] {
        switch encoding {
        case .vp8: Array(payload.dropFirst(2))
        case .vp9: Array(payload.dropFirst(5))
        case .av1: Array(payload.dropFirst(1))
        case .h264: Array(payload.dropFirst(payload.first == 24 ? 7 : 1))
        }
    }

    /// What was seen on a picture, frame by frame. What was asked for again while it was on its way comes twice.
    package func frames(on picture: Int) -> [[UInt8]] {
        var frames: [UInt64: [UInt8]] = [:]
        for frame in seen[picture, default: []] { frames[frame.sequence] = Self.content(of: frame.payload, encoding) }
        return frames.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Sends bytes as they are to where the media goes.
    package func sendRaw(_ bytes: [UInt8], to path: NetworkPath) {
        socket.nextSlot().copyBytes(from: bytes)
        let now = SystemClock.now()
        socket.commit(length: bytes.count, path: path, at: now)
        socket.flush(at: now)
    }

    package func sayGoodbye() {
        media?.close()
        drain()
    }

    package func payloads(on slot: Int) -> [[UInt8]] { heard[slot, default: []].map(\.payload) }

    // MARK: Driving

    package var nextDeadline: Instant { media?.nextDeadline ?? .distantFuture }

    package func work() {
        let now = SystemClock.now()
        while socket.receive(at: now, { slot, length, path, arrival in receive(slot, length, path) }) > 0 {}
        receiveByTCP()
        if let media, media.nextDeadline <= now { media.advance(to: now) }
        drain()
    }

    /// What it gets by TCP stays with the sender meanwhile.
    package var readsNothing = false

    private func receiveByTCP() {
        guard !readsNothing, let line, let path = media?.mediaPath ?? checkedPath else { return }
        for datagram in line.receive() ?? [] {
            withUnsafeTemporaryAllocation(byteCount: DatagramSocket.slotBytes, alignment: 8) { slot in
                slot.copyBytes(from: datagram)
                receive(slot, datagram.count, path)
            }
        }
    }

    /// The only one that there is by TCP.
    private var checkedPath: NetworkPath?

    private func commit(_ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath) {
        guard reach != .udp else { return socket.commit(length: length, path: path, at: SystemClock.now()) }
        line?.send(UnsafeRawBufferPointer(rebasing: slot[..<length]))
    }

    private func receive(_ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath) {
        guard let media else { return }
        if let password = accepted?.password {
            let datagram = UnsafeRawBufferPointer(rebasing: slot[..<length])
            if let message = STUNMessage.parse(datagram), message.messageClass == .success,
                message.isAuthentic(in: datagram, key: STUNIntegrityKey(password: password))
            {
                answeredChecks += 1
            }
        }
        // RFC 7983 and RFC 5761: SRTP that is no RTCP.
        if losesNext > 0, (128...191).contains(slot[0]), !(192...223).contains(slot[1]) {
            losesNext -= 1
            return
        }
        if case .media(let packet) = media.receive(slot, length: length, path: path, at: SystemClock.now()) {
            if let picture = accepted?.pictures.first(where: { $0.ssrc == packet.header.ssrc.rawValue }) {
                seen[picture.index, default: []].append(
                    Heard(
                        sequence: packet.extendedSequence, timestamp: packet.header.timestamp.rawValue,
                        marker: packet.header.marker, payload: Array(slot[packet.payload])))
            }
            let line = accepted?.slots.first { $0.ssrc == packet.header.ssrc.rawValue }
            guard let line else { return }
            heard[line.index, default: []].append(
                Heard(
                    sequence: packet.extendedSequence, timestamp: packet.header.timestamp.rawValue,
                    marker: packet.header.marker, payload: Array(slot[packet.header.payload])))
        }
        drain()
    }

    private func drain() {
        guard let media else { return }
        let now = SystemClock.now()
        while true {
            let slot = socket.nextSlot()
            guard let output = media.nextOutput(into: slot) else { break }
            switch output {
            case .datagram(let length, let path): commit(slot, length, path)
            case .event(.connected): isConnected = true
            case .event(.closed(let reason)): closeReason = reason
            case .event(.senderReport(let ssrc, _, _, _, _)): sendersReported.insert(ssrc)
            case .event(.keyFrameWanted): keyFramesWanted += 1
            case .event(.nack(_, let ssrc, let first, let following)):
                for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 {
                    if ssrc.rawValue == cameraSSRC {
                        filmAgain(first.advanced(by: bit))
                    } else {
                        self.repeat(first.advanced(by: bit))
                    }
                }
            case .event: break
            }
        }
        socket.flush(at: now)
    }
}

extension [TestClient.Heard] {
    /// Whether each sequence number follows the one before, as in one stream without loss.
    package var isUnbroken: Bool { zip(self, dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 } }
}
