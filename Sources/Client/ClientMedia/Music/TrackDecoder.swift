internal import AudioGraph
internal import DatagramIO
internal import MediaCodecs
internal import Timing

/// What the thread of one track does: open, decode ahead through speed and pitch, repeat, tell how far it is.
final class TrackDecoder {
    /// Half a second is there before it is heard.
    private static let aheadFrames: Int64 = 24_000
    /// A change of speed or pitch is heard after this: by then its sound is there.
    private static let changeFrames: Int64 = 2_400
    private static let progressInterval = Interval.milliseconds(200)
    /// Between two looks.
    private static let rest = Interval.milliseconds(50)
    private static let blockFrames = maximumBlockFrames
    /// A song that cannot be decoded at all must not keep the thread busy for ever.
    private static let maximumSilentReads = 3

    private let id: Int32
    private let track: MusicTrack
    private let lock: Guarded<MusicPlayer.Tracks>
    private let open: (String) throws(CodecError) -> any MusicSource
    private let clock: @Sendable () -> Instant
    private let tell: @Sendable (RoomAudioEvent) -> Void
    private let poller: Poller

    private let input = AudioBuffer(channels: 2, capacity: blockFrames)
    private let output = AudioBuffer(channels: 2, capacity: blockFrames)
    private var stretch: TimeStretch?
    private var shifter: PitchShifter?
    private var speed = 1.0
    private var pitch = 0.0
    private var loopsLeft: Int
    /// Song position in frames of what is read next.
    private var position: Int64 = 0
    /// Frames of sound that are still to be thrown away: the shifter's delay.
    private var skip = 0
    /// Frames of sound that are to come of what has been read; the rest of the stretch's output is padding.
    private var owed = 0.0
    private var hasEnded = false
    /// The song is over; the stretch is fed silence until all of it has come out.
    private var isPadding = false

    init(
        id: Int32, track: MusicTrack, lock: Guarded<MusicPlayer.Tracks>, poller: Poller,
        open: @escaping (String) throws(CodecError) -> any MusicSource, clock: @escaping @Sendable () -> Instant,
        tell: @escaping @Sendable (RoomAudioEvent) -> Void
    ) {
        self.id = id
        self.track = track
        self.lock = lock
        self.poller = poller
        self.open = open
        self.clock = clock
        self.tell = tell
        loopsLeft = track.settings.loops
    }

    func run() {
        let end: MusicEnd
        do {
            end = try play()
        } catch {
            end = .failed(error.description)
        }
        let wasOver = lock.with { tracks -> Bool in
            defer { track.isOver = true }
            tracks.remove(track)
            return track.isOver
        }
        tell(.musicCompleted(id, wasOver ? .stopped : end))
    }

    private var startFrame: Int64 { MusicTrack.frames(track.settings.start) }

    private func play() throws(CodecError) -> MusicEnd {
        let source = try open(track.settings.source)
        let duration = source.duration
        lock.with { _ in track.duration = duration }
        tell(.musicStarted(id, duration: duration.map { Interval(nanoseconds: Int64(max(0, $0) * 1e9)) }))
        (speed, pitch) = lock.with { _ in (track.controls.speed, track.controls.pitch) }
        try begin(source, at: Double(startFrame), inRing: 0, isFirst: true)
        var nextProgress = clock() + Self.progressInterval
        while true {
            try obey(source)
            try fill(source)
            let now = clock()
            let (isOver, isFinished, isPaused) = lock.with { _ in (track.isOver, track.isFinished, track.isPaused) }
            if isOver { return .stopped }
            if isFinished { return .finished }
            if nextProgress <= now {
                nextProgress = now + Self.progressInterval
                if !isPaused { tellProgress(now) }
            }
            _ = poller.wait(until: SystemClock.now() + Self.rest, now: SystemClock.now())
        }
    }

    private func tellProgress(_ now: Instant) {
        let (position, duration) = lock.with { _ in (track.position(at: now), track.duration) }
        tell(
            .musicProgress(
                id, position: Interval(nanoseconds: Int64(max(0, position) / 48_000 * 1e9)),
                duration: duration.map { Interval(nanoseconds: Int64(max(0, $0) * 1e9)) }))
    }

    // MARK: Requests

    private func obey(_ source: any MusicSource) throws(CodecError) {
        let (request, controls, cursor, end) = lock.with { _ in
            (track.seekRequest, track.controls, track.cursor, track.ring.end)
        }
        if let request {
            (speed, pitch) = (controls.speed, controls.pitch)
            try begin(source, at: request.position, inRing: nil, isFirst: false, request: request)
        } else if controls.speed != speed || controls.pitch != pitch {
            (speed, pitch) = (controls.speed, controls.pitch)
            let place = min(cursor + Self.changeFrames, end)
            let position = lock.with { _ in track.ring.position(of: place) }
            try begin(source, at: position, inRing: place, isFirst: false)
        }
    }

    /// Goes on at a place of the song: its sound takes the place of what was decoded ahead. `inRing` nil: as soon as can be.
    private func begin(
        _ source: any MusicSource, at wanted: Double, inRing: Int64?, isFirst: Bool,
        request: MusicTrack.SeekRequest? = nil
    ) throws(CodecError) {
        let frame = max(0, wanted)
        if !isFirst || frame > 0 { try source.seek(toSeconds: frame / 48_000) }
        position = Int64(frame.rounded())
        hasEnded = false
        isPadding = false
        owed = 0
        stretch = speed == 1 ? nil : TimeStretch(channels: 2, speed: speed)
        shifter = pitch == 0 ? nil : PitchShifter(channels: 2, semitones: pitch, use: .music)
        skip = shifter?.latencyFrames ?? 0
        let count = try makeSound(source)
        lock.with { _ in
            let place = max(inRing ?? track.cursor, track.cursor)
            output.frameCount = count
            track.ring.splice(at: place, output)
            track.ring.add(segment: TrackRing.Segment(start: place, position: frame, speed: speed))
            track.finish = hasEnded ? track.ring.end : nil
            if let request { track.didSeek(request, to: place) }
        }
    }

    // MARK: Decoding

    private func fill(_ source: any MusicSource) throws(CodecError) {
        while !hasEnded {
            let isEnough = lock.with { _ in
                track.isOver || track.seekRequest != nil || track.ring.end - track.cursor >= Self.aheadFrames
            }
            if isEnough { return }
            let count = try makeSound(source)
            lock.with { _ in
                // A seek that came meanwhile begins anew.
                track.ring.append(output, 0..<count)
                if hasEnded, track.seekRequest == nil { track.finish = track.ring.end }
            }
        }
    }

    /// Leaves the next frames in `output` and says how many; 0 with `hasEnded` at the end.
    private func makeSound(_ source: any MusicSource) throws(CodecError) -> Int {
        while !hasEnded {
            var count: Int
            if let stretch {
                count = try pull(stretch, source)
            } else {
                count = try read(source)
                if count > 0 { output.copy(from: input) }
            }
            guard count > 0 else { continue }
            output.frameCount = count
            shifter?.process(output)
            if skip > 0 {
                let cut = min(skip, count)
                skip -= cut
                shift(output, by: cut)
                count -= cut
            }
            if count > 0 { return count }
        }
        return 0
    }

    /// Sound through the stretch; what it holds back at the end is pushed out with silence.
    private func pull(_ stretch: TimeStretch, _ source: any MusicSource) throws(CodecError) -> Int {
        output.frameCount = Self.blockFrames
        while stretch.inputNeeded(for: Self.blockFrames) > 0 {
            let count = try read(source)
            if count > 0 {
                _ = stretch.push(input)
                owed += Double(count) / speed
            } else if hasEnded {
                if owed < 1 { return 0 }
                hasEnded = false
                isPadding = true
                input.frameCount = Self.blockFrames
                input.clear()
                _ = stretch.push(input)
            }
        }
        var count = stretch.pull(output)
        if isPadding, Double(count) >= owed {
            count = Int(owed)
            hasEnded = true
        }
        owed -= Double(count)
        return count
    }

    private func shift(_ block: AudioBuffer, by cut: Int) {
        let rest = block.frameCount - cut
        for channel in 0..<block.channels {
            guard let samples = block[channel].baseAddress else { return }
            samples.update(from: samples + cut, count: rest)
        }
        block.frameCount = rest
    }

    /// Reads the next part of the song into `input`, from its start again if it is to be repeated.
    private func read(_ source: any MusicSource) throws(CodecError) -> Int {
        guard !isPadding else {
            hasEnded = true
            return 0
        }
        var silent = 0
        while true {
            var count = try source.fill(input)
            if let end = track.settings.end {
                count = min(count, Int(max(0, MusicTrack.frames(end) - position)))
            }
            if count > 0 {
                input.frameCount = count
                position += Int64(count)
                return count
            }
            silent += 1
            guard loopsLeft != 0, silent < Self.maximumSilentReads else {
                hasEnded = true
                return 0
            }
            if loopsLeft > 0 { loopsLeft -= 1 }
            try source.seek(toSeconds: Double(startFrame) / 48_000)
            position = startFrame
            noteRepeat()
        }
    }

    /// From the frame on that comes next, the song is at its start again.
    private func noteRepeat() {
        lock.with { _ in
            let start = track.ring.end + Int64(owed.rounded())
            track.ring.add(segment: TrackRing.Segment(start: start, position: Double(startFrame), speed: speed))
        }
    }
}
