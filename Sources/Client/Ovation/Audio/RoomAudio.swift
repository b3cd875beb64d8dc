internal import ClientMedia
internal import Dispatch
internal import Platform
public import RoomModel
internal import Timing

/// The sound of a room: the user's microphone, the other speakers, and music.
///
/// The media path is opened when the room is entered, and reconnects automatically. The microphone is on while the user has a seat
/// (`capturesWhenSeated`), and silent while it or the seat is muted; the server enforces that too. At first there are no devices:
/// choose them with `useInput` and `useOutput`. Volumes are 0…150; 100 leaves the sound unchanged.
public final class RoomAudio: Sendable {
    /// The state of the media path.
    @nonexhaustive public enum Connection: Sendable, Hashable {
        /// Not opened, because the client is configured so (`OvationClient.Configuration.audio`).
        case off
        /// Being opened.
        case connecting
        /// Sound flows.
        case connected
        /// Lost. It reconnects automatically.
        case lost
        /// It could not be opened, for that reason. The client tries again.
        case failed(OvationError)
        /// The room is over.
        case closed
    }

    /// Something that happened to the sound.
    @nonexhaustive public enum Event: Sendable, Hashable {
        /// The connection has changed.
        case connectionChanged(Connection)
        /// The microphone could not be started, or was lost, for example unplugged. Music is still sent. One that was lost is tried again
        /// until it is there (`microphoneReturned`), or another one is chosen.
        case microphoneFailed(OvationError)
        /// A microphone that was lost captures again, and has done so for a few seconds.
        case microphoneReturned
        /// The loudspeaker could not be started, or was lost, for example unplugged. Nothing is heard until another one is chosen. The
        /// user is still heard by others.
        case speakerFailed(OvationError)
        /// The file that served as the microphone has ended; with an error if it could not be read further. Silence follows.
        case inputEnded(OvationError?)
        /// A track has been opened and is about to be heard.
        case musicStarted(Int32, duration: Duration?)
        /// About every 200 ms while a track plays.
        case musicProgress(Int32, position: Duration, duration: Duration?)
        /// A track has ended; with an error if it could not be read.
        case musicEnded(Int32, OvationError?)
        /// The room's song is about to be heard: a singer's copy has been opened, or a listener hears it in the mix.
        case songPrepared(Song)
        /// About every 200 ms while the room's song plays.
        case songProgress(SongProgress)
        /// The client's copy of the room's song, or the recording that was switched to, cannot be opened or read. The client tries
        /// again; until then it plays nothing, or the previous recording. Sent once for a series of failures.
        case songUnavailable(Song, OvationError)
        /// The room's song is over: it reached its end, was stopped, or was replaced. With an error if the client's copy could never be
        /// opened.
        case songCompleted(Song, OvationError?)
        /// The network quality has changed.
        case networkChanged(NetworkReading)
    }

    let box = StateBox<Connection>(.off)
    let broadcast = EventBroadcast<Event>()
    let engine: AudioEngine?
    /// Sockets and certificates take their time: nobody else's thread waits for them.
    private let queue = DispatchQueue(label: "ovation.audio")
    private let relay: EngineEvents
    let clock: RoomClock
    // The parts of a room with sound.
    let singer: SongSinger?
    let devices: SoundDevices?
    let network: NetworkMonitor?
    let teller = Mutex(LatencyReporter())
    private let wishes: CaptureControl

    init(
        isOn: Bool, clock: RoomClock, server: ServerAddress, certificates: CertificateFile? = nil, usesTCP: Bool = false
    ) {
        let relay = EngineEvents(broadcast)
        self.relay = relay
        self.clock = clock
        // Opus without memory is no sound; the connection stays `off`.
        var configuration = RoomAudioConfiguration()
        configuration.clock = { clock.now }
        configuration.certificates = certificates?.path
        configuration.usesTCP = usesTCP
        let engine = isOn ? try? AudioEngine(configuration, onEvent: { relay.take($0) }) : nil
        self.engine = engine
        let (broadcast, queue, box) = (broadcast, queue, box)
        let singer = engine.map { engine in
            SongSinger(engine, clock: clock, server: server) { broadcast.send($0) }
        }
        self.singer = singer
        if let singer { relay.tell(singer) }
        devices = engine.flatMap { engine in
            singer.map {
                SoundDevices(engine, broadcast: broadcast, singer: $0, certificates: certificates)
            }
        }
        network = engine.map {
            NetworkMonitor($0, queue: queue, clock: clock, broadcast: broadcast, connection: box)
        }
        wishes = CaptureControl(engine, on: queue) {
            box.value == .closed
        } onFailure: {
            broadcast.send(.microphoneFailed(OvationError(.mediaFailed, "\($0)")))
        }
        network?.start()
    }

    /// The network quality of the last seconds, measured on the media path. For the other singers see `RoomState.network`.
    public var networkReading: NetworkReading { network?.reading ?? NetworkObserver().reading }

    // MARK: - Readings

    /// The state of the media path.
    public var connection: Connection { box.value }

    /// The state of the media path now and after each change.
    public var connectionChanges: StateChanges<Connection> { box.subscribe() }

    /// Events of the sound from now on; see `EventStream`.
    public var events: EventStream<Event> { broadcast.subscribe() }

    /// Events of the sound, with what happened before.
    public func events(replay: EventReplay) -> EventStream<Event> { broadcast.subscribe(replay) }

    /// How loud everybody is, as one client measures it.
    public struct Levels: Sendable, Hashable {
        /// The user's microphone while it is open, also while it is muted: 0…100.
        public var own = 0
        /// Everybody on a seat, 0…100.
        public var users: [UserID: Int] = [:]
    }

    /// The loudness of the user and of everybody on a seat, as this client measures it. See `RoomSession.serverLevels` for what the server
    /// measures.
    public var localLevels: Levels {
        guard let levels = engine?.levels() else { return Levels() }
        let asked = wishes.asked
        var users: [UserID: Int] = [:]
        for (slot, level) in levels.slots.enumerated() {
            if let user = asked.user(onSlot: slot) { users[user] = Int(level) }
        }
        return Levels(own: Int(levels.own), users: users)
    }

    /// Counters of the media path since it was opened.
    public struct Statistics: Sendable, Hashable {
        /// Packets of sound sent.
        public var packetsSent: UInt64 = 0
        /// Packets of sound received.
        public var packetsReceived: UInt64 = 0
        /// The share of packets that got lost on the way there, 0…1, as the server last reported it.
        public var lossSent = 0.0
        /// The share of packets that got lost on the way here, 0…1, since the way was opened.
        public var lossReceived = 0.0
        /// To the server and back; `nil` before its first report.
        public var roundTrip: Duration?
        /// Frames of 48 kHz sound that had to be made up because their packet did not come.
        public var concealed: UInt64 = 0
    }

    /// Counters of the media path since it was opened.
    public var statistics: Statistics { engine.map { Statistics($0.statistics()) } ?? Statistics() }

    // MARK: - Microphone

    /// Whether sound is captured now, or would be if an input were chosen.
    public var isMicrophoneOn: Bool { engine?.isMicrophoneOn ?? false }

    /// Captures, seated or not; others hear it while one is seated.
    public func startMicrophone() { wishes.tryMicrophone { $0.microphone = .on } }

    /// Captures nothing until `startMicrophone` or `captureWhenSeated`.
    public func stopMicrophone() { wishes.wish { $0.microphone = .off } }

    /// Captures while one is seated, as at first.
    public func captureWhenSeated() { wishes.tryMicrophone { $0.microphone = .whenSeated } }

    /// The same where a seat was taken or left: taking it has asked for the microphone, and a device that did not start is not tried twice.
    package func followSeat() { wishes.wish { $0.microphone = .whenSeated } }

    /// Another device may do what the former one did not.
    func tryMicrophone() { wishes.tryMicrophone() }

    /// Mutes the microphone on this side alone, seated or not, beside what the room says of it.
    package func holdMuted(_ isMuted: Bool) { wishes.wish { $0.isHeldMuted = isMuted } }

    // MARK: - What others sound like

    /// Plays somebody no more, or again; for oneself alone.
    public func setMuted(_ muted: Bool, of user: UserID) {
        wishes.wish { if muted { $0.mutedUsers.insert(user) } else { $0.mutedUsers.remove(user) } }
    }

    /// Whether nobody is played.
    public var isAllMuted: Bool {
        get { engine?.settings.isAllRemoteMuted ?? false }
        set { engine?.update { $0.isAllRemoteMuted = newValue } }
    }

    /// Whether somebody is not played.
    public func isMuted(_ user: UserID) -> Bool { wishes.asked.mutedUsers.contains(user) }

    /// How loud somebody is played, 0…150; 100 leaves the sound as it is.
    public func setVolume(_ volume: Int, of user: UserID) { wishes.wish { $0.volumes[user] = volume } }

    /// How loud somebody is played.
    public func volume(of user: UserID) -> Int { wishes.asked.volumes[user] ?? 100 }

    /// How loud everything is played.
    public var playbackVolume: Int {
        get { engine?.settings.playoutVolume ?? 100 }
        set { engine?.update { $0.playoutVolume = newValue } }
    }

    // MARK: - The room's side

    /// Runs something on the engine's own queue, in order.
    func work(_ body: @escaping @Sendable (AudioEngine) -> Void) {
        guard let engine else { return }
        queue.async { body(engine) }
    }

    func follow(_ path: @escaping @Sendable (PathEvent) -> Void) { relay.follow(path) }

    func show(_ connection: Connection) {
        guard box.value != connection else { return }
        box.set(connection)
        broadcast.send(.connectionChanged(connection))
    }

    /// The room has changed: seats, mutes, oneself.
    func take(_ state: RoomState) {
        if state.info.kind == .chorus { prepareDuet(state) }
        wishes.wish { $0.take(state) }
    }

    /// The end of `events` says that nothing sounds any more: a recording is whole then.
    func finish() {
        show(.closed)
        box.finish()
        guard let engine else { return broadcast.finish() }
        singer?.finish()
        // Not in its turn on the queue: whoever starts a track meanwhile would hear it after the end.
        engine.endMusic()
        queue.async { [broadcast] in
            engine.stop()
            broadcast.finish()
        }
    }
}

extension RoomAudio.Statistics {
    init(_ told: RoomAudioStatistics) {
        concealed = told.slots.reduce(0) { $0 + $1.concealedFrames }
        guard let path = told.path else { return }
        packetsSent = path.packetsSent
        packetsReceived = path.packetsReceived
        lossSent = path.lossSent
        let expected = path.packetsReceived + path.packetsMissing
        lossReceived = expected == 0 ? 0 : Double(path.packetsMissing) / Double(expected)
        roundTrip = path.roundTrip.map { Duration($0) }
    }
}
