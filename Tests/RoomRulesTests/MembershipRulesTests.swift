import RoomEvents
import RoomModel
import RoomRules
import Testing

@Suite struct MembershipRulesTests {
    @Test("V01-S a room begins with its name, cover, consent flag and seats, muted and closed ones among them")
    func creation() throws {
        let setups = [
            SeatSetup(), SeatSetup(muted: true), SeatSetup(closed: true), SeatSetup(muted: true, closed: true),
        ]
        let stage = Stage(needsRequest: true, setups: setups)
        let info = stage.state.info(memberCount: 1, speaking: false)
        #expect(info.owner == .named(.owner))
        #expect(info.seats == 4)
        #expect(info.needsRequest)
        #expect(stage.state.seats.map(\.muted) == [false, true, false, true])
        #expect(stage.state.seats.map(\.isClosed) == [false, false, true, true])
        #expect(stage.state.progress.seq == 1)
    }

    @Test("V01-S names, covers, tags and numbers of seats that cannot be shown are refused, and say which field it is")
    func badCreations() {
        func field(_ settings: RoomSettings, seats: Int = 8) -> String? {
            let creation = RoomCreation(settings: settings, seats: Array(repeating: SeatSetup(), count: seats))
            do throws(RoomError) {
                _ = try creation.decide(by: .named(.owner), epoch: 1)
                return nil
            } catch {
                return error.field
            }
        }
        #expect(field(RoomSettings(name: "A")) == nil)
        #expect(field(RoomSettings(name: String(repeating: "한", count: 64))) == nil)
        #expect(field(RoomSettings(name: " \n ")) == "name")
        #expect(field(RoomSettings(name: String(repeating: "x", count: 65))) == "name")
        #expect(field(RoomSettings(name: "A", cover: "javascript:x")) == "cover")
        #expect(field(RoomSettings(name: "A", tags: ["a", "b", "c", "d", "e", "f"])) == "tags")
        #expect(field(RoomSettings(name: "A", tags: [" a", "a ", "a", "b", "c", "d", "e"])) == nil)
        #expect(field(RoomSettings(name: "A", tags: [""])) == "tags")
        for seats in [0, 17] { #expect(field(RoomSettings(name: "A"), seats: seats) == "seats") }
        for seats in [1, 16] { #expect(field(RoomSettings(name: "A"), seats: seats) == nil) }
    }

    @Test("V01-S the owner's room can be created again, another's cannot") func recreation() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(2)), by: .member)
        let creation = RoomCreation(
            room: stage.state.room,
            settings: RoomSettings(name: "Second name", needsRequest: true, pictureFormat: .h264),
            seats: [SeatSetup()])
        stage.accept(try creation.decideAgain(by: .named(.owner), in: stage.state), by: .owner)
        #expect(stage.state.details.settings.name == "Second name")
        #expect(stage.state.details.settings.pictureFormat == .vp8, "paths are open in it")
        #expect(stage.occupant(2) == .member)
        #expect(stage.state.seats.count == 8)
        #expect(throws: RoomError(.roomIDTaken)) {
            try creation.decideAgain(by: .named(.member), in: stage.state)
        }
    }

    @Test("V03-S a seated user's exit frees the seat first") func exitFreesTheSeat() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(5)), by: .member)
        let exit = try stage.run(.exitRoom, by: .member)
        #expect(exit.events.first == .seatLeft(.init(5, user: .named(.member), reason: .exited)))
        #expect(stage.occupant(5) == nil)
    }

    @Test("V19-S an absent owner's room goes to the first appointed admin who is here, and the owner stays admin")
    func inheritance() throws {
        var stage = Stage()
        stage.enter(.admin, .otherAdmin, .member)
        try stage.run(.setRole(SetRole(.otherAdmin, .admin)), by: .owner)
        try stage.run(.setRole(SetRole(.admin, .admin)), by: .owner)
        let draft = InvitationDraft(to: .owner, command: "ENTER_SEAT", id: "hand")
        try stage.run(.sendInvitation(draft), by: .member)
        stage.people[.owner] = nil
        stage.people[.otherAdmin]?.presence = .reconnecting
        #expect(stage.state.heir(among: stage.people)?.id == .admin)
        stage.serve(.ownerAbsenceOver)
        #expect(stage.state.owner.id == .admin)
        #expect(stage.state.hosts.admins == [.otherAdmin, .owner])
        #expect(stage.state.invitations.waiting.first?.to == .admin)
        try stage.run(.acceptInvitation(AcceptInvitation(id: "hand")), by: .admin)
        stage.enter(.owner)
        #expect(stage.refusal(.destroyRoom, by: .owner) == .permissionDenied)
        try stage.run(.kickSeatless, by: .owner)
    }

    @Test("V19-S with nobody to inherit it the room ends; an owner who is back keeps it") func noHeir() throws {
        var stage = Stage()
        stage.enter(.member)
        #expect(stage.serve(.ownerAbsenceOver).events.isEmpty)
        stage.people[.owner] = nil
        stage.now += 61_500
        stage.state.apply(likes: 5, at: stage.now)
        stage.serve(.ownerAbsenceOver)
        #expect(stage.state.progress.phase == .ended)
        #expect(
            stage.record.last?.events == [.ended(RoomEnded(.ownerAbsent, RoomSummary(seconds: 61, peak: 1, likes: 5)))])
    }

    @Test("V02-S an ended room refuses everything and frees every seat") func ended() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(1)), by: .member)
        try stage.run(.destroyRoom, by: .owner)
        #expect(stage.state.seats.allSatisfy { $0.occupant == nil })
        for command in [
            RoomCommand.takeSeat(TakeSeat(1)), .sendMessage(MessageDraft(.text("x"))), .destroyRoom, .exitRoom,
        ] {
            #expect(stage.refusal(command, by: .owner) == .roomClosed)
        }
        #expect(stage.serve(.dismissed).events.isEmpty)
    }

    @Test("admins are made of people who are here, unmade wherever they are") func roles() throws {
        var stage = Stage()
        #expect(stage.refusal(.setRole(SetRole(.member, .admin)), by: .owner) == .userNotInRoom)
        stage.enter(.member)
        try stage.run(.setRole(SetRole(.member, .admin)), by: .owner)
        #expect(try stage.run(.setRole(SetRole(.member, .admin)), by: .owner).events.isEmpty)
        stage.people[.member] = nil
        try stage.run(.setRole(SetRole(.member, .member)), by: .owner)
        #expect(stage.state.role(of: .member) == .member)
        #expect(stage.refusal(.setRole(SetRole(.member, .owner)), by: .owner) == .invalidParams)
    }

    @Test("an update changes what it names, and nothing if it names nothing new") func update() throws {
        var stage = Stage()
        #expect(try stage.run(.updateRoom(RoomUpdate()), by: .owner).events.isEmpty)
        #expect(try stage.run(.updateRoom(RoomUpdate(name: "Salon")), by: .owner).events.isEmpty)
        try stage.run(.updateRoom(RoomUpdate(tags: ["jazz"])), by: .owner)
        #expect(stage.state.details.settings == RoomSettings(name: "Salon", tags: ["jazz"]))
        #expect(stage.refusal(.updateRoom(RoomUpdate(name: "")), by: .owner) == .invalidParams)
    }

    @Test("V16-S texts and custom messages are numbered in one order and limited to 12 KiB") func messages() throws {
        var stage = Stage()
        stage.enter(.member)
        func say(_ body: MessageBody, id: String? = nil) -> RoomCommand { .sendMessage(MessageDraft(body, id: id)) }
        #expect(try stage.run(say(.text("hi"), id: "m1"), by: .member).result == .sent(chat: 1, time: stage.now))
        #expect(
            try stage.run(say(.custom(command: "CMD_DANMU", message: "")), by: .owner).result
                == .sent(chat: 2, time: stage.now))
        #expect(stage.refusal(say(.text("")), by: .member) == .invalidParams)
        #expect(stage.refusal(say(.text(String(repeating: "é", count: 6_144))), by: .member) == nil)
        #expect(stage.refusal(say(.text(String(repeating: "é", count: 6_145))), by: .member) == .messageTooLarge)
        #expect(stage.refusal(say(.custom(command: "", message: "x")), by: .member) == .invalidParams)
        #expect(
            stage.refusal(say(.custom(command: "C", message: String(repeating: "x", count: 12_288))), by: .member)
                == .messageTooLarge)
        #expect(stage.refusal(say(.text("x"), id: ""), by: .member) == .invalidParams)
        #expect(stage.state.progress.chat == 3)
    }

    @Test("likes come by 1 to 100") func likes() {
        var stage = Stage()
        for bad in [0, -1, 101, .max, .min] {
            #expect(stage.refusal(.sendLikes(SendLikes(bad)), by: .owner) == .invalidParams)
        }
        #expect(stage.refusal(.sendLikes(SendLikes(100)), by: .owner) == nil)
        #expect(stage.state.figures.likes == 100)
    }
}

extension RoomCommand {
    /// Something that only admins and the owner may do, on a seat where nobody sits.
    fileprivate static let kickSeatless = RoomCommand.muteSeat(MuteSeat(0, muted: true))
}

extension DurableRoomState {
    fileprivate mutating func apply(likes: UInt64, at time: Int64) {
        try? apply(AcceptedCommand(time: time, by: nil, events: [.liked(.init(count: likes, users: []))]))
    }
}
