internal import RoomModel

/// What is to be captured and heard, as people and the room ask for it.
struct SoundWishes {
    enum Microphone { case whenSeated, on, off }

    /// The same, as the engine takes it.
    struct Plan: Equatable {
        var captures = false
        var isMicrophoneMuted = false
        /// By the seats' indices.
        var mutedSlots: Set<Int> = []
        var slotVolumes: [Int: Int] = [:]
    }

    var microphone = Microphone.whenSeated
    /// Muted here, seated or not, whatever the room says.
    var isHeldMuted = false
    var mutedUsers: Set<UserID> = []
    var volumes: [UserID: Int] = [:]
    private var seats: [Seat] = []
    private var me: UserID?
    private var isMuted = false
    /// Of a duet: whoever leads hears none of the other singers.
    private var isLeading = false

    /// The room has changed.
    mutating func take(_ state: RoomState) {
        seats = state.seats
        me = state.me.id
        let seat = state.mySeat.flatMap { state.seats.indices.contains($0) ? state.seats[$0] : nil }
        isMuted = state.me.micMuted || seat?.muted ?? false
        isLeading = state.duet.leader == state.me.id
    }

    var isSeated: Bool { me.map { me in seats.contains { $0.user == me } } ?? false }

    /// The user who is heard by that line of the media path.
    func user(onSlot slot: Int) -> UserID? { seats.indices.contains(slot) ? seats[slot].user : nil }

    var plan: Plan {
        var plan = Plan()
        for seat in seats {
            guard let user = seat.user else { continue }
            let isUnheard = isLeading && user != me
            if isUnheard || mutedUsers.contains(user) { plan.mutedSlots.insert(seat.index) }
            if let volume = volumes[user] { plan.slotVolumes[seat.index] = volume }
        }
        plan.isMicrophoneMuted = isMuted || isHeldMuted
        plan.captures =
            switch microphone {
            case .on: true
            case .off: false
            case .whenSeated: isSeated
            }
        return plan
    }
}
