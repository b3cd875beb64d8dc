import RoomEvents
import RoomModel
import RoomRules

// What must hold of every room that is on a disk, whatever has happened to it.

extension DurableRoomState {
    private var pk: PKState { links.pk }
    private var challenge: PKChallenge? { links.challenge }

    /// Why a command must not have been accepted here.
    func fault(with command: AcceptedCommand) -> String? {
        for case .messageSent(let message) in command.events {
            let mute = restrictions.restriction(.chatMute, of: message.from.id, at: command.time)
            if mute != nil, message.from.id != owner.id { return "\(message.from.id.rawValue) writes while muted" }
        }
        return nil
    }

    /// Why a room cannot stand like this.
    /// - Parameter time: of the last command, in milliseconds since 1970.
    func fault(at time: Int64) -> String? {
        guard progress.phase == .open else {
            return progress.phase == .ended && seats.contains { $0.occupant != nil }
                ? "somebody sits in a room that has ended" : nil
        }
        let seated = seats.compactMap { $0.occupant?.profile.id }
        if Set(seated).count != seated.count { return "somebody has two seats" }
        if let banned = seated.first(where: {
            $0 != owner.id && restrictions.restriction(.ban, of: $0, at: time) != nil
        }) {
            return "\(banned.rawValue) has a seat and is banned"
        }
        if restrictions.restriction(.ban, of: owner.id, at: time) != nil {
            return "the owner is banned from their own room"
        }
        return faultBetweenRooms
    }

    private var faultBetweenRooms: String? {
        let ids = pk.links.map(\.id)
        if Set(ids).count != ids.count { return "two links have one name" }
        if pk.links.contains(where: { $0.room == room }) || challenge?.room == room { return "a room is with itself" }
        if Set(pk.links.map(\.room)).count != ids.count { return "two links lead to one room" }
        if let match = pk.match {
            if match.isOn, !ids.contains(match.link) { return "a PK goes on without its link" }
            if match.phase == .over, match.result == nil { return "a PK is over without a result" }
            if match.phase == .over, let result = match.result, result.cause == .time,
                result.outcome != (match.ours == match.theirs ? .draw : match.ours > match.theirs ? .won : .lost)
            {
                return "the points do not give the result"
            }
        }
        // Nobody else is on stage while the host is with others.
        if pk.links.contains(where: { !$0.isEnding }) {
            if seats.first?.occupant?.profile.id != owner.id { return "a room is linked without its host" }
            if seats.dropFirst().contains(where: { $0.occupant != nil }) { return "a guest is on a linked stage" }
        }
        return nil
    }

    /// Why two rooms cannot stand like this once all that they have said is heard: they must say the same of each other.
    func disagreement(with other: DurableRoomState) -> String? {
        let (here, there) = (pk.links.first { $0.room == other.room }, other.pk.links.first { $0.room == room })
        if here?.id != there?.id { return "\(room) is linked to \(other.room) and not the other way round" }
        if let here, here.isOurs == there?.isOurs { return "nobody leads the link \(here.id)" }
        let asked = challenge.flatMap { $0.room == other.room ? $0 : nil }
        let ringing = other.challenge.flatMap { $0.room == room ? $0 : nil }
        if asked?.id != ringing?.id { return "\(room) has a challenge with \(other.room) that is not there" }
        if let mine = pk.match, let theirs = other.pk.match, mine.link == theirs.link, let here, here.id == mine.link,
            mine.phase == .over, theirs.phase == .over,
            mine.result != theirs.result?.reversed || mine.ours != theirs.theirs || mine.theirs != theirs.ours
        {
            return "\(room) and \(other.room) tell two results"
        }
        return nil
    }
}
