import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

@Suite struct PictureRulesTests {
    /// The owner on 0, an admin on 1, a member on 2, another member on 3; 4 is empty.
    private func live() throws -> Stage {
        var stage = Stage(kind: .live, seats: 5)
        stage.enter(.admin, .member, .other)
        try stage.run(.setRole(SetRole(.admin, .admin)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(0)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(1)), by: .admin)
        try stage.run(.takeSeat(TakeSeat(2)), by: .member)
        try stage.run(.takeSeat(TakeSeat(3)), by: .other)
        return stage
    }

    private func camera(of user: UserID, in stage: Stage) -> CameraState? {
        stage.state.seat(of: user).flatMap { stage.state.seatView($0, [:]).camera }
    }

    @Test("L01-S L07-S nobody is seen before they say so; what is said again changes nothing; a new seat begins unseen")
    func ownWord() throws {
        var stage = try live()
        #expect(camera(of: .member, in: stage) == .off)
        #expect(try stage.run(.setCamera(SetCamera(on: false)), by: .member).events.isEmpty)
        #expect(
            try stage.run(.setCamera(SetCamera(on: true)), by: .member).events == [.cameraChanged(.init(.member, .on))])
        #expect(try stage.run(.setCamera(SetCamera(on: true)), by: .member).events.isEmpty)
        try stage.run(.moveSeat(MoveSeat(4)), by: .member)
        #expect(camera(of: .member, in: stage) == .on, "a move takes the camera along")
        try stage.run(.leaveSeat, by: .member)
        try stage.run(.takeSeat(TakeSeat(2)), by: .member)
        #expect(camera(of: .member, in: stage) == .off)
        #expect(stage.state.seatView(4, [:]).camera == nil, "an empty seat has none")
    }

    @Test("L07-S a host switches a camera off for as long as its user sits, and never on; not against a higher role")
    func hostsWord() throws {
        var stage = try live()
        try stage.run(.setCamera(SetCamera(on: true)), by: .member)
        #expect(
            try stage.run(.allowCamera(AllowCamera(2, allowed: false)), by: .admin).events == [
                .cameraChanged(.init(.member, .blocked))
            ])
        #expect(try stage.run(.allowCamera(AllowCamera(2, allowed: false)), by: .owner).events.isEmpty)
        #expect(stage.refusal(.setCamera(SetCamera(on: true)), by: .member) == .cameraBlocked)
        #expect(try stage.run(.setCamera(SetCamera(on: false)), by: .member).events.isEmpty)
        #expect(camera(of: .member, in: stage) == .blocked, "switching it off does not undo it")
        try stage.run(.moveSeat(MoveSeat(4)), by: .member)
        #expect(camera(of: .member, in: stage) == .blocked, "nor does another seat")
        try stage.run(.allowCamera(AllowCamera(4, allowed: true)), by: .owner)
        #expect(camera(of: .member, in: stage) == .off, "allowed is not on")
        try stage.run(.setCamera(SetCamera(on: true)), by: .member)
        #expect(
            try stage.run(.allowCamera(AllowCamera(4, allowed: true)), by: .owner).events.isEmpty,
            "nor does it switch off")
        #expect(stage.refusal(.allowCamera(AllowCamera(0, allowed: false)), by: .admin) == .permissionDenied)
        #expect(stage.refusal(.allowCamera(AllowCamera(3, allowed: false)), by: .member) == .permissionDenied)
        #expect(stage.refusal(.allowCamera(AllowCamera(2, allowed: false)), by: .owner) == .seatEmpty)
        #expect(stage.refusal(.allowCamera(AllowCamera(9, allowed: false)), by: .owner) == .seatNotFound)
    }

    @Test("L16-S one screen at a time; whose it is ends it, or the host, and nobody below them")
    func oneScreen() throws {
        var stage = try live()
        #expect(try stage.run(.stopScreen, by: .member).events.isEmpty, "there is none")
        #expect(try stage.run(.startScreen, by: .admin).events == [.screenChanged(ScreenChanged(user: .admin))])
        #expect(try stage.run(.startScreen, by: .admin).events.isEmpty)
        #expect(stage.refusal(.startScreen, by: .owner) == .screenTaken)
        #expect(stage.refusal(.stopScreen, by: .member) == .permissionDenied)
        try stage.run(.stopScreen, by: .owner)
        #expect(stage.state.stage.screen == nil)
        try stage.run(.startScreen, by: .owner)
        #expect(stage.refusal(.stopScreen, by: .admin) == .permissionDenied)
    }

    @Test("L16-S a screen ends with its seat, however that is lost; a move keeps it", arguments: 0..<7)
    func screenEndsWithTheSeat(_ way: Int) throws {
        var stage = try live()
        try stage.run(.startScreen, by: .member)
        let decision: Decision =
            switch way {
            case 0: try stage.run(.leaveSeat, by: .member)
            case 1: try stage.run(.kickSeat(KickSeat(2)), by: .owner)
            case 2: try stage.run(.closeSeat(CloseSeat(2, closed: true)), by: .owner)
            case 3: stage.serve(.departed(.member, .lost))
            case 4: stage.serve(.picturesGone(.member, camera: false, screen: true))
            case 5: try stage.run(.moveSeat(MoveSeat(4)), by: .member)
            default: try stage.run(.leaveSeat, by: .other)
            }
        let ends = way < 5
        #expect(decision.events.contains(.screenChanged(ScreenChanged(user: nil))) == ends)
        #expect(stage.state.stage.screen == (ends ? nil : .member))
    }

    @Test("L03-S the host arranges the stage for everybody; who is large has a seat, and is so no longer than that")
    func arrangement() throws {
        var stage = try live()
        #expect(
            try stage.run(.arrangeStage(ArrangeStage(StageLayout())), by: .owner).events.isEmpty, "as it is already")
        let spotlight = StageLayout(form: .spotlight, large: .member)
        #expect(
            try stage.run(.arrangeStage(ArrangeStage(spotlight)), by: .admin).events
                == [.stageArranged(StageArranged(spotlight))])
        #expect(stage.refusal(.arrangeStage(ArrangeStage(StageLayout())), by: .member) == .permissionDenied)
        #expect(
            stage.refusal(.arrangeStage(ArrangeStage(StageLayout(large: UserID(literal: "nobody")))), by: .owner)
                == .notSeated)
        try stage.run(.moveSeat(MoveSeat(4)), by: .member)
        #expect(stage.state.stage.layout == spotlight, "a move keeps it")
        let left = try stage.run(.leaveSeat, by: .member)
        #expect(left.events.last == .stageArranged(StageArranged(StageLayout(form: .spotlight))))
        #expect(stage.state.stage.layout == StageLayout(form: .spotlight))
    }

    @Test("L07-S what a session showed is no longer said to be seen when it is gone and its user is not")
    func sessionGone() throws {
        var stage = try live()
        try stage.run(.setCamera(SetCamera(on: true)), by: .member)
        #expect(stage.serve(.picturesGone(.member, camera: false, screen: true)).events.isEmpty)
        #expect(
            stage.serve(.picturesGone(.member, camera: true, screen: true)).events == [
                .cameraChanged(.init(.member, .off))
            ])
        try stage.run(.allowCamera(AllowCamera(2, allowed: false)), by: .owner)
        #expect(stage.serve(.picturesGone(.member, camera: true, screen: false)).events.isEmpty, "blocked it stays")
    }

    @Test("L07-S L16-S a room without pictures has neither cameras nor a screen", arguments: [RoomKind.voice, .chorus])
    func otherRooms(_ kind: RoomKind) throws {
        var stage = Stage(kind: kind, seats: 3)
        try stage.run(.takeSeat(TakeSeat(0)), by: .owner)
        for command in [
            RoomCommand.setCamera(SetCamera(on: true)), .allowCamera(AllowCamera(0, allowed: false)), .startScreen,
            .stopScreen,
            .arrangeStage(ArrangeStage(StageLayout(form: .spotlight))),
        ] {
            #expect(stage.refusal(command, by: .owner) == .notLive)
        }
        #expect(stage.state.seatView(0, [:]).camera == nil)
    }
}
