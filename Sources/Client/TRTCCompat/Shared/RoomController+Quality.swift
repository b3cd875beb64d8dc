internal import Ovation
internal import Synchronization

// How good connections are (chorus only).

extension RoomController {
    /// As the reference systems have it.
    static let qualityInterval = 2_000

    /// From now on, while in the room.
    func measureQuality() {
        guard tellsQuality else { return }
        let cancel = clock.after(Self.qualityInterval) { [weak self] in
            guard let self, let room, let share = state.withLock({ $0.share }) else { return }
            tellQuality(of: room, share.client.state)
            measureQuality()
        }
        let isWanted = state.withLock { state in
            guard case .inside = state.place else { return false }
            state.qualityTimer?()
            state.qualityTimer = cancel
            return true
        }
        if !isWanted { cancel() }
    }

    private func tellQuality(of room: RoomSession, _ client: ClientState) {
        let me = room.state.me.id
        var remote: [UserID: TRTCQuality] = [:]
        let singers = room.state.network.singers
        for seat in room.state.seats {
            guard let user = seat.user, user != me else { continue }
            // As the server measures them.
            let told = singers[user].map { TRTCQuality($0.quality) } ?? .unknown
            remote[user] = seat.presence == .reconnecting ? .down : told
        }
        var local = TRTCQuality.down
        if case .ready = client.phase { local = TRTCQuality(room.audio.networkReading.quality) }
        tell(.quality(local: local, remote: remote))
    }
}

extension TRTCQuality {
    /// The same steps under the same numbers.
    init(_ quality: NetworkQuality) { self = TRTCQuality(rawValue: Int(quality.rawValue)) ?? .unknown }
}
