import RoomModel
import RoomRules
import Timing

/// Whether the owner of a room is there, and who would inherit it (V19).
final class OwnerWatch {
    private unowned let core: RoomCore
    private(set) var absence: OwnerAbsence?

    init(_ core: RoomCore) { self.core = core }

    /// The owner is away: the room waits.
    func startAbsence() {
        guard !core.state.lasts else { return }
        let seconds = Int64(core.dependencies.policy().ownerAbsenceSeconds)
        core.deadlines.set(.ownerAbsence, at: core.now + .seconds(seconds))
        let absence = OwnerAbsence(
            until: core.wallNow + seconds * 1_000, heir: core.state.heir(among: core.people.attendance.people)?.id)
        self.absence = absence
        core.inOrder { [unowned core] in core.tell(.ownerAbsent(until: absence.until, heir: absence.heir)) }
    }

    /// Nobody waits for the owner any more.
    func endAbsence() {
        absence = nil
        core.deadlines.cancel(.ownerAbsence)
    }

    /// After a load.
    func restartClock() {
        if core.people.attendance.people[core.state.owner.id] != nil {
            endAbsence()
        } else if absence == nil {
            startAbsence()
        }
    }

    /// The room has been handed over. If nobody waits for the new owner, they are here.
    func noteNewOwner() {
        guard core.people.attendance.people[core.state.owner.id] != nil, absence != nil else { return refreshHeir() }
        endAbsence()
        core.inOrder { [unowned core] in core.tell(.ownerBack) }
    }

    /// While the owner is away people see who would inherit, and that may change.
    func refreshHeir() {
        guard var absence else { return }
        let heir = core.state.heir(among: core.people.attendance.people)?.id
        guard absence.heir != heir else { return }
        absence.heir = heir
        self.absence = absence
        core.inOrder { [unowned core] in core.tell(.ownerAbsent(until: absence.until, heir: heir)) }
    }
}
