import RoomModel
import RoomRules
import Timing

/// Whether the owner of a room is there, and who would inherit it (V19).
struct OwnerWatch {
    private(set) var absence: OwnerAbsence?

    /// The owner is away: the room waits.
    mutating func startAbsence(in turn: inout RoomTurn) {
        guard !turn.state.beginning.lasts else { return }
        let seconds = Int64(turn.policy().ownerAbsenceSeconds)
        turn.deadlines.set(.ownerAbsence, at: turn.now + .seconds(seconds))
        tell(
            OwnerAbsence(
                until: turn.wallNow + seconds * 1_000, heir: turn.state.heir(among: turn.attendance.people)?.id),
            in: &turn)
    }

    private mutating func tell(_ absence: OwnerAbsence, in turn: inout RoomTurn) {
        self.absence = absence
        turn.tellInOrder(.ownerAbsent(OwnerAbsent(until: absence.until, heir: absence.heir)))
    }

    /// Nobody waits for the owner any more.
    mutating func endAbsence(in turn: inout RoomTurn) {
        absence = nil
        turn.deadlines.cancel(.ownerAbsence)
    }

    /// After a load. Whoever's time has run out meanwhile is waited for anew.
    mutating func restartClock(in turn: inout RoomTurn) {
        if turn.isOwnerHere {
            endAbsence(in: &turn)
        } else if !turn.deadlines.isSet(.ownerAbsence) {
            startAbsence(in: &turn)
        }
    }

    /// The room has been handed over. If nobody waits for the new owner, they are here.
    mutating func noteNewOwner(in turn: inout RoomTurn) {
        guard turn.isOwnerHere, absence != nil else { return refreshHeir(in: &turn) }
        endAbsence(in: &turn)
        turn.tellInOrder(.ownerBack(OwnerBack()))
    }

    /// While the owner is away people see who would inherit, and that may change.
    mutating func refreshHeir(in turn: inout RoomTurn) {
        guard var absence else { return }
        let heir = turn.state.heir(among: turn.attendance.people)?.id
        guard absence.heir != heir else { return }
        absence.heir = heir
        tell(absence, in: &turn)
    }
}

extension RoomTurn {
    fileprivate var isOwnerHere: Bool { attendance.people[state.owner.id] != nil }
}
