import RoomModel
import RoomTestSupport
import Testing

@testable import RoomService

/// A command that comes again under its key is known by its fingerprint, which is stored with the answer.
@Suite struct FingerprintTests {
    private static let song = Song(
        id: "s", title: "T", artist: "A", durationMs: 60_000, accompaniment: "/a", original: "/o", lyrics: "/l")

    private static func start(
        _ change: (inout Song) -> Void = { _ in }, track: SongTrack = .accompaniment, position: Int64 = 0,
        lead: Int64 = 3_000
    ) -> RoomCommand {
        var song = song
        change(&song)
        return .startSong(SongDraft(song: song, track: track, positionMs: position, leadMs: lead))
    }

    /// Each differs from one other of its line in a single field.
    private static let commands: [RoomCommand] = [
        .leaveSeat, .exitRoom, .destroyRoom, .pauseSong, .stopSong,
        .takeSeat(TakeSeat(1)), .takeSeat(TakeSeat(2)), .moveSeat(MoveSeat(1)), .moveSeat(MoveSeat(2)),
        .kickSeat(KickSeat(1)), .kickSeat(KickSeat(2)),
        .pickSeat(PickSeat(1, .member)), .pickSeat(PickSeat(2, .member)), .pickSeat(PickSeat(1, .other)),
        .muteSeat(MuteSeat(1, muted: true)), .muteSeat(MuteSeat(2, muted: true)), .muteSeat(MuteSeat(1, muted: false)),
        .closeSeat(CloseSeat(1, closed: true)), .closeSeat(CloseSeat(2, closed: true)),
        .closeSeat(CloseSeat(1, closed: false)),
        .setMicrophone(SetMicrophone(muted: true)), .setMicrophone(SetMicrophone(muted: false)),
        .setCamera(SetCamera(on: true)), .setCamera(SetCamera(on: false)),
        .allowCamera(AllowCamera(1, allowed: true)), .allowCamera(AllowCamera(1, allowed: false)),
        .allowCamera(AllowCamera(2, allowed: true)), .startScreen,
        .stopScreen, .cancelChallenge, .readyForPK,
        .challenge(ChallengeHost(.number(8), nil)), .challenge(ChallengeHost(.number(9), nil)),
        .challenge(ChallengeHost(.number(8), PKTerms(seconds: 60))),
        .challenge(ChallengeHost(.number(8), PKTerms(seconds: 61))),
        .challenge(ChallengeHost(.number(8), PKTerms(seconds: 60, forfeitSeconds: 1))),
        .challenge(ChallengeHost(.number(8), PKTerms(seconds: 60, forfeit: "F"))),
        .answerChallenge(AnswerChallenge(id: "a", agreed: true, pause: nil)),
        .answerChallenge(AnswerChallenge(id: "b", agreed: true, pause: nil)),
        .answerChallenge(AnswerChallenge(id: "a", agreed: false, pause: nil)),
        .answerChallenge(AnswerChallenge(id: "a", agreed: false, pause: .host)),
        .answerChallenge(AnswerChallenge(id: "a", agreed: false, pause: .all)),
        .quitPK(QuitPK(link: nil)), .quitPK(QuitPK(link: "l")), .muteLink(MuteLink("l", muted: true)),
        .muteLink(MuteLink("m", muted: true)),
        .muteLink(MuteLink("l", muted: false)),
        .sendInvitation(InvitationDraft(to: .member, command: "C", content: "1", timeoutSeconds: 5, id: "i")),
        .sendInvitation(InvitationDraft(to: .other, command: "C", content: "1", timeoutSeconds: 5, id: "i")),
        .sendInvitation(InvitationDraft(to: .member, command: "D", content: "1", timeoutSeconds: 5, id: "i")),
        .sendInvitation(InvitationDraft(to: .member, command: "C", content: "2", timeoutSeconds: 5, id: "i")),
        .sendInvitation(InvitationDraft(to: .member, command: "C", content: "1", timeoutSeconds: 6, id: "i")),
        .sendInvitation(InvitationDraft(to: .member, command: "C", content: "1", timeoutSeconds: 0, id: "i")),
        .sendInvitation(InvitationDraft(to: .member, command: "C", content: "1", timeoutSeconds: 5, id: "j")),
        .sendInvitation(
            InvitationDraft(to: .member, command: "C", content: "1", words: "w", timeoutSeconds: 5, id: "i")),
        .setAttributes(AttributesDraft(set: ["a": "1", "b": "2"])), .setAttributes(AttributesDraft(set: ["a": "1"])),
        .setAttributes(AttributesDraft(set: ["a": "2", "b": "1"])), .setAttributes(AttributesDraft(remove: ["a"])),
        .setAttributes(AttributesDraft(add: ["a": 1])), .setAttributes(AttributesDraft(add: ["a": 2])),
        .setAttributes(AttributesDraft(add: ["b": 1])), .setAttributes(AttributesDraft(add: ["a": -1])),
        .setAttributes(AttributesDraft(remove: ["a"], replace: true)), .setAttributes(AttributesDraft(replace: true)),
        .arrangeStage(ArrangeStage(StageLayout())), .arrangeStage(ArrangeStage(StageLayout(form: .spotlight))),
        .arrangeStage(ArrangeStage(StageLayout(large: .member))),
        .arrangeStage(ArrangeStage(StageLayout(large: .other))),
        // Fields that stand beside each other do not run together.
        .sendInvitation(InvitationDraft(to: .member, command: "C1", content: "", timeoutSeconds: 5, id: "i")),
        .acceptInvitation(AcceptInvitation(id: "i")), .acceptInvitation(AcceptInvitation(id: "j")),
        .cancelInvitation(CancelInvitation(id: "i")), .cancelInvitation(CancelInvitation(id: "j")),
        .rejectInvitation(RejectInvitation(id: "i", reason: "no")),
        .rejectInvitation(RejectInvitation(id: "j", reason: "no")),
        .rejectInvitation(RejectInvitation(id: "i", reason: "later")),
        .rejectInvitation(RejectInvitation(id: "i", reason: nil)),
        .rejectInvitation(RejectInvitation(id: "i", reason: "")),
        .sendMessage(MessageDraft(.text("a"), id: "m")), .sendMessage(MessageDraft(.text("b"), id: "m")),
        .sendMessage(MessageDraft(.text("a"), id: "n")), .sendMessage(MessageDraft(.text("a"))),
        .sendMessage(MessageDraft(.text("a"), id: "m", priority: .high)),
        .sendMessage(MessageDraft(.custom(command: "a", message: "x"), id: "m")),
        .sendMessage(MessageDraft(.custom(command: "b", message: "x"), id: "m")),
        .sendMessage(MessageDraft(.custom(command: "a", message: "y"), id: "m")),
        .sendLikes(SendLikes(1)), .sendLikes(SendLikes(2)),
        .sendGift(GiftDraft(gift: "a")), .sendGift(GiftDraft(gift: "b")), .sendGift(GiftDraft(gift: "a", count: 2)),
        .sendGift(GiftDraft(gift: "a", to: UserID(literal: "ada"))),
        start(), start { $0.id = "t" }, start { $0.title = "U" }, start { $0.artist = "B" }, start { $0.artist = nil },
        start { $0.durationMs = 61_000 }, start { $0.accompaniment = "/b" }, start { $0.original = "/p" },
        start { $0.original = nil }, start { $0.lyrics = "/m" }, start { $0.lyrics = nil }, start(track: .original),
        start(position: 5), start(lead: 2_000),
        .resumeSong(ResumeSong(leadMs: 500)), .resumeSong(ResumeSong(leadMs: 600)),
        .seekSong(SeekSong(positionMs: 5, leadMs: 500)), .seekSong(SeekSong(positionMs: 6, leadMs: 500)),
        .seekSong(SeekSong(positionMs: 5, leadMs: 600)),
        .setSongTrack(SetSongTrack(.accompaniment)), .setSongTrack(SetSongTrack(.original)),
        .setDuetMode(SetDuetMode(.together, leader: nil)), .setDuetMode(SetDuetMode(.leadFollow, leader: nil)),
        .setDuetMode(SetDuetMode(.leadFollow, leader: .member)), .setDuetMode(SetDuetMode(.leadFollow, leader: .other)),
        .updateRoom(RoomUpdate(name: "n")), .updateRoom(RoomUpdate(name: "o")), .updateRoom(RoomUpdate()),
        .updateRoom(RoomUpdate(cover: "/c")), .updateRoom(RoomUpdate(cover: "/d")),
        .updateRoom(RoomUpdate(tags: [])), .updateRoom(RoomUpdate(tags: ["a"])), .updateRoom(RoomUpdate(tags: ["b"])),
        .updateRoom(RoomUpdate(tags: ["a", "b"])), .updateRoom(RoomUpdate(needsRequest: true)),
        .updateRoom(RoomUpdate(needsRequest: false)),
        .updateRoom(RoomUpdate(slowSeconds: 0)), .updateRoom(RoomUpdate(slowSeconds: 5)),
        .updateRoom(RoomUpdate(hostsOnly: true)), .updateRoom(RoomUpdate(hostsOnly: false)),
        .updateRoom(RoomUpdate(noLinks: true)), .updateRoom(RoomUpdate(hostsOnly: true, noLinks: true)),
        .deleteMessage(DeleteMessage(1)), .deleteMessage(DeleteMessage(2)),
        .setRestriction(RestrictionDraft(.ban, of: .member)), .setRestriction(RestrictionDraft(.chatMute, of: .member)),
        .setRestriction(RestrictionDraft(.ban, of: .other)),
        .setRestriction(RestrictionDraft(.ban, of: .member, seconds: 60)),
        .setRestriction(RestrictionDraft(.ban, of: .member, everywhere: true)),
        .setRestriction(RestrictionDraft(.ban, of: .member, reason: "r")),
        .liftRestriction(LiftRestriction(.ban, of: .member)), .liftRestriction(LiftRestriction(.chatMute, of: .member)),
        .liftRestriction(LiftRestriction(.ban, of: .other)),
        .setOwner(SetOwner(.member)), .setOwner(SetOwner(.other)),
        .setRole(SetRole(.member, .admin)), .setRole(SetRole(.other, .admin)), .setRole(SetRole(.member, .member)),
    ]

    @Test(
        "V08-S no two commands that differ in a field are taken for one under the same key, and every command is known again"
    )
    func distinct() {
        var seen: [UInt64: RoomCommand] = [:]
        for command in Self.commands {
            let fingerprint = command.fingerprint
            #expect(fingerprint == command.fingerprint)
            if let former = seen.updateValue(command, forKey: fingerprint) { Issue.record("\(former) is \(command)") }
        }
        #expect(Set(Self.commands.map(\.name)) == Set(RoomCommand.Name.allCases))
    }

    @Test("G02-S a gift is known by the sum that ledgers of this release and of earlier ones keep")
    func gifts() {
        for (draft, sum) in [
            (GiftDraft(gift: "rose"), 14_058_131_458_958_747_943),
            (GiftDraft(gift: "rose", count: 999, to: UserID(literal: "bob")), 7_570_412_710_039_786_490),
            (GiftDraft(gift: "crown", count: 3, to: UserID(literal: "ada")), 1_477_888_507_313_372_809),
        ] as [(GiftDraft, UInt64)] {
            #expect(RoomCommand.sendGift(draft).fingerprint == sum)
        }
    }

    @Test("V08-S no two creations that differ in a field are taken for one")
    func creations() {
        let room = RoomID.number(48_213)
        func made(
            _ id: RoomID? = room, _ kind: RoomKind = .voice, _ change: (inout RoomSettings) -> Void = { _ in },
            seats: [SeatSetup] = [SeatSetup(), SeatSetup()]
        ) -> UInt64 {
            var settings = RoomSettings(name: "n", cover: "/c", tags: ["a"])
            change(&settings)
            return RoomCreation(room: id, kind: kind, settings: settings, seats: seats).fingerprint
        }
        let all = [
            made(), made(nil), made(.number(48_214)), made(room, .chorus), made { $0.name = "m" },
            made { $0.cover = "/d" },
            made { $0.tags = ["b"] }, made { $0.tags = [] }, made { $0.needsRequest = true },
            made { $0.isAdvisory = true },
            made(seats: [SeatSetup()]),
            made(seats: [SeatSetup(muted: true), SeatSetup()]), made(seats: [SeatSetup(closed: true), SeatSetup()]),
            made(seats: [SeatSetup(), SeatSetup(muted: true)]),
        ]
        #expect(Set(all).count == all.count)
        #expect(made() == made())
    }
}
