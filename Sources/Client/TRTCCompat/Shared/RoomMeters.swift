internal import Ovation
internal import Platform

/// Tells at intervals, while one is in a room, how loud everybody is, in silence too (V14), and how good connections are, to the
/// components whose delegates hear of that.
final class RoomMeters: Sendable {
    /// Milliseconds between volume callbacks, as the published components have it.
    static let defaultVolumeInterval = 300
    /// The shortest that is published.
    static let shortestVolumeInterval = 100
    /// As published.
    static let qualityInterval = 2_000

    /// A room, and whose connection it is reached by.
    private struct Measured {
        var room: RoomSession
        var client: OvationClient
    }

    private struct State {
        /// What is measured; nil outside of rooms.
        var measured: Measured?
        /// Milliseconds between volume callbacks, 0 for none.
        var volumeInterval = RoomMeters.defaultVolumeInterval
        var volumeTimer: DelayClock.Cancel?
        var qualityTimer: DelayClock.Cancel?

        func cancelTimers() {
            volumeTimer?()
            qualityTimer?()
        }
    }

    private let tellsQuality: Bool
    private let clock: DelayClock
    private let tell: @Sendable (RoomNotice) -> Void
    private let state = Mutex(State())

    init(tellsQuality: Bool, clock: DelayClock, tell: @escaping @Sendable (RoomNotice) -> Void) {
        self.tellsQuality = tellsQuality
        self.clock = clock
        self.tell = tell
    }

    /// From now on, until `stop()`.
    func start(_ room: RoomSession, client: OvationClient) {
        state.withLock { state in
            state.cancelTimers()
            state.measured = Measured(room: room, client: client)
        }
        scheduleVolumes()
        scheduleQuality()
    }

    /// Of that room, or of whichever it is.
    func stop(_ room: RoomSession? = nil) {
        state.withLock { state in
            guard room == nil || state.measured?.room === room else { return }
            state.measured = nil
            state.cancelTimers()
        }
    }

    /// - Parameter milliseconds: 0 or less: no callbacks.
    func setVolumeInterval(_ milliseconds: Int) {
        state.withLock { state in
            state.volumeInterval = milliseconds <= 0 ? 0 : max(milliseconds, Self.shortestVolumeInterval)
        }
        scheduleVolumes()
    }

    // MARK: - Volumes

    private func scheduleVolumes() {
        state.withLock { state in
            state.volumeTimer?()
            guard let room = state.measured?.room, state.volumeInterval > 0 else { return }
            state.volumeTimer = clock.after(state.volumeInterval) { [weak self] in
                guard let self, measures(room) else { return }
                tellVolumes(of: room)
                scheduleVolumes()
            }
        }
    }

    private func tellVolumes(of room: RoomSession) {
        let me = room.state.me.id
        var levels = room.serverLevels
        // The server hears nobody who is muted or has no seat; the user's own app can.
        let own = max(levels[me] ?? 0, room.audio.localLevels.own)
        levels[me] = own > 0 ? own : nil
        let readings = levels.map { VolumeReading(user: $0.key == me ? "" : $0.key.rawValue, volume: $0.value) }
            .sorted { $0.user < $1.user }
        tell(.volumes(readings, total: readings.map(\.volume).max() ?? 0))
    }

    // MARK: - Quality

    private func scheduleQuality() {
        guard tellsQuality else { return }
        state.withLock { state in
            guard let measured = state.measured else { return }
            state.qualityTimer?()
            state.qualityTimer = clock.after(Self.qualityInterval) { [weak self] in
                guard let self, measures(measured.room) else { return }
                tellQuality(of: measured.room, measured.client.state)
                scheduleQuality()
            }
        }
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

    private func measures(_ room: RoomSession) -> Bool { state.withLock { $0.measured?.room === room } }
}

extension TRTCQuality {
    /// The same steps under the same numbers.
    init(_ quality: NetworkQuality) { self = TRTCQuality(rawValue: Int(quality.rawValue)) ?? .unknown }
}
