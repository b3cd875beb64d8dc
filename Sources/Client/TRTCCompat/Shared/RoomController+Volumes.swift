internal import Ovation
internal import Synchronization

// How loud everybody is, at an interval, in silence too (V14).

extension RoomController {
    /// As the published components have it.
    static let defaultVolumeInterval = 300
    /// The shortest that the reference systems allow.
    static let shortestVolumeInterval = 100

    /// - Parameter milliseconds: 0 or less: no callbacks.
    func setVolumeInterval(_ milliseconds: Int) {
        guard isAlive() else { return }
        state.withLock { state in
            state.volumeInterval = milliseconds <= 0 ? 0 : max(milliseconds, Self.shortestVolumeInterval)
        }
        measureVolumes()
    }

    /// From now on, while in the room.
    func measureVolumes() {
        let interval = state.withLock { state in
            state.volumeTimer?()
            state.volumeTimer = nil
            guard case .inside = state.place else { return 0 }
            return state.volumeInterval
        }
        guard interval > 0 else { return }
        let cancel = clock.after(interval) { [weak self] in
            guard let self, let room else { return }
            tellVolumes(of: room)
            measureVolumes()
        }
        let isWanted = state.withLock { state in
            guard case .inside = state.place else { return false }
            state.volumeTimer?()
            state.volumeTimer = cancel
            return true
        }
        if !isWanted { cancel() }
    }

    private func tellVolumes(of room: RoomSession) {
        let me = room.state.me.id
        let readings = room.levels.map { VolumeReading(user: $0.key == me ? "" : $0.key.rawValue, volume: $0.value) }
            .sorted { $0.user < $1.user }
        tell(.volumes(readings, total: readings.map(\.volume).max() ?? 0))
    }
}
