import Foundation
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

/// Drives every command as every role against the people it can be aimed at, and compares with the file that was
/// reviewed by hand. Whoever changes the table changes the file too, and shows in the review what it does to people.
@Suite struct PermissionMatrixTests {
    private struct Case {
        var title: String
        var seated: Bool
        var kind = RoomKind.chorus
        var command: (_ caller: UserID) -> RoomCommand
        var prepare: (inout Stage, UserID) -> Void = { _, _ in }
    }

    /// Seats 0, 1, 2 are the owner's, another admin's and a member's, or empty if the caller is that person and
    /// unseated; 3 is the caller's if seated; 4 is empty, 5 empty and muted, 6 closed.
    private func stage(caller: UserID, seated: Bool, kind: RoomKind) -> Stage {
        var stage = Stage(kind: kind, needsRequest: true)
        stage.enter(.admin, .otherAdmin, .member, .other)
        let steps: [(RoomCommand, UserID)] =
            [(.setRole(.admin, .admin), .owner), (.setRole(.otherAdmin, .admin), .owner)]
            + (caller == .owner ? [] : [(.takeSeat(0), .owner)])
            + [(.pickSeat(1, .otherAdmin), .owner), (.pickSeat(2, .other), .owner)]
            + (seated ? [(.pickSeat(3, caller), .owner)] : [])
            + [(.muteSeat(5, muted: true), .owner), (.closeSeat(6, closed: true), .owner)]
        for (command, user) in steps { #expect(stage.refusal(command, by: user) == nil) }
        return stage
    }

    private var cases: [Case] {
        func invitation(from: UserID, to: UserID) -> (inout Stage, UserID) -> Void {
            { stage, caller in
                let (from, to) = (from == .caller ? caller : from, to == .caller ? caller : to)
                guard from != to else { return }
                let draft = InvitationDraft(to: to, command: "ENTER_SEAT", content: "4", id: "x")
                #expect(stage.refusal(.sendInvitation(draft), by: from) == nil)
            }
        }
        var cases: [Case] = [
            Case(title: "takeSeat empty", seated: false) { _ in .takeSeat(4) },
            Case(title: "takeSeat of another", seated: false) { _ in .takeSeat(2) },
            Case(title: "takeSeat closed", seated: false) { _ in .takeSeat(6) },
            Case(title: "takeSeat unknown", seated: false) { _ in .takeSeat(8) },
            Case(title: "takeSeat while seated", seated: true) { _ in .takeSeat(4) },
            Case(title: "leaveSeat", seated: true) { _ in .leaveSeat },
            Case(title: "leaveSeat without a seat", seated: false) { _ in .leaveSeat },
            Case(title: "moveSeat", seated: true) { _ in .moveSeat(4) },
            Case(title: "moveSeat without a seat", seated: false) { _ in .moveSeat(4) },
            Case(title: "pickSeat a listener", seated: false) {
                $0 == .member ? .pickSeat(4, .admin) : .pickSeat(4, .member)
            },
            Case(title: "pickSeat onto a closed seat", seated: false) {
                $0 == .member ? .pickSeat(6, .admin) : .pickSeat(6, .member)
            },
            Case(title: "setMicrophone", seated: true) { _ in .setMicrophone(muted: true) },
            Case(title: "setMicrophone without a seat", seated: false) { _ in .setMicrophone(muted: true) },
            Case(
                title: "setMicrophone on in a muted seat", seated: true, command: { _ in .setMicrophone(muted: false) },
                prepare: { stage, _ in #expect(stage.refusal(.muteSeat(3, muted: true), by: .owner) == nil) }),
            Case(title: "setCamera", seated: true, kind: .live) { _ in .setCamera(on: true) },
            Case(title: "setCamera without a seat", seated: false, kind: .live) { _ in .setCamera(on: true) },
            Case(
                title: "setCamera on when the host switched it off", seated: true, kind: .live,
                command: { _ in .setCamera(on: true) },
                prepare: { stage, _ in #expect(stage.refusal(.allowCamera(3, allowed: false), by: .owner) == nil) }),
            Case(title: "setCamera in a room without pictures", seated: true) { _ in .setCamera(on: true) },
            Case(
                title: "challenge", seated: false, kind: .live, command: { _ in .challenge(.number(2), nil) },
                prepare: { stage, _ in stage.target = Stage(kind: .live).state.info(memberCount: 1, speaking: false) }),
            Case(title: "cancelChallenge of none", seated: false, kind: .live) { _ in .cancelChallenge },
            Case(title: "answerChallenge of none", seated: false, kind: .live) { _ in
                .answerChallenge(id: "x", agreed: true, pause: nil)
            },
            Case(title: "readyForPK of none", seated: false, kind: .live) { _ in .readyForPK },
            Case(title: "quitPK of none", seated: false, kind: .live) { _ in .quitPK(link: nil) },
            Case(title: "muteLink of none", seated: false, kind: .live) { _ in .muteLink("x", muted: true) },
            Case(title: "startScreen", seated: true, kind: .live) { _ in .startScreen },
            Case(title: "startScreen without a seat", seated: false, kind: .live) { _ in .startScreen },
            Case(
                title: "startScreen while another shares", seated: true, kind: .live, command: { _ in .startScreen },
                prepare: { stage, _ in #expect(stage.refusal(.startScreen, by: .otherAdmin) == nil) }),
            Case(
                title: "stopScreen of one's own", seated: true, kind: .live, command: { _ in .stopScreen },
                prepare: { stage, caller in #expect(stage.refusal(.startScreen, by: caller) == nil) }),
            Case(
                title: "stopScreen of a member", seated: true, kind: .live, command: { _ in .stopScreen },
                prepare: { stage, _ in #expect(stage.refusal(.startScreen, by: .other) == nil) }),
            Case(
                title: "stopScreen of the owner", seated: true, kind: .live, command: { _ in .stopScreen },
                prepare: { stage, _ in
                    if stage.state.seat(of: .owner) == nil {
                        #expect(stage.refusal(.takeSeat(0), by: .owner) == nil)
                    }
                    #expect(stage.refusal(.startScreen, by: .owner) == nil)
                }),
            Case(title: "arrangeStage", seated: false, kind: .live) { _ in
                .arrangeStage(StageLayout(form: .spotlight, large: .otherAdmin))
            },
            Case(title: "arrangeStage around who has no seat", seated: false, kind: .live) { _ in
                .arrangeStage(StageLayout(form: .spotlight, large: UserID(literal: "nobody")))
            },
            Case(title: "sendInvitation", seated: false) { _ in
                .sendInvitation(InvitationDraft(to: .other, command: "PICK_SEAT"))
            },
            Case(
                title: "cancelInvitation of one's own", seated: false, command: { _ in .cancelInvitation(id: "x") },
                prepare: invitation(from: .caller, to: .other)),
            Case(
                title: "cancelInvitation of another", seated: false, command: { _ in .cancelInvitation(id: "x") },
                prepare: invitation(from: .other, to: .otherAdmin)),
            Case(title: "sendMessage", seated: false) { _ in .sendMessage(MessageDraft(.text("hello"))) },
            Case(title: "sendLikes", seated: false) { _ in .sendLikes(3) },
            Case(title: "sendGift to the owner", seated: false) { _ in .sendGift(GiftDraft(gift: "rose")) },
            Case(title: "sendGift to oneself", seated: true) { .sendGift(GiftDraft(gift: "rose", to: $0)) },
            Case(title: "sendGift to a listener", seated: false) { caller in
                .sendGift(GiftDraft(gift: "rose", to: caller == .member ? .admin : .member))
            },
            Case(title: "sendGift of none", seated: false) { _ in .sendGift(GiftDraft(gift: "bicycle", to: .other)) },
            Case(title: "startSong from a seat", seated: true) { _ in .startSong(SongDraft(song: .ballad)) },
            Case(title: "startSong without a seat", seated: false) { _ in .startSong(SongDraft(song: .ballad)) },
            Case(title: "setDuetMode from a seat", seated: true) { _ in .setDuetMode(.leadFollow, leader: nil) },
            Case(title: "setDuetMode without a seat", seated: false) { _ in .setDuetMode(.leadFollow, leader: nil) },
            Case(title: "setDuetMode led by who has no seat", seated: true) { _ in
                .setDuetMode(.leadFollow, leader: UserID(literal: "nobody"))
            },
            Case(title: "updateRoom", seated: false) { _ in .updateRoom(RoomUpdate(name: "Other")) },
            Case(
                title: "sendMessage while only hosts write", seated: true,
                command: { _ in .sendMessage(MessageDraft(.text("hello"))) },
                prepare: { stage, _ in
                    #expect(stage.refusal(.updateRoom(RoomUpdate(hostsOnly: true)), by: .owner) == nil)
                }),
            Case(
                title: "sendMessage with a link where none are taken", seated: true,
                command: { _ in .sendMessage(MessageDraft(.text("see example.com"))) },
                prepare: { stage, _ in #expect(stage.refusal(.updateRoom(RoomUpdate(noLinks: true)), by: .owner) == nil)
                }),
            Case(
                title: "sendMessage while muted", seated: true,
                command: { _ in .sendMessage(MessageDraft(.text("hello"))) },
                prepare: { stage, caller in
                    guard caller != .owner else { return }
                    #expect(stage.refusal(.setRestriction(RestrictionDraft(.chatMute, of: caller)), by: .owner) == nil)
                }),
            Case(
                title: "deleteMessage of a member", seated: false, command: { _ in .deleteMessage(1) },
                prepare: { stage, _ in stage.say("hello", by: .other) }),
            Case(
                title: "deleteMessage of an admin", seated: false, command: { _ in .deleteMessage(1) },
                prepare: { stage, _ in stage.say("hello", by: .otherAdmin) }),
            Case(
                title: "deleteMessage of the owner", seated: false, command: { _ in .deleteMessage(1) },
                prepare: { stage, _ in stage.say("hello", by: .owner) }),
            Case(title: "deleteMessage of none", seated: false) { _ in .deleteMessage(1) },
            Case(title: "setOwner to a member", seated: false) { _ in .setOwner(.other) },
            Case(title: "setOwner to an admin", seated: false) { _ in .setOwner(.otherAdmin) },
            Case(title: "setOwner to nobody here", seated: false) { _ in .setOwner(UserID(literal: "nobody")) },
            Case(title: "setRole of a member", seated: false) { _ in .setRole(.other, .admin) },
            Case(title: "setRole of an admin", seated: false) { _ in .setRole(.otherAdmin, .member) },
            Case(title: "setRole of the owner", seated: false) { _ in .setRole(.owner, .admin) },
            Case(title: "exitRoom", seated: true) { _ in .exitRoom },
            Case(title: "destroyRoom", seated: false) { _ in .destroyRoom },
        ]
        for (whose, seat) in [("the owner's", 0), ("an admin's", 1), ("a member's", 2), ("an empty", 4)] {
            // The owner has no seat of somebody higher to aim at.
            let seated = false
            cases.append(Case(title: "kickSeat \(whose)", seated: seated) { _ in .kickSeat(seat) })
            cases.append(
                Case(title: "allowCamera \(whose)", seated: seated, kind: .live) { _ in
                    .allowCamera(seat, allowed: false)
                })
            cases.append(Case(title: "muteSeat \(whose)", seated: seated) { _ in .muteSeat(seat, muted: true) })
            cases.append(Case(title: "closeSeat \(whose)", seated: seated) { _ in .closeSeat(seat, closed: true) })
        }
        for (whom, target) in [("a member", UserID.other), ("an admin", .otherAdmin), ("the owner", .owner)] {
            for kind in RestrictionKind.allCases {
                let draft = RestrictionDraft(kind, of: target, seconds: 60)
                cases.append(
                    Case(title: "setRestriction \(kind.rawValue) of \(whom)", seated: false) { _ in
                        .setRestriction(draft)
                    })
            }
        }
        for (whom, target) in [("a member", UserID.other), ("an admin", .otherAdmin), ("the owner", .owner)] {
            cases.append(
                Case(title: "setRestriction removal of \(whom)", seated: false) { _ in
                    .setRestriction(RestrictionDraft(.ban, of: target, seconds: 0))
                })
        }
        for kind in RestrictionKind.allCases {
            cases.append(
                Case(
                    title: "liftRestriction \(kind.rawValue)", seated: false,
                    command: { _ in .liftRestriction(kind, of: .other) },
                    prepare: { stage, _ in
                        #expect(stage.refusal(.setRestriction(RestrictionDraft(kind, of: .other)), by: .owner) == nil)
                    }))
            cases.append(
                Case(title: "liftRestriction \(kind.rawValue) of none", seated: false) { _ in
                    .liftRestriction(kind, of: .other)
                })
        }
        for (title, answer) in [
            ("accept", RoomCommand.acceptInvitation(id: "x")), ("reject", .rejectInvitation(id: "x", reason: nil)),
        ] {
            cases.append(
                Case(
                    title: "\(title)Invitation to oneself", seated: false, command: { _ in answer },
                    prepare: invitation(from: .other, to: .caller)))
            cases.append(
                Case(
                    title: "\(title)Invitation to the owner", seated: false, command: { _ in answer },
                    prepare: invitation(from: .other, to: .owner)))
            cases.append(
                Case(
                    title: "\(title)Invitation to another admin", seated: false, command: { _ in answer },
                    prepare: invitation(from: .other, to: .otherAdmin)))
            cases.append(
                Case(
                    title: "\(title)Invitation by oneself", seated: false, command: { _ in answer },
                    prepare: invitation(from: .caller, to: .owner)))
            cases.append(Case(title: "\(title)Invitation unknown", seated: false) { _ in answer })
        }
        let controls: [(String, RoomCommand)] = [
            ("pauseSong", .pauseSong), ("resumeSong", .resumeSong(leadMs: 1_000)),
            ("seekSong", .seekSong(positionMs: 5_000, leadMs: 1_000)), ("setSongTrack", .setSongTrack(.original)),
            ("stopSong", .stopSong),
        ]
        for (title, command) in controls {
            for (place, seated) in [("from a seat", true), ("without a seat", false)] {
                cases.append(
                    Case(
                        title: "\(title) \(place)", seated: seated, command: { _ in command },
                        prepare: { stage, _ in
                            #expect(stage.refusal(.startSong(SongDraft(song: .ballad)), by: .owner) == nil)
                        }))
            }
            cases.append(Case(title: "\(title) of nothing", seated: true) { _ in command })
        }
        return cases
    }

    /// An operator with all scopes, who is not in the room and asks for what a member there would.
    private static let console = Caller.operator(
        Operator(UserID(literal: "console"), scopes: Set(OperatorScope.allCases)))

    /// - Parameter asking: who asks, if not that person.
    private func outcome(_ test: Case, as caller: UserID, asking: Caller? = nil) -> String {
        var stage = stage(caller: caller, seated: test.seated, kind: test.kind)
        test.prepare(&stage, caller)
        let before = stage.state
        let refusal = stage.refusal(test.command(caller), by: asking ?? .person(.named(caller)))
        if refusal != nil { #expect(stage.state == before, "a refusal has changed the room") }
        return refusal?.name ?? "ok"
    }

    private var matrix: String {
        var lines = ["| command | member | admin | owner | operator |", "|---|---|---|---|---|"]
        for test in cases {
            let row =
                [UserID.member, .admin, .owner].map { outcome(test, as: $0) }
                + [outcome(test, as: .member, asking: Self.console)]
            lines.append("| " + ([test.title] + row).joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("every role × command gives what the reviewed table says") func matchesTheReviewedTable() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("permissions.md")
        let reviewed = try String(contentsOf: file, encoding: .utf8)
        let table = reviewed.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("| command") }.joined(separator: "\n")
        let matrix = matrix
        for (expected, found) in zip(table.split(separator: "\n"), matrix.split(separator: "\n")) {
            #expect(expected == found)
        }
        #expect(table == matrix)
    }

    @Test("the table of permissions is the reviewed one, line by line") func permissionsAreReviewed() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("permissions.md")
        let reviewed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        let present = RoomCommand.Name.allCases.map { name in
            let row = [Role.member, .admin, .owner].map { "\(PermissionTable.permission(for: $0, to: name))" }
            let scope = PermissionTable.scope(for: name)?.rawValue ?? "refused"
            return "| " + (["`\(name.rawValue)`"] + row + [scope]).joined(separator: " | ") + " |"
        }
        #expect(reviewed.map(String.init) == present)
    }

    @Test("every command stands in the reviewed table") func tableIsComplete() {
        let titles = cases.map(\.title)
        for name in RoomCommand.Name.allCases {
            #expect(titles.contains { $0.hasPrefix(name.rawValue) }, "\(name) is not reviewed")
        }
    }

    @Test("R01 an operator's key does what its scopes say, and nothing else", arguments: RoomCommand.Name.allCases)
    func scopes(_ name: RoomCommand.Name) {
        let needed = PermissionTable.scope(for: name)
        for test in cases where test.command(.member).name == name {
            let all = outcome(test, as: .member, asking: Self.console)
            for scope in OperatorScope.allCases {
                let narrow = Caller.operator(Operator(UserID(literal: "console"), scopes: [scope]))
                #expect(
                    outcome(test, as: .member, asking: narrow) == (scope == needed ? all : "permission_denied"),
                    "\(test.title) by \(scope.rawValue)")
            }
        }
    }

    @Test("R01 an operator writes where only hosts do, whatever is muted; the word filter holds for them too")
    func operatorsWrite() throws {
        var stage = stage(caller: .member, seated: false, kind: .voice)
        try stage.run(.updateRoom(RoomUpdate(hostsOnly: true, noLinks: true)), by: .owner)
        try stage.run(.setRestriction(RestrictionDraft(.chatMute, of: .member)), by: .owner)
        let shop = Operator(UserID(literal: "shop"), scopes: [.writeMessages])
        let decision = try stage.run(
            .sendMessage(MessageDraft(.text("https://example.com"))), by: .operator(shop, as: .named(.member)))
        guard case .messageSent(let message) = decision.events.last else { Issue.record("nothing said"); return }
        #expect(message.from == .named(.member))
        struct Words: TextFilter {
            func stopped(in text: String) -> String? { text.contains("bad") ? "bad" : nil }
        }
        var context = stage.context
        context.filter = Words()
        #expect(throws: RoomError.self) {
            try stage.state.decide(.sendMessage(MessageDraft(.text("bad"))), by: .operator(shop), in: context)
        }
    }

    @Test("R01 a room that an operator ends says so")
    func operatorsEnd() throws {
        var stage = stage(caller: .member, seated: false, kind: .voice)
        let decision = try stage.run(.destroyRoom, by: Self.console)
        guard case .ended(.operator, _) = decision.events.last else { Issue.record("\(decision)"); return }
        #expect(stage.refusal(.updateRoom(RoomUpdate(name: "Other")), by: Self.console) == .roomClosed)
    }

    @Test("whoever is not in the room may do nothing", arguments: RoomCommand.Name.allCases)
    func outsiders(_ name: RoomCommand.Name) {
        for test in cases where test.command(.member).name == name {
            var stage = stage(caller: .other, seated: false, kind: test.kind)
            #expect(stage.refusal(test.command(.member), by: UserID(literal: "stranger")) == .notInRoom)
        }
    }
}

extension UserID {
    fileprivate static let caller = UserID(literal: "caller")
}
