internal import ICE
internal import RTP
internal import Timing
internal import Wire

/// The streams of both directions, and what RTCP says about them: when a report or a request for repeats is due, and
/// what stands in it.
struct ReportSession {
    /// RFC 3550 §6.2 scales the interval with the number of members, which are two here. A second is what browsers use
    /// for sound; each is 0.8…1.2 times that, so that the reports of a room do not come at once.
    static let reportInterval = Interval.seconds(1)
    /// The round trip that is assumed until a report tells the measured one.
    static let assumedRoundTrip = Interval.milliseconds(100)
    /// Sources of the other side: a browser has one per media section, plus those of sections that it changed its mind
    /// about.
    static let maximumReceiveStreams = 32
    /// A source silent for so long makes room for a new one.
    static let receiveStreamLifetime = Interval.seconds(60)

    let ssrc: SSRC
    let cname: String
    let clock: NTPClock
    let receiveClockRate: UInt32
    let asksForRepeats: Bool
    private var random: SplitMix64
    private(set) var sending: [SendStream] = []
    private var receiving: [ReceiveStream] = []
    private(set) var roundTrip = ReportSession.assumedRoundTrip
    private var nextReport = Instant.distantFuture
    private var nextRepeatRequest = Instant.distantFuture
    private var isReportDue = false
    private var isAnyReportWanted = false
    /// Where the last packet's stream was found.
    private var lastReceived = 0

    init(_ configuration: PeerConfiguration) {
        ssrc = configuration.reportSSRC
        cname = configuration.cname
        clock = configuration.clock
        receiveClockRate = configuration.receiveClockRate
        asksForRepeats = configuration.requestsRepeats
        random = SplitMix64(seed: configuration.seed ^ 0x7265_706f_7274_7321)
    }

    // MARK: Streams that we send

    mutating func openSendStream(_ ssrc: SSRC, clockRate: UInt32, cname: String) -> Bool {
        guard sending.count < MediaPeer.maximumSendStreams, !sending.contains(where: { $0.ssrc == ssrc }) else {
            return false
        }
        sending.append(SendStream(ssrc: ssrc, clockRate: clockRate, cname: cname))
        return true
    }

    /// False if the stream was not open.
    mutating func closeSendStream(_ ssrc: SSRC) -> Bool {
        guard let index = sending.firstIndex(where: { $0.ssrc == ssrc }) else { return false }
        sending.remove(at: index)
        return true
    }

    /// Where a stream stands among `sending`; nil if it is not open. `likely` is looked at first: streams mostly stand where they stood
    /// when they were opened.
    func sendStream(_ ssrc: SSRC, likely: Int) -> Int? {
        if likely < sending.count, sending[likely].ssrc == ssrc { return likely }
        for index in sending.indices where sending[index].ssrc == ssrc { return index }
        return nil
    }

    /// - Parameter source: where its sealing state stood.
    mutating func sent(_ index: Int, timestamp: RTPTimestamp, payloadLength: Int, source: Int, at now: Instant) {
        sending[index].source = source
        sending[index].sent(timestamp: timestamp, payloadLength: payloadLength, at: now)
        if sending[index].isReportWanted { isAnyReportWanted = true }
    }

    mutating func wantReport(for ssrc: SSRC) {
        guard let index = sending.firstIndex(where: { $0.ssrc == ssrc }) else { return }
        sending[index].isReportWanted = true
        isAnyReportWanted = true
    }

    // MARK: Streams that we receive

    enum Reception {
        case counted
        /// A new source took the place of this one, which has long been silent.
        case replaced(SSRC)
        case tooManyStreams
    }

    mutating func receive(
        _ ssrc: SSRC, timestamp: RTPTimestamp, extendedSequence: UInt64, at now: Instant
    ) -> Reception {
        let (index, reception) = receiveStream(ssrc, at: now)
        guard let index else { return .tooManyStreams }
        receiving[index].receive(
            extendedSequence: extendedSequence, timestamp: timestamp, asksForRepeats: asksForRepeats, at: now)
        if asksForRepeats { nextRepeatRequest = min(nextRepeatRequest, receiving[index].repeats.nextDeadline) }
        return reception
    }

    /// How a stream of the other side arrives; nil before its first packet.
    func reception(of ssrc: SSRC) -> ReceptionStatistics? {
        receiving.first { $0.ssrc == ssrc }?.statistics
    }

    /// A sender report of the other side, which may come before the stream's first packet.
    mutating func receiveSenderReport(_ info: SenderInfo, at now: Instant) -> Reception {
        let (index, reception) = receiveStream(info.ssrc, at: now)
        if let index { receiving[index].receiveSenderReport(ntp: info.ntp, at: now) }
        return reception
    }

    /// Where a stream stands among `receiving`, new ones included; nil if there is no room for it.
    private mutating func receiveStream(_ ssrc: SSRC, at now: Instant) -> (index: Int?, Reception) {
        if lastReceived < receiving.count, receiving[lastReceived].ssrc == ssrc { return (lastReceived, .counted) }
        var reception = Reception.counted
        if let known = receiving.firstIndex(where: { $0.ssrc == ssrc }) {
            lastReceived = known
        } else {
            if receiving.count == ReportSession.maximumReceiveStreams {
                guard let oldest = receiving.indices.min(by: { receiving[$0].lastArrival < receiving[$1].lastArrival }),
                    receiving[oldest].lastArrival + ReportSession.receiveStreamLifetime <= now
                else { return (nil, .tooManyStreams) }
                reception = .replaced(receiving.remove(at: oldest).ssrc)
            }
            lastReceived = receiving.count
            receiving.append(ReceiveStream(ssrc: ssrc, clockRate: receiveClockRate, at: now))
        }
        return (lastReceived, reception)
    }

    /// What the other side says of one of our streams; nil if it is none of ours.
    mutating func receive(_ block: ReportBlock, at now: Instant) -> PeerEvent? {
        guard sending.contains(where: { $0.ssrc == block.ssrc }) else { return nil }
        let measured = block.roundTrip(arrivingAt: clock.timestamp(at: now))
        if let measured { roundTrip = measured }
        return .receiverReport(block.ssrc, roundTrip: measured, fractionLost: block.fractionLost)
    }

    // MARK: Time

    mutating func start(at now: Instant) { nextReport = now + reportDelay() }

    var nextDeadline: Instant { min(nextReport, nextRepeatRequest) }

    mutating func advance(to now: Instant) {
        if nextReport <= now {
            isReportDue = true
            nextReport = now + reportDelay()
        }
    }

    private mutating func reportDelay() -> Interval {
        ReportSession.reportInterval * Int64(800 + random.next() % 401) / 1000
    }

    // MARK: Packets

    /// The next compound packet that is due, in clear; its length, nil if there is none.
    /// - Parameter requested: how many sequence numbers it asks for.
    mutating func nextPacket(
        into buffer: UnsafeMutableRawBufferPointer, at now: Instant, requested: inout Int
    ) -> Int? {
        if nextRepeatRequest <= now, let length = repeatRequest(into: buffer, at: now, requested: &requested) {
            return length
        }
        guard isReportDue || isAnyReportWanted else { return nil }
        return report(into: buffer, at: now)
    }

    /// Requests go out alone (RFC 5506), each stream's in a packet of its own.
    private mutating func repeatRequest(
        into buffer: UnsafeMutableRawBufferPointer, at now: Instant, requested: inout Int
    ) -> Int? {
        var length: Int?
        for index in receiving.indices where receiving[index].repeats.nextDeadline <= now {
            let missing = receiving[index].repeats.requests(at: now, roundTrip: roundTrip)
            guard !missing.isEmpty else { continue }
            var writer = RTCPWriter(into: buffer)
            requested += writer.writeNACK(sender: ssrc, media: receiving[index].ssrc, missing: missing)
            length = writer.count > 0 ? writer.count : nil
            break
        }
        nextRepeatRequest = receiving.reduce(.distantFuture) { min($0, $1.repeats.nextDeadline) }
        return length
    }

    /// A compound as RFC 3550 §6.1 wants it: reports first, then a CNAME for each source that speaks. What does not fit
    /// follows in the next one.
    private mutating func report(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> Int? {
        let isRegular = isReportDue
        let ntp = clock.timestamp(at: now)
        var writer = RTCPWriter(into: buffer)
        var blocks: [ReportBlock] = []
        if isRegular {
            for index in receiving.indices where receiving[index].isActive {
                guard blocks.count < ReportSession.blocksPerPacket else { break }
                if let block = receiving[index].makeReportBlock(at: now) { blocks.append(block) }
            }
        }
        var described = 0
        var hasMore = false
        for index in sending.indices where sending[index].isReportWanted || (isRegular && sending[index].isActive) {
            guard described < ReportSession.streamsPerPacket else {
                hasMore = true
                break
            }
            guard let info = sending[index].makeReport(at: now, ntp: ntp) else { continue }
            // The blocks go with the first report.
            if described == 0 { writer.writeSenderReport(info, blocks) } else { writer.writeSenderReport(info) }
            writer.writeSourceDescription(info.ssrc, cname: sending[index].cname)
            described += 1
        }
        if described == 0, !blocks.isEmpty {
            writer.writeReceiverReport(sender: ssrc, blocks)
            writer.writeSourceDescription(ssrc, cname: cname)
        }
        if !hasMore {
            isReportDue = isRegular && receiving.contains(where: \.isActive)
            isAnyReportWanted = false
        }
        return writer.count > 0 ? writer.count : nil
    }

    /// Eight reports with descriptions of up to 64 bytes, and eight blocks, stay below 1,200 bytes with all that SRTCP
    /// adds.
    private static let streamsPerPacket = 8
    private static let blocksPerPacket = 8
}
