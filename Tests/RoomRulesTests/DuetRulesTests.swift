import Foundation
import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

@Suite struct DuetRulesTests {
    private func chorus() throws -> Stage {
        var stage = Stage(kind: .chorus, seats: 3)
        stage.enter(.admin, .member, .other)
        try stage.run(.setRole(SetRole(.admin, .admin)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(0)), by: .member)
        try stage.run(.takeSeat(TakeSeat(1)), by: .other)
        return stage
    }

    @Test(
        "D07-S singers agree on one who leads, whoever sits foremost unless they name somebody, and on singing at once again"
    )
    func modes() throws {
        var stage = try chorus()
        #expect(stage.state.chorus.duet == .together)
        #expect(
            try stage.run(.setDuetMode(SetDuetMode(.together, leader: nil)), by: .member).events.isEmpty,
            "they do already")
        let led = try stage.run(.setDuetMode(SetDuetMode(.leadFollow, leader: nil)), by: .other)
        #expect(led.events == [.duetChanged(DuetChanged(.leadFollow(leader: .member)))])
        #expect(stage.state.chorus.duet == .leadFollow(leader: .member))
        #expect(try stage.run(.setDuetMode(SetDuetMode(.leadFollow, leader: .member)), by: .member).events.isEmpty)
        try stage.run(.setDuetMode(SetDuetMode(.leadFollow, leader: .other)), by: .member)
        #expect(stage.state.chorus.duet.leader == .other)
        try stage.run(.setDuetMode(SetDuetMode(.together, leader: .other)), by: .other)
        #expect(stage.state.chorus.duet == .together)
        try stage.run(.leaveSeat, by: .member)
        try stage.run(.setDuetMode(SetDuetMode(.leadFollow, leader: nil)), by: .owner)
        #expect(stage.state.chorus.duet.leader == .other, "seat 0 is empty")
    }

    @Test("D07-S nobody leads without a seat, listeners choose nothing, and a salon has no duet")
    func refusals() throws {
        var stage = try chorus()
        let before = stage.state
        #expect(stage.refusal(.setDuetMode(SetDuetMode(.leadFollow, leader: .owner)), by: .member) == .notSeated)
        #expect(
            stage.refusal(.setDuetMode(SetDuetMode(.leadFollow, leader: UserID(literal: "nobody"))), by: .owner)
                == .notSeated)
        stage.enter(UserID(literal: "eve"))
        #expect(
            stage.refusal(.setDuetMode(SetDuetMode(.leadFollow, leader: nil)), by: UserID(literal: "eve")) == .notSeated
        )
        #expect(stage.state == before)
        #expect(
            stage.refusal(.setDuetMode(SetDuetMode(.leadFollow, leader: nil)), by: .admin) == nil,
            "the host's people may")
        var empty = Stage(kind: .chorus, seats: 2)
        #expect(empty.refusal(.setDuetMode(SetDuetMode(.leadFollow, leader: nil)), by: .owner) == .notSeated)
        var salon = Stage()
        #expect(salon.refusal(.setDuetMode(SetDuetMode(.together, leader: nil)), by: .owner) == .notAChorus)
    }

    @Test(
        "D07-S with the leader's seat goes the agreement, however it is lost; followers and movers do not end it",
        arguments: 0..<8)
    func leadersSeat(_ way: Int) throws {
        var stage = try chorus()
        try stage.run(.setDuetMode(SetDuetMode(.leadFollow, leader: .member)), by: .member)
        let decision: Decision =
            switch way {
            case 0: try stage.run(.leaveSeat, by: .member)
            case 1: try stage.run(.kickSeat(KickSeat(0)), by: .owner)
            case 2: try stage.run(.closeSeat(CloseSeat(0, closed: true)), by: .admin)
            case 3: try stage.run(.exitRoom, by: .member)
            case 4: stage.serve(.departed(.member, .lost))
            case 5: try stage.run(.leaveSeat, by: .other)
            case 6: try stage.run(.moveSeat(MoveSeat(2)), by: .member)
            default: stage.serve(.departed(.other, .lost))
            }
        let ends = way < 5
        #expect(stage.state.chorus.duet == (ends ? .together : .leadFollow(leader: .member)))
        #expect(decision.events.contains(.duetChanged(DuetChanged(.together))) == ends)
        #expect(decision.events.count { $0 == .duetChanged(DuetChanged(.together)) } == (ends ? 1 : 0))
    }

    @Test("D07-S the end of the room is the end of the duet; a room stored before there were duets sings together")
    func ends() throws {
        var stage = try chorus()
        try stage.run(.setDuetMode(SetDuetMode(.leadFollow, leader: .member)), by: .member)
        let stored = try JSONEncoder().encode(stage.state)
        #expect(
            try JSONDecoder().decode(DurableRoomState.self, from: stored).chorus.duet == .leadFollow(leader: .member))
        // As a server stored it that knew of no duets.
        var fields = try #require(JSONSerialization.jsonObject(with: stored) as? [String: Any])
        #expect(fields.removeValue(forKey: "leader") as? String == "mia")
        let old = try JSONSerialization.data(withJSONObject: fields)
        #expect(try JSONDecoder().decode(DurableRoomState.self, from: old).chorus.duet == .together)
        let end = try stage.run(.destroyRoom, by: .owner)
        #expect(end.events.count == 1 && stage.state.chorus.duet == .together)
    }
}
