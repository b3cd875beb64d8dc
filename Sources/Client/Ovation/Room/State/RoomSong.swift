internal import RoomModel
internal import Timing

/// What is sung in a chorus room, how, and over which ways.
struct RoomSong: Sendable, Hashable {
    var play: SongPlay?
    var duet: DuetMode
    var network = NetworkReport()

    init(_ snapshot: RoomSnapshot) {
        play = snapshot.play
        duet = snapshot.duet ?? .together
    }

    func changedPlay(since old: SongPlay?) -> [RoomSession.Event] {
        guard play != old else { return [] }
        let change: SongChange =
            switch (old, play) {
            case (_, nil): .stopped
            case (let before?, let now?) where before.song == now.song: now.isPaused ? .paused : .sought
            default: .started
            }
        return [.songChanged(SongChanged(play, change))]
    }

    func changedDuet(since old: DuetMode) -> [RoomSession.Event] {
        duet == old ? [] : [.duetChanged(DuetChanged(duet))]
    }

    /// So much later than the room has it a follower hears the song: as late as the leader's voice comes, which is half of both
    /// round trips, a packet, and the wait here. `nil` for whoever follows nobody; zero while a way is not known.
    func lagBehindLeader(of me: UserID, wait: Interval) -> Interval? {
        guard let leader = duet.leader, leader != me else { return nil }
        guard let there = network.singers[leader]?.roundTripMs, let here = network.singers[me]?.roundTripMs else {
            return .zero
        }
        return (Self.bounded(there) + Self.bounded(here)) / 2 + Self.packet + wait
    }

    /// What a packet takes to be filled, and to get out of the devices.
    private static let packet = Interval.milliseconds(10)
    /// Of a longer way nobody hears anything in time; and numbers of the network are not to be trusted.
    private static let longestRoundTripMs = 2_000

    private static func bounded(_ roundTripMs: Int) -> Interval {
        .milliseconds(Int64(min(max(roundTripMs, 0), longestRoundTripMs)))
    }
}
