internal import RTP
internal import Timing
internal import Wire

/// The streams of the other side, as they come and go, and which track each belongs to.
struct ReceiveStreams {
    /// Sources of the other side: a browser has one per media section and layer with as many for repeats, plus those of sections that
    /// it changed its mind about.
    static let maximumCount = 32
    /// A source silent for so long makes room for a new one.
    static let lifetime = Interval.seconds(60)
    /// A stream that another one has taken the place of gets it back once that one has been silent for so long.
    static let silence = Interval.milliseconds(500)

    enum Reception {
        case counted
        /// A new source took the place of this one, which has long been silent.
        case replaced(SSRC)
        case tooManyStreams
    }

    /// What streams may be of; empty where the owner looks at payload types itself.
    var tracks: [ReceiveTrack] = []
    var extensions = HeaderExtensionMap()
    private let clockRate: UInt32
    /// Of streams without a track.
    private let policy: RepeatPolicy
    private var streams: [ReceiveStream] = []
    /// Where the last packet's stream was found.
    private var last = 0
    /// When something is to be asked for again.
    private(set) var nextRequest = Instant.distantFuture

    init(clockRate: UInt32, asksForRepeats: Bool) {
        self.clockRate = clockRate
        policy = asksForRepeats ? .sound : .none
    }

    // MARK: Packets

    /// - Parameter packet: what the header was read of; empty where only numbers are known.
    mutating func receive(
        _ header: RTPHeader, extendedSequence: UInt64, in packet: UnsafeRawBufferPointer, at now: Instant
    ) -> (reception: Reception, stream: Int?) {
        let (index, reception) = place(header.ssrc, at: now) { $0.use(of: header, in: packet) }
        guard let index else { return (.tooManyStreams, nil) }
        if streams[index].isRetired { comeBack(index, at: now) }
        streams[index].receive(extendedSequence: extendedSequence, timestamp: header.timestamp, at: now)
        nextRequest = min(nextRequest, streams[index].repeats.nextDeadline)
        return (reception, index)
    }

    /// What the stream at that place is for.
    func use(of stream: Int) -> ReceiveStream.Use { streams[stream].isRetired ? .media(nil) : streams[stream].use }

    /// The number of the next request for a key frame of that stream; nil where the other side wants a PLI, which has none.
    mutating func nextKeyFrameCommand(of ssrc: SSRC) -> UInt8? {
        guard let index = streams.firstIndex(where: { $0.ssrc == ssrc }), case .media(let place?) = streams[index].use,
            tracks.indices.contains(place.track), tracks[place.track].keyFrameRequest == .fullIntra
        else { return nil }
        return streams[index].nextKeyFrameCommand()
    }

    /// A packet that came again on a stream for repeats: its layer's SSRC, its payload type there, its number with all wraps. nil if
    /// nothing of that layer has come before.
    mutating func receiveRepeat(
        _ header: RTPHeader, of place: StreamPlace, number: SequenceNumber16, at now: Instant
    ) -> (ssrc: SSRC, payloadType: PayloadType, extendedSequence: UInt64)? {
        guard tracks.indices.contains(place.track),
            let format = tracks[place.track].format(repeatedBy: header.payloadType),
            let index = media(of: place),
            let extended = streams[index].receiveRepeat(
                of: number, onlyIfMissed: mayBeOfAnother(header.ssrc, streams[index]), at: now)
        else { return nil }
        return (streams[index].ssrc, format.payloadType, extended)
    }

    /// What came before a layer's stream took its place may repeat the one before, but for senders that keep the stream for repeats.
    private func mayBeOfAnother(_ repeats: SSRC, _ media: ReceiveStream) -> Bool {
        streams.contains { $0.ssrc == repeats && $0.since < media.since }
    }

    mutating func receiveCopy(_ ssrc: SSRC, extendedSequence: UInt64, at now: Instant) {
        guard let index = streams.firstIndex(where: { $0.ssrc == ssrc }) else { return }
        streams[index].receiveCopy(extendedSequence: extendedSequence, at: now)
    }

    /// A sender report of the other side, which may come before the stream's first packet.
    mutating func receiveSenderReport(_ info: SenderInfo, at now: Instant) -> Reception {
        let (index, reception) = place(info.ssrc, at: now) { $0.announcedUse(of: info.ssrc) }
        guard let index else { return reception }
        streams[index].receiveSenderReport(ntp: info.ntp, at: now)
        return reception
    }

    // MARK: Which stream is whose

    private func use(of header: RTPHeader, in packet: UnsafeRawBufferPointer) -> ReceiveStream.Use? {
        if let announced = announcedUse(of: header.ssrc) { return announced }
        let mid = header.mid(in: packet, extensions)
        let candidates = tracks.indices.filter { track in
            guard mid == nil || tracks[track].mid == mid else { return false }
            return tracks[track].format(header.payloadType) != nil
                || tracks[track].format(repeatedBy: header.payloadType) != nil
        }
        // Without a mid, a payload type that only one track has tells as well.
        guard candidates.count == 1, let track = candidates.first else { return mid == nil ? nil : .media(nil) }
        let isRepeat = tracks[track].format(repeatedBy: header.payloadType) != nil
        var layer = 0
        if !tracks[track].rids.isEmpty {
            let kind: HeaderExtensionKind = isRepeat ? .repairedRid : .rid
            guard let rid = header.name(kind, in: packet, extensions),
                let named = tracks[track].rids.firstIndex(of: rid)
            else { return nil }
            layer = named
        }
        let place = StreamPlace(track: track, layer: layer)
        return isRepeat ? .repeats(place) : .media(place)
    }

    private func announcedUse(of ssrc: SSRC) -> ReceiveStream.Use? {
        for (track, its) in tracks.enumerated() {
            for (layer, source) in its.sources.enumerated() {
                if source.ssrc == ssrc { return .media(StreamPlace(track: track, layer: layer)) }
                if source.repeats == ssrc { return .repeats(StreamPlace(track: track, layer: layer)) }
            }
        }
        return nil
    }

    /// Where a stream stands, new ones included; nil if there is no room for it. `use` is asked for a stream that is new, or of which it
    /// is not known yet.
    private mutating func place(
        _ ssrc: SSRC, at now: Instant, _ use: (ReceiveStreams) -> ReceiveStream.Use?
    ) -> (index: Int?, Reception) {
        if last < streams.count, streams[last].ssrc == ssrc, streams[last].use != .media(nil) || tracks.isEmpty {
            return (last, .counted)
        }
        if let known = streams.firstIndex(where: { $0.ssrc == ssrc }) {
            last = known
            // Its first packets may have been without a name.
            if streams[known].use == .media(nil), let found = use(self), found != .media(nil) {
                streams[known] = stream(ssrc, found, at: now)
                retireOthers(than: known)
            }
            return (last, .counted)
        }
        var reception = Reception.counted
        if streams.count == Self.maximumCount {
            guard let oldest = streams.indices.min(by: { streams[$0].lastArrival < streams[$1].lastArrival }),
                streams[oldest].lastArrival + Self.lifetime <= now
            else { return (nil, .tooManyStreams) }
            reception = .replaced(streams.remove(at: oldest).ssrc)
        }
        last = streams.count
        streams.append(stream(ssrc, use(self) ?? .media(nil), at: now))
        retireOthers(than: last)
        return (last, reception)
    }

    /// The stream that has that place now.
    private func media(of place: StreamPlace) -> Int? {
        streams.firstIndex { $0.use == .media(place) && !$0.isRetired }
    }

    /// The newest stream of a place has it: a line that was used anew, or an encoder that began again, sends under another SSRC.
    private mutating func retireOthers(than newest: Int) {
        guard case .media(_?) = streams[newest].use else { return }
        for index in streams.indices where index != newest && streams[index].use == streams[newest].use {
            streams[index].retire()
        }
    }

    private mutating func comeBack(_ index: Int, at now: Instant) {
        guard case .media(let place?) = streams[index].use, tracks.indices.contains(place.track) else { return }
        if let present = media(of: place) {
            guard now - streams[present].lastArrival >= Self.silence else { return }
            streams[present].retire()
        }
        streams[index].comeBack(tracks[place.track].repeats, at: now)
    }

    private func stream(_ ssrc: SSRC, _ use: ReceiveStream.Use, at now: Instant) -> ReceiveStream {
        switch use {
        case .media(let place?):
            let track = tracks[place.track]
            return ReceiveStream(
                ssrc: ssrc, use: use, clockRate: track.formats.first?.clockRate ?? clockRate, policy: track.repeats,
                at: now)
        case .media(nil):
            return ReceiveStream(ssrc: ssrc, use: use, clockRate: clockRate, policy: policy, at: now)
        case .repeats(let place):
            let rate = tracks[place.track].formats.first?.clockRate ?? clockRate
            return ReceiveStream(ssrc: ssrc, use: use, clockRate: rate, policy: .none, at: now)
        }
    }

    // MARK: Reports

    /// How a stream arrives; nil before its first packet.
    func reception(of ssrc: SSRC) -> ReceptionStatistics? { streams.first { $0.ssrc == ssrc }?.statistics }

    /// Something came since the last report.
    var areActive: Bool { streams.contains(where: \.isActive) }

    /// Blocks about streams that are active, at most so many.
    mutating func makeReportBlocks(_ most: Int, at now: Instant) -> [ReportBlock] {
        var blocks: [ReportBlock] = []
        for index in streams.indices where streams[index].isActive {
            guard blocks.count < most else { break }
            if let block = streams[index].makeReportBlock(at: now) { blocks.append(block) }
        }
        return blocks
    }

    /// What of one stream is to be asked for again now; nil if nothing is.
    mutating func takeRequest(at now: Instant, roundTrip: Interval) -> (ssrc: SSRC, missing: [SequenceNumber16])? {
        defer { nextRequest = streams.reduce(.distantFuture) { min($0, $1.repeats.nextDeadline) } }
        for index in streams.indices where streams[index].repeats.nextDeadline <= now {
            let missing = streams[index].repeats.requests(at: now, roundTrip: roundTrip)
            if !missing.isEmpty { return (streams[index].ssrc, missing) }
        }
        return nil
    }
}
