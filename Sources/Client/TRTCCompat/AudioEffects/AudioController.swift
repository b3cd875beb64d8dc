internal import AudioGraph
internal import Dispatch
internal import Ovation
internal import Synchronization

/// What a user has set of the sound. Volumes are 0…150, 100 leaves the sound as it is.
struct SoundSettings: Sendable, Equatable {
    var quality = TRTCAudioQuality.default
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

/// A piece of music to be played.
struct MusicRequest: Sendable, Equatable {
    var id: Int32
    /// A path or URL.
    var source: String
    /// 0: once, n: n times more.
    var loops = 0
    var isPublished = false
    var startMilliseconds = 0
    var endMilliseconds: Int?
    var levels = MusicLevels()
}

/// How a piece of music sounds.
struct MusicLevels: Sendable, Equatable {
    var publishVolume = 100
    var playoutVolume = 100
    /// Semitones.
    var pitch = 0.0
    /// 0.5…2.
    var speed = 1.0
}

/// What happens to a piece of music.
enum MusicNews: Sendable, Equatable {
    case started
    case progress(milliseconds: Int, of: Int)
    /// It has come to its end, or was stopped.
    case finished
    case failed(String)
}

/// What happens to the sound.
enum SoundNews: Sendable, Equatable {
    case microphoneFailed(String)
    case speakerFailed(String)
    case pathLost
    case pathFailed(String)
    case music(Int32, MusicNews)
    case log(String)
}

/// A device that is not there.
struct SoundFailure: Error {
    var code: Int32
    var message: String
}

/// The sound of the room one is in, as far as this module speaks to it.
protocol ClientSound: AnyObject, Sendable {
    /// Tells which of them could not be used; the other one is all the same.
    func useDevices(_ input: OvationDevices.Input, _ output: OvationDevices.Output) -> [SoundFailure]
    func startMicrophone()
    func stopMicrophone()
    func captureWhenSeated()
    /// Nothing is captured and nothing is heard any more, although the room may go on for another component of the app.
    func silence()
    func apply(_ settings: SoundSettings)
    func play(_ music: MusicRequest)
    /// Opens it, and holds it at its beginning until `resume`.
    func prepare(_ music: MusicRequest)
    func pause(_ id: Int32)
    func resume(_ id: Int32)
    func stop(_ id: Int32)
    func seek(_ id: Int32, toMilliseconds position: Int)
    func change(_ id: Int32, _ levels: MusicLevels, isPublished: Bool)
    /// Of the room's song, if it has that id.
    func setSongVolume(_ id: Int32, _ volume: Int)
    /// Milliseconds; of the room's song too.
    func position(_ id: Int32) -> Int?
    func hear(_ news: @escaping @Sendable (SoundNews) -> Void)
}

/// What a user sets of the sound, kept from before the first sign-in on, and handed to the room that is entered.
final class AudioController: Sendable {
    static let loudest = 150

    private struct Track {
        var isPublished: Bool
        /// What it was opened for, while it is held at its beginning.
        var held: MusicRequest?
        var isOpen = false
        var tell: @Sendable (MusicNews) -> Void
    }

    private struct State {
        var settings = SoundSettings()
        var source: (any ClientSound)?
        /// Of the wish for a microphone that was told before there was a room.
        var wantsMicrophone = false
        var tracks: [Int32: Track] = [:]
        /// Of pieces that play, and of those that an app has set before they do.
        var levels: [Int32: MusicLevels] = [:]
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
        let change = state.withLock { state -> (SoundSettings, (any ClientSound)?, [Int32: Track])? in
            // A room that was entered after the component's end is another's.
            if state.isOver { return nil }
            defer {
                state.source = source
                if source == nil { state.wantsMicrophone = false }
                state.tracks = [:]
            }
            return (state.settings, state.source, state.tracks)
        }
        guard let (settings, former, broken) = change else { return }
        for (id, track) in broken {
            former?.stop(id)
            track.tell(.finished)
        }
        guard let source else {
            former?.silence()
            return
        }
        source.hear { [weak self] in self?.hear($0) }
        source.apply(settings)
        // A room that another component had kept was silent.
        source.captureWhenSeated()
        // A device may take its time, and a file may be far away: whoever brings the room has other things to do meanwhile.
        let (input, output) = (OvationDevices.input, OvationDevices.output)
        devices.async { [weak self] in
            guard let self, self.source === source else { return }
            for failure in source.useDevices(input, output) { tell(.warning(failure.code, failure.message)) }
            let wantsMicrophone = state.withLock { state in
                guard state.source === source else { return false }
                defer { state.wantsMicrophone = false }
                return state.wantsMicrophone
            }
            if wantsMicrophone { source.startMicrophone() }
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
        let (source, settings) = state.withLock { state in
            change(&state.settings)
            return (state.source, state.settings)
        }
        source?.apply(settings)
    }

    var settings: SoundSettings { state.withLock { $0.settings } }

    func setQuality(_ quality: Int) {
        guard let quality = TRTCAudioQuality(rawValue: quality) else {
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

    /// Before there is a room, the wish is kept.
    func startMicrophone() {
        guard isAlive else { return }
        let source = state.withLock { state in
            if state.source == nil { state.wantsMicrophone = true }
            return state.source
        }
        source?.startMicrophone()
    }

    func stopMicrophone() {
        state.withLock { $0.wantsMicrophone = false }
        source?.stopMicrophone()
    }

    /// On sitting down and on leaving: the microphone follows.
    func followSeat() { source?.captureWhenSeated() }

    // MARK: - Music

    /// - Returns: whether there is a room to play in.
    func play(_ music: MusicRequest, _ tell: @escaping @Sendable (MusicNews) -> Void) -> Bool {
        let (source, former) = register(Track(isPublished: music.isPublished, tell: tell), music.id)
        guard let former, var held = former.held else {
            source?.play(music)
            return source != nil
        }
        // Of a piece that was opened before, only its levels may be others by now.
        held.levels = music.levels
        guard held == music else {
            source?.play(music)
            return source != nil
        }
        source?.change(music.id, music.levels, isPublished: music.isPublished)
        source?.resume(music.id)
        if former.isOpen { tell(.started) }
        return source != nil
    }

    /// Opens a piece, so that it is heard at once when it is played. `started` is told when it is open.
    /// - Returns: whether there is a room to play in.
    func prepare(_ music: MusicRequest, _ tell: @escaping @Sendable (MusicNews) -> Void) -> Bool {
        let (source, _) = register(Track(isPublished: music.isPublished, held: music, tell: tell), music.id)
        source?.prepare(music)
        return source != nil
    }

    private func register(_ track: Track, _ id: Int32) -> (source: (any ClientSound)?, former: Track?) {
        guard isAlive else { return (nil, nil) }
        return state.withLock { state in
            guard let source = state.source else { return (nil, nil) }
            defer { state.tracks[id] = track }
            return (source, state.tracks[id])
        }
    }

    func pause(_ id: Int32) { source?.pause(id) }
    func resume(_ id: Int32) { source?.resume(id) }
    func stop(_ id: Int32) { source?.stop(id) }
    func seek(_ id: Int32, to milliseconds: Int) { source?.seek(id, toMilliseconds: max(0, milliseconds)) }
    func position(_ id: Int32) -> Int? { source?.position(id) }

    /// As they were set, or as all are.
    func levels(of id: Int32) -> MusicLevels {
        state.withLock { state in
            let fresh = MusicLevels(publishVolume: state.allMusicVolume, playoutVolume: state.allMusicVolume)
            return state.levels[id, default: fresh]
        }
    }

    func changeMusic(_ id: Int32, _ change: (inout MusicLevels) -> Void) {
        var levels = levels(of: id)
        change(&levels)
        state.withLock { $0.levels[id] = levels }
        apply(levels, to: id)
    }

    func changeAllMusic(to volume: Int) {
        let ids = state.withLock { state in
            state.allMusicVolume = volume
            return Set(state.levels.keys).union(state.tracks.keys)
        }
        for id in ids {
            changeMusic(id) {
                $0.publishVolume = volume
                $0.playoutVolume = volume
            }
        }
    }

    /// The room's song is about to be heard.
    func beginSong(_ id: Int32) { changeMusic(id) { _ in } }

    private func apply(_ levels: MusicLevels, to id: Int32) {
        let (source, isPublished) = state.withLock { ($0.source, $0.tracks[id]?.isPublished) }
        if let isPublished {
            source?.change(id, levels, isPublished: isPublished)
        } else {
            source?.setSongVolume(id, levels.playoutVolume)
        }
    }

    private func hear(_ news: SoundNews) {
        switch news {
        case .microphoneFailed(let why):
            tell(.error(TRTCCode.microphoneFailed, "cannot open the microphone: \(why)"))
        case .speakerFailed(let why):
            tell(.error(TRTCCode.speakerFailed, "the loudspeaker was lost: \(why)"))
        case .pathLost: tell(.warning(TRTCCode.disconnected, "the sound connection is lost; reconnecting"))
        case .pathFailed(let why):
            tell(.warning(TRTCCode.soundFailed, "cannot open the sound connection: \(why)"))
        case .log(let sentence): tell(.log(sentence))
        case .music(let id, let news):
            let track = state.withLock { state -> Track? in
                switch news {
                case .finished, .failed: return state.tracks.removeValue(forKey: id)
                case .started:
                    state.tracks[id]?.isOpen = true
                    return state.tracks[id]
                case .progress: return state.tracks[id]
                }
            }
            track?.tell(news)
        }
    }
}
