import Foundation
import RoomEvents
import RoomModel
import RoomRules
import SeededRandom
import Testing

/// How a PK went, by the time of its end.
private struct Told: Equatable {
    var result: PKResult
    var ours: UInt64
    var theirs: UInt64

    var reversed: Told { Told(result: result.reversed, ours: theirs, theirs: ours) }
}

/// What one room's people have seen.
private struct Story {
    /// Those whose clock they have seen.
    var begun: Set<Int64> = []
    var results: [Int64: Told] = [:]

    mutating func hear(_ match: PKMatch?) {
        guard let match, let end = match.endAt else { return }
        begun.insert(end)
        guard let result = match.result else { return }
        let told = Told(result: result, ours: match.ours, theirs: match.theirs)
        #expect(results[end] == nil || results[end] == told, "a result that was told changes")
        results[end] = told
    }
}

/// Two hosts who do whatever comes to their minds, and a post that takes its time and brings things twice.
@Suite struct RandomPKTests {
    private static let rounds = 400
    private static let steps = 150

    private func command(_ rooms: TwoRooms, _ side: TwoRooms.Side, _ random: inout SeededGenerator) -> RoomCommand {
        let state = rooms[side].state
        let other = rooms[side.other].state.room
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            return .challenge(
                ChallengeHost(other, Bool.random(using: &random) ? PKTerms(seconds: 60, forfeitSeconds: 10) : nil))
        case 2, 3, 4:
            return .answerChallenge(
                AnswerChallenge(
                    id: state.links.challenge?.id ?? "none", agreed: Int.random(in: 0..<5, using: &random) > 0,
                    pause: Int.random(in: 0..<8, using: &random) == 0 ? .host : nil))
        case 5, 6, 7: return .readyForPK
        case 8: return Int.random(in: 0..<4, using: &random) == 0 ? .quitPK(QuitPK(link: nil)) : .readyForPK
        case 9: return Int.random(in: 0..<6, using: &random) == 0 ? .cancelChallenge : .readyForPK
        case 10: return Int.random(in: 0..<5, using: &random) == 0 ? .leaveSeat : .takeSeat(TakeSeat(0))
        default: return .takeSeat(TakeSeat(0))
        }
    }

    @Test("L04-S L05-S random hosts and a slow post: in the end both rooms agree on links and on results")
    func random() throws {
        let seed = ProcessInfo.processInfo.environment["OVATION_TEST_SEED"].flatMap(UInt64.init) ?? 20_261_125
        var results = 0
        for round in 0..<Self.rounds {
            var random = SeededGenerator(seed: seed &+ UInt64(round))
            var rooms = try TwoRooms()
            let note = "seed \(seed), round \(round)"
            // Without the other's word a room goes on alone after a while.
            let isPostReliable = round % 4 != 0
            var stories: [TwoRooms.Side: Story] = [.left: Story(), .right: Story()]
            for _ in 0..<Self.steps {
                let side: TwoRooms.Side = Bool.random(using: &random) ? .left : .right
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4: _ = rooms.refusal(command(rooms, side, &random), side)
                case 4..<8: rooms.deliverAny(from: side, times: Int.random(in: 1...2, using: &random), using: &random)
                case 8: rooms.gain(UInt64.random(in: 1...5, using: &random), side)
                default:
                    // Mostly a moment, sometimes until nobody waits for anything any more.
                    let isLong = Int.random(in: 0..<3, using: &random) == 0
                    if isLong, isPostReliable {
                        rooms.settle()
                        for side in TwoRooms.Side.allCases { stories[side]?.hear(rooms.match(side)) }
                    }
                    rooms.wait(Int64.random(in: 0...(isLong ? 70_000 : 500), using: &random))
                }
                check(rooms, note)
                for side in TwoRooms.Side.allCases { stories[side]?.hear(rooms.match(side)) }
            }
            // Whatever is still on its way arrives.
            rooms.settle()
            for side in TwoRooms.Side.allCases { stories[side]?.hear(rooms.match(side)) }
            let left = Dictionary(
                uniqueKeysWithValues: rooms.links(.left).filter { !$0.isEnding }.map { ($0.id, $0.isOurs) })
            let right = Dictionary(
                uniqueKeysWithValues: rooms.links(.right).filter { !$0.isEnding }.map { ($0.id, !$0.isOurs) })
            #expect(left == right, "one room is linked alone: \(note)")
            #expect(
                rooms.left.state.links.mail.outbox.isEmpty && rooms.right.state.links.mail.outbox.isEmpty, "\(note)")
            #expect(rooms.left.state.links.challenge?.id == rooms.right.state.links.challenge?.id, "\(note)")
            // Who left before word of the beginning came has no result; whoever has one has the same.
            for (end, result) in stories[.left]?.results ?? [:] where stories[.right]?.begun.contains(end) == true {
                results += 1
                let other = stories[.right]?.results[end]
                let isOut = other == nil && (rooms.match(.right)?.isOn == true || !isPostReliable)
                #expect(isOut || result == other?.reversed, "\(result), \(String(describing: other)): \(note)")
            }
            for side in TwoRooms.Side.allCases { try replay(rooms[side], note) }
        }
        #expect(results > Self.rounds / 20, "seed \(seed): \(results)")
    }

    private func check(_ rooms: TwoRooms, _ note: String) {
        for side in TwoRooms.Side.allCases {
            let state = rooms[side].state
            let host = state.seats[0].occupant?.profile.id
            #expect(
                state.links.pk.links.isEmpty || host == state.owner.id || state.links.pk.links.allSatisfy(\.isEnding),
                "\(note)")
            #expect(Set(state.links.pk.links.map(\.id)).count == state.links.pk.links.count, "\(note)")
            if let match = state.links.pk.match, match.isOn {
                #expect(state.links.pk.links.contains { $0.id == match.link }, "a PK without its link: \(note)")
            }
        }
    }

    private func replay(_ stage: Stage, _ note: String) throws {
        var replayed = DurableRoomState(room: stage.state.room)
        for command in stage.record {
            try replayed.apply(try JSONDecoder().decode(AcceptedCommand.self, from: try JSONEncoder().encode(command)))
        }
        #expect(replayed == stage.state, "the replayed room is another: \(note)")
        let stored = try JSONDecoder().decode(DurableRoomState.self, from: try JSONEncoder().encode(replayed))
        #expect(stored == replayed, "the stored room is another: \(note)")
    }
}
