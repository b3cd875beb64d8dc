internal import NIOCore
public import RoomModel

/// A room that one is in: its state, what happens in it, and what one can do.
///
/// `state` follows the server by itself and survives lost connections. Each change that one asks for carries a key of its own,
/// so that it is carried out once even if the connection breaks before the answer; when the awaited call returns, `state`
/// shows what it did. Every call has a time limit (`OvationClient.Configuration.callTimeout`). Cancelling the calling task ends
/// the wait, not what was asked.
///
/// The room lives as long as its `OvationClient` does; leave it by `exit`.
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
            isOn: outlet.hasAudio, clock: outlet.clock, server: outlet.server, certificates: outlet.certificates)
        self.line = line
        self.outlet = outlet
    }

    /// The room now.
    public var state: RoomState { box.value }

    /// The room over time, from now on.
    public var changes: StateChanges<RoomState> { box.subscribe() }

    /// What happens, event by event; see `EventStream` for what a subscription gets.
    public var events: EventStream<Event> { broadcast.subscribe() }

    /// Loudness 0…100 of whoever speaks, as the server hears it.
    public var levels: [UserID: Int] { levelsBox.value }

    /// Nothing more will happen here.
    func finish() {
        audio.finish()
        broadcast.finish()
        box.finish()
        levelsBox.finish()
    }
}
