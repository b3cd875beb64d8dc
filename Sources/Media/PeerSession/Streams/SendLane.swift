internal import BandwidthEstimation
package import RTP
internal import SRTP
package import Timing
package import Wire

/// The way out of one peer: its streams, the keys they are sealed with, and where they go. In memory of its own, so that a packet for a
/// thousand listeners looks at a thousand lanes and counts no reference.
///
/// Owned by the peer's machine and its thread; not used after the machine is gone.
package struct SendLane {
    private struct State {
        /// The sender of a connected peer, which that keeps alive.
        var sealer: Unmanaged<SRTPSender>?
        /// What the sender adds to a packet.
        var tagLength = 0
        /// The line's bandwidth, which the peer keeps alive; nil while nothing has a transport-wide number.
        var bandwidth: Unmanaged<SendBandwidth>?
        var path: NetworkPath?
        var places: UnsafeMutablePointer<Place>
        var count = 0
        var capacity: Int
        var isAnyReportWanted = false
        var repeatsSent: UInt64 = 0
        /// Of streams that were closed.
        var packetsSent: UInt64 = 0
    }

    /// A stream that is closed leaves its place to the next one.
    private struct Place {
        var isOpen = true
        var stream: SendStream
    }

    /// Most peers have one stream, or one for each slot of a small room.
    private static let firstCapacity = 4
    /// A place takes some 300 bytes, and a crowd has a lane each: no more than are used.
    private static let step = 2

    private let state: UnsafeMutablePointer<State>

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State(places: .allocate(capacity: Self.firstCapacity), capacity: Self.firstCapacity))
    }

    /// Once, by the owner.
    func deallocate() {
        places.deinitialize(count: state.pointee.count)
        places.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    // MARK: The owner's side

    func setSealer(_ sender: SRTPSender?) {
        state.pointee.sealer = sender.map(Unmanaged.passUnretained)
        state.pointee.tagLength = sender?.profile.tagLength ?? 0
    }

    func setBandwidth(_ bandwidth: SendBandwidth?) {
        state.pointee.bandwidth = bandwidth.map(Unmanaged.passUnretained)
    }

    /// Where media goes to; nil until a path is nominated.
    package var path: NetworkPath? {
        @inline(__always) get { state.pointee.path }
        nonmutating set { state.pointee.path = newValue }
    }

    /// Whether a report was asked for that is to go out at once.
    var isAnyReportWanted: Bool {
        get { state.pointee.isAnyReportWanted }
        nonmutating set { state.pointee.isAnyReportWanted = newValue }
    }

    var packetsSent: UInt64 {
        numbers.reduce(state.pointee.packetsSent) { $0 &+ (isOpen($1) ? UInt64(places[$1].stream.packets) : 0) }
    }
    var repeatsSent: UInt64 { state.pointee.repeatsSent }

    // MARK: Streams

    private var places: UnsafeMutablePointer<Place> { @inline(__always) get { state.pointee.places } }

    /// All numbers that have been given, some perhaps of streams that are closed.
    var numbers: Range<Int> { 0..<state.pointee.count }

    private func isOpen(_ number: Int) -> Bool { numbers.contains(number) && places[number].isOpen }

    /// An open stream by its number.
    subscript(number: Int) -> SendStream? { isOpen(number) ? places[number].stream : nil }

    /// - Returns: the stream's number, below `MediaPeer.maximumSendStreams`; nil if there are that many already, or one has this SSRC.
    func open(_ terms: SendStreamTerms) -> Int? {
        guard number(of: terms.ssrc) == nil else { return nil }
        if let hole = numbers.first(where: { !places[$0].isOpen }) {
            places[hole] = Place(stream: SendStream(terms))
            return hole
        }
        let number = state.pointee.count
        guard number < MediaPeer.maximumSendStreams else { return nil }
        if number == state.pointee.capacity { grow() }
        (places + number).initialize(to: Place(stream: SendStream(terms)))
        state.pointee.count += 1
        return number
    }

    private func grow() {
        let (old, count) = (places, state.pointee.count)
        let capacity = state.pointee.capacity + Self.step
        let new = UnsafeMutablePointer<Place>.allocate(capacity: capacity)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        state.pointee.places = new
        state.pointee.capacity = capacity
    }

    /// False if the stream was not open.
    func close(_ ssrc: SSRC) -> Bool {
        guard let number = number(of: ssrc) else { return false }
        state.pointee.packetsSent &+= UInt64(places[number].stream.packets)
        places[number].isOpen = false
        return true
    }

    /// The number of an open stream. `likely` is looked at first.
    func number(of ssrc: SSRC, likely: Int = 0) -> Int? {
        if isOpen(likely), places[likely].stream.ssrc == ssrc { return likely }
        return numbers.first { places[$0].isOpen && places[$0].stream.ssrc == ssrc }
    }

    func describe(
        _ number: Int, payloadType: PayloadType, mid: Mid?, midID: UInt8, transportNumberID: UInt8,
        repeatPayloadType: PayloadType?
    ) {
        guard isOpen(number) else { return }
        places[number].stream.describe(
            payloadType: payloadType, mid: mid, midID: midID, transportNumberID: transportNumberID,
            repeatPayloadType: repeatPayloadType)
    }

    /// When what a stream sends was captured; nil: not known, the time of sending counts.
    package func setCaptureClock(_ clock: CaptureClock?, of number: Int) {
        if isOpen(number) { places[number].stream.captureClock = clock }
    }

    func acknowledge(_ number: Int) { if isOpen(number) { places[number].stream.acknowledge() } }

    func wantReport(_ number: Int) {
        guard isOpen(number) else { return }
        places[number].stream.isReportWanted = true
        isAnyReportWanted = true
    }

    func makeReport(_ number: Int, at now: Instant, ntp: UInt64) -> SenderInfo? {
        isOpen(number) ? places[number].stream.makeReport(at: now, ntp: ntp) : nil
    }

    // MARK: Packets

    /// Builds and enciphers one packet of an open stream in `destination`; returns its length. nil if there are no keys yet, the
    /// stream is not open, its number has been used, or it does not fit. For each packet and each listener.
    package func seal(
        _ packet: OutgoingPacket, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        at now: Instant
    ) -> Int? {
        guard let sealer = state.pointee.sealer, packet.stream >= 0, packet.stream < state.pointee.count else {
            return nil
        }
        let place = places + packet.stream
        guard place.pointee.isOpen, place.pointee.stream.ssrc == packet.ssrc,
            let (headerLength, numberOffset) = place.pointee.stream.writeHeader(packet, into: destination),
            destination.count >= headerLength + PayloadPatch.maximumLength, let start = destination.baseAddress
        else { return nil }
        if packet.patch.count > 0 { packet.patch.write(to: start + headerLength) }
        number(
            start, numberOffset, headerLength + packet.patch.count + payload.count,
            isPaced: place.pointee.stream.isPaced, stream: packet.stream, packet.sequence, now)
        // Once for each listener of each packet: no reference is counted.
        let length = sealer._withUnsafeGuaranteedRef {
            $0.seal(
                packet.ssrc, index: packet.sequence, headerLength: headerLength, patchLength: packet.patch.count,
                payload: payload, into: destination, source: &place.pointee.stream.source)
        }
        guard let length else {
            takeBack(numberOffset)
            return nil
        }
        place.pointee.stream.noteSequence(packet.sequence)
        finish(
            place, timestamp: RTPTimestamp(packet.timestamp),
            packet.patch.count + payload.count - Int(packet.padding), now)
        return length
    }

    /// Writes the transport-wide number of a packet of that length, the only place where one is given.
    @inline(__always)
    private func number(
        _ start: UnsafeMutableRawPointer, _ offset: Int, _ clearLength: Int, isPaced: Bool, stream: Int?,
        _ sequence: UInt64, _ now: Instant
    ) {
        guard let bandwidth = state.pointee.bandwidth else { return }
        let length = clearLength + state.pointee.tagLength
        guard offset > 0 else {
            return bandwidth._withUnsafeGuaranteedRef { $0.noteUnnumbered(length, isPaced: isPaced, at: now) }
        }
        let number = bandwidth._withUnsafeGuaranteedRef {
            $0.number(length, stream: stream, sequence: sequence, at: now)
        }
        start.storeBytes(of: number.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// A packet that got a number could not be sealed.
    private func takeBack(_ offset: Int) {
        if offset > 0 { state.pointee.bandwidth?._withUnsafeGuaranteedRef { $0.takeBack() } }
    }

    /// The same packet once more: on the stream for repeats if there is one, else the same to the last byte. nil where `seal` would give nil, and for what was never sealed.
    package func sealAgain(
        _ packet: OutgoingPacket, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        at now: Instant
    ) -> Int? {
        guard let stream = self[packet.stream], stream.ssrc == packet.ssrc else { return nil }
        if stream.terms.repeats != nil { return sealRepeat(packet, payload: payload, into: destination, at: now) }
        guard stream.canRepeat(packet),
            let (headerLength, _) = places[packet.stream].stream.writeHeader(packet, into: destination),
            destination.count >= headerLength + PayloadPatch.maximumLength, let start = destination.baseAddress
        else { return nil }
        packet.patch.write(to: start + headerLength)
        return sealAgain(
            headerLength: headerLength, patchLength: packet.patch.count, payload: payload, into: destination)
    }

    private func sealRepeat(
        _ packet: OutgoingPacket, payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
        at now: Instant
    ) -> Int? {
        let place = places + packet.stream
        guard let header = place.pointee.stream.writeRepeatHeader(packet, into: destination),
            destination.count >= header.length + 2 + PayloadPatch.maximumLength, let start = destination.baseAddress
        else { return nil }
        packet.patch.write(to: start + header.length + 2)
        return sealOnRepeats(
            packet.stream, header, repeating: packet.sequence, patchLength: 2 + packet.patch.count, payload: payload,
            into: destination, at: now)
    }

    /// A packet that carries nothing, for probes where there is nothing to repeat: up to 255 bytes of padding on the stream for repeats.
    package func sealPadding(
        _ packet: OutgoingPacket, length: Int, into destination: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Int? {
        guard let stream = self[packet.stream], stream.ssrc == packet.ssrc, (1...255).contains(length) else {
            return nil
        }
        let place = places + packet.stream
        guard let header = place.pointee.stream.writePaddingHeader(packet, into: destination),
            destination.count >= header.length + length, let start = destination.baseAddress
        else { return nil }
        // RFC 3550 §5.1: the last byte says how many there are.
        start.storeBytes(of: start.load(as: UInt8.self) | 0x20, as: UInt8.self)
        let padding = UnsafeMutableRawBufferPointer(start: start + header.length, count: length)
        padding.initializeMemory(as: UInt8.self, repeating: 0)
        padding[length - 1] = UInt8(length)
        return sealOnRepeats(
            packet.stream, header, repeating: nil, patchLength: length,
            payload: UnsafeRawBufferPointer(start: nil, count: 0),
            into: destination, at: now)
    }

    private func sealOnRepeats(
        _ stream: Int, _ header: (length: Int, numberOffset: Int, sequence: UInt64), repeating: UInt64?,
        patchLength: Int,
        payload: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Int? {
        let place = places + stream
        guard let sealer = state.pointee.sealer, let repeats = place.pointee.stream.terms.repeats,
            let start = destination.baseAddress
        else { return nil }
        number(
            start, header.numberOffset, header.length + patchLength + payload.count, isPaced: true,
            stream: repeating == nil ? nil : stream, repeating ?? 0, now)
        let length = sealer._withUnsafeGuaranteedRef {
            $0.seal(
                repeats.ssrc, index: header.sequence, headerLength: header.length, patchLength: patchLength,
                payload: payload, into: destination, source: &place.pointee.stream.repeatSource)
        }
        guard let length else {
            takeBack(header.numberOffset)
            return nil
        }
        state.pointee.repeatsSent &+= 1
        return length
    }

    /// Enciphers a packet whose header has been written at the start of `destination`.
    func seal(
        stream likely: Int, headerLength: Int, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> Int? {
        guard let sealer = state.pointee.sealer, headerLength >= RTPHeader.fixedLength,
            destination.count >= RTPHeader.fixedLength
        else { return nil }
        let bytes = UnsafeRawBufferPointer(destination)
        guard let number = self.number(of: SSRC(bytes.bigEndianUInt32(at: 8)), likely: likely) else { return nil }
        let timestamp = RTPTimestamp(bytes.bigEndianUInt32(at: 4))
        let place = places + number
        let length = sealer._withUnsafeGuaranteedRef {
            $0.seal(
                headerLength: headerLength, payload: payload, into: destination, source: &place.pointee.stream.source)
        }
        guard let length else { return nil }
        finish(place, timestamp: timestamp, payload.count, now)
        return length
    }

    func sealAgain(
        headerLength: Int, patchLength: Int = 0, payload: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let sealer = state.pointee.sealer,
            let length = sealer._withUnsafeGuaranteedRef({
                $0.sealAgain(
                    headerLength: headerLength, patchLength: patchLength, payload: payload, into: destination)
            })
        else { return nil }
        state.pointee.repeatsSent &+= 1
        return length
    }

    @inline(__always)
    private func finish(
        _ place: UnsafeMutablePointer<Place>, timestamp: RTPTimestamp, _ payloadLength: Int, _ now: Instant
    ) {
        place.pointee.stream.sent(timestamp: timestamp, payloadLength: payloadLength, at: now)
        if place.pointee.stream.isReportWanted { state.pointee.isAnyReportWanted = true }
    }
}
