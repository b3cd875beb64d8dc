import BandwidthEstimation
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
        noteTransportNumber(of: header, in: clear)
        let (reception, stream) = receiving.receive(
            header, extendedSequence: extendedSequence, in: clear, at: now)
        guard makeRoom(reception, media), let stream else { return .dropped(.tooManyStreams) }
        counted.packetsReceived &+= 1
        switch receiving.use(of: stream) {
        case .media(let place):
            return .media(
                ReceivedMedia(
                    header: header, length: clear.count, extendedSequence: extendedSequence, payload: header.payload,
                    place: place))
        case .repeats(let place): return receiveRepeat(header, of: place, in: clear)
        }
    }

    /// RFC 4588 §4: the payload begins with the number of the packet that it repeats. Without more it is padding, as probes send it.
    private func receiveRepeat(
        _ header: RTPHeader, of place: StreamPlace, in clear: UnsafeRawBufferPointer
    ) -> Received {
        guard header.payloadLength >= 2 else { return .handled }
        let number = SequenceNumber16(clear.bigEndianUInt16(at: header.payload.lowerBound))
        guard let original = receiving.receiveRepeat(header, of: place, number: number, at: now) else {
            return .dropped(.unknownRepeat)
        }
        var restored = header
        restored.ssrc = original.ssrc
        restored.payloadType = original.payloadType
        restored.sequenceNumber = number
        return .media(
            ReceivedMedia(
                header: restored, length: clear.count, extendedSequence: original.extendedSequence,
                payload: header.payload.lowerBound + 2..<header.payload.upperBound, place: place, isRepeat: true))
    }

    private func noteTransportNumber(of header: RTPHeader, in clear: UnsafeRawBufferPointer) {
        guard let id = receiving.extensions.id(of: .transportNumber),
            let range = header.extensionRange(id: id, in: clear), range.count >= 2
        else { return }
        reports.note(SequenceNumber16(clear.bigEndianUInt16(at: range.lowerBound)), of: header.ssrc, at: now)
    }

    /// Looks through a payload with copies (RFC 2198): gives each copy that stands in for a packet that has not come, oldest first. That
    /// one is not asked for any more.
    /// - Parameter type: the payload type that copies must have.
    package func recover(
        from packet: ReceivedMedia, _ redundant: RedundantPayload, type: PayloadType,
        in payload: UnsafeRawBufferPointer,
        at now: Instant, _ body: (_ copy: RedundantPayload.Copy, _ extendedSequence: UInt64) -> Void
    ) {
        guard case .connected(let media) = phase else { return }
        for index in 0..<redundant.copyCount {
            let copy = redundant.copy(index, in: payload)
            let distance = UInt64(copy.distance)
            guard copy.payloadType == type, !copy.range.isEmpty, packet.extendedSequence >= distance,
                media.receiver.isMissing(packet.header.ssrc, index: packet.extendedSequence - distance)
            else { continue }
            let sequence = packet.extendedSequence - distance
            receiving.receiveCopy(packet.header.ssrc, extendedSequence: sequence, at: max(self.now, now))
            body(copy, sequence)
        }
    }

    /// What the other side may send, and which header extensions were agreed on. Streams that have come keep their track.
    package func setReceiving(_ tracks: [ReceiveTrack], extensions: HeaderExtensionMap) {
        receiving.tracks = tracks
        receiving.extensions = extensions
    }

    /// Asks for a key frame of a stream of the other side, once: whether one comes is the owner's to see.
    package func requestKeyFrame(of ssrc: SSRC, at now: Instant) {
        self.now = max(self.now, now)
        guard !reports.takesNoRequest(of: ssrc) else { return }
        reports.requestKeyFrame(of: ssrc, command: receiving.nextKeyFrameCommand(of: ssrc))
    }

    /// Counts a media packet for the reports as `receive` does, without opening it: for loads, which open samples only. Never for
    /// anything that is listened to.
    package func countUnopened(_ ssrc: SSRC, timestamp: RTPTimestamp, extendedSequence: UInt64, at now: Instant) {
        guard case .connected(let media) = phase else { return }
        self.now = max(self.now, now)
        let header = RTPHeader(unopened: ssrc, timestamp: timestamp)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let (reception, _) = receiving.receive(header, extendedSequence: extendedSequence, in: nothing, at: self.now)
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
                    tell(
                        .senderReport(
                            info.ssrc, ntp: info.ntp, timestamp: info.timestamp,
                            made: publisherClock.note(info.ntp, at: now), at: now))
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
            case .pictureLossIndication(_, let media): tellKeyFrameWanted(media)
            case .fullIntraRequest(_, let requests):
                for request in requests.prefix(MediaPeer.maximumSendStreams) { tellKeyFrameWanted(request.ssrc) }
            case .transportFeedback(_, _, let message): receiveArrivals(message)
            case .estimatedMaximumBitrate(_, let rate): bandwidth?.receive(statedMaximum: Double(rate), at: now)
            case .sourceDescription, .goodbye, .unknown: break
            }
        }
        return compound.isMalformed ? .dropped(.malformed) : .handled
    }

    /// What is seen to be lost counts as asked for: the request may have got lost as well, and a repeat that got lost is asked for late.
    private func receiveArrivals(_ message: TransportFeedback) {
        guard let bandwidth else { return }
        bandwidth.receive(message, at: now)
        for (stream, sequence) in bandwidth.takeLost() {
            guard let ssrc = lane[stream]?.ssrc else { continue }
            tell(.nack(stream: stream, ssrc, sequence: sequence, following: 0))
        }
    }

    private func tellKeyFrameWanted(_ ssrc: SSRC) {
        if let stream = lane.number(of: ssrc) { tell(.keyFrameWanted(stream: stream)) }
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
