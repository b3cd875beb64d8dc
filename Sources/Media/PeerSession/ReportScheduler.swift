internal import ICE
internal import RTP
internal import Timing
internal import Wire

/// What RTCP says about the streams of both directions: when a report or a request for repeats is due, and what stands in it.
struct ReportScheduler {
    /// RFC 3550 §6.2 scales the interval with the number of members, which are two here. A second is what browsers use
    /// for sound; each is 0.8…1.2 times that, so that the reports of a room do not come at once.
    static let interval = Interval.seconds(1)
    /// The round trip that is assumed until a report tells the measured one.
    static let assumedRoundTrip = Interval.milliseconds(100)

    private let ssrc: SSRC
    private let cname: String
    private let clock: NTPClock
    private var random: SplitMix64
    private(set) var roundTrip = ReportScheduler.assumedRoundTrip
    private var nextReport = Instant.distantFuture
    private var isReportDue = false
    /// Streams of the other side whose key frame is to be asked for.
    private var keyFrames: [(ssrc: SSRC, command: UInt8?)] = []
    /// On packets with transport-wide numbers, and when the next message goes out.
    private var feedback = TransportFeedbackBuilder()
    private var feedbackSource = SSRC(0)
    private var nextFeedback = Instant.distantFuture

    init(_ configuration: PeerConfiguration) {
        ssrc = configuration.reportSSRC
        cname = configuration.cname
        clock = configuration.clock
        random = SplitMix64(seed: configuration.seed ^ 0x7265_706f_7274_7321)
    }

    /// What the other side says of one of our streams. Nothing but the round trip is remembered.
    /// - Returns: the round trip that the report tells.
    mutating func receive(_ block: ReportBlock, at now: Instant) -> Interval? {
        let measured = block.roundTrip(arrivingAt: clock.timestamp(at: now))
        if let measured { roundTrip = measured }
        return measured
    }

    // MARK: Time

    mutating func start(at now: Instant) { nextReport = now + reportDelay() }

    func nextDeadline(_ receiving: ReceiveStreams) -> Instant {
        keyFrames.isEmpty ? min(nextReport, receiving.nextRequest, nextFeedback) : .distantPast
    }

    // MARK: What is asked for, and what came

    /// Whether a request for a key frame is on its way already, or there is no room for one: one datagram tells of all.
    func takesNoRequest(of ssrc: SSRC) -> Bool {
        keyFrames.count >= ReportScheduler.keyFramesAtOnce || keyFrames.contains { $0.ssrc == ssrc }
    }

    /// - Parameter command: the request's number, where the other side wants a FIR; nil for a PLI.
    mutating func requestKeyFrame(of ssrc: SSRC, command: UInt8?) { keyFrames.append((ssrc, command)) }

    mutating func note(_ number: SequenceNumber16, of ssrc: SSRC, at now: Instant) {
        feedback.note(number, at: now.nanoseconds)
        feedbackSource = ssrc
        if nextFeedback == .distantFuture { nextFeedback = now + ReportScheduler.feedbackInterval }
    }

    mutating func advance(to now: Instant) {
        if nextReport <= now {
            isReportDue = true
            nextReport = now + reportDelay()
        }
    }

    private mutating func reportDelay() -> Interval {
        ReportScheduler.interval * Int64(800 + random.next() % 401) / 1000
    }

    // MARK: Packets

    /// The next compound packet that is due, in clear; its length, nil if there is none.
    /// - Parameter requested: how many sequence numbers it asks for.
    mutating func nextPacket(
        _ sending: SendLane, _ receiving: inout ReceiveStreams, into buffer: UnsafeMutableRawBufferPointer,
        at now: Instant, requested: inout Int
    ) -> Int? {
        if receiving.nextRequest <= now, let request = receiving.takeRequest(at: now, roundTrip: roundTrip) {
            // Requests go out alone (RFC 5506), each stream's in a packet of its own.
            var writer = RTCPWriter(into: buffer)
            requested += writer.writeNACK(sender: ssrc, media: request.ssrc, missing: request.missing)
            if writer.count > 0 { return writer.count }
        }
        if !keyFrames.isEmpty {
            var writer = RTCPWriter(into: buffer)
            for (media, command) in keyFrames {
                if let command {
                    writer.writeFullIntraRequest(sender: ssrc, media: media, command: command)
                } else {
                    writer.writePictureLossIndication(sender: ssrc, media: media)
                }
            }
            keyFrames = []
            return writer.count
        }
        if nextFeedback <= now {
            var writer = RTCPWriter(into: buffer)
            if feedback.write(sender: ssrc, media: feedbackSource, into: &writer) { return writer.count }
            nextFeedback = .distantFuture
        }
        guard isReportDue || sending.isAnyReportWanted else { return nil }
        return report(sending, &receiving, into: buffer, at: now)
    }

    /// A compound as RFC 3550 §6.1 wants it: reports first, then a CNAME for each source that speaks. What does not fit
    /// follows in the next one.
    private mutating func report(
        _ sending: SendLane, _ receiving: inout ReceiveStreams, into buffer: UnsafeMutableRawBufferPointer,
        at now: Instant
    ) -> Int? {
        let isRegular = isReportDue
        let ntp = clock.timestamp(at: now)
        var writer = RTCPWriter(into: buffer)
        let blocks = isRegular ? receiving.makeReportBlocks(ReportScheduler.blocksPerPacket, at: now) : []
        var described = 0
        var hasMore = false
        for number in sending.numbers {
            guard let stream = sending[number], stream.isReportWanted || (isRegular && stream.isActive) else {
                continue
            }
            guard described < ReportScheduler.streamsPerPacket else {
                hasMore = true
                break
            }
            guard let info = sending.makeReport(number, at: now, ntp: ntp) else { continue }
            // The blocks go with the first report.
            if described == 0 { writer.writeSenderReport(info, blocks) } else { writer.writeSenderReport(info) }
            writer.writeSourceDescription(info.ssrc, cname: stream.terms.cname)
            described += 1
        }
        if described == 0, !blocks.isEmpty {
            writer.writeReceiverReport(sender: ssrc, blocks)
            writer.writeSourceDescription(ssrc, cname: cname)
        }
        if !hasMore {
            isReportDue = isRegular && receiving.areActive
            sending.isAnyReportWanted = false
        }
        return writer.count > 0 ? writer.count : nil
    }

    /// Eight reports with descriptions of up to 64 bytes, and eight blocks, stay below 1,200 bytes with all that SRTCP
    /// adds.
    private static let keyFramesAtOnce = 16
    /// As often as libwebrtc does: more often gains nothing, less often makes estimates slow.
    static let feedbackInterval = Interval.milliseconds(50)
    private static let streamsPerPacket = 8
    private static let blocksPerPacket = 8
}
