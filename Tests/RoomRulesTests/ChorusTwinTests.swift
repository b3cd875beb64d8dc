import Foundation
import RoomModel
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing

/// Whatever a salon decides a chorus room decides too: the rules of seats, invitations, mutes, consent, chat and membership are
/// the same rules.
@Suite struct ChorusTwinTests {
    private static let cast = (0..<5).map { UserID(literal: "user-\($0)") }
    private static let steps = 10_000
    private static let stepsPerRoom = 250

    private struct Walk {
        var generator: SeededGenerator
        var invitations: [String] = []

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
        mutating func someone() -> UserID { ChorusTwinTests.cast[number(0..<ChorusTwinTests.cast.count)] }

        /// Everything that both kinds of room know.
        mutating func command() -> RoomCommand {
            let seat = number(-1..<3)
            let known =
                invitations.isEmpty || chance(5)
                ? "unknown" : invitations[number(max(0, invitations.count - 3)..<invitations.count)]
            switch number(0..<18) {
            case 0, 1, 2: return .takeSeat(TakeSeat(seat))
            case 3: return .leaveSeat
            case 4: return .moveSeat(MoveSeat(seat))
            case 5: return .pickSeat(PickSeat(seat, someone()))
            case 6: return .kickSeat(KickSeat(seat))
            case 7: return .muteSeat(MuteSeat(seat, muted: chance(50)))
            case 8: return .closeSeat(CloseSeat(seat, closed: chance(30)))
            case 9: return .setMicrophone(SetMicrophone(muted: chance(50)))
            case 10, 11:
                let id = "i\(number(0..<10_000))"
                invitations.append(id)
                return .sendInvitation(
                    InvitationDraft(to: someone(), command: "C", timeoutSeconds: chance(30) ? 30 : 0, id: id))
            case 12, 13: return .acceptInvitation(AcceptInvitation(id: known))
            case 14:
                return chance(50)
                    ? .rejectInvitation(RejectInvitation(id: known, reason: nil))
                    : .cancelInvitation(CancelInvitation(id: known))
            case 15: return chance(50) ? .sendMessage(MessageDraft(.text("t"))) : .sendLikes(SendLikes(number(0..<4)))
            case 16: return .setRole(SetRole(someone(), chance(60) ? .admin : .member))
            default: return chance(70) ? .updateRoom(RoomUpdate(needsRequest: chance(70))) : .exitRoom
            }
        }
    }

    /// What a decision says, without the room's kind.
    private func told(_ stage: Stage) -> DurableRoomState {
        var state = stage.state
        state.beginning.kind = .voice
        return state
    }

    @Test(
        "D01-S ten thousand random commands of a salon are decided the same way in a chorus room of two seats, song and duet or not"
    )
    func twins() {
        let seed = ProcessInfo.processInfo.environment["OVATION_TEST_SEED"].flatMap(UInt64.init) ?? 271
        var counts: [RoomCommand.Name: (accepted: Int, refused: Int)] = [:]
        for round in 0..<(Self.steps / Self.stepsPerRoom) {
            var walk = Walk(generator: SeededGenerator(seed: seed &+ UInt64(round)))
            var salon = Stage(kind: .voice, seats: 2, needsRequest: true, owner: Self.cast[0])
            var chorus = Stage(kind: .chorus, seats: 2, needsRequest: true, owner: Self.cast[0])
            let note = "seed \(seed), round \(round)"
            for step in 0..<Self.stepsPerRoom {
                let pause = Int64(walk.number(0..<900))
                let (user, entering, presence) = (walk.someone(), walk.someone(), walk.chance(90))
                let enters = walk.chance(30)
                func prepare(_ stage: inout Stage) {
                    stage.now += pause
                    if enters { stage.enter(entering, presence: presence ? .online : .reconnecting) }
                }
                prepare(&salon)
                prepare(&chorus)
                if walk.chance(4) {
                    let reason: SeatLeaveReason = walk.chance(50) ? .lost : .exited
                    salon.serve(.departed(user, reason))
                    chorus.serve(.departed(user, reason))
                    (salon.people[user], chorus.people[user]) = (nil, nil)
                } else {
                    let command = walk.command()
                    let refusal = salon.refusal(command, by: user)
                    #expect(chorus.refusal(command, by: user) == refusal, "\(command): \(note), step \(step)")
                    counts[command.name, default: (0, 0)].accepted += refusal == nil ? 1 : 0
                    counts[command.name, default: (0, 0)].refused += refusal == nil ? 0 : 1
                    if command == .exitRoom, refusal == nil {
                        (salon.people[user], chorus.people[user]) = (nil, nil)
                    }
                }
                if step % 10 == 9 { #expect(told(chorus) == told(salon), "\(note), step \(step)") }
            }
        }
        // A walk in which a command never passes, or always does, compares nothing.
        for (name, count) in counts where ![.sendMessage, .exitRoom, .sendInvitation].contains(name) {
            #expect(count.accepted >= 10 && count.refused >= 10, "\(name) \(count)")
        }
        #expect(counts.count == 17, "\(counts.keys)")
    }
}
