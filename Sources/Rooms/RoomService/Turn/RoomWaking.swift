/// How word from other threads becomes a turn of the room: the only place where a room is waited for by somebody who is
/// not a caller.
struct WeakRoom: Sendable {
    weak let room: Room?
    init(_ room: Room) { self.room = room }
}

/// It runs for one turn, and a room that is gone is not woken.
func waking(_ target: WeakRoom, by concurrently: @escaping Concurrently) -> @Sendable () -> Void {
    { concurrently { await target.room?.turn() } }
}
