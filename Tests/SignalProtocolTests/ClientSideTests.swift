import Foundation
import RoomModel
import RoomTestSupport
import Synchronization
import Testing

@testable import SignalProtocol

/// What a client writes the server reads, and what the server writes a client reads: nothing is lost on the way.
private final class KeptText: SharedText {
    let wireSize = 1_000
    private let kept = Mutex<[UInt8]?>(nil)

    func bytes(or write: () -> [UInt8]) -> [UInt8] {
        kept.withLock { kept in
            let text = kept ?? write()
            kept = text
            return text
        }
    }
}

@Suite struct ClientSideTests {
    private let alice = UserID.named("alice")
    private let bobID = UserID.named("bob")
    private let bob = UserProfile(id: .named("bob"), name: "밥", avatar: "https://example.org/b.png")
    private let room = RoomID.number(7)

    private var info: RoomInfo {
        RoomInfo(
            room: room, kind: .voice, settings: RoomSettings(name: "Salon", tags: ["jazz"]), owner: bob, seats: 2,
            seated: 1, memberCount: 3, createdAt: 5, speaking: true)
    }
    private var seat: Seat {
        Seat(index: 1, state: .used, user: bobID, muted: true, micMuted: false, presence: .online, by: alice)
    }
    private var invitation: Invitation {
        Invitation(
            id: "i", room: room, from: bobID, to: alice, command: "c", content: "x", state: .rejected, createdAt: 1,
            expiresAt: 9, reason: "no")
    }

    @Test("every call survives the way from the client to the server")
    func calls() throws {
        let key = IdempotencyKey("k 1")
        let string = try #require(RoomID(string: "7"))
        var advisory = RoomSettings(name: "n", needsRequest: true)
        advisory.isAdvisory = true
        var bodies: [Call.Body] = [
            .openSession(
                SessionOpening(
                    application: ApplicationID(1_400_000_001), user: alice, ticket: "t", name: "Alice",
                    avatar: "/a.png",
                    resume: "secret", client: .init(name: "name", version: "1.2"))),
            .openSession(SessionOpening(application: ApplicationID(1), user: alice, ticket: "t")),
            .renewSession(RenewSession(ticket: "t")), .closeSession, .readClock,
            .setProfile(SetProfile(name: "n", avatar: nil, bio: "b")), .getProfiles(GetProfiles([alice, bobID])),
            .rooms(
                .createRoom(
                    CreateRoom(
                        RoomCreation(
                            room: string,
                            settings: RoomSettings(name: "n", cover: "/c", tags: ["t"], needsRequest: true),
                            seats: [SeatSetup(muted: true), SeatSetup(closed: true)]), key: key))),
            .rooms(.createRoom(CreateRoom(RoomCreation(settings: RoomSettings(name: "n")), key: nil))),
            .rooms(.createRoom(CreateRoom(RoomCreation(settings: advisory), key: nil))),
            .rooms(
                .createRoom(
                    CreateRoom(
                        RoomCreation(kind: .live, settings: RoomSettings(name: "n", pictureFormat: .h264)), key: nil))),
            .rooms(.enterRoom(EnterRoom(room, since: nil))),
            .wallet(.listGifts), .wallet(.read), .wallet(.readStatement(StatementQuery())),
            .wallet(.readStatement(StatementQuery(account: .earnings, before: 7, limit: 100))),
            .rooms(.enterRoom(EnterRoom(string, since: ResumePoint(epoch: 1, seq: 2, chat: .max)))),
            .rooms(.listRooms(RoomQuery())),
            .rooms(.listRooms(RoomQuery(kind: .voice, text: "q", tag: "t", order: .busiest, limit: 3, cursor: "c"))),
            .rooms(.getRooms(GetRooms([room, string]))), .rooms(.listMembers(ListMembers(room, .users([alice])))),
            .rooms(.listMembers(ListMembers(room, .everyone(limit: 9, cursor: "c")))),
            .rooms(.listRestrictions(ListRestrictions(room))), .rooms(.readGiftRanking(ReadGiftRanking(room))),
            .rooms(.sendReport(SendReport(room, ReportDraft(bobID, cause: .spam)))),
            .rooms(.sendReport(SendReport(room, ReportDraft(bobID, cause: .minor, words: "w", message: 7)))),
            .rooms(.listInvitations(ListInvitations(room, cursor: nil))),
            .rooms(.listInvitations(ListInvitations(room, cursor: "17.i-1"))),
            .sendSignal(SignalDraft(to: bobID, .text("hi"), id: "s-1")),
            .sendSignal(SignalDraft(to: bobID, .custom(command: "LOOK", message: "{}"))),
            .offerMedia(OfferMedia(room, number: 3, sdp: "v=0\r\n")), .closeMedia(CloseMedia(room)),
            .offerMedia(
                OfferMedia(
                    room, number: 4, sdp: "v=0\r\n",
                    lines: ["0": .microphone, "1": .camera, "2": .screen, "a": .sound(3), "b": .picture(10)])),
            .viewPicture(ViewPicture(room, .seat(3), .low)), .viewPicture(ViewPicture(room, .screen, .off)),
            .viewPicture(ViewPicture(room, .guest(2), .high)),
            .rooms(.readRequestStill(ReadRequestStill(room, id: "i"))),
            .rooms(.setStill(SetStill(room, nil))), .testLine(TestLine(sdp: "v=0")), .endLineTest,
            .rooms(.setStill(SetStill(string, try StillPicture(jpeg: TestJPEG.bytes(width: 360, height: 203))))),
            .stateLatency(StateLatency(room, LatencyStatement(outputMs: 120, inputMs: 7))),
            .stateLatency(
                StateLatency(room, LatencyStatement(outputMs: 120, inputMs: 7, roundTripMs: 48, bufferMs: 30))),
        ]
        let commands: [RoomCommand] = [
            .takeSeat(TakeSeat(1)), .leaveSeat, .moveSeat(MoveSeat(2)), .pickSeat(PickSeat(1, bobID)),
            .kickSeat(KickSeat(1)), .muteSeat(MuteSeat(1, muted: true)),
            .closeSeat(CloseSeat(1, closed: false)), .setMicrophone(SetMicrophone(muted: true)),
            .setCamera(SetCamera(on: false)),
            .allowCamera(AllowCamera(3, allowed: true)), .startScreen, .stopScreen,
            .setAttributes(AttributesDraft(set: ["a": "1"], add: ["n": 5], remove: ["b"], replace: true)),
            .setAttributes(AttributesDraft()),
            .arrangeStage(ArrangeStage(StageLayout(form: .spotlight, large: bobID))),
            .arrangeStage(ArrangeStage(StageLayout())),
            .sendInvitation(
                InvitationDraft(
                    to: bobID, command: "c", content: "", words: "안녕",
                    still: try StillPicture(jpeg: TestJPEG.bytes(width: 90, height: 160)), id: "i")),
            .challenge(ChallengeHost(.number(8), PKTerms(seconds: 60, forfeitSeconds: 5, forfeit: "Sing"))),
            .challenge(ChallengeHost(.number(8), nil)), .cancelChallenge,
            .answerChallenge(AnswerChallenge(id: "a", agreed: true, pause: nil)),
            .answerChallenge(AnswerChallenge(id: "a", agreed: false, pause: .all)), .readyForPK,
            .quitPK(QuitPK(link: "l")), .quitPK(QuitPK(link: nil)),
            .muteLink(MuteLink("l", muted: false)),
            .sendInvitation(InvitationDraft(to: bobID, command: "c", content: "x", timeoutSeconds: 9, id: "i")),
            .acceptInvitation(AcceptInvitation(id: "i")), .rejectInvitation(RejectInvitation(id: "i", reason: nil)),
            .rejectInvitation(RejectInvitation(id: "i", reason: "r")),
            .cancelInvitation(CancelInvitation(id: "i")), .sendMessage(MessageDraft(.text("안녕"), id: "m")),
            .sendMessage(MessageDraft(.custom(command: "c", message: "m"), priority: .low)), .sendLikes(SendLikes(100)),
            .sendGift(GiftDraft(gift: "rose", count: 999, to: bobID)), .sendGift(GiftDraft(gift: "rose")),
            .updateRoom(RoomUpdate(name: "n", tags: [])), .updateRoom(RoomUpdate(cover: "", needsRequest: false)),
            .startSong(
                SongDraft(
                    song: Song(
                        id: "s", title: "t", artist: "a", durationMs: 9, accompaniment: "/a", original: "/o",
                        lyrics: "/l"),
                    track: .original, positionMs: 5, leadMs: 700)),
            .startSong(SongDraft(song: Song(id: "s", title: "t", durationMs: 9, accompaniment: "/a"))),
            .pauseSong, .resumeSong(ResumeSong(leadMs: 800)), .seekSong(SeekSong(positionMs: 4, leadMs: 900)),
            .setSongTrack(SetSongTrack(.original)),
            .stopSong, .setDuetMode(SetDuetMode(.together, leader: nil)),
            .setDuetMode(SetDuetMode(.leadFollow, leader: nil)),
            .setDuetMode(SetDuetMode(.leadFollow, leader: bobID)),
            .updateRoom(RoomUpdate(slowSeconds: 30, hostsOnly: true, noLinks: false)), .deleteMessage(DeleteMessage(7)),
            .setRestriction(RestrictionDraft(.ban, of: bobID, seconds: 600, everywhere: true, reason: "why")),
            .setRestriction(RestrictionDraft(.chatMute, of: bobID)), .liftRestriction(LiftRestriction(.ban, of: bobID)),
            .setOwner(SetOwner(bobID)), .setRole(SetRole(bobID, .admin)), .exitRoom, .destroyRoom,
        ]
        bodies += commands.flatMap { [.rooms(.command(room, $0, key: key)), .rooms(.command(string, $0, key: nil))] }
        if let key { bodies.append(.wallet(.drawCoins(DrawCoins(key: key)))) }
        for (number, body) in bodies.enumerated() {
            let call = try Call.decode(Data(Call(number: Int64(number), body).text))
            #expect(call == Call(id: .number(Int64(number)), method: body.method, body: body))
        }
        #expect(Set(bodies.map(\.method)) == Set(Method.allCases), "no call is left out")
    }

    private func answer<Result: Encodable>(_ method: Method, _ result: Result) throws -> CallAnswer? {
        let text = Data(Answer.success(.number(4), result))
        guard case .answer(4, let answer) = ServerMessage.decode(text, expected: [4: method]) else { return nil }
        return try answer.get()
    }

    @Test("every answer survives the way from the server to the client")
    func answers() throws {
        let snapshot = RoomSnapshot(
            room: room, epoch: 2, seq: 3, chat: 4, info: info, seats: [seat],
            me: Member(profile: bob, role: .owner, seat: 1, micMuted: false, presence: .online), members: [],
            memberCount: 3, ownerAbsentUntil: 9, heir: alice, invitations: [invitation],
            messages: [Message(chat: 4, id: "m", from: bob, body: .custom(command: "c", message: "x"), time: 1)],
            likes: .max, duet: .leadFollow(leader: bobID), mediaEpoch: 8)
        let opened = SessionOpened(
            session: "s", resumed: true, user: bob, time: 1, expiresInSeconds: 2, rooms: [room], mediaEpoch: 3,
            limits: .init(textBytes: 4, seats: 5),
            iceServers: [.init(urls: ["turn:x"], username: "u", credential: "c")])
        #expect(try answer(.call(.sessionOpen), opened) == .session(opened))
        let renewed = SessionRenewed(expiresInSeconds: 4)
        #expect(try answer(.call(.sessionRenew), renewed) == .renewed(renewed))
        let clock = ClockReading(time: 1, monotonicUs: 2)
        #expect(try answer(.call(.clockRead), clock) == .clock(clock))
        #expect(try answer(.call(.profileSet), ProfileAnswer(user: bob)) == .profile(bob))
        #expect(try answer(.call(.profileGet), ProfilesAnswer(users: [bob])) == .profiles([bob]))
        #expect(try answer(.call(.roomCreate), RoomCreated(snapshot: snapshot)) == .created(snapshot))
        #expect(try answer(.call(.roomEnter), RoomEntered(.snapshot(snapshot))) == .entered(.snapshot(snapshot)))
        // By a text that others share: what concerns the reader is the reader's.
        var (first, second) = (snapshot, snapshot)
        first.sharedText = KeptText()
        second.sharedText = first.sharedText
        second.me = Member(
            profile: UserProfile(id: alice, name: "Alice"), role: .member, seat: nil, micMuted: true, presence: .online)
        (second.memberCount, second.invitations, second.moreInvitations) = (4, [], "next")
        second.info.memberCount = 4
        for entered in [first, second] {
            let text = Data(Answer.entered(.number(4), .snapshot(entered)))
            guard case .answer(4, let answer) = ServerMessage.decode(text, expected: [4: .call(.roomEnter)]) else {
                Issue.record("\(String(decoding: text, as: UTF8.self))")
                continue
            }
            #expect(try answer.get() == .entered(.snapshot(entered)))
        }
        let gap = RoomResumption(
            epoch: 1, seq: 2, chat: 3, events: changes + [message],
            state: .init(
                memberCount: 1, presence: [.init(user: bobID, presence: .reconnecting)], invitations: [invitation],
                settled: [InvitationNews(invitation: invitation, by: bobID)],
                likes: 5, ownerAbsentUntil: 6, heir: bobID), mediaEpoch: 7)
        #expect(try answer(.call(.roomEnter), RoomEntered(.resumed(gap))) == .entered(.resumed(gap)))
        let page = RoomPage(rooms: [info], cursor: "c")
        #expect(try answer(.call(.roomList), page) == .page(page))
        #expect(try answer(.call(.roomGet), RoomsAnswer(rooms: [info])) == .rooms([info]))
        let members = MembersPage(members: [snapshot.me], count: 3)
        #expect(try answer(.call(.roomMembers), members) == .members(members))
        let media = MediaAnswered(
            number: 1, sdp: "v=0", slots: [.init(seat: 0, mid: "1"), .init(mixMid: "2")], mediaEpoch: 2,
            iceServers: [.init(urls: ["stun:x"])])
        #expect(try answer(.call(.mediaOffer), media) == .media(media))
        #expect(try answer(.call(.mediaClose), Answer.Empty()) == .empty)
        #expect(try answer(.call(.mediaView), Answer.Empty()) == .empty)
        #expect(try answer(.call(.songLatency), Answer.Empty()) == .empty)
        for outcome in [
            CommandOutcome(.done), CommandOutcome(.done, seq: 9), CommandOutcome(.invited(id: "i", position: 2)),
            CommandOutcome(.sent(chat: 4, time: 5)), CommandOutcome(.liked(total: 6)),
        ] {
            #expect(try answer(.command(.takeSeat), CommandAnswer(outcome)) == .command(outcome))
        }
    }

    @Test("L07-S a line of pictures is named on the wire by a seat, the screen or another room's host")
    func pictureLines() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (text, view) in [
            (#"{"mid":"5","seat":3}"#, .seat(3)), (#"{"mid":"5","screen":true}"#, .screen),
            (#"{"guest":1,"mid":"5"}"#, .guest(1)),
        ] as [(String, PictureView)] {
            let line = MediaAnswered.Picture(view, mid: "5")
            #expect(String(decoding: try encoder.encode(line), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(MediaAnswered.Picture.self, from: Data(text.utf8)) == line)
        }
    }

    @Test("a refusal keeps its name, number, field, reason and what can be done")
    func refusals() {
        let error = RoomError(.rateLimited, "slower", retryAfterMs: 70, field: "f", reason: "r")
        let text = Data(Answer.failure(.number(4), Refusal(error, skewSeconds: 3, incident: "x")))
        var expected = ServerRefusal(code: 10_006, name: "rate_limited", message: "slower")
        expected.field = "f"
        expected.reason = "r"
        expected.retryAfterMs = 70
        expected.skewSeconds = 3
        expected.incident = "x"
        #expect(ServerMessage.decode(text, expected: [:]) == .answer(4, .failure(expected)))
        let closed = Data(
            Answer.sessionClosed(Answer.SessionEnd(code: 6_208, name: "session_replaced", message: "m")))
        #expect(
            ServerMessage.decode(closed, expected: [:])
                == .sessionClosed(ServerRefusal(code: 6_208, name: "session_replaced", message: "m")))
        let details = Answer.SessionEnd.Details(retryAfterMs: 9, reason: "r")
        let banned = Answer.SessionEnd(code: 20_452, name: "banned_here", message: "m", data: details)
        var heard = ServerRefusal(code: 20_452, name: "banned_here", message: "m")
        (heard.retryAfterMs, heard.reason) = (9, "r")
        #expect(ServerMessage.decode(Data(Answer.sessionClosed(banned)), expected: [:]) == .sessionClosed(heard))
        #expect(
            ServerMessage.decode(Data(Answer.sessionExpiring(inSeconds: 60)), expected: [:])
                == .sessionExpiring(seconds: 60))
        #expect(
            ServerMessage.decode(Data(Answer.failure(nil, RoomError(.parseError))), expected: [:])
                == .complaint(ServerRefusal(code: -32_700, name: "parse_error", message: "the frame is not JSON")))
    }

    private var message: RoomNewsEvent {
        .message(Message(chat: 5, id: "m", from: bob, body: .text("안녕"), time: 6))
    }

    private var changes: [RoomNewsEvent] {
        let changes: [RoomChange.What] = [
            .updated(RoomUpdated(info)), .ended(RoomEnded(.ownerAbsent, RoomSummary(seconds: 1, peak: 2, likes: 3))),
            .seatTaken(SeatTaken(seat, user: bob, by: alice)), .seatLeft(SeatLeft(seat, user: bob, reason: .kicked)),
            .seatMuted(SeatMuted(seat, by: alice)), .seatClosed(SeatClosed(seat, by: nil)),
            .microphoneMuted(MicrophoneMuted(user: bobID, muted: true, seat: 1)),
            .roleChanged(RoleChanged(bobID, .admin, by: alice)),
            .ownerChanged(OwnerChanged(bob, reason: .ownerAbsent)),
            .duetChanged(DuetChanged(.leadFollow(leader: bobID), by: alice)),
            .duetChanged(DuetChanged(.together, by: nil)),
            .cameraChanged(CameraChanged(user: bobID, camera: .blocked, seat: 1, by: alice)),
            .stageArranged(StageArranged(StageLayout(form: .spotlight, large: bobID), by: bobID)),
            .stageArranged(StageArranged(StageLayout(), by: nil)),
            .attributesChanged(AttributesChanged(AttributesChange(set: ["a": "1"], removed: ["b"]), by: bobID)),
            .screenChanged(ScreenChanged(user: bobID, by: bobID)), .screenChanged(ScreenChanged(user: nil, by: nil)),
            .pkChanged(
                PKChanged(
                    PKState(
                        links: [
                            HostLink(
                                id: "1/1/9", place: 0, room: .number(2), host: UserProfile(id: bobID), isOurs: true,
                                since: 3)
                        ],
                        match: PKMatch(link: "1/1/9", terms: PKTerms(seconds: 60, forfeit: "Sing"), until: 5)),
                    .accepted,
                    by: bobID)),
            .pkChanged(PKChanged(PKState(), .quit, by: nil)),
        ]
        return changes.enumerated().map { .change(RoomChange(seq: UInt64($0.offset + 1), time: 7, what: $0.element)) }
    }

    @Test("every event survives the way from the server to the client")
    func events() {
        let passing: [PassingNews] = [
            .audienceEntered(
                AudienceEntered(Member(profile: bob, role: .member, seat: nil, micMuted: true, presence: .online))),
            .audienceLeft(AudienceLeft(bobID, reason: .lost)),
            .presence(PresenceChanged(bobID, .reconnecting, until: 9)), .presence(PresenceChanged(bobID, .online)),
            .ownerAbsent(OwnerAbsent(until: 9, heir: bobID)), .ownerAbsent(OwnerAbsent(until: 9, heir: nil)),
            .ownerBack(OwnerBack()), .levels(SpeakingLevels([bobID: 61, alice: 0])), .levels(SpeakingLevels([:])),
            .likes(LikesNews(total: 9, added: 2, users: [bobID])), .count(MemberCount(900)),
            .network(NetworkReport()), .cameraWanted(CameraWanted(.off)),
            .cameraWanted(CameraWanted(.high, spare: true)),
            .points(PKPoints(ours: 3, theirs: 4)),
            .pictures(
                PicturesChanged([
                    PictureNews(.seat(1), .high), PictureNews(.screen, .off, lack: .sender),
                    PictureNews(.guest(1), .low),
                ])), .pictures(PicturesChanged([])),
            .network(
                NetworkReport(
                    singers: [
                        bobID: SingerNetwork(quality: .good, roundTripMs: 70, jitterMs: 3, lossPercent: 1),
                        alice: SingerNetwork(quality: .down),
                    ], apart: SingersApart(ms: 44, isTight: true))),
        ]
        let states: [InvitationState] = [.waiting, .accepted, .rejected, .cancelled, .expired]
        let invitations = states.map { state in
            var invitation = invitation
            invitation.state = state
            return RoomNewsEvent.invitation(InvitationNews(invitation: invitation, by: state == .expired ? nil : bobID))
        }
        let events = changes + [message] + passing.map { .passing($0) } + invitations
        let text = Data(RoomNews(room: room, epoch: 3, events: events).text)
        #expect(ServerMessage.decode(text, expected: [:]) == .news(room, epoch: 3, events.map { .known($0) }))
        let dropped = Data(DroppedNotice.text(room: room, epoch: 2, from: 3, to: 9))
        #expect(
            ServerMessage.decode(dropped, expected: [:])
                == .news(room, epoch: 2, [.known(.passing(.dropped(MessagesDropped(from: 3, to: 9))))]))
    }

    @Test(
        "what a newer server says of unknown things is passed over, but its number counts; an unknown word is read as a known one"
    )
    func newer() {
        let text = #"""
            {"jsonrpc":"2.0","method":"room.events","params":{"room":"x","epoch":1,"events":[
            {"seq":4,"type":"lights.dimmed","time":1},{"type":"sparks"},{"seq":5,"type":"seat.left","seat":"odd","time":1},
            {"seq":6,"type":"role.changed","user":"bob","role":"emperor","time":1},{"type":"dropped","from":9,"to":3},
            {"type":"count","memberCount":3,"later":[1]},{"seq":-1,"type":"seat.muted"},{}]}}
            """#
        #expect(
            ServerMessage.decode(Data(text.utf8), expected: [:])
                == .news(
                    .string("x"), epoch: 1,
                    [
                        .unknown(seq: 4), .unknown(seq: nil), .unknown(seq: 5),
                        .known(.change(RoomChange(seq: 6, time: 1, what: .roleChanged(RoleChanged(bobID, .member))))),
                        .unknown(seq: nil), .known(.passing(.count(MemberCount(3)))), .unknown(seq: nil),
                        .unknown(seq: nil),
                    ]))
        for text in ["", "[]", "null", "{", "5", "\"x\""] {
            #expect(ServerMessage.decode(Data(text.utf8), expected: [:]) == nil, "\(text)")
        }
        for text in ["{}", #"{"method":"later.news","params":{}}"#, #"{"id":8,"result":{}}"#] {
            #expect(ServerMessage.decode(Data(text.utf8), expected: [:]) == .unknown, "\(text)")
        }
    }
}

extension UserID {
    fileprivate static func named(_ text: String) -> UserID {
        guard let id = UserID(text) else { preconditionFailure("\(text) is no user id") }
        return id
    }
}
