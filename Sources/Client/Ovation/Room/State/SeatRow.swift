internal import RoomModel

/// The seats of a room, by index.
struct SeatRow: Sendable, Hashable {
    private(set) var seats: [Seat]

    init(_ seats: [Seat]) { self.seats = seats }

    subscript(index: Int) -> Seat? { seats.indices.contains(index) ? seats[index] : nil }

    mutating func set(_ seat: Seat) {
        if seats.indices.contains(seat.index) { seats[seat.index] = seat }
    }

    mutating func change(of user: UserID, _ change: (inout Seat) -> Void) {
        for index in seats.indices where seats[index].user == user { change(&seats[index]) }
    }

    /// What is told where only the seats themselves are known, and not how they came to be so.
    func changes(since old: SeatRow, people: RoomRoster, before: RoomRoster) -> [RoomSession.Event] {
        (seats != old.seats ? [.seatsChanged(seats)] : [])
            + seats.enumerated().flatMap { index, seat in
                Self.changes(of: seat, since: old[index], people, before)
            }
    }

    private static func changes(
        of seat: Seat, since old: Seat?, _ people: RoomRoster, _ before: RoomRoster
    ) -> [RoomSession.Event] {
        var events: [RoomSession.Event] = []
        if old?.user != seat.user {
            if let user = old?.user {
                events.append(.seatLeft(seat, user: before.profile(of: user), reason: nil, by: nil))
            }
            if let user = seat.user { events.append(.seatTaken(SeatTaken(seat, user: people.profile(of: user)))) }
        } else if let user = seat.user {
            if old?.micMuted != seat.micMuted {
                events.append(
                    .microphoneMuted(
                        MicrophoneMuted(user: user, muted: seat.micMuted ?? false, seat: seat.index)))
            }
            if let camera = seat.camera, old?.camera != camera {
                events.append(.cameraChanged(CameraChanged(user: user, camera: camera, seat: seat.index)))
            }
            if old?.presence != seat.presence {
                events.append(.presenceChanged(user: user, presence: seat.presence ?? .online, until: nil))
            }
        }
        if old?.muted ?? false != seat.muted { events.append(.seatMuted(SeatMuted(seat, by: seat.by))) }
        if (old?.state == .closed) != (seat.state == .closed) {
            events.append(.seatClosed(SeatClosed(seat, by: seat.by)))
        }
        return events
    }
}
