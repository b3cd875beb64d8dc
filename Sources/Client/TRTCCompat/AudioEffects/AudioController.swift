internal import AudioGraph
internal import Dispatch
internal import Ovation
internal import RoomModel
internal import Synchronization
internal import Timing

/// What a user has set of the sound. Volumes are 0…150, 100 leaves the sound as it is.
struct SoundSettings: Sendable, Equatable {
    var quality = AudioQuality.standard
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

/// What happens to a piece of music.
enum MusicNews: Sendable, Equatable {
    case started
    case progress(milliseconds: Int, of: Int)
    /// It has come to its end, or was stopped.
    case finished
    case failed(String)
}

/// What a user sets of the sound, kept from before the first sign-in on, and handed to the room that is entered.
final class AudioController: Sendable {
    static let loudest = 150

    private struct Piece {
        var isPublished: Bool
        /// What it was opened for, while it is held at its beginning.
        var held: MusicTrack?
        var isOpen = false
        var tell: @Sendable (MusicNews) -> Void
    }

    private struct State {
        var settings = SoundSettings()
        var source: (any ClientSound)?
        /// Of the wish for a microphone that was told before there was a room.
        var wantsMicrophone = false
        var pieces: [Int32: Piece] = [:]
        /// Of pieces that play, and of those that an app has set before they do.
        var levels: [Int32: MusicTrack.Controls] = [:]
        var allMusicVolume = 100
        /// The component was destroyed: whoever kept its effects reaches nobody.
        var isOver = false
    }

    private let state = Mutex(State())
    private let tell: @Sendable (RoomNotice) -> Void
    /// Where devices and files are opened, one after the other.
    private let devices = DispatchQueue(label: "ovation.trtc.devices")

    init(tell: @escaping @Sendable (RoomNotice) -> Void) { self.tell = tell }

    // MARK: - The room

    /// - Parameter source: of the room that was entered; `nil`: it was left.
    func attach(_ source: (any ClientSound)?) {
        let change = state.withLock { state -> (SoundSettings, (any ClientSound)?, [Int32: Piece])? in
            // A room that was entered after the component's end is another's.
            if state.isOver { return nil }
            defer {
                state.source = source
                if source == nil { state.wantsMicrophone = false }
                state.pieces = [:]
            }
            return (state.settings, state.source, state.pieces)
        }
        guard let (settings, former, broken) = change else { return }
        for (id, piece) in broken {
            former?.stopMusic(id)
            piece.tell(.finished)
        }
        guard let source else {
            former?.silence()
            return
        }
        source.hear(
            { [weak self] in self?.hear($0) },
            // More than the stream holds was not read in time: nothing that an app could do anything about.
            lost: { [tell] in tell(.log("sound events were lost: \($0)")) })
        source.apply(settings, after: SoundSettings())
        // A room that another component had kept was silent.
        source.captureWhenSeated()
        // A device may take its time, and a file may be far away: whoever brings the room has other things to do meanwhile.
        let (input, output) = (OvationDevices.input, OvationDevices.output)
        devices.async { [weak self] in
            guard let self, self.source === source else { return }
            for failure in source.useDevices(input, output) { tell(failure) }
            // Under the lock, as in `startMicrophone`.
            state.withLock { state in
                guard state.source === source, state.wantsMicrophone else { return }
                state.wantsMicrophone = false
                source.startMicrophone()
            }
        }
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
        let (source, former, settings) = state.withLock { state in
            let former = state.settings
            change(&state.settings)
            return (state.source, former, state.settings)
        }
        source?.apply(settings, after: former)
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
        tell(
            .log(
                "setSpeaker(userSpeaker: \(isSpeaker)): this platform has one way out for sound, which it chooses itself"
            ))
    }

    func mute(_ userId: String, _ isMuted: Bool) {
        guard let user = UserID(userId) else {
            return tell(.warning(TRTCCode.failed, "\(userId.debugDescription) is no user id"))
        }
        set { settings in
            if isMuted { settings.mutedUsers.insert(user) } else { settings.mutedUsers.remove(user) }
        }
    }

    /// Effects of the voice end with the room, as in the reference systems.
    func resetEffects() {
        set {
            $0.reverb = .off
            $0.voice = .off
        }
    }

    static func volume(_ volume: Int) -> Int { min(max(volume, 0), loudest) }

    // MARK: - The microphone

    /// Before there is a room, the wish is kept. The room is told under the lock: who stops the microphone or leaves the room
    /// meanwhile is told after it, and has the last word.
    func startMicrophone() {
        guard isAlive else { return }
        state.withLock { state in
            guard let source = state.source else { return state.wantsMicrophone = true }
            source.startMicrophone()
        }
    }

    func stopMicrophone() {
        let source = state.withLock { state in
            state.wantsMicrophone = false
            return state.source
        }
        source?.stopMicrophone()
    }

    /// On sitting down and on leaving: the microphone follows.
    func followSeat() { state.withLock { $0.source?.captureWhenSeated() } }

    // MARK: - Music

    /// - Returns: whether there is a room to play in.
    func play(_ track: MusicTrack, _ tell: @escaping @Sendable (MusicNews) -> Void) -> Bool {
        let piece = Piece(isPublished: track.controls.isPublished, tell: tell)
        let (source, former) = register(piece, track.id)
        guard let former, var held = former.held else {
            source?.playMusic(track)
            return source != nil
        }
        // Of a piece that was opened before, only what can be changed while it plays may be other by now.
        held.controls = track.controls
        guard held == track else {
            source?.playMusic(track)
            return source != nil
        }
        source?.updateMusic(track.id, track.controls)
        source?.resumeMusic(track.id)
        if former.isOpen { tell(.started) }
        return source != nil
    }

    /// Opens a piece, so that it is heard at once when it is played. `started` is told when it is open.
    /// - Returns: whether there is a room to play in.
    func prepare(_ track: MusicTrack, _ tell: @escaping @Sendable (MusicNews) -> Void) -> Bool {
        let piece = Piece(isPublished: track.controls.isPublished, held: track, tell: tell)
        let (source, _) = register(piece, track.id)
        source?.prepareMusic(track)
        return source != nil
    }

    private func register(_ piece: Piece, _ id: Int32) -> (source: (any ClientSound)?, former: Piece?) {
        guard isAlive else { return (nil, nil) }
        return state.withLock { state in
            guard let source = state.source else { return (nil, nil) }
            defer { state.pieces[id] = piece }
            return (source, state.pieces[id])
        }
    }

    func pause(_ id: Int32) { source?.pauseMusic(id) }
    func resume(_ id: Int32) { source?.resumeMusic(id) }
    func stop(_ id: Int32) { source?.stopMusic(id) }
    func seek(_ id: Int32, to position: Duration) { source?.seekMusic(id, to: max(.zero, position)) }

    /// Of the room's song too.
    func position(_ id: Int32) -> Duration? {
        guard let source else { return nil }
        if let position = source.musicPosition(id) { return position }
        guard let song = source.song, song.song.number == id else { return nil }
        return song.position
    }

    /// As they were set, or as all are.
    func levels(of id: Int32) -> MusicTrack.Controls {
        state.withLock { state in
            if let levels = state.levels[id] { return levels }
            var fresh = MusicTrack.Controls()
            fresh.publishVolume = state.allMusicVolume
            fresh.localVolume = state.allMusicVolume
            return fresh
        }
    }

    func changeMusic(_ id: Int32, _ change: (inout MusicTrack.Controls) -> Void) {
        var levels = levels(of: id)
        change(&levels)
        state.withLock { $0.levels[id] = levels }
        apply(levels, to: id)
    }

    func changeAllMusic(to volume: Int) {
        let ids = state.withLock { state in
            state.allMusicVolume = volume
            return Set(state.levels.keys).union(state.pieces.keys)
        }
        for id in ids {
            changeMusic(id) {
                $0.publishVolume = volume
                $0.localVolume = volume
            }
        }
    }

    /// The room's song is about to be heard.
    func beginSong(_ id: Int32) { changeMusic(id) { _ in } }

    private func apply(_ levels: MusicTrack.Controls, to id: Int32) {
        let (source, isPublished) = state.withLock { ($0.source, $0.pieces[id]?.isPublished) }
        guard let isPublished else {
            source?.setSongVolume(levels.localVolume, ofSong: id)
            return
        }
        var controls = levels
        controls.isPublished = isPublished
        source?.updateMusic(id, controls)
    }

    // MARK: - News

    private func tell(_ failure: SoundFailure) { tell(.error(failure.code, failure.message)) }

    private func hear(_ event: RoomAudio.Event) {
        switch event {
        case .microphoneFailed(let error), .inputEnded(let error?):
            tell(SoundFailure(.microphone, error.message))
        case .speakerFailed(let error): tell(SoundFailure(.loudspeaker, error.message))
        case .inputEnded(nil): tell(.log("the input has ended"))
        case .connectionChanged(.lost):
            tell(.warning(TRTCCode.disconnected, "the sound connection is lost; reconnecting"))
        case .connectionChanged(.failed(let error)):
            tell(.warning(TRTCCode.soundFailed, "cannot open the sound connection: \(error.message)"))
        case .connectionChanged(let connection): tell(.log("sound connection: \(connection)"))
        case .musicStarted(let id, _):
            let piece = state.withLock { state in
                state.pieces[id]?.isOpen = true
                return state.pieces[id]
            }
            piece?.tell(.started)
        case .musicProgress(let id, let position, let duration):
            let piece = state.withLock { $0.pieces[id] }
            piece?.tell(.progress(milliseconds: position.milliseconds, of: duration?.milliseconds ?? 0))
        case .musicEnded(let id, let error):
            let piece = state.withLock { $0.pieces.removeValue(forKey: id) }
            piece?.tell(error.map { .failed($0.message) } ?? .finished)
        // The duet's song and its quality: the controller of a chorus room hears of them by itself.
        case .songPrepared, .songProgress, .songCompleted, .songUnavailable, .networkChanged: break
        }
    }
}

extension Duration {
    var milliseconds: Int { Int(clamping: wholeMilliseconds) }
}
