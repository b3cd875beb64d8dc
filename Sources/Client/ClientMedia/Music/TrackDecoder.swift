internal import AudioGraph
internal import DatagramIO
internal import MediaCodecs
internal import Platform
internal import Timing

/// What the thread of one track does: open, decode ahead through speed and pitch, repeat, tell how far it is.
final class TrackDecoder {
    /// Half a second is there before it is heard.
    private static let aheadFrames: Int64 = 24_000
    /// A change of speed or pitch is heard after this: by then its sound is there.
    private static let changeFrames: Int64 = 2_400
    /// Another recording is heard so much later than it is there, and again so much if that was too little.
    private static let switchFrames: Int64 = 4_800
    private static let switchTries = 4
    /// Further than this is sought.
    private static let readOnFrames: Int64 = 480_000
    private static let progressInterval = Interval.milliseconds(200)
    /// Between two looks.
    private static let rest = Interval.milliseconds(50)
    private static let blockFrames = maximumBlockFrames
    /// A song that cannot be decoded at all must not keep the thread busy for ever.
    private static let maximumSilentReads = 3

    private let id: Int32
    private let stream: MusicStream
    private let lock: Guarded<MusicPlayer.Tracks>
    private let open: MusicPlayer.Opener
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
    /// The other recording that is being opened.
    private var opening: Opening?

    init(
        id: Int32, stream: MusicStream, lock: Guarded<MusicPlayer.Tracks>, poller: Poller,
        open: @escaping MusicPlayer.Opener, clock: @escaping @Sendable () -> Instant,
        tell: @escaping @Sendable (RoomAudioEvent) -> Void
    ) {
        self.id = id
        self.stream = stream
        self.lock = lock
        self.poller = poller
        self.open = open
        self.clock = clock
        self.tell = tell
        loopsLeft = stream.track.loops
    }

    func run() {
        let end: MusicEnd
        do {
            end = try play()
        } catch {
            end = .failed(error.description)
        }
        let (isReplaced, wasOver) = lock.with { tracks -> (Bool, Bool) in
            defer {
                tracks.remove(stream)
                stream.end()
            }
            return (tracks.all[id] !== stream, stream.isOver)
        }
        // It would be taken for the end of the track that has its id now.
        guard !isReplaced else { return }
        tell(.musicCompleted(id, wasOver ? .stopped : end))
    }

    private var startFrame: Int64 { MusicStream.frames(Interval(stream.track.start)) }

    private func play() throws(CodecError) -> MusicEnd {
        var source = try open(stream.track.source)
        let duration = source.duration
        let isOver = lock.with { _ in
            stream.duration = duration
            return stream.isOver
        }
        // To open it may have taken long.
        guard !isOver else { return .stopped }
        tell(.musicStarted(id, duration: duration.map { Interval(seconds: max(0, $0)) }))
        (speed, pitch) = lock.with { _ in (stream.controls.speed, stream.controls.pitch) }
        try begin(source, at: Double(startFrame), inRing: 0, isFirst: true)
        var nextProgress = clock() + Self.progressInterval
        while true {
            try obey(source)
            if let other = try changeOver() { source = other }
            try fill(source)
            let now = clock()
            let (isOver, isFinished, isPaused) = lock.with { _ in (stream.isOver, stream.isFinished, stream.isPaused) }
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
        let (position, duration) = lock.with { _ in (stream.position(at: now), stream.duration) }
        tell(
            .musicProgress(
                id, position: Interval(seconds: max(0, position) / 48_000),
                duration: duration.map { Interval(seconds: max(0, $0)) }))
    }

    // MARK: Requests

    private func obey(_ source: any MusicSource) throws(CodecError) {
        let (request, controls, cursor, end) = lock.with { _ in
            (stream.seekRequest, stream.controls, stream.cursor, stream.ring.end)
        }
        if let request {
            (speed, pitch) = (controls.speed, controls.pitch)
            try begin(source, at: request.position, inRing: nil, isFirst: false, request: request)
        } else if controls.speed != speed || controls.pitch != pitch {
            (speed, pitch) = (controls.speed, controls.pitch)
            let place = min(cursor + Self.changeFrames, end)
            let position = lock.with { _ in stream.ring.position(of: place) }
            try begin(source, at: position, inRing: place, isFirst: false)
        }
    }

    /// Goes on at a place of the song: its sound takes the place of what was decoded ahead. `inRing` nil: as soon as can be.
    private func begin(
        _ source: any MusicSource, at wanted: Double, inRing: Int64?, isFirst: Bool,
        request: MusicStream.SeekRequest? = nil
    ) throws(CodecError) {
        let frame = max(0, wanted)
        if !isFirst || frame > 0 { try source.seek(toSeconds: frame / 48_000) }
        setOff(at: Int64(frame.rounded()))
        let count = try makeSound(source)
        lock.with { _ in
            let place = max(inRing ?? stream.cursor, stream.cursor)
            splice(count, at: place, position: frame)
            if let request { stream.didSeek(request, to: place) }
        }
    }

    /// What is read next is that place of the song.
    private func setOff(at frame: Int64) {
        position = frame
        hasEnded = false
        isPadding = false
        owed = 0
        stretch = speed == 1 ? nil : TimeStretch(channels: 2, speed: speed)
        shifter = pitch == 0 ? nil : PitchShifter(channels: 2, semitones: pitch, use: .music)
        skip = shifter?.latencyFrames ?? 0
    }

    /// Puts `output` into the ring in place of what follows there. Under the lock.
    private func splice(_ count: Int, at place: Int64, position: Double) {
        output.frameCount = count
        stream.ring.splice(at: place, output)
        stream.ring.add(segment: TrackRing.Segment(start: place, position: position, speed: speed))
        stream.finish = hasEnded ? stream.ring.end : nil
    }

    // MARK: Another recording

    /// A source on its way from the thread that opens it.
    private final class Opening: Sendable {
        /// Lock rule: the opening thread gives its only reference away by writing `result`, and the decoding thread takes it out of there,
        /// both under the lock of `result`; so one thread at a time has it.
        struct Source: @unchecked Sendable {
            let source: any MusicSource
        }

        let location: String
        /// The frame of the song that it gives first.
        let start: Int64
        let result = Mutex<Result<Source, CodecError>?>(nil)

        init(_ location: String, start: Int64) {
            self.location = location
            self.start = start
        }
    }

    /// Opens the other recording on a thread of its own, while this one plays on, and goes over to it when it is there.
    private func changeOver() throws(CodecError) -> (any MusicSource)? {
        let (wanted, from) = lock.with { _ in
            (stream.otherSource, Int64(max(0, stream.ring.position(of: stream.cursor + Self.switchFrames))))
        }
        if let wanted, opening?.location != wanted { beginOpening(wanted, at: from) }
        guard let opening, let result = opening.result.withLock({ $0 }) else { return nil }
        self.opening = nil
        lock.with { _ in if stream.otherSource == opening.location { stream.otherSource = nil } }
        switch result {
        case .failure(let error):
            tell(.musicSwitchFailed(id, source: opening.location, error.description))
            return nil
        case .success(let opened):
            let duration = opened.source.duration
            try goOver(to: opened.source, at: opening.start)
            lock.with { _ in stream.duration = duration }
            tell(
                .musicSwitched(
                    id, source: opening.location,
                    duration: duration.map { Interval(seconds: max(0, $0)) }))
            return opened.source
        }
    }

    private func beginOpening(_ location: String, at start: Int64) {
        let opening = Opening(location, start: start)
        self.opening = opening
        do {
            _ = try WorkerThread(name: "music-open") { [open, lock, id] in
                let result: Result<Opening.Source, CodecError>
                do throws(CodecError) {
                    let source = try open(location)
                    try source.seek(toSeconds: Double(start) / 48_000)
                    result = .success(Opening.Source(source: source))
                } catch {
                    result = .failure(error)
                }
                opening.result.withLock { $0 = result }
                // Of the thread that waits, or of one that has come in its place; a track that has ended has none.
                lock.with { $0.wakers[id]?.wake() }
            }
        } catch {
            opening.result.withLock { $0 = .failure(CodecError(.cannotOpen, error.description)) }
        }
    }

    /// The source stands a little before where it is needed: what lies between is read and thrown away, for a seek over the network
    /// may take longer than what has been decoded ahead.
    private func goOver(to source: any MusicSource, at start: Int64) throws(CodecError) {
        var standing = start
        for attempt in 1...Self.switchTries {
            let (place, wanted) = lock.with { _ in
                let place = max(stream.cursor, min(stream.cursor + Int64(attempt) * Self.switchFrames, stream.ring.end))
                return (place, max(0, stream.ring.position(of: place)))
            }
            let target = Int64(wanted.rounded())
            if target < standing || target - standing > Self.readOnFrames {
                try source.seek(toSeconds: Double(target) / 48_000)
                standing = target
            }
            // Whole blocks, since a source fills what it is given; the rest is cut off the sound.
            while target - standing >= Int64(Self.blockFrames) {
                let count = try source.fill(input)
                if count == 0 { break }
                standing += Int64(count)
            }
            setOff(at: standing)
            skip += Int((Double(target - standing) / speed).rounded())
            let count = try makeSound(source)
            standing = position
            let isInTime = lock.with { _ in
                // Played past already, and not because the song is held or over.
                guard stream.cursor <= place || attempt == Self.switchTries else { return false }
                splice(count, at: max(place, stream.cursor), position: Double(target))
                return true
            }
            if isInTime { return }
        }
    }

    // MARK: Decoding

    private func fill(_ source: any MusicSource) throws(CodecError) {
        while !hasEnded {
            let isEnough = lock.with { _ in
                stream.isOver || stream.seekRequest != nil || stream.ring.end - stream.cursor >= Self.aheadFrames
            }
            if isEnough { return }
            let count = try makeSound(source)
            lock.with { _ in
                // A seek that came meanwhile begins anew.
                stream.ring.append(output, 0..<count)
                if hasEnded, stream.seekRequest == nil { stream.finish = stream.ring.end }
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
            if let end = stream.track.end.map({ Interval($0) }) {
                count = min(count, Int(max(0, MusicStream.frames(end) - position)))
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
            let start = stream.ring.end + Int64(owed.rounded())
            stream.ring.add(segment: TrackRing.Segment(start: start, position: Double(startFrame), speed: speed))
        }
    }
}
