internal import AudioGraph
internal import Timing

/// A track as the device threads see it: ring, cursors, volumes. Guarded by its player's lock.
final class MusicStream {
    let track: MusicTrack
    var controls: MusicTrack.Controls { didSet { setGains() } }
    let ring = TrackRing()
    /// No more sound will come; the frame after the last.
    var finish: Int64?
    /// In seconds.
    var duration: Double?
    /// What the decoding thread is asked for.
    var seekRequest: SeekRequest?
    /// Another recording of the same song that is to be played instead, from where this one is.
    var otherSource: String?

    /// How it goes through its sound.
    private enum Course {
        case playing(Aim)
        /// It fades out and then stands.
        case paused(Aim)
        /// Nobody may play it any more.
        case over
    }

    /// Where it should be.
    private enum Aim {
        /// What is played next begins exactly there; without an anchor, where the cursor stands.
        case begins(Anchor?)
        /// It plays there; from then on small corrections are enough.
        case holds(Anchor?)
    }

    /// When which frame of the ring should be heard.
    private struct Anchor {
        var heard: Instant
        var frame: Int64
    }

    struct SeekRequest: Equatable {
        /// In frames.
        var position: Double
        /// When that position is to be heard; nil: now.
        var heard: Instant?
    }

    /// The frame that is played next here.
    private(set) var cursor: Int64 = 0
    /// The frame that is published next.
    private var publishCursor: Int64?
    /// When `cursor` is heard; nil while it stands.
    private var clock: Instant?
    private var course: Course
    private let local: Gain
    private let published: Gain
    private let scratch = AudioBuffer(channels: 2, capacity: maximumBlockFrames)
    private let publishScratch = AudioBuffer(channels: 2, capacity: maximumBlockFrames)

    /// A clock's unrest is not corrected.
    private static let tolerance: Int64 = 12
    /// Further off, the track is sought anew.
    private static let farOff: Int64 = 4_800
    /// What is published may be that far from what was heard at the time.
    private static let publishTolerance: Int64 = 24
    private static let publishFarOff: Int64 = 1_440

    init(_ track: MusicTrack, _ start: MusicStart) {
        self.track = track
        controls = track.controls
        course =
            switch start {
            case .open: .playing(.begins(nil))
            case .at(let instant): .playing(.begins(Anchor(heard: instant, frame: 0)))
            case .resumed: .paused(.begins(nil))
            }
        let isHeld = start == .resumed
        local = Gain(isHeld ? 0 : RoomAudioSettings.gain(track.controls.localVolume))
        published = Gain(isHeld ? 0 : RoomAudioSettings.gain(track.controls.publishVolume))
    }

    // MARK: The course

    var isOver: Bool { if case .over = course { true } else { false } }

    var isPaused: Bool { if case .paused = course { true } else { false } }

    func end() { course = .over }

    func setPaused(_ isPaused: Bool) {
        switch course {
        // Where it should be is asked for anew when it goes on.
        case .playing where isPaused: course = .paused(.begins(nil))
        case .paused(let aim) where !isPaused: course = .playing(aim)
        case .playing, .paused, .over: return
        }
        setGains()
    }

    private var aim: Aim {
        get {
            switch course {
            case .playing(let aim), .paused(let aim): aim
            case .over: .begins(nil)
            }
        }
        set {
            switch course {
            case .playing: course = .playing(newValue)
            case .paused: course = .paused(newValue)
            case .over: break
            }
        }
    }

    /// Kept by playing a little faster or slower.
    private var anchor: Anchor? {
        get {
            switch aim {
            case .begins(let anchor), .holds(let anchor): anchor
            }
        }
        set { aim = isPlaced ? .holds(newValue) : .begins(newValue) }
    }

    private var isPlaced: Bool {
        get { if case .holds = aim { true } else { false } }
        set { aim = newValue ? .holds(anchor) : .begins(anchor) }
    }

    private func setGains() {
        local.target = isPaused ? 0 : RoomAudioSettings.gain(controls.localVolume)
        published.target = isPaused ? 0 : RoomAudioSettings.gain(controls.publishVolume)
    }

    func align(position: Double, heard: Instant) {
        anchor = Anchor(heard: heard, frame: ring.frame(of: position, near: cursor) ?? cursor)
    }

    func seek(to position: Double) {
        anchor = nil
        seekRequest = SeekRequest(position: position, heard: nil)
        finish = nil
    }

    /// The decoding thread has put the sound of a seek in place.
    func didSeek(_ request: SeekRequest, to frame: Int64) {
        // Another one may have been asked for meanwhile.
        guard seekRequest == request else { return }
        seekRequest = nil
        if let heard = request.heard { anchor = Anchor(heard: heard, frame: frame) }
        isPlaced = false
        publishCursor = nil
    }

    /// It is heard now.
    var isPlaying: Bool { clock != nil && !isPaused }

    var isFinished: Bool { finish.map { cursor >= $0 } ?? false }

    /// Song position in frames that is heard at an instant.
    func position(at instant: Instant) -> Double {
        guard let clock, !isPaused else { return ring.position(of: cursor) }
        let frame = cursor + Self.frames(instant - clock)
        return ring.position(of: min(max(frame, 0), finish ?? .max))
    }

    // MARK: Output device

    /// Adds what is to be heard from `heard` on to `mix`.
    func render(addingTo mix: AudioBuffer, heard: Instant) {
        clock = heard
        guard !isOver, !isFinished, !(isPaused && local.current == 0) else { return stand() }
        var frames = mix.frameCount
        var offset = 0
        var count = frames
        if let anchor, ring.end > cursor {
            // Where the cursor should be when this block is heard.
            let target = anchor.frame + Self.frames(heard - anchor.heard)
            let ahead = target - cursor
            if ahead < 0, -ahead >= Self.farOff || !isPlaced {
                // Not yet: it goes on within this block or later.
                isPlaced = false
                offset = Int(min(-ahead, Int64(frames)))
                guard offset < frames else { return stand() }
                frames -= offset
                count = frames
            } else if ahead > Self.farOff || !isPlaced {
                guard ahead < ring.end - cursor else { return catchUp(heard: heard, target: target) }
                cursor = target
                publishCursor = nil
            } else if abs(ahead) > Self.tolerance {
                let most = abs(ahead) > 240 ? 4 : 1
                count += ahead > 0 ? most * frames / 480 + 1 : -(most * frames / 480 + 1)
            }
        }
        guard ring.end > cursor else { return stand() }
        isPlaced = true
        scratch.frameCount = frames
        ring.read(cursor, count: count, into: scratch)
        local.process(scratch)
        for channel in 0..<mix.channels {
            let target = mix[channel]
            let source = scratch[min(channel, 1)]
            for index in 0..<frames { target[offset + index] += source[index] }
        }
        clock = heard + Self.interval(offset + frames)
        cursor = min(cursor + Int64(count), ring.end)
    }

    /// Nothing is heard: time stands.
    private func stand() { clock = nil }

    /// Far behind: a moment ahead of where it should be is asked for.
    private func catchUp(heard: Instant, target: Int64) {
        stand()
        guard seekRequest == nil else { return }
        let lead = Interval.milliseconds(300)
        var position = ring.position(of: target + Self.frames(lead))
        let start = Interval(track.start).seconds * 48_000
        let end = (track.end.map { Interval($0).seconds } ?? duration ?? .infinity) * 48_000
        if track.loops != 0, end.isFinite, end > start, position >= end {
            position = start + (position - start).truncatingRemainder(dividingBy: end - start)
        }
        seekRequest = SeekRequest(position: position, heard: heard + lead)
    }

    // MARK: Input device

    /// Adds to `mix` what was heard while the block was captured. False if that is nothing.
    func publish(addingTo mix: AudioBuffer, captured: Instant) -> Bool {
        guard controls.isPublished, !isOver, let clock, !(isPaused && published.current == 0) else {
            publishCursor = nil
            return false
        }
        let frames = mix.frameCount
        let wanted = cursor + Self.frames(captured - clock)
        var count = frames
        var from = publishCursor ?? wanted
        let ahead = wanted - from
        if abs(ahead) > Self.publishFarOff {
            from = wanted
        } else if abs(ahead) > Self.publishTolerance {
            count += ahead > 0 ? 1 : -1
        }
        publishCursor = from + Int64(count)
        guard from + Int64(count) > 0 else { return false }
        publishScratch.frameCount = frames
        ring.read(from, count: count, into: publishScratch)
        published.process(publishScratch)
        mix.add(publishScratch)
        return true
    }

    static func frames(_ interval: Interval) -> Int64 { Int64((interval.seconds * 48_000).rounded()) }

    static func interval(_ frames: Int) -> Interval {
        Interval(nanoseconds: Int64(frames) * 1_000_000_000 / 48_000)
    }
}
