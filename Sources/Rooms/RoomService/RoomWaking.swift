/// How word from other threads becomes a turn of the room: the only place where a room is waited for by somebody who is
/// not a caller.
struct WeakRoom: Sendable {
    weak let room: Room?
    init(_ room: Room) { self.room = room }
}

func waking(_ target: WeakRoom) -> @Sendable () -> Void {
    // Unstructured on purpose: it lives for one turn, and a room that is gone is not woken.
    { Task { await target.room?.turn() } }
}
