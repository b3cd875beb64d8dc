internal import NIOCore
public import RoomModel

/// A room that the user has entered: its state, its events, and the calls that change it.
///
/// `state` follows the server and survives lost connections. Each call that changes the room carries a key, so that the server
/// carries it out once even if the connection breaks before the answer. When an awaited call returns, `state` shows its effect.
/// Every call has a timeout (`OvationClient.Configuration.callTimeout`). Cancelling the calling task stops the waiting; the server
/// may still carry out the call.
///
/// The session keeps its `OvationClient` alive, and so does whoever reads its `events` or `changes`. Call `leave` to leave the room. When
/// neither the session nor the client is held any more, the user is signed out, which leaves it too.
public final class RoomSession: Sendable, Identifiable {
    /// The room's id.
    public let id: RoomID

    /// The sound of the room.
    public let audio: RoomAudio

    let parts: RoomParts
    let line: SignalConnectionHandle
    let outlet: ClientOutlet
    /// Without it nobody is signed in any more.
    private let client: OvationClient?

    init(_ parts: RoomParts, line: SignalConnectionHandle, outlet: ClientOutlet) {
        id = parts.id
        audio = parts.audio
        self.parts = parts
        self.line = line
        self.outlet = outlet
        client = outlet.client
    }

    /// The current state of the room.
    public var state: RoomState { parts.box.value }

    /// The state now and after each change.
    public var changes: StateChanges<RoomState> { parts.box.subscribe(of: self) }

    /// The room's events from now on; see `EventStream`.
    public var events: EventStream<Event> { parts.broadcast.subscribe(of: self) }

    /// The room's events, with what happened before.
    public func events(replay: EventReplay) -> EventStream<Event> { parts.broadcast.subscribe(replay, of: self) }

    /// The loudness of everybody who speaks, 0…100, as the server measures it. See `serverLevels(every:)` for readings at an interval, and
    /// `RoomAudio.localLevels` for what this client measures.
    public var serverLevels: [UserID: Int] { parts.levelsBox.value }
}

/// What a room shows to the outside, which the connection keeps up to date. Sessions of the room share it: the connection holds none of
/// them, since each holds its client.
final class RoomParts: Sendable {
    let id: RoomID
    let audio: RoomAudio
    let box: StateBox<RoomState>
    let levelsBox = StateBox<[UserID: Int]>([:])
    let broadcast = EventBroadcast<RoomSession.Event>()

    init(_ state: RoomState, _ outlet: ClientOutlet) {
        id = state.room
        box = StateBox(state)
        audio = RoomAudio(
            isOn: outlet.hasAudio, clock: outlet.clock, server: outlet.server, certificates: outlet.certificates,
            usesTCP: outlet.usesTCP)
    }

    /// Nothing more will happen here.
    func finish() {
        audio.finish()
        broadcast.finish()
        box.finish()
        levelsBox.finish()
    }
}
