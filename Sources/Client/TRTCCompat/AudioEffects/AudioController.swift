internal import AudioGraph
internal import Dispatch
internal import Ovation
internal import Platform
internal import RoomModel
internal import Timing

/// What a user has set of the sound. Volumes are 0…150, 100 leaves the sound as it is.
struct SoundSettings: Sendable, Equatable {
    var quality = AudioQuality.standard
    /// The user's choice, of this room.
    var isMicrophoneMuted = false
    var captureVolume = 100
    /// Of the voice effects; on top of `captureVolume`.
    var voiceVolume = 100
    var playoutVolume = 100
    var isAllMuted = false
    var mutedUsers: Set<UserID> = []
    var isEarMonitorOn = false
    var earMonitorVolume = 100
    var reverb = ReverbPreset.off
    var voice = VoicePreset.off
    /// Semitones.
    var voicePitch = 0.0

    /// What both volumes come to.
    var inputVolume: Int { min(captureVolume * voiceVolume / 100, AudioController.loudest) }
}

/// What a user sets of the sound, kept from before the first sign-in on, and handed to the room that is entered.
final class AudioController: Sendable {
    static let loudest = 150

    private struct State {
        var settings = SoundSettings()
        var source: (any ClientSound)?
        /// Hears what the room's sound tells.
        var listening: Task<Void, Never>?
        /// Of the wish for a microphone that was told before there was a room.
        var wantsMicrophone = false
        var order = MicrophoneOrder()
        var music = MusicPieces()
        /// The component was destroyed: whoever kept its effects reaches nobody.
        var isOver = false
    }

    /// What takes the room no time it is told under this lock. So whoever leaves it meanwhile, or says something else, has the last word.
    private let state = Mutex(State())
    /// Held while a room is told settings, so that they come to it in their order. Taken before `state`.
    private let applying = Mutex(())
    private let tell: @Sendable (RoomNotice) -> Void
    /// Where devices and files are opened, one after the other.
    private let devices = DispatchQueue(label: "ovation.trtc.devices")

    init(tell: @escaping @Sendable (RoomNotice) -> Void) { self.tell = tell }

    // MARK: - The room

    /// - Parameter source: of the room that was entered; `nil`: it was left.
    func attach(_ source: (any ClientSound)?) {
        let change = state.withLock { state -> ((any ClientSound)?, [(track: Int32, tell: MusicPieces.Tell)])? in
            // A room that was entered after the component's end is another's.
            if state.isOver { return nil }
            defer {
                // The room may go on for another component, and be entered again.
                state.listening?.cancel()
                state.listening = nil
                state.source = source
                state.order = MicrophoneOrder()
                if source == nil { state.wantsMicrophone = false }
            }
            return (state.source, state.music.end())
        }
        guard let (former, broken) = change else { return }
        for piece in broken {
            former?.stopMusic(piece.track)
            piece.tell(.finished)
        }
        guard let source else { return applying.withLock { _ in former?.silence() } }
        let listening = source.hear(
            { [weak self] in self?.hear($0) },
            // More than the stream holds was not read in time: nothing that an app could do anything about.
            lost: { [tell] in tell(.log("sound events were lost: \($0)")) })
        state.withLock { if $0.source === source { $0.listening = listening } else { listening.cancel() } }
        applying.withLock { _ in
            let settings = state.withLock { $0.source === source ? $0.settings : nil }
            if let settings { source.apply(settings, after: SoundSettings()) }
        }
        // A room that another component had kept was silent.
        state.withLock { if $0.source === source { source.begin() } }
        // A device may take its time, and a file may be far away: whoever brings the room has other things to do meanwhile.
        let (input, output) = (OvationDevices.input, OvationDevices.output)
        devices.async { [weak self] in
            guard let self, self.source === source else { return }
            for failure in source.useDevices(input, output) { tell(failure) }
            state.withLock { state in
                guard state.source === source, state.wantsMicrophone else { return }
                state.wantsMicrophone = false
                source.startMicrophone()
            }
        }
    }

    /// That room was left while its sound was attached.
    func detach(_ source: any ClientSound) {
        if self.source === source { attach(nil) }
    }

    /// The component was destroyed.
    func end() {
        attach(nil)
        state.withLock { $0.isOver = true }
    }

    /// Whether the component still lives; if not, the app is told.
    private var isAlive: Bool {
        guard state.withLock({ $0.isOver }) else { return true }
        tell(.error(TRTCCode.failed, "these effects belong to a destroyed room: get the effects from the room again"))
        return false
    }

    private var source: (any ClientSound)? { state.withLock { $0.source } }

    // MARK: - Settings

    func set(_ change: @Sendable (inout SoundSettings) -> Void) {
        guard isAlive else { return }
        applying.withLock { _ in
            let (source, former, settings) = state.withLock { state in
                let former = state.settings
                change(&state.settings)
                return (state.source, former, state.settings)
            }
            source?.apply(settings, after: former)
        }
    }

    var settings: SoundSettings { state.withLock { $0.settings } }

    func setQuality(_ quality: Int) {
        guard let quality = AudioQuality(rawValue: Int32(clamping: quality)) else {
            return tell(
                .warning(
                    TRTCCode.failed, "\(quality) is not a valid audio quality: use 1 (speech), 2 (default) or 3 (music)"
                ))
        }
        set { $0.quality = quality }
    }

    func setSpeaker(_ isSpeaker: Bool) {
        do throws(OvationError) {
            try RoomAudio.check(isSpeaker ? .speaker : .receiver)
            tell(.log("setSpeaker(userSpeaker: \(isSpeaker)): sound is played there already"))
        } catch {
            tell(.warning(error.outcome.code, error.outcome.message))
        }
    }

    func mute(_ userId: String, _ isMuted: Bool) {
        guard let user = UserID(userId) else {
            return tell(.warning(TRTCCode.failed, "\(userId.debugDescription) is no user id"))
        }
        set { settings in
            if isMuted { settings.mutedUsers.insert(user) } else { settings.mutedUsers.remove(user) }
        }
    }

    /// Effects of the voice end with the room, as published.
    func resetEffects() {
        set {
            $0.reverb = .off
            $0.voice = .off
        }
    }

    static func volume(_ volume: Int) -> Int { min(max(volume, 0), loudest) }

    // MARK: - The microphone

    /// Before there is a room, the wish is kept.
    func startMicrophone() {
        guard isAlive else { return }
        state.withLock { state in
            guard let source = state.source else { return state.wantsMicrophone = true }
            state.order.say()
            source.startMicrophone()
        }
    }

    func stopMicrophone() {
        let source = state.withLock { state in
            state.wantsMicrophone = false
            state.order.say()
            return state.source
        }
        source?.stopMicrophone()
    }

    /// The person's own call to sit down or to get up was carried out. The event follows.
    func noteSeat(isTaken: Bool) { state.withLock { $0.order.answer(isSeated: isTaken) } }

    /// On sitting down and on getting up the microphone follows, unless the person has said something else since.
    func followSeat(isTaken: Bool) {
        state.withLock { state in
            if state.order.tell(isSeated: isTaken) { state.source?.followSeat() }
        }
    }

    // MARK: - Music

    /// - Returns: whether there is a room to play in.
    func play(_ track: MusicTrack, _ tell: @escaping MusicPieces.Tell) -> Bool {
        begin { $0.play(track, in: $1, tell: tell) }
    }

    /// Opens a piece, so that it is heard at once when it is played. `started` is told when it is open.
    /// - Returns: whether there is a room to play in.
    func prepare(_ track: MusicTrack, _ tell: @escaping MusicPieces.Tell) -> Bool {
        begin { $0.prepare(track, in: $1, tell: tell) }
    }

    private func begin(_ body: (inout MusicPieces, any ClientSound) -> @Sendable () -> Void) -> Bool {
        guard isAlive else { return false }
        let told = state.withLock { state in state.source.map { body(&state.music, $0) } }
        told?()
        return told != nil
    }

    func pause(_ id: Int32) { withTrack(id) { $0.pauseMusic($1) } }
    func resume(_ id: Int32) { withTrack(id) { $0.resumeMusic($1) } }
    func stop(_ id: Int32) { withTrack(id) { $0.stopMusic($1) } }
    func seek(_ id: Int32, to position: Duration) { withTrack(id) { $0.seekMusic($1, to: max(.zero, position)) } }

    private func withTrack(_ id: Int32, _ body: (any ClientSound, Int32) -> Void) {
        state.withLock { state in
            if let source = state.source, let track = state.music.track(of: id) { body(source, track) }
        }
    }

    /// Of the room's song too.
    func position(_ id: Int32) -> Duration? {
        let (source, track) = state.withLock { ($0.source, $0.music.track(of: id)) }
        if let track { return source?.musicPosition(track) }
        guard let song = source?.song, song.song.number == id else { return nil }
        return song.position
    }

    func levels(of id: Int32) -> MusicTrack.Controls { state.withLock { $0.music.levels(of: id) } }

    func changeMusic(_ id: Int32, _ change: (inout MusicTrack.Controls) -> Void) {
        state.withLock { $0.music.change(id, in: $0.source, change) }
    }

    func changeAllMusic(to volume: Int) { state.withLock { $0.music.changeAll(to: volume, in: $0.source) } }

    /// The room's song is about to be heard.
    func beginSong(_ id: Int32) { changeMusic(id) { _ in } }

    // MARK: - News

    private func tell(_ failure: SoundFailure) { tell(.error(failure.code, failure.message)) }

    private func hear(_ event: RoomAudio.Event) {
        switch event {
        case .microphoneFailed(let error), .inputEnded(let error?):
            tell(SoundFailure(.microphone, error.message))
        case .microphoneReturned: tell(.log("the microphone is back"))
        case .speakerFailed(let error): tell(SoundFailure(.loudspeaker, error.message))
        case .inputEnded(nil): tell(.log("the input has ended"))
        case .connectionChanged(.lost):
            tell(.warning(TRTCCode.disconnected, "the sound connection is lost; reconnecting"))
        case .connectionChanged(.failed(let error)):
            tell(.warning(TRTCCode.soundFailed, "cannot open the sound connection: \(error.message)"))
        case .connectionChanged(let connection): tell(.log("sound connection: \(connection)"))
        case .musicStarted(let track, _): hear(.started, ofTrack: track)
        case .musicProgress(let track, let position, let duration):
            hear(.progress(milliseconds: position.milliseconds, of: duration?.milliseconds ?? 0), ofTrack: track)
        case .musicEnded(let track, let error):
            hear(error.map { .failed($0.message) } ?? .finished, ofTrack: track)
        // The duet's song and its quality: the controller of a chorus room hears of them by itself.
        case .songPrepared, .songProgress, .songCompleted, .songUnavailable, .networkChanged: break
        }
    }

    private func hear(_ news: MusicNews, ofTrack track: Int32) {
        state.withLock { $0.music.hear(news, ofTrack: track) }?(news)
    }
}

extension Duration {
    var milliseconds: Int { Int(clamping: wholeMilliseconds) }
}
