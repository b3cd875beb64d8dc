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
    /// Without a packet for this long, the stream rests: nothing is decoded or played until one comes.
    private static let restFrames = 48_000
    /// A gap longer than this is silence whose length may be changed unnoticed.
    private static let silenceFrames = 2_400
    private static let codecQuantum = OpusDecoding.frameQuantum
    /// Invented at a time.
    private static let concealmentFrames = 960
    /// From here on, invented sound fades; from there on, there is none.
    private static let fadeStart = 4_800
    private static let fadedFrames = 14_400
    /// Two splices are this far apart unless the delay is far off.
    private static let spliceDistance = 2_880
    /// Silence is changed by no more than this at once.
    private static let skipFrames = 24_000.0
    /// Where sound is left out, so much on either side fades: 2.5 ms.
    private static let seamFrames = 120
    /// Between singers a delay this far off is spliced without a pause.
    private static let minimalUrgency = 600.0
    /// A packet of 120 ms, a block and what the converter looks ahead.
    private static let queueFrames = 8_192

    package private(set) var statistics = JitterBufferStatistics()

    private let decoder: any FrameDecoder
    private let converter: any RateConverter
    private let store = PacketStore()
    private let queue: SampleQueue
    private let scratch: AudioBuffer
    private var estimator: DelayEstimator
    private var drift = DriftController()

    private var epoch: Instant?
    private var ssrc: UInt32?
    private var lastTimestamp: (raw: UInt32, extended: Int64)?

    /// Sound is being made. False until the first packet, and after a second without any.
    package private(set) var isActive = false
    /// The number after the last packet that was decoded or given up.
    package private(set) var nextSequence: UInt64 = 0
    private var head: Int64 = 0
    private var frameSize = 960
    /// Frames invented since the last packet.
    private var inventedRun = 0
    /// How many of them count as concealed: if it turns out that nothing was sent, none.
    private var concealedRun = 0
    private var isLastSilent = false
    private var isGapAdjusted = false
    /// Sound was left out before what is decoded next.
    private var isAfterSeam = false
    private var framesSinceSplice = JitterBuffer.spliceDistance
    private var error = 0.0
    private var losses = LossWatch()

    package init(decoder: any FrameDecoder, converter: any RateConverter, delay: PlayoutDelay = .adaptive) {
        self.decoder = decoder
        self.converter = converter
        queue = SampleQueue(channels: decoder.channels, capacity: Self.queueFrames)
        scratch = AudioBuffer(channels: decoder.channels, capacity: OpusDecoding.maximumFrames)
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
        statistics.received &+= 1
        if let known = self.ssrc, known != ssrc { restart() }
        self.ssrc = ssrc
        let time = frames(at: arrival)
        var extended = extend(timestamp)
        if let base = estimator.base, abs(time - extended - base) > Self.jumpFrames {
            restart()
            extended = extend(timestamp)
        }
        if isActive, sequence < nextSequence, nextSequence - sequence > Self.jumpPackets { restart() }
        if !isActive, store.count == 0 { estimator.forgetBase() }
        // Whoever speaks now may be further away, or have a clock that stood meanwhile: that is no lateness.
        if marker, let base = estimator.base, time - extended - base > Self.newSpeechFrames { estimator.forgetBase() }
        guard !isActive || sequence >= nextSequence else {
            // It may be a late repeat or a second copy; either way there is no use for it, but to learn from.
            estimator.observe(arrival: time, timestamp: extended)
            statistics.late &+= 1
            return
        }
        switch store.insert(sequence: sequence, timestamp: extended, payload: payload) {
        case .stored: estimator.observe(arrival: time, timestamp: extended)
        case .duplicate: statistics.duplicates &+= 1
        case .refused:
            statistics.discarded &+= 1
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
        guard self.ssrc == ssrc, lastTimestamp != nil else { return }
        guard !isActive || sequence >= nextSequence else {
            statistics.late &+= 1
            return losses.noteCopy()
        }
        guard case .stored = store.insert(sequence: sequence, timestamp: extend(timestamp), payload: payload) else {
            return
        }
        statistics.copiesUsed &+= 1
        losses.noteCopy()
    }

    /// Forgets everything, as for another stream.
    package func reset() {
        restart()
        ssrc = nil
        statistics.resets = 0
    }

    private func restart() {
        statistics.resets &+= 1
        store.removeAll()
        estimator.reset()
        drift.reset()
        lastTimestamp = nil
        rest()
    }

    private func rest() {
        // Whoever says nothing for so long has stopped speaking; that is no loss.
        takeBackConcealment()
        isActive = false
        queue.removeAll()
        converter.reset()
        inventedRun = 0
        concealedRun = 0
        isLastSilent = false
        isAfterSeam = false
        drift.forgetError()
    }

    /// Media time with the timestamp's wraps counted.
    private func extend(_ raw: UInt32) -> Int64 {
        let extended = lastTimestamp.map { $0.extended + Int64(Int32(bitPattern: raw &- $0.raw)) } ?? Int64(raw)
        lastTimestamp = (raw, extended)
        return extended
    }

    private func frames(at instant: Instant) -> Int64 {
        let epoch = epoch ?? instant
        self.epoch = epoch
        // Six years in either direction fit.
        let (product, overflow) = (instant - epoch).nanoseconds.multipliedReportingOverflow(by: 48)
        return overflow ? 0 : product / 1_000_000
    }

    // MARK: Out

    /// Fills `block` to its `frameCount`, at most 20 ms, with what is to be played from `now` on.
    package func pull(into block: AudioBuffer, at now: Instant) {
        let wanted = block.frameCount
        guard wanted > 0 else { return }
        estimator.noteBlock(wanted)
        let time = frames(at: now)
        guard isActive || begin(at: time) else {
            block.clear()
            return
        }
        measure(at: time)
        correctFarOff()
        let rate = 1 + drift.deviation
        let needed = converter.framesNeeded(for: wanted, rate: rate)
        while queue.count < needed { makeSound(needed: needed) }
        splice(needed: needed)
        converter.convert(from: queue, into: block, rate: rate)
        framesSinceSplice += wanted
        if inventedRun == 0 { drift.update(error: error / 48_000, passed: Double(wanted) / 48_000) }
        statistics.driftPPM = drift.driftPPM
        if inventedRun >= Self.restFrames, store.count == 0 { rest() }
    }

    /// A first packet is there: its time to be played is the target's distance from the earliest that it could arrive.
    private func begin(at time: Int64) -> Bool {
        guard let first = store.first(), let base = estimator.base else { return false }
        head = min(time - base - Int64(estimator.target), first.timestamp)
        // Never more silence than the target asks for, whatever the packet says.
        head = max(head, first.timestamp - Int64(PlayoutDelay.maximum.seconds * 48_000))
        nextSequence = first.sequence
        inventedRun = Self.restFrames
        isLastSilent = true
        isGapAdjusted = true
        isActive = true
        return true
    }

    private func measure(at time: Int64) {
        guard let base = estimator.base else { return }
        let delay = Double(time - base - (head - Int64(queue.count)))
        error = delay - estimator.target
        statistics.delay = Self.interval(delay)
        statistics.targetDelay = Self.interval(estimator.target)
    }

    private static func interval(_ frames: Double) -> Interval {
        Interval(nanoseconds: Int64(min(max(frames, -1e9), 1e9) * 1e9 / 48_000))
    }

    /// Appends some frames, or gives up a packet.
    private func makeSound(needed: Int) {
        guard let packet = store.first() else {
            let missing = needed - queue.count
            conceal(min(Self.roundedUp(missing), Self.concealmentFrames))
            return
        }
        if packet.timestamp > head { adjustSilence(before: packet) }
        let gap = packet.timestamp - head
        guard gap > 0 else { return decode(packet) }
        guard gap <= Self.jumpFrames else {
            head = packet.timestamp
            return
        }
        if packet.sequence == nextSequence { takeBackConcealment() }
        let isLost = packet.sequence > nextSequence
        if isLost, gap <= Int64(frameSize) {
            recover(Int(gap), from: packet)
        } else {
            let whole = isLost && gap > Int64(frameSize) ? gap - Int64(frameSize) : gap
            conceal(Int(min(whole, Int64(Self.concealmentFrames))))
        }
    }

    private func decode(_ packet: PacketStore.Packet) {
        losses.noteDecoded(isAfterGap: packet.sequence > nextSequence, frames: frameSize)
        estimator.lossFrames = losses.areMany ? frameSize : 0
        estimator.copyFrames = losses.areCopiesNeeded ? frameSize : 0
        if packet.sequence == nextSequence, packet.timestamp >= head { takeBackConcealment() }
        nextSequence = packet.sequence &+ 1
        store.removeFirst()
        scratch.frameCount = scratch.capacity
        guard let count = try? decoder.decode(packet.payload, fec: false, into: scratch), count > 0 else {
            statistics.discarded &+= 1
            return
        }
        if isAfterSeam {
            isAfterSeam = false
            ramp(scratch, up: true)
        }
        queue.append(scratch)
        head = packet.timestamp + Int64(count)
        frameSize = count
        // RFC 6716 §2.1.9: DTX leaves one or two bytes.
        isLastSilent = packet.payload.count <= 2
        inventedRun = 0
        concealedRun = 0
        isGapAdjusted = false
        statistics.decodedFrames &+= UInt64(count)
    }

    /// The last lost frame before `packet`, from the coarse copy in it if there is one; `frames` of its end.
    private func recover(_ frames: Int, from packet: PacketStore.Packet) {
        scratch.frameCount = min(Self.roundedUp(frameSize), scratch.capacity)
        guard decoder.hasCopy(packet.payload),
            let count = try? decoder.decode(packet.payload, fec: true, into: scratch), count >= frames
        else { return conceal(min(frames, Self.concealmentFrames)) }
        queue.append(scratch, count - frames..<count)
        head += Int64(frames)
        inventedRun += frames
        statistics.recoveredFrames &+= UInt64(frames)
    }

    private func conceal(_ frames: Int) {
        if inventedRun >= (isLastSilent ? Self.restFrames : Self.fadedFrames) {
            inventedRun += frames
            noteConcealed(frames)
            queue.appendSilence(frames)
            head += Int64(frames)
            return
        }
        scratch.frameCount = Self.roundedUp(frames)
        if let count = try? decoder.decode(nil, fec: false, into: scratch), count >= frames {
            if !isLastSilent { fade(scratch) }
            append(frames)
        } else {
            queue.appendSilence(frames)
            head += Int64(frames)
            inventedRun += frames
        }
        noteConcealed(frames)
    }

    /// What is invented for long turns into a hum: it fades. Silence that the sender told of keeps its comfort noise.
    private func fade(_ block: AudioBuffer) {
        let start = Self.fadeStart
        guard inventedRun + block.frameCount > start else { return }
        let length = Float(Self.fadedFrames - start)
        for channel in 0..<block.channels {
            let samples = block[channel]
            for index in samples.indices {
                let passed = Float(inventedRun + index - start) / length
                samples[index] *= 1 - min(max(passed, 0), 1)
            }
        }
    }

    private func noteConcealed(_ frames: Int) {
        guard !isLastSilent else { return }
        concealedRun += frames
        statistics.concealedFrames &+= UInt64(frames)
    }

    private func append(_ frames: Int) {
        queue.append(scratch, 0..<min(frames, scratch.frameCount))
        head += Int64(frames)
        inventedRun += frames
    }

    /// The sender was silent on purpose: the next packet's number follows, only its time does not.
    private func takeBackConcealment() {
        statistics.concealedFrames &-= UInt64(concealedRun)
        concealedRun = 0
    }

    private static func roundedUp(_ frames: Int) -> Int { (frames + codecQuantum - 1) / codecQuantum * codecQuantum }

    // MARK: Leading the delay to its target

    /// Silence may be made longer or shorter: nobody hears it.
    private func adjustSilence(before packet: PacketStore.Packet) {
        guard !isGapAdjusted, isLastSilent || inventedRun >= Self.silenceFrames else { return }
        isGapAdjusted = true
        guard abs(error) > Double(2 * Self.codecQuantum) else { return }
        let shift = min(Int64(min(max(error, -Self.skipFrames), Self.skipFrames)), packet.timestamp - head)
        head += shift
        error -= Double(shift)
        drift.forgetError()
    }

    /// After a long hold-up, between singers after a short one: what is too late is left out.
    private func correctFarOff() {
        guard error > estimator.tolerance else { return }
        let wanted = head + Int64(error)
        var isAnyLeftOut = false
        while let packet = store.first(), packet.timestamp + Int64(frameSize) <= wanted {
            store.removeFirst()
            nextSequence = packet.sequence &+ 1
            statistics.discarded &+= 1
            isAnyLeftOut = true
        }
        guard isAnyLeftOut || store.count == 0 else { return }
        if isAnyLeftOut, inventedRun == 0 { endBeforeSeam() }
        head = store.first().map { min($0.timestamp, wanted) } ?? wanted
        error = 0
        drift.forgetError()
    }

    /// What is heard goes on for a moment as it would, and fades; what follows comes in as softly.
    private func endBeforeSeam() {
        scratch.frameCount = Self.seamFrames
        guard queue.room >= Self.seamFrames,
            let count = try? decoder.decode(nil, fec: false, into: scratch), count >= Self.seamFrames
        else { return }
        ramp(scratch, up: false)
        queue.append(scratch, 0..<Self.seamFrames)
        statistics.concealedFrames &+= UInt64(Self.seamFrames)
        isAfterSeam = true
    }

    private func ramp(_ block: AudioBuffer, up: Bool) {
        for channel in 0..<block.channels {
            let samples = block[channel]
            for frame in 0..<min(Self.seamFrames, block.frameCount) {
                let share = Float(frame) / Float(Self.seamFrames)
                samples[frame] *= up ? share : 1 - share
            }
        }
    }

    private func splice(needed: Int) {
        let tolerance = Double(max(4 * Self.codecQuantum, frameSize + frameSize / 2))
        guard inventedRun == 0, abs(error) > tolerance else { return }
        let isUrgent = abs(error) > (playoutDelay == .minimal ? Self.minimalUrgency : 2_880)
        guard isUrgent || framesSinceSplice >= Self.spliceDistance else { return }
        let isShortening = error > 0
        while queue.count < needed + TimeSplice.framesWanted, queue.room >= OpusDecoding.maximumFrames,
            let packet = store.first(), packet.timestamp <= head, packet.sequence == nextSequence
        { decode(packet) }
        guard let lag = TimeSplice.findLag(queue, isUrgent: isUrgent) else { return }
        if isShortening {
            guard queue.count - lag >= needed else { return }
            TimeSplice.shorten(queue, lag: lag)
            error -= Double(lag)
            statistics.shortenedFrames &+= UInt64(lag)
        } else {
            TimeSplice.lengthen(queue, lag: lag)
            error += Double(lag)
            statistics.lengthenedFrames &+= UInt64(lag)
        }
        framesSinceSplice = 0
        drift.forgetError()
    }
}
