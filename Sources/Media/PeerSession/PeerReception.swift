internal import BandwidthEstimation
internal import RTP
internal import SRTP
internal import Timing
internal import Wire

/// What comes from the other side, in clear: media is counted for its streams and repeats are put in their place; control says how our
/// streams arrive. Owns what our reports tell of both.
struct PeerReception {
    /// Requests for repeats in one datagram, each for up to 17 packets: more than a lost second of a stream. The rest is asked for
    /// again.
    static let maximumRepeatRequests = 32
    /// RTCP datagrams: a report a second for each of 16 streams, and requests for repeats every few milliseconds where a line is bad.
    private static let controlAllowance = Allowance(burst: 200, perSecond: 100)

    var streams: ReceiveStreams
    private(set) var packetsReceived: UInt64 = 0
    /// Requests that the other side sent, one counted for each sequence number and time.
    private(set) var repeatsAsked: UInt64 = 0
    /// Requests of ours, counted in the same way.
    private(set) var repeatsRequested: UInt64 = 0
    /// Our streams, of which control speaks.
    private let lane: SendLane
    private var reports: ReportScheduler
    private var publisherClock = PublisherClock()
    private var control: TokenBucket

    init(_ configuration: PeerConfiguration, lane: SendLane, at now: Instant) {
        streams = ReceiveStreams(
            clockRate: configuration.receiveClockRate, asksForRepeats: configuration.requestsRepeats)
        reports = ReportScheduler(configuration)
        control = TokenBucket(Self.controlAllowance, now: now)
        self.lane = lane
    }

    /// What the other side may send, and which header extensions were agreed on. Streams that have come keep their track.
    mutating func agree(on tracks: [ReceiveTrack], extensions: HeaderExtensionMap) {
        streams.tracks = tracks
        streams.extensions = extensions
    }

    // MARK: Media

    mutating func receive(
        _ clear: UnsafeRawBufferPointer, extendedSequence: UInt64, _ media: SecureMedia, at now: Instant
    ) -> Received {
        guard let header = RTPHeader.parse(clear) else { return .dropped(.malformed) }
        noteTransportNumber(of: header, in: clear, at: now)
        let (reception, stream) = streams.receive(header, extendedSequence: extendedSequence, in: clear, at: now)
        guard makeRoom(reception, media), let stream else { return .dropped(.tooManyStreams) }
        packetsReceived &+= 1
        switch streams.use(of: stream) {
        case .media(let place):
            return .media(
                ReceivedMedia(
                    header: header, length: clear.count, extendedSequence: extendedSequence, payload: header.payload,
                    place: place))
        case .repeats(let place): return receiveRepeat(header, of: place, in: clear, at: now)
        }
    }

    /// RFC 4588 §4: the payload begins with the number of the packet that it repeats. Without more it is padding, as probes send it.
    private mutating func receiveRepeat(
        _ header: RTPHeader, of place: StreamPlace, in clear: UnsafeRawBufferPointer, at now: Instant
    ) -> Received {
        guard header.payloadLength >= 2 else { return .handled }
        let number = SequenceNumber16(clear.bigEndianUInt16(at: header.payload.lowerBound))
        guard let original = streams.receiveRepeat(header, of: place, number: number, at: now) else {
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

    private mutating func noteTransportNumber(
        of header: RTPHeader, in clear: UnsafeRawBufferPointer, at now: Instant
    ) {
        guard let id = streams.extensions.id(of: .transportNumber),
            let range = header.extensionRange(id: id, in: clear), range.count >= 2
        else { return }
        reports.note(SequenceNumber16(clear.bigEndianUInt16(at: range.lowerBound)), of: header.ssrc, at: now)
    }

    /// A packet that was lost has come as a copy in a later one: it is not asked for any more.
    mutating func receiveCopy(_ ssrc: SSRC, extendedSequence: UInt64, at now: Instant) {
        streams.receiveCopy(ssrc, extendedSequence: extendedSequence, at: now)
    }

    /// Counts a packet of which nothing but its numbers is known.
    mutating func count(
        _ ssrc: SSRC, timestamp: RTPTimestamp, extendedSequence: UInt64, _ media: SecureMedia, at now: Instant
    ) {
        let header = RTPHeader(unopened: ssrc, timestamp: timestamp)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let (reception, _) = streams.receive(header, extendedSequence: extendedSequence, in: nothing, at: now)
        if makeRoom(reception, media) { packetsReceived &+= 1 }
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

    // MARK: Control

    mutating func receiveControl(
        _ clear: UnsafeRawBufferPointer, _ media: SecureMedia, _ bandwidth: SendBandwidth?, at now: Instant,
        tell events: inout PeerEventQueue
    ) -> Received {
        guard control.take(now: now) else { return .dropped(.tooMuchControl) }
        var compound = RTCPCompound(clear)
        var requests = 0
        while let packet = compound.next() {
            switch packet {
            case .senderReport(let info, let blocks):
                if makeRoom(streams.receiveSenderReport(info, at: now), media) {
                    events.add(
                        .senderReport(
                            info.ssrc, ntp: info.ntp, timestamp: info.timestamp,
                            made: publisherClock.note(info.ntp, at: now), at: now))
                }
                take(blocks, at: now, tell: &events)
            case .receiverReport(_, let blocks):
                take(blocks, at: now, tell: &events)
            case .nack(_, let media, let missing):
                for entry in missing {
                    requests += 1
                    guard requests <= Self.maximumRepeatRequests else { break }
                    repeatsAsked &+= UInt64(1 + entry.following.nonzeroBitCount)
                    guard let stream = lane.number(of: media) else { continue }
                    events.add(.nack(stream: stream, media, sequence: entry.first, following: entry.following))
                }
            case .pictureLossIndication(_, let media): tellKeyFrameWanted(media, &events)
            case .fullIntraRequest(_, let requests):
                for request in requests.prefix(MediaPeer.maximumSendStreams) {
                    tellKeyFrameWanted(request.ssrc, &events)
                }
            case .transportFeedback(_, _, let message):
                guard let bandwidth else { continue }
                receiveArrivals(message, bandwidth, at: now, tell: &events)
            case .estimatedMaximumBitrate(_, let rate): bandwidth?.receive(statedMaximum: Double(rate), at: now)
            case .sourceDescription, .goodbye, .unknown: break
            }
        }
        return compound.isMalformed ? .dropped(.malformed) : .handled
    }

    /// What is seen to be lost counts as asked for: the request may have got lost as well, and a repeat that got lost is asked for late.
    private func receiveArrivals(
        _ message: TransportFeedback, _ bandwidth: SendBandwidth, at now: Instant, tell events: inout PeerEventQueue
    ) {
        bandwidth.receive(message, at: now)
        for (stream, sequence) in bandwidth.takeLost() {
            guard let ssrc = lane[stream]?.ssrc else { continue }
            events.add(.nack(stream: stream, ssrc, sequence: sequence, following: 0))
        }
    }

    private func tellKeyFrameWanted(_ ssrc: SSRC, _ events: inout PeerEventQueue) {
        if let stream = lane.number(of: ssrc) { events.add(.keyFrameWanted(stream: stream)) }
    }

    private mutating func take(_ blocks: ReportBlocks, at now: Instant, tell events: inout PeerEventQueue) {
        for block in blocks {
            guard let stream = lane.number(of: block.ssrc) else { continue }
            let roundTrip = reports.receive(block, at: now)
            lane.acknowledge(stream)
            events.add(.receiverReport(block.ssrc, roundTrip: roundTrip, fractionLost: block.fractionLost))
        }
    }

    // MARK: Reports of ours

    mutating func start(at now: Instant) { reports.start(at: now) }
    mutating func advance(to now: Instant) { reports.advance(to: now) }
    var nextReport: Instant { reports.nextDeadline(streams) }

    /// Asks for a key frame of a stream of the other side, once: whether one comes is the owner's to see.
    mutating func requestKeyFrame(of ssrc: SSRC) {
        guard !reports.takesNoRequest(of: ssrc) else { return }
        reports.requestKeyFrame(of: ssrc, command: streams.nextKeyFrameCommand(of: ssrc))
    }

    /// The next report or request that is due, sealed; its length, nil if there is none.
    mutating func nextReport(
        into buffer: UnsafeMutableRawBufferPointer, _ media: SecureMedia, at now: Instant
    ) -> Int? {
        let room = min(buffer.count, MediaPeer.maximumDatagramLength) - media.sender.profile.controlOverhead
        guard room > 0 else { return nil }
        var requested = 0
        let clear = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
        guard let length = reports.nextPacket(lane, &streams, into: clear, at: now, requested: &requested) else {
            return nil
        }
        repeatsRequested &+= UInt64(requested)
        return media.sender.sealControl(buffer, length: length)
    }
}
