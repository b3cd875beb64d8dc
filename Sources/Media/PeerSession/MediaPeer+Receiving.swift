import DTLS
import ICE
package import RTP
import SRTP
package import Timing
package import Wire

/// Decides what a datagram is and passes it on.
extension MediaPeer {
    /// Tells the protocols of one path apart by the first byte (RFC 7983 §7).
    func dispatch(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath
    ) -> Received {
        guard !isClosed else { return .dropped(.closed) }
        guard length > 0, length <= datagram.count else { return .dropped(.malformed) }
        let bytes = UnsafeRawBufferPointer(rebasing: datagram[..<length])
        switch bytes[0] {
        case 0...3: return receiveSTUN(bytes, path: path)
        case 20...63: return receiveDTLS(bytes, path: path)
        case 128...191: return receiveSRTP(datagram, length: length, path: path)
        default: return .dropped(.unknownProtocol)
        }
    }

    private func receiveSTUN(_ bytes: UnsafeRawBufferPointer, path: NetworkPath) -> Received {
        switch agent.receive(bytes, path: path, at: now) {
        case .authentic:
            mediaPath = agent.selectedPath
            noteAuthentic()
            startHandshakeIfReady()
            return .handled
        case .ignored: return .handled
        case .malformed: return .dropped(.malformed)
        case .wrongCredentials: return .dropped(.wrongCredentials)
        }
    }

    private func receiveDTLS(_ bytes: UnsafeRawBufferPointer, path: NetworkPath) -> Received {
        guard agent.isValidated(path) else { return .dropped(.unvalidatedPath) }
        handshakePath = path
        dtls.receive(bytes, at: now)
        takeDTLSEvents()
        return .handled
    }

    private func receiveSRTP(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath
    ) -> Received {
        guard case .connected(let media) = phase else { return .dropped(.noKeys) }
        guard path == mediaPath || agent.isValidated(path) else { return .dropped(.unvalidatedPath) }
        // RFC 5761 §4: RTCP's packet types lie where RTP would have the marker and payload types 64…95.
        let isControl = length > 1 && (192...223).contains(datagram[1])
        let result =
            isControl
            ? media.receiver.openControl(datagram, length: length) : media.receiver.open(datagram, length: length)
        switch result {
        case .opened(let clearLength, let extendedSequence):
            _ = agent.noteMedia(on: path, at: now)
            noteAuthentic()
            let clear = UnsafeRawBufferPointer(rebasing: datagram[..<clearLength])
            guard !isControl else { return receiveControl(clear, media) }
            return receiveMedia(clear, extendedSequence: extendedSequence, media)
        case .replayed: return .dropped(.replayed)
        case .authenticationFailed: return .dropped(.authenticationFailed)
        case .malformed: return .dropped(.malformed)
        case .tooManySources: return .dropped(.tooManyStreams)
        }
    }

    private func receiveMedia(
        _ clear: UnsafeRawBufferPointer, extendedSequence: UInt64, _ media: SecureMedia
    ) -> Received {
        guard let header = RTPHeader.parse(clear) else { return .dropped(.malformed) }
        let reception = receiving.receive(
            header.ssrc, timestamp: header.timestamp, extendedSequence: extendedSequence, at: now)
        guard makeRoom(reception, media) else { return .dropped(.tooManyStreams) }
        counted.packetsReceived &+= 1
        return .media(ReceivedMedia(header: header, length: clear.count, extendedSequence: extendedSequence))
    }

    /// Counts a media packet for the reports as `receive` does, without opening it: for loads, which open samples only. Never for
    /// anything that is listened to.
    package func countUnopened(_ ssrc: SSRC, timestamp: RTPTimestamp, extendedSequence: UInt64, at now: Instant) {
        guard case .connected(let media) = phase else { return }
        self.now = max(self.now, now)
        let reception = receiving.receive(
            ssrc, timestamp: timestamp, extendedSequence: extendedSequence, at: self.now)
        if makeRoom(reception, media) { counted.packetsReceived &+= 1 }
    }

    /// Forgets a source whose place was needed. False if there was no place for the new one.
    private func makeRoom(_ reception: ReceiveStreams.Reception, _ media: SecureMedia) -> Bool {
        switch reception {
        case .counted: return true
        case .replaced(let old):
            media.receiver.forget(old)
            return true
        case .tooManyStreams: return false
        }
    }

    /// How a stream of the other side arrives; nil before its first packet.
    package func reception(of ssrc: SSRC) -> ReceptionStatistics? { receiving.reception(of: ssrc) }

    private func receiveControl(_ clear: UnsafeRawBufferPointer, _ media: SecureMedia) -> Received {
        guard control.take(now: now) else { return .dropped(.tooMuchControl) }
        var compound = RTCPCompound(clear)
        var requests = 0
        while let packet = compound.next() {
            switch packet {
            case .senderReport(let info, let blocks):
                if makeRoom(receiving.receiveSenderReport(info, at: now), media) {
                    tell(.senderReport(info.ssrc, ntp: info.ntp, timestamp: info.timestamp, at: now))
                }
                take(blocks)
            case .receiverReport(_, let blocks):
                take(blocks)
            case .nack(_, let media, let missing):
                for entry in missing {
                    requests += 1
                    guard requests <= MediaPeer.maximumRepeatRequests else { break }
                    counted.repeatsAsked &+= UInt64(1 + entry.following.nonzeroBitCount)
                    guard let stream = lane.number(of: media) else { continue }
                    tell(.nack(stream: stream, media, sequence: entry.first, following: entry.following))
                }
            case .sourceDescription, .goodbye, .pictureLossIndication, .fullIntraRequest, .estimatedMaximumBitrate,
                .unknown:
                break
            }
        }
        return compound.isMalformed ? .dropped(.malformed) : .handled
    }

    private func take(_ blocks: ReportBlocks) {
        for block in blocks {
            guard let stream = lane.number(of: block.ssrc) else { continue }
            let roundTrip = reports.receive(block, at: now)
            lane.acknowledge(stream)
            tell(.receiverReport(block.ssrc, roundTrip: roundTrip, fractionLost: block.fractionLost))
        }
    }
}
