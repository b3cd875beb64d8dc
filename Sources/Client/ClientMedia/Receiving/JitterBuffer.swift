package import AudioGraph
internal import MediaCodecs
package import Timing

/// Turns the packets of one stream, which come late, twice, in disorder or not at all, into sound without holes.
///
/// Two counters of media time meet here: `expected`, where the next packet should begin, and `head`, up to which sound has
/// been made, real or invented. While nothing is there to be decoded, `head` runs ahead; when the packet comes after all it
/// is played, only later than planned, and the delay has grown. When packets were lost, what follows them stays at its
/// place. So a hold-up of the network costs delay, a loss costs none, and silence that was not sent costs neither.
///
/// The *delay* is how long after its earliest possible arrival a sample is played; it is led to the target by playing
/// slightly faster or slower (clock drift), by splicing whole periods (after hold-ups) and, where there is silence anyway,
/// by changing its length. Sans I/O: time comes in with each call. Used by one thread at a time; takes its memory once.
package final class JitterBuffer {
    /// A packet so far from where it should be in time belongs to another stream, or to another life of this one.
    private static let jumpFrames: Int64 = 3 * 48_000
    /// The same in numbers.
    private static let jumpPackets: UInt64 = 3_000
    /// A first packet after silence that is later than this has another time, and is not late.
    private static let newSpeechFrames: Int64 = 2_880
    /// Two splices are this far apart unless the delay is far off.
    private static let spliceDistance = 2_880
    /// Silence is changed by no more than this at once.
    private static let skipFrames = 24_000.0
    /// Between singers a delay this far off is spliced without a pause.
    private static let minimalUrgency = 600.0
    package var statistics: JitterBufferStatistics {
        var statistics = counted
        statistics.discarded &+= sound.counts.broken
        statistics.decodedFrames = sound.counts.decoded
        statistics.concealedFrames = sound.counts.concealed
        statistics.recoveredFrames = sound.counts.recovered
        return statistics
    }

    private var counted = JitterBufferStatistics()
    private var sound: StreamDecoder
    private let converter: any RateConverter
    private let store = PacketStore()
    private var estimator: DelayEstimator
    private var drift = DriftController()

    private var timeline = MediaTimeline()
    private var ssrc: UInt32?

    /// Sound is being made. False until the first packet, and after a second without any.
    package private(set) var isActive = false
    /// The number after the last packet that was decoded or given up.
    package private(set) var nextSequence: UInt64 = 0
    private var framesSinceSplice = JitterBuffer.spliceDistance
    private var error = 0.0
    private var losses = LossWatch()

    package init(decoder: any FrameDecoder, converter: any RateConverter, delay: PlayoutDelay = .adaptive) {
        sound = StreamDecoder(decoder)
        self.converter = converter
        estimator = DelayEstimator(mode: delay)
    }

    package var playoutDelay: PlayoutDelay {
        get { estimator.mode }
        set { estimator.setMode(newValue) }
    }

    // MARK: In

    /// Takes a packet. `sequence` is its number with wraps counted; `arrival` when the system received it; `marker` says that
    /// it begins a stretch of speech, perhaps another person's; `isCopy` that the packet itself got lost, and a later one carried this.
    package func insert(
        sequence: UInt64, timestamp: UInt32, ssrc: UInt32, payload: UnsafeRawBufferPointer, arrival: Instant,
        marker: Bool = false, isCopy: Bool = false
    ) {
        // An empty payload is padding that probes the path.
        guard !payload.isEmpty else { return }
        guard !isCopy else { return insertCopy(sequence, timestamp, ssrc, payload) }
        counted.received &+= 1
        if let known = self.ssrc, known != ssrc { restart() }
        self.ssrc = ssrc
        let time = timeline.frames(at: arrival)
        var extended = timeline.extend(timestamp)
        if let base = estimator.base, abs(time - extended - base) > Self.jumpFrames {
            restart()
            extended = timeline.extend(timestamp)
        }
        if isActive, sequence < nextSequence, nextSequence - sequence > Self.jumpPackets { restart() }
        if !isActive, store.count == 0 { estimator.forgetBase() }
        // Whoever speaks now may be further away, or have a clock that stood meanwhile: that is no lateness.
        if marker, let base = estimator.base, time - extended - base > Self.newSpeechFrames { estimator.forgetBase() }
        guard !isActive || sequence >= nextSequence else {
            // It may be a late repeat or a second copy; either way there is no use for it, but to learn from.
            estimator.observe(arrival: time, timestamp: extended)
            counted.late &+= 1
            return
        }
        switch store.insert(sequence: sequence, timestamp: extended, payload: payload) {
        case .stored: estimator.observe(arrival: time, timestamp: extended)
        case .duplicate: counted.duplicates &+= 1
        case .refused:
            counted.discarded &+= 1
            if store.count > 0, payload.count <= PacketStore.maximumPayload {
                restart()
                _ = store.insert(sequence: sequence, timestamp: extended, payload: payload)
                estimator.observe(arrival: time, timestamp: extended)
            }
        }
    }

    /// A copy is late by its nature: nothing is learnt of the network from when it came. Only that it was needed.
    private func insertCopy(_ sequence: UInt64, _ timestamp: UInt32, _ ssrc: UInt32, _ payload: UnsafeRawBufferPointer)
    {
        guard self.ssrc == ssrc, timeline.hasBegun else { return }
        guard !isActive || sequence >= nextSequence else {
            counted.late &+= 1
            return losses.noteCopy()
        }
        guard case .stored = store.insert(sequence: sequence, timestamp: timeline.extend(timestamp), payload: payload)
        else {
            return
        }
        counted.copiesUsed &+= 1
        losses.noteCopy()
    }

    /// Forgets everything, as for another stream.
    package func reset() {
        restart()
        ssrc = nil
        counted.resets = 0
    }

    private func restart() {
        counted.resets &+= 1
        store.removeAll()
        estimator.reset()
        drift.reset()
        timeline.forgetTimestamps()
        rest()
    }

    private func rest() {
        isActive = false
        sound.rest()
        converter.reset()
        drift.forgetError()
    }

    // MARK: Out

    /// Fills `block` to its `frameCount`, at most 20 ms, with what is to be played from `now` on.
    package func pull(into block: AudioBuffer, at now: Instant) {
        let wanted = block.frameCount
        guard wanted > 0 else { return }
        estimator.noteBlock(wanted)
        let time = timeline.frames(at: now)
        guard isActive || begin(at: time) else {
            block.clear()
            return
        }
        measure(at: time)
        correctFarOff()
        let rate = 1 + drift.deviation
        let needed = converter.framesNeeded(for: wanted, rate: rate)
        while sound.queue.count < needed { makeSound(needed: needed) }
        splice(needed: needed)
        converter.convert(from: sound.queue, into: block, rate: rate)
        framesSinceSplice += wanted
        if sound.inventedRun == 0 { drift.update(error: error / 48_000, passed: Double(wanted) / 48_000) }
        counted.driftPPM = drift.driftPPM
        if sound.hasRunOut, store.count == 0 { rest() }
    }

    /// A first packet is there: its time to be played is the target's distance from the earliest that it could arrive.
    private func begin(at time: Int64) -> Bool {
        guard let first = store.first(), let base = estimator.base else { return false }
        let planned = min(time - base - Int64(estimator.target), first.timestamp)
        // Never more silence than the target asks for, whatever the packet says.
        sound.begin(at: max(planned, first.timestamp - Int64(PlayoutDelay.maximum.seconds * 48_000)))
        nextSequence = first.sequence
        isActive = true
        return true
    }

    private func measure(at time: Int64) {
        guard let base = estimator.base else { return }
        let delay = Double(time - base - sound.playedUpTo)
        error = delay - estimator.target
        counted.delay = Self.interval(delay)
        counted.targetDelay = Self.interval(estimator.target)
    }

    private static func interval(_ frames: Double) -> Interval {
        Interval(nanoseconds: Int64(min(max(frames, -1e9), 1e9) * 1e9 / 48_000))
    }

    /// Appends some frames, or gives up a packet.
    private func makeSound(needed: Int) {
        guard let packet = store.first() else { return sound.fill(needed - sound.queue.count) }
        if packet.timestamp > sound.head { adjustSilence(before: packet) }
        let gap = packet.timestamp - sound.head
        guard gap > 0 else { return decode(packet) }
        guard gap <= Self.jumpFrames else { return sound.move(to: packet.timestamp) }
        if packet.sequence == nextSequence { sound.takeBackConcealment() }
        let isLost = packet.sequence > nextSequence
        if isLost, gap <= Int64(sound.frameSize) {
            sound.recover(Int(gap), from: packet)
        } else {
            sound.conceal(Int(isLost ? gap - Int64(sound.frameSize) : gap))
        }
    }

    private func decode(_ packet: PacketStore.Packet) {
        let frameSize = sound.frameSize
        losses.noteDecoded(isAfterGap: packet.sequence > nextSequence, frames: frameSize)
        estimator.lossFrames = losses.areMany ? frameSize : 0
        estimator.copyFrames = losses.areCopiesNeeded ? frameSize : 0
        if packet.sequence == nextSequence, packet.timestamp >= sound.head { sound.takeBackConcealment() }
        nextSequence = packet.sequence &+ 1
        store.removeFirst()
        sound.decode(packet)
    }

    // MARK: Leading the delay to its target

    /// Silence may be made longer or shorter: nobody hears it.
    private func adjustSilence(before packet: PacketStore.Packet) {
        guard sound.takeSilence() else { return }
        guard abs(error) > Double(2 * StreamDecoder.quantum) else { return }
        let shift = min(Int64(min(max(error, -Self.skipFrames), Self.skipFrames)), packet.timestamp - sound.head)
        sound.move(to: sound.head + shift)
        error -= Double(shift)
        drift.forgetError()
    }

    /// After a long hold-up, between singers after a short one: what is too late is left out.
    private func correctFarOff() {
        guard error > estimator.tolerance else { return }
        let wanted = sound.head + Int64(error)
        var isAnyLeftOut = false
        while let packet = store.first(), packet.timestamp + Int64(sound.frameSize) <= wanted {
            store.removeFirst()
            nextSequence = packet.sequence &+ 1
            counted.discarded &+= 1
            isAnyLeftOut = true
        }
        guard isAnyLeftOut || store.count == 0 else { return }
        if isAnyLeftOut { sound.endBeforeSeam() }
        sound.move(to: store.first().map { min($0.timestamp, wanted) } ?? wanted)
        error = 0
        drift.forgetError()
    }

    private func splice(needed: Int) {
        let tolerance = Double(max(4 * StreamDecoder.quantum, sound.frameSize + sound.frameSize / 2))
        guard sound.inventedRun == 0, abs(error) > tolerance else { return }
        let isUrgent = abs(error) > (playoutDelay == .minimal ? Self.minimalUrgency : 2_880)
        guard isUrgent || framesSinceSplice >= Self.spliceDistance else { return }
        let isShortening = error > 0
        let queue = sound.queue
        while queue.count < needed + TimeSplice.framesWanted, queue.room >= OpusDecoding.maximumFrames,
            let packet = store.first(), packet.timestamp <= sound.head, packet.sequence == nextSequence
        { decode(packet) }
        guard let lag = TimeSplice.findLag(queue, isUrgent: isUrgent) else { return }
        if isShortening {
            guard queue.count - lag >= needed else { return }
            TimeSplice.shorten(queue, lag: lag)
            error -= Double(lag)
            counted.shortenedFrames &+= UInt64(lag)
        } else {
            TimeSplice.lengthen(queue, lag: lag)
            error += Double(lag)
            counted.lengthenedFrames &+= UInt64(lag)
        }
        framesSinceSplice = 0
        drift.forgetError()
    }
}
