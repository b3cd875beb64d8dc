internal import ClientMedia
internal import Dispatch
internal import Platform
internal import RoomModel
internal import Timing

/// Plays the room's song by what its `SongFollower` says, and tells of it.
final class SongSinger: Sendable {
    /// The engine's name for the track; programs use others.
    static let track = Int32.min
    /// Between two steps while there is a song: as often as progress is told.
    private static let period = Interval.milliseconds(200)

    private struct State {
        var follower = SongFollower()
        var mode = Singing.automatic
        var play: SongPlay?
        var isSeated = false
        /// By how much later than the room the song is heard.
        var lag = Interval.zero
        var volume = 100
        /// The file that the engine was last told to go on in, and its whole address.
        var changing: (file: String, source: String)?
        /// Steps come by themselves.
        var isTicking = false
        var isOver = false
    }

    private let engine: AudioEngine
    private let clock: RoomClock
    private let server: ServerAddress
    private let tell: @Sendable (RoomAudio.Event) -> Void
    /// Steps come one after the other here; opening a device may hold one up.
    private let queue = DispatchQueue(label: "ovation.song")
    /// Held for a step of the follower, never while the engine is told.
    private let state = Mutex(State())

    init(
        _ engine: AudioEngine, clock: RoomClock, server: ServerAddress,
        tell: @escaping @Sendable (RoomAudio.Event) -> Void
    ) {
        self.engine = engine
        self.clock = clock
        self.server = server
        self.tell = tell
    }

    // MARK: - From outside

    var mode: Singing {
        get { state.withLock { $0.mode } }
        set { change { $0.mode = newValue } }
    }

    /// 0…150.
    var volume: Int {
        get { state.withLock { $0.volume } }
        set {
            state.withLock { $0.volume = newValue }
            engine.updateMusic(Self.track) { $0.localVolume = newValue }
        }
    }

    var progress: SongProgress? {
        let now = clock.now
        let heard = engine.musicPosition(Self.track, at: now)
        let estimator = clock.estimator
        return state.withLock { $0.follower.progress(at: now, clock: estimator, heard: heard) }
    }

    /// What is heard of one's own copy then; `nil` without one.
    func position(at instant: Instant) -> Interval? { engine.musicPosition(Self.track, at: instant) }

    /// Where the room's song is then, whether or not a copy of it plays here; `nil` while it stands.
    func place(at instant: Instant) -> Interval? {
        let estimator = clock.estimator
        return state.withLock { $0.follower.place(at: instant, clock: estimator) }
    }

    /// Once one follows, a way that has changed by less moves nobody's song: the leader is still heard with it.
    private static let distinctLag = Interval.milliseconds(20)

    /// The room has changed. `lag`: for whoever follows a leader.
    func take(_ play: SongPlay?, isSeated: Bool, lag: Interval?) {
        change {
            $0.play = play
            $0.isSeated = isSeated
            let change = (lag ?? .zero) - $0.lag
            let isDistinct = change >= Self.distinctLag || .zero - change >= Self.distinctLag
            if lag == nil || $0.lag == .zero || isDistinct { $0.lag = lag ?? .zero }
        }
    }

    /// Nothing is played and told from now on.
    func finish() {
        state.withLock { $0.isOver = true }
        queue.async { [engine] in engine.stopMusic(Self.track) }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            let isOn = state.mode == .automatic
            var play = state.play
            // Whoever follows is that far behind in everything.
            if let startAt = play?.startAt { play?.startAt = startAt &+ state.lag.milliseconds }
            state.follower.take(isOn ? play : nil, sings: isOn && state.isSeated)
        }
        queue.async { [weak self] in self?.step() }
    }

    /// What the engine tells of the track. Returns whether it was this one.
    func hear(_ event: RoomAudioEvent) -> Bool {
        switch event {
        case .musicStarted(Self.track, let duration):
            state.withLock { $0.follower.opened(duration: duration) }
        case .musicCompleted(Self.track, .stopped): break
        case .musicCompleted(Self.track, let end):
            var error: OvationError?
            if case .failed(let why) = end { error = OvationError(.mediaFailed, why) }
            let estimator = clock.estimator
            let actions = state.withLock { $0.follower.ended(error, at: clock.now, by: estimator) }
            queue.async { [weak self] in self?.carryOut(actions) }
        case .musicSwitched(Self.track, let source, let duration):
            state.withLock { state in
                guard let changing = state.changing, changing.source == source else { return }
                state.follower.changed(to: changing.file, duration: duration)
            }
        case .musicSwitchFailed(Self.track, let source, let why):
            let actions = state.withLock { state -> [SongFollower.Action] in
                guard let changing = state.changing, changing.source == source else { return [] }
                return state.follower.changeFailed(
                    to: changing.file, OvationError(.mediaFailed, why), at: clock.now)
            }
            queue.async { [weak self] in self?.carryOut(actions) }
        case .musicProgress(Self.track, _, _): return true
        default: return false
        }
        queue.async { [weak self] in self?.step() }
        return true
    }

    // MARK: - On the queue

    private func step() {
        let now = clock.now
        let heard = engine.musicPosition(Self.track, at: now)
        let estimator = clock.estimator
        let (actions, mayTick) = state.withLock { state -> ([SongFollower.Action], Bool) in
            guard !state.isOver else { return ([], false) }
            let actions = state.follower.step(at: now, clock: estimator, heard: heard)
            guard state.follower.isActive, !state.isTicking else { return (actions, false) }
            state.isTicking = true
            return (actions, true)
        }
        carryOut(actions)
        if mayTick {
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(Self.period.milliseconds))) { [weak self] in
                guard let self else { return }
                state.withLock { $0.isTicking = false }
                step()
            }
        }
    }

    private func carryOut(_ actions: [SongFollower.Action]) {
        for action in actions {
            guard !state.withLock(\.isOver) else { return }
            switch action {
            case .play(let file, let from, let heard):
                var track = MusicTrack(id: Self.track, source: server.resolve(file))
                track.start = Duration(from)
                track.controls.localVolume = volume
                engine.playMusic(track, .at(heard))
            case .align(let position, let heard): engine.alignMusic(Self.track, position: position, heard: heard)
            case .resume(let position, let heard):
                // The place first: between the two calls a block may be played.
                engine.alignMusic(Self.track, position: position, heard: heard)
                engine.resumeMusic(Self.track)
            case .change(let file):
                let source = server.resolve(file)
                state.withLock { $0.changing = (file, source) }
                engine.switchMusic(Self.track, to: source)
            case .pause: engine.pauseMusic(Self.track)
            case .stop: engine.stopMusic(Self.track)
            case .unavailable(let song, let error): tell(.songUnavailable(song, error))
            case .prepared(let song): tell(.songPrepared(song))
            case .progress(let progress): tell(.songProgress(progress))
            case .completed(let song, let error): tell(.songCompleted(song, error))
            }
        }
    }
}
