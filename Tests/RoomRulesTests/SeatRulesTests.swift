import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing

@Suite struct SeatRulesTests {
    @Test("V07-S of 500 people who want one seat, one gets it and 499 are told that it is taken") func race() {
        var stage = Stage()
        var generator = SeededGenerator(seed: 7)
        var users = (0..<500).map { UserID(literal: "racer-\($0)") }
        users.shuffle(using: &generator)
        for user in users { stage.enter(user) }
        let outcomes = users.map { stage.refusal(.takeSeat(TakeSeat(3)), by: $0) }
        #expect(outcomes[0] == nil)
        #expect(outcomes.dropFirst().allSatisfy { $0 == .seatTaken })
        #expect(stage.occupant(3) == users[0])
        #expect(stage.state.progress.seq == 2)
    }

    @Test("V04-S a person has one seat at most, and taking it again changes nothing") func oneSeat() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(2)), by: .member)
        let before = stage.state
        #expect(try stage.run(.takeSeat(TakeSeat(2)), by: .member).events.isEmpty)
        #expect(stage.refusal(.takeSeat(TakeSeat(3)), by: .member) == .alreadySeated)
        #expect(stage.state == before)
        try stage.run(.leaveSeat, by: .member)
        #expect(stage.occupant(2) == nil)
        #expect(stage.refusal(.leaveSeat, by: .member) == .notSeated)
    }

    @Test("V05-S V21-S the owner picks a listener onto a seat, consent or not, and kicks a speaker off it")
    func pickAndKick() throws {
        var stage = Stage(needsRequest: true)
        stage.enter(.member)
        #expect(stage.refusal(.pickSeat(PickSeat(1, .other)), by: .owner) == .userNotInRoom)
        try stage.run(.pickSeat(PickSeat(1, .member)), by: .owner)
        #expect(stage.occupant(1) == .member)
        #expect(stage.refusal(.pickSeat(PickSeat(2, .member)), by: .owner) == .alreadySeated)
        #expect(try stage.run(.pickSeat(PickSeat(1, .member)), by: .owner).events.isEmpty)
        #expect(stage.refusal(.pickSeat(PickSeat(1, .owner)), by: .owner) == .seatTaken)
        let kick = try stage.run(.kickSeat(KickSeat(1)), by: .owner)
        #expect(kick.events == [.seatLeft(.init(1, user: .named(.member), reason: .kicked))])
        #expect(stage.refusal(.kickSeat(KickSeat(1)), by: .owner) == .seatEmpty)
        #expect(stage.refusal(.kickSeat(KickSeat(8)), by: .owner) == .seatNotFound)
        #expect(stage.refusal(.kickSeat(KickSeat(-1)), by: .owner) == .seatNotFound)
    }

    @Test("V06-S a muted empty seat mutes whoever sits down next") func muteStaysWithTheSeat() throws {
        var stage = Stage()
        stage.enter(.member, .other)
        try stage.run(.muteSeat(MuteSeat(4, muted: true)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(4)), by: .member)
        #expect(stage.state.seats[4].isSilent)
        try stage.run(.leaveSeat, by: .member)
        try stage.run(.takeSeat(TakeSeat(4)), by: .other)
        #expect(stage.state.seats[4].isSilent)
        #expect(stage.state.seatView(4, stage.people).by == .owner)
    }

    @Test("V06-S unmuting a seat never opens a microphone that its user muted") func twoMutes() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(4)), by: .member)
        try stage.run(.setMicrophone(SetMicrophone(muted: true)), by: .member)
        try stage.run(.muteSeat(MuteSeat(4, muted: true)), by: .owner)
        try stage.run(.muteSeat(MuteSeat(4, muted: false)), by: .owner)
        #expect(stage.state.seats[4].isSilent)
        #expect(stage.state.seats[4].occupant?.micMuted == true)
        try stage.run(.setMicrophone(SetMicrophone(muted: false)), by: .member)
        #expect(!stage.state.seats[4].isSilent)
    }

    @Test("V06-S un-muting oneself in a muted seat is refused with its own reason; muting oneself is not")
    func selfUnmute() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(4)), by: .member)
        try stage.run(.muteSeat(MuteSeat(4, muted: true)), by: .owner)
        #expect(stage.refusal(.setMicrophone(SetMicrophone(muted: false)), by: .member) == .seatMuted)
        try stage.run(.setMicrophone(SetMicrophone(muted: true)), by: .member)
        #expect(stage.refusal(.setMicrophone(SetMicrophone(muted: false)), by: .member) == .seatMuted)
    }

    @Test("V06-S a speaker leaves the seat that is closed, and nobody can take it until it is opened")
    func closing() throws {
        var stage = Stage()
        stage.enter(.member, .other)
        try stage.run(.takeSeat(TakeSeat(4)), by: .member)
        let closing = try stage.run(.closeSeat(CloseSeat(4, closed: true)), by: .owner)
        #expect(
            closing.events == [
                .seatLeft(.init(4, user: .named(.member), reason: .closed)), .seatClosed(.init(4, closed: true)),
            ])
        #expect(stage.refusal(.takeSeat(TakeSeat(4)), by: .other) == .seatClosed)
        #expect(stage.refusal(.takeSeat(TakeSeat(4)), by: .owner) == .seatClosed)
        #expect(stage.refusal(.pickSeat(PickSeat(4, .other)), by: .owner) == .seatClosed)
        #expect(try stage.run(.closeSeat(CloseSeat(4, closed: true)), by: .owner).events.isEmpty)
        try stage.run(.closeSeat(CloseSeat(4, closed: false)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(4)), by: .other)
    }

    @Test("V06-S a seat that is muted and closed is still muted when it opens") func muteSurvivesClosing() throws {
        var stage = Stage()
        try stage.run(.muteSeat(MuteSeat(4, muted: true)), by: .owner)
        try stage.run(.closeSeat(CloseSeat(4, closed: true)), by: .owner)
        try stage.run(.closeSeat(CloseSeat(4, closed: false)), by: .owner)
        #expect(stage.state.seats[4].muted)
    }

    @Test("V09-S a move is leaving and taking at once, keeps the user's own mute, and is limited to one a second")
    func moving() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(0)), by: .member)
        try stage.run(.setMicrophone(SetMicrophone(muted: true)), by: .member)
        let move = try stage.run(.moveSeat(MoveSeat(1)), by: .member)
        #expect(
            move.events == [
                .seatLeft(.init(0, user: .named(.member), reason: .moved)),
                .seatTaken(.init(1, user: .named(.member), micMuted: true, moved: true)),
            ])
        stage.now += 999
        do throws(RoomError) {
            try stage.run(.moveSeat(MoveSeat(2)), by: .member)
            Issue.record("moved again within a second")
        } catch {
            #expect(error.code.number == 10001)
            #expect(error.retryAfterMs == 1)
        }
        #expect(try stage.run(.moveSeat(MoveSeat(1)), by: .member).events.isEmpty)
        stage.now += 1
        try stage.run(.moveSeat(MoveSeat(2)), by: .member)
        #expect(stage.occupant(2) == .member)
    }

    @Test("V09-S a wall clock that is set back does not hold anybody on a seat") func movingWithAClockSetBack() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(0)), by: .member)
        try stage.run(.moveSeat(MoveSeat(1)), by: .member)
        stage.now -= 3_600_000
        try stage.run(.moveSeat(MoveSeat(2)), by: .member)
    }

    @Test("V09-S a move to a taken, closed or unknown seat changes nothing") func refusedMoves() throws {
        var stage = Stage()
        stage.enter(.member, .other)
        try stage.run(.takeSeat(TakeSeat(0)), by: .member)
        try stage.run(.takeSeat(TakeSeat(1)), by: .other)
        try stage.run(.closeSeat(CloseSeat(2, closed: true)), by: .owner)
        let before = stage.state
        #expect(stage.refusal(.moveSeat(MoveSeat(1)), by: .member) == .seatTaken)
        #expect(stage.refusal(.moveSeat(MoveSeat(2)), by: .member) == .seatClosed)
        #expect(stage.refusal(.moveSeat(MoveSeat(8)), by: .member) == .seatNotFound)
        #expect(stage.state == before)
    }
}
