import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// Bans alone: what a turn says is to be done, without a room that does it.
@Suite struct RestrictionTurnTests {
    @Test("G06-S a ban everywhere goes to the store with the room's own entry, and so does its end")
    func everywhere() throws {
        var (turn, people) = (try RoomTurn.opened(), RoomPeople())
        let restrictions = RoomRestrictions(MemoryRestrictions())
        let draft = RestrictionDraft(.ban, of: .member, everywhere: true)
        let decision = try turn.state.decide(
            .setRestriction(draft), by: .person(.named(.owner)), in: turn.context)
        let ban = try #require(restrictions.ban(draft, by: .owner, decision, in: &turn))
        var sequel = Sequel(by: .owner)
        restrictions.keep(ban, in: &turn, &sequel)
        people.putOut(ban, decision, sequel, in: &turn)
        let effects = turn.takeEffects()
        guard effects.count == 1, case .submit(let submission) = effects[0],
            case .out(.expelElsewhere(ban, from: .owner))? = submission.sequel.afterwards.first
        else {
            Issue.record("\(effects)")
            return
        }
        let application = turn.key.application
        #expect(
            submission.sequel.standing == StandingChange(beginning: ban, from: .host(.owner), in: application))
        #expect(turn.state.restrictions.all.map(\.user) == [.member])

        // Also while the ban is on its way to the disk.
        let end = try turn.state.decide(
            .liftRestriction(LiftRestriction(.ban, of: .member)), by: .person(.named(.owner)), in: turn.context)
        restrictions.liftBan(of: .member, end, Sequel(by: .owner), in: &turn)
        guard case .submit(let lifted)? = turn.takeEffects().first else {
            Issue.record("nothing is stored")
            return
        }
        #expect(
            lifted.sequel.standing
                == StandingChange(ending: .ban, of: .member, from: .host(.owner), in: application))
    }
}
