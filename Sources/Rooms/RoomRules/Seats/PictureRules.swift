import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// What another session of the same person shows, that one says.
    func picturesGone(of user: UserID, camera isCameraGone: Bool, screen isScreenGone: Bool) -> Decision {
        var events: [RoomEvent] = []
        if isCameraGone, let seat = seat(of: user), seats[seat].isSeen {
            events.append(.cameraChanged(.init(user, .off)))
        }
        if isScreenGone, stage.screen == user { events.append(.screenChanged(ScreenChanged(user: nil))) }
        return Decision(events)
    }

    func checkLive() throws(RoomError) {
        guard beginning.kind == .live else { throw RoomError(.notLive) }
    }
}

/// L01, L16: who is seen in a live room. Nobody is who has not said so, and whom the host has switched off says so in vain.
extension Seats {
    func setCamera(on: Bool, by user: UserProfile) throws(RoomError) -> Decision {
        let (_, occupant) = try own(user)
        switch (occupant.camera, on) {
        case (.blocked, true): throw RoomError(.cameraBlocked)
        case (.on, true), (.off, false), (.blocked, false): return .nothing
        case (.off, true): return Decision([.cameraChanged(.init(user.id, .on))])
        case (.on, false): return Decision([.cameraChanged(.init(user.id, .off))])
        }
    }

    /// A host switches a camera off, never on: whom it is allowed again decides that alone. It belongs to the person, not to the
    /// seat: it goes along to another seat, and who comes on stage anew is seen again.
    func allowCamera(
        _ index: Int, _ allowed: Bool, within reach: SeatReach
    ) throws(RoomError) -> Decision {
        guard indices.contains(index) else { throw RoomError(.seatNotFound) }
        guard let occupant = self[index].occupant else { throw RoomError(.seatEmpty) }
        guard reach.covers(occupant.profile.id) else { throw RoomError(.permissionDenied) }
        if allowed == (occupant.camera != .blocked) { return .nothing }
        return Decision([.cameraChanged(.init(occupant.profile.id, allowed ? .off : .blocked))])
    }
}

/// L01, L03: whose screen a live room sees, and how its stage is arranged.
package struct LiveStage: Equatable, Sendable {
    /// Whoever shares one has a seat.
    package var screen: UserID?
    /// Whoever is large has a seat.
    package var layout = StageLayout()

    /// One at a time: two would leave neither of them large enough to be read.
    func startScreen(by user: UserProfile) throws(RoomError) -> Decision {
        guard let screen else { return Decision([.screenChanged(ScreenChanged(user: user.id))]) }
        guard screen == user.id else { throw RoomError(.screenTaken) }
        return .nothing
    }

    /// One's own, or, for owner and admins, anybody's.
    func stopScreen(
        by user: UserProfile, _ permission: Permission, role: (UserID) -> Role
    ) throws(RoomError) -> Decision {
        guard let screen else { return .nothing }
        let mayStop =
            switch permission {
            case .allowed: true
            case .notAgainstHigherRole: role(screen) <= role(user.id)
            default: screen == user.id
            }
        guard mayStop else { throw RoomError(.permissionDenied) }
        return Decision([.screenChanged(ScreenChanged(user: nil))])
    }

    /// L03: for everybody in the room. Only who is on stage can be large.
    func arrange(_ wanted: StageLayout, seated: [UserID]) throws(RoomError) -> Decision {
        if let large = wanted.large, !seated.contains(large) { throw RoomError(.notSeated) }
        return wanted == layout ? .nothing : Decision([.stageArranged(StageArranged(wanted))])
    }

    /// Nobody shares a screen, nor is large, from outside a seat: both end with the seat, in whatever way. Moving to another seat is no
    /// leaving.
    func settling(_ decision: Decision) -> Decision {
        var events = decision.events
        if let screen, decision.leavesUnseated(screen) { events.append(.screenChanged(ScreenChanged(user: nil))) }
        if let large = layout.large, decision.leavesUnseated(large) {
            events.append(.stageArranged(StageArranged(StageLayout(form: layout.form))))
        }
        return Decision(events, decision.result)
    }
}

extension SetCamera: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seated, rights: .sendVideo)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.seats.setCamera(on: on, by: caller.profile)
    }
}

extension AllowCamera: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hostsByRank, operator: .moderate, audit: .change("allowCamera"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.seats.allowCamera(seat, allowed, within: room.reach(of: caller, permission))
    }
}

extension StartScreen: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seated, rights: .sendScreen)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        _ = try room.seats.own(caller.profile)
        return try room.stage.startScreen(by: caller.profile)
    }
}

extension StopScreen: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(
            RolePermissions(member: .onOwnSeat, admin: .notAgainstHigherRole, owner: .allowed), operator: .moderate)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.stage.stopScreen(by: caller.profile, permission, role: room.role)
    }
}

extension ArrangeStage: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hosts, operator: .writeRooms)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkLive()
        return try room.stage.arrange(layout, seated: room.seats.seated)
    }
}

// MARK: What is kept of it

extension Journal.CameraChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        guard let index = room.seat(of: user), var occupant = room.seats[index].occupant, room.beginning.kind == .live
        else {
            return try require(false)
        }
        occupant.camera = camera
        room.seats[index].condition = .used(occupant)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        guard let seat = room.seat(of: user) else { return nil }
        return room.change(
            .cameraChanged(RoomModel.CameraChanged(user: user, camera: camera, seat: seat, by: context.author)), context
        )
    }
}

extension ScreenChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.beginning.kind == .live && user.map { room.seat(of: $0) != nil } ?? true)
        room.stage.screen = user
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.screenChanged(done(by: context.author)), context)
    }
}

extension StageArranged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        try require(room.beginning.kind == .live && stage.large.map { room.seat(of: $0) != nil } ?? true)
        room.stage.layout = stage
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.stageArranged(done(by: context.author)), context)
    }
}

extension LiveStage: Codable {
    private enum CodingKeys: String, CodingKey {
        case screen
        case layout = "stage"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        screen = try fields.decodeIfPresent(UserID.self, forKey: .screen)
        layout = try fields.decodeIfPresent(StageLayout.self, forKey: .layout) ?? StageLayout()
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(screen, forKey: .screen)
        if !layout.isUsual { try fields.encode(layout, forKey: .layout) }
    }
}
