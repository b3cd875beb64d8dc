package import RoomModel

/// One line of the reviewed table of who may do what (`permissions.md`): a command, by whom it is asked for, and what came before.
/// The same lines are driven through the rules and over the wire.
package struct PermissionCase: Sendable {
    /// What somebody does before.
    package struct Step: Sendable {
        package var user: UserID
        package var command: RoomCommand

        init(_ user: UserID, _ command: RoomCommand) {
            self.user = user
            self.command = command
        }
    }

    package static let owner = UserID(literal: "olga")
    package static let admin = UserID(literal: "adam")
    package static let otherAdmin = UserID(literal: "anna")
    package static let member = UserID(literal: "mia")
    package static let other = UserID(literal: "max")
    /// All who are in the room.
    package static let cast = [owner, admin, otherAdmin, member, other]
    /// Another live room, whose host is there.
    package static let target = RoomID.number(2)
    private static let ballad = Song(
        id: "ballad", title: "Ballad", durationMs: 60_000, accompaniment: "/songs/ballad/accompaniment.m4a",
        original: "/songs/ballad/original.m4a")

    package var title: String
    /// Whether the caller has a seat.
    package var seated: Bool
    package var kind = RoomKind.chorus
    package var command: @Sendable (_ caller: UserID) -> RoomCommand
    private var prepare: @Sendable (_ caller: UserID) -> [Step] = { _ in [] }

    private init(
        title: String, seated: Bool, kind: RoomKind = .chorus,
        command: @escaping @Sendable (_ caller: UserID) -> RoomCommand,
        prepare: @escaping @Sendable (_ caller: UserID) -> [Step] = { _ in [] }
    ) {
        self.title = title
        self.seated = seated
        self.kind = kind
        self.command = command
        self.prepare = prepare
    }

    /// Seats 0, 1, 2 are the owner's, another admin's and a member's, or empty if the caller is that person and
    /// unseated; 3 is the caller's if seated; 4 is empty, 5 empty and muted, 6 closed.
    package func steps(_ caller: UserID) -> [Step] {
        let (owner, admin, otherAdmin, other) = (Self.owner, Self.admin, Self.otherAdmin, Self.other)
        return [Step(owner, .setRole(SetRole(admin, .admin))), Step(owner, .setRole(SetRole(otherAdmin, .admin)))]
            + (caller == owner ? [] : [Step(owner, .takeSeat(TakeSeat(0)))])
            + [Step(owner, .pickSeat(PickSeat(1, otherAdmin))), Step(owner, .pickSeat(PickSeat(2, other)))]
            + (seated ? [Step(owner, .pickSeat(PickSeat(3, caller)))] : [])
            + [Step(owner, .muteSeat(MuteSeat(5, muted: true))), Step(owner, .closeSeat(CloseSeat(6, closed: true)))]
            + prepare(caller)
    }

    package static let all: [PermissionCase] = makeAll()

    private static func makeAll() -> [PermissionCase] {
        func invitation(from: UserID?, to: UserID?) -> @Sendable (UserID) -> [Step] {
            { caller in
                let (from, to) = (from ?? caller, to ?? caller)
                guard from != to else { return [] }
                let draft = InvitationDraft(to: to, command: "ENTER_SEAT", content: "4", id: "x")
                return [Step(from, .sendInvitation(draft))]
            }
        }
        var cases: [PermissionCase] = [
            PermissionCase(title: "takeSeat empty", seated: false) { _ in .takeSeat(TakeSeat(4)) },
            PermissionCase(title: "takeSeat of another", seated: false) { _ in .takeSeat(TakeSeat(2)) },
            PermissionCase(title: "takeSeat closed", seated: false) { _ in .takeSeat(TakeSeat(6)) },
            PermissionCase(title: "takeSeat unknown", seated: false) { _ in .takeSeat(TakeSeat(8)) },
            PermissionCase(title: "takeSeat while seated", seated: true) { _ in .takeSeat(TakeSeat(4)) },
            PermissionCase(title: "leaveSeat", seated: true) { _ in .leaveSeat },
            PermissionCase(title: "leaveSeat without a seat", seated: false) { _ in .leaveSeat },
            PermissionCase(title: "moveSeat", seated: true) { _ in .moveSeat(MoveSeat(4)) },
            PermissionCase(title: "moveSeat without a seat", seated: false) { _ in .moveSeat(MoveSeat(4)) },
            PermissionCase(title: "pickSeat a listener", seated: false) {
                $0 == member ? .pickSeat(PickSeat(4, admin)) : .pickSeat(PickSeat(4, member))
            },
            PermissionCase(title: "pickSeat onto a closed seat", seated: false) {
                $0 == member ? .pickSeat(PickSeat(6, admin)) : .pickSeat(PickSeat(6, member))
            },
            PermissionCase(title: "setMicrophone", seated: true) { _ in .setMicrophone(SetMicrophone(muted: true)) },
            PermissionCase(title: "setMicrophone without a seat", seated: false) { _ in
                .setMicrophone(SetMicrophone(muted: true))
            },
            PermissionCase(
                title: "setMicrophone on in a muted seat", seated: true,
                command: { _ in .setMicrophone(SetMicrophone(muted: false)) },
                prepare: { _ in [Step(owner, .muteSeat(MuteSeat(3, muted: true)))] }),
            PermissionCase(title: "setCamera", seated: true, kind: .live) { _ in .setCamera(SetCamera(on: true)) },
            PermissionCase(title: "setCamera without a seat", seated: false, kind: .live) { _ in
                .setCamera(SetCamera(on: true))
            },
            PermissionCase(
                title: "setCamera on when the host switched it off", seated: true, kind: .live,
                command: { _ in .setCamera(SetCamera(on: true)) },
                prepare: { _ in [Step(owner, .allowCamera(AllowCamera(3, allowed: false)))] }),
            PermissionCase(title: "setCamera in a room without pictures", seated: true) { _ in
                .setCamera(SetCamera(on: true))
            },
            PermissionCase(
                title: "challenge", seated: false, kind: .live, command: { _ in .challenge(ChallengeHost(target, nil)) }
            ),
            PermissionCase(title: "cancelChallenge of none", seated: false, kind: .live) { _ in .cancelChallenge },
            PermissionCase(title: "answerChallenge of none", seated: false, kind: .live) { _ in
                .answerChallenge(AnswerChallenge(id: "x", agreed: true, pause: nil))
            },
            PermissionCase(title: "readyForPK of none", seated: false, kind: .live) { _ in .readyForPK },
            PermissionCase(title: "quitPK of none", seated: false, kind: .live) { _ in .quitPK(QuitPK(link: nil)) },
            PermissionCase(title: "muteLink of none", seated: false, kind: .live) { _ in
                .muteLink(MuteLink("x", muted: true))
            },
            PermissionCase(title: "startScreen", seated: true, kind: .live) { _ in .startScreen },
            PermissionCase(title: "startScreen without a seat", seated: false, kind: .live) { _ in .startScreen },
            PermissionCase(
                title: "startScreen while another shares", seated: true, kind: .live, command: { _ in .startScreen },
                prepare: { _ in [Step(otherAdmin, .startScreen)] }),
            PermissionCase(
                title: "stopScreen of one's own", seated: true, kind: .live, command: { _ in .stopScreen },
                prepare: { caller in [Step(caller, .startScreen)] }),
            PermissionCase(
                title: "stopScreen of a member", seated: true, kind: .live, command: { _ in .stopScreen },
                prepare: { _ in [Step(other, .startScreen)] }),
            PermissionCase(
                title: "stopScreen of the owner", seated: true, kind: .live, command: { _ in .stopScreen },
                prepare: { _ in [Step(owner, .startScreen)] }),
            PermissionCase(title: "arrangeStage", seated: false, kind: .live) { _ in
                .arrangeStage(ArrangeStage(StageLayout(form: .spotlight, large: otherAdmin)))
            },
            PermissionCase(title: "arrangeStage around who has no seat", seated: false, kind: .live) { _ in
                .arrangeStage(ArrangeStage(StageLayout(form: .spotlight, large: UserID(literal: "nobody"))))
            },
            PermissionCase(title: "sendInvitation", seated: false) { _ in
                .sendInvitation(InvitationDraft(to: other, command: "PICK_SEAT"))
            },
            PermissionCase(
                title: "cancelInvitation of one's own", seated: false,
                command: { _ in .cancelInvitation(CancelInvitation(id: "x")) },
                prepare: invitation(from: nil, to: other)),
            PermissionCase(
                title: "cancelInvitation of another", seated: false,
                command: { _ in .cancelInvitation(CancelInvitation(id: "x")) },
                prepare: invitation(from: other, to: otherAdmin)),
            PermissionCase(title: "sendMessage", seated: false) { _ in .sendMessage(MessageDraft(.text("hello"))) },
            PermissionCase(title: "sendLikes", seated: false) { _ in .sendLikes(SendLikes(3)) },
            PermissionCase(title: "sendGift to the owner", seated: false) { _ in .sendGift(GiftDraft(gift: "rose")) },
            PermissionCase(title: "sendGift to oneself", seated: true) { .sendGift(GiftDraft(gift: "rose", to: $0)) },
            PermissionCase(title: "sendGift to a listener", seated: false) { caller in
                .sendGift(GiftDraft(gift: "rose", to: caller == member ? admin : member))
            },
            PermissionCase(title: "sendGift of none", seated: false) { _ in
                .sendGift(GiftDraft(gift: "bicycle", to: other))
            },
            PermissionCase(title: "startSong from a seat", seated: true) { _ in .startSong(SongDraft(song: ballad)) },
            PermissionCase(title: "startSong without a seat", seated: false) { _ in .startSong(SongDraft(song: ballad))
            },
            PermissionCase(title: "setDuetMode from a seat", seated: true) { _ in
                .setDuetMode(SetDuetMode(.leadFollow, leader: nil))
            },
            PermissionCase(title: "setDuetMode without a seat", seated: false) { _ in
                .setDuetMode(SetDuetMode(.leadFollow, leader: nil))
            },
            PermissionCase(title: "setDuetMode led by who has no seat", seated: true) { _ in
                .setDuetMode(SetDuetMode(.leadFollow, leader: UserID(literal: "nobody")))
            },
            PermissionCase(title: "setAttributes", seated: false) { _ in
                .setAttributes(AttributesDraft(set: ["a": "1"]))
            },
            PermissionCase(title: "updateRoom", seated: false) { _ in .updateRoom(RoomUpdate(name: "Other")) },
            PermissionCase(
                title: "sendMessage while only hosts write", seated: true,
                command: { _ in .sendMessage(MessageDraft(.text("hello"))) },
                prepare: { _ in [Step(owner, .updateRoom(RoomUpdate(hostsOnly: true)))] }),
            PermissionCase(
                title: "sendMessage with a link where none are taken", seated: true,
                command: { _ in .sendMessage(MessageDraft(.text("see example.com"))) },
                prepare: { _ in [Step(owner, .updateRoom(RoomUpdate(noLinks: true)))] }),
            PermissionCase(
                title: "sendMessage while muted", seated: true,
                command: { _ in .sendMessage(MessageDraft(.text("hello"))) },
                prepare: { $0 == owner ? [] : [Step(owner, .setRestriction(RestrictionDraft(.chatMute, of: $0)))] }),
            PermissionCase(
                title: "deleteMessage of a member", seated: false, command: { _ in .deleteMessage(DeleteMessage(1)) },
                prepare: { _ in [Step(other, .sendMessage(MessageDraft(.text("hello"))))] }),
            PermissionCase(
                title: "deleteMessage of an admin", seated: false, command: { _ in .deleteMessage(DeleteMessage(1)) },
                prepare: { _ in [Step(otherAdmin, .sendMessage(MessageDraft(.text("hello"))))] }),
            PermissionCase(
                title: "deleteMessage of the owner", seated: false, command: { _ in .deleteMessage(DeleteMessage(1)) },
                prepare: { _ in [Step(owner, .sendMessage(MessageDraft(.text("hello"))))] }),
            PermissionCase(title: "deleteMessage of none", seated: false) { _ in .deleteMessage(DeleteMessage(1)) },
            PermissionCase(title: "setOwner to a member", seated: false) { _ in .setOwner(SetOwner(other)) },
            PermissionCase(title: "setOwner to an admin", seated: false) { _ in .setOwner(SetOwner(otherAdmin)) },
            PermissionCase(title: "setOwner to nobody here", seated: false) { _ in
                .setOwner(SetOwner(UserID(literal: "nobody")))
            },
            PermissionCase(title: "setRole of a member", seated: false) { _ in .setRole(SetRole(other, .admin)) },
            PermissionCase(title: "setRole of an admin", seated: false) { _ in .setRole(SetRole(otherAdmin, .member)) },
            PermissionCase(title: "setRole of the owner", seated: false) { _ in .setRole(SetRole(owner, .admin)) },
            PermissionCase(title: "exitRoom", seated: true) { _ in .exitRoom },
            PermissionCase(title: "destroyRoom", seated: false) { _ in .destroyRoom },
        ]
        for (whose, seat) in [("the owner's", 0), ("an admin's", 1), ("a member's", 2), ("an empty", 4)] {
            // The owner has no seat of somebody higher to aim at.
            let seated = false
            cases.append(PermissionCase(title: "kickSeat \(whose)", seated: seated) { _ in .kickSeat(KickSeat(seat)) })
            cases.append(
                PermissionCase(title: "allowCamera \(whose)", seated: seated, kind: .live) { _ in
                    .allowCamera(AllowCamera(seat, allowed: false))
                })
            cases.append(
                PermissionCase(title: "muteSeat \(whose)", seated: seated) { _ in .muteSeat(MuteSeat(seat, muted: true))
                })
            cases.append(
                PermissionCase(title: "closeSeat \(whose)", seated: seated) { _ in
                    .closeSeat(CloseSeat(seat, closed: true))
                })
        }
        for (whom, target) in [("a member", other), ("an admin", otherAdmin), ("the owner", owner)] {
            for kind in RestrictionKind.allCases {
                let draft = RestrictionDraft(kind, of: target, seconds: 60)
                cases.append(
                    PermissionCase(title: "setRestriction \(kind.rawValue) of \(whom)", seated: false) { _ in
                        .setRestriction(draft)
                    })
            }
        }
        for (whom, target) in [("a member", other), ("an admin", otherAdmin), ("the owner", owner)] {
            cases.append(
                PermissionCase(title: "setRestriction removal of \(whom)", seated: false) { _ in
                    .setRestriction(RestrictionDraft(.ban, of: target, seconds: 0))
                })
        }
        for kind in RestrictionKind.allCases {
            cases.append(
                PermissionCase(
                    title: "liftRestriction \(kind.rawValue)", seated: false,
                    command: { _ in .liftRestriction(LiftRestriction(kind, of: other)) },
                    prepare: { _ in [Step(owner, .setRestriction(RestrictionDraft(kind, of: other)))] }))
            cases.append(
                PermissionCase(title: "liftRestriction \(kind.rawValue) of none", seated: false) { _ in
                    .liftRestriction(LiftRestriction(kind, of: other))
                })
        }
        for (title, answer) in [
            ("accept", RoomCommand.acceptInvitation(AcceptInvitation(id: "x"))),
            ("reject", .rejectInvitation(RejectInvitation(id: "x", reason: nil))),
        ] {
            cases.append(
                PermissionCase(
                    title: "\(title)Invitation to oneself", seated: false, command: { _ in answer },
                    prepare: invitation(from: other, to: nil)))
            cases.append(
                PermissionCase(
                    title: "\(title)Invitation to the owner", seated: false, command: { _ in answer },
                    prepare: invitation(from: other, to: owner)))
            cases.append(
                PermissionCase(
                    title: "\(title)Invitation to another admin", seated: false, command: { _ in answer },
                    prepare: invitation(from: other, to: otherAdmin)))
            cases.append(
                PermissionCase(
                    title: "\(title)Invitation by oneself", seated: false, command: { _ in answer },
                    prepare: invitation(from: nil, to: owner)))
            cases.append(PermissionCase(title: "\(title)Invitation unknown", seated: false) { _ in answer })
        }
        let controls: [(String, RoomCommand)] = [
            ("pauseSong", .pauseSong), ("resumeSong", .resumeSong(ResumeSong(leadMs: 1_000))),
            ("seekSong", .seekSong(SeekSong(positionMs: 5_000, leadMs: 1_000))),
            ("setSongTrack", .setSongTrack(SetSongTrack(.original))),
            ("stopSong", .stopSong),
        ]
        for (title, command) in controls {
            for (place, seated) in [("from a seat", true), ("without a seat", false)] {
                cases.append(
                    PermissionCase(
                        title: "\(title) \(place)", seated: seated, command: { _ in command },
                        prepare: { _ in [Step(owner, .startSong(SongDraft(song: ballad)))] }))
            }
            cases.append(PermissionCase(title: "\(title) of nothing", seated: true) { _ in command })
        }
        return cases
    }
}
