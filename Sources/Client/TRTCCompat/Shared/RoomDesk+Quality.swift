internal import Ovation
internal import Synchronization

// How good connections are (chorus only).

extension RoomDesk {
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
        for seat in room.state.seats {
            guard let user = seat.user, user != me else { continue }
            // Of others the server tells only whether their connection is there.
            remote[user] = seat.presence == .reconnecting ? .down : .unknown
        }
        tell(.quality(local: Self.quality(of: client), remote: remote))
    }

    /// By the round trip to the server: singing together wants less than 100 ms one way.
    static func quality(of client: ClientState) -> TRTCQuality {
        guard case .ready = client.phase else { return .down }
        guard let roundTrip = client.roundTrip else { return .unknown }
        return switch roundTrip {
        case ..<Duration.milliseconds(50): .excellent
        case ..<Duration.milliseconds(100): .good
        case ..<Duration.milliseconds(200): .poor
        case ..<Duration.milliseconds(400): .bad
        default: .vbad
        }
    }
}
