internal import NIOCore
public import RoomModel

/// A room that the user has entered: its state, its events, and the calls that change it.
///
/// `state` follows the server and survives lost connections. Each call that changes the room carries a key, so that the server
/// carries it out once even if the connection breaks before the answer. When an awaited call returns, `state` shows its effect.
/// Every call has a timeout (`OvationClient.Configuration.callTimeout`). Cancelling the calling task stops the waiting; the server
/// may still carry out the call.
///
/// The room works as long as its `OvationClient` lives. Call `exit` to leave it.
public final class RoomSession: Sendable, Identifiable {
    /// The room's id.
    public let id: RoomID

    /// The sound of the room.
    public let audio: RoomAudio

    let box: StateBox<RoomState>
    let levelsBox: StateBox<[UserID: Int]>
    let broadcast = EventBroadcast<Event>()
    let line: SignalConnectionHandle
    let outlet: ClientOutlet

    init(state: RoomState, line: SignalConnectionHandle, outlet: ClientOutlet) {
        id = state.room
        box = StateBox(state)
        levelsBox = StateBox([:])
        audio = RoomAudio(
            isOn: outlet.hasAudio, clock: outlet.clock, server: outlet.server, certificates: outlet.certificates,
            usesTCP: outlet.usesTCP)
        self.line = line
        self.outlet = outlet
    }

    /// The current state of the room.
    public var state: RoomState { box.value }

    /// The state now and after each change.
    public var changes: StateChanges<RoomState> { box.subscribe() }

    /// The room's events from now on; see `EventStream`.
    public var events: EventStream<Event> { broadcast.subscribe() }

    /// The loudness of everybody who speaks, 0…100, as the server measures it. See `levels(every:)` for readings at an interval.
    public var levels: [UserID: Int] { levelsBox.value }

    /// Nothing more will happen here.
    func finish() {
        audio.finish()
        broadcast.finish()
        box.finish()
        levelsBox.finish()
    }
}
