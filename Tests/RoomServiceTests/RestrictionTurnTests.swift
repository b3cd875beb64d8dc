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
    @Test(
        "G06-S a ban everywhere is kept before the room says so, and taken back before the refusal if the room cannot")
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
        guard effects.count == 2, case .out(.setBan(ban, from: .owner)) = effects[0],
            case .submit(let submission) = effects[1]
        else {
            Issue.record("\(effects)")
            return
        }
        guard case .out(.liftBan(of: .member, from: .owner))? = submission.sequel.undo.first,
            case .out(.expelElsewhere(ban, from: .owner))? = submission.sequel.afterwards.first
        else {
            Issue.record("\(submission.sequel)")
            return
        }
        #expect(turn.state.restrictions.all.map(\.user) == [.member])
    }
}
