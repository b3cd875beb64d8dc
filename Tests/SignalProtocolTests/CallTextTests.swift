import Foundation
import RoomModel
import RoomTestSupport
import Testing

@testable import SignalProtocol

/// What stands on the wire for each call, written by hand: what a client writes, and what the server makes of it.
@Suite struct CallTextTests {
    private struct Line {
        var method: String
        var params: String
        var body: Call.Body

        init(_ method: String, _ params: String, _ body: Call.Body) {
            self.method = method
            self.params = params
            self.body = body
        }

        /// A command of room 7.
        init(_ method: String, _ params: String, _ command: RoomCommand, key: String? = nil) {
            self.init(method, params, .rooms(.command(.number(7), command, key: key.flatMap(IdempotencyKey.init))))
        }
    }

    private static let bob = UserID(literal: "bob")
    private static let room = RoomID.number(7)
    private static let jpeg = TestJPEG.bytes(width: 2, height: 1)
    private static let base64 = Data(jpeg).base64EncodedString()

    private static func lines() throws -> [Line] {
        let still = try StillPicture(jpeg: jpeg)
        let key = try #require(IdempotencyKey("k 1"))
        let song = Song(
            id: "s", title: "t", artist: "a", durationMs: 9, accompaniment: "/a", original: "/o", lyrics: "/l")
        return [
            Line(
                "session.open",
                #"{"version":1,"app":9,"user":"bob","ticket":"t","name":"B","avatar":"/b","resume":"r","client":{"name":"web","version":"2"}}"#,
                .openSession(
                    SessionOpening(
                        application: ApplicationID(9), user: bob, ticket: "t", name: "B", avatar: "/b", resume: "r",
                        client: .init(name: "web", version: "2")))),
            Line(
                "session.open", #"{"version":1,"app":9,"user":"bob","ticket":"t"}"#,
                .openSession(SessionOpening(application: ApplicationID(9), user: bob, ticket: "t"))),
            Line("session.renew", #"{"ticket":"t"}"#, .renewSession(RenewSession(ticket: "t"))),
            Line("session.close", "{}", .closeSession), Line("clock.read", "{}", .readClock),
            Line("profile.set", #"{"name":"B","bio":"b"}"#, .setProfile(SetProfile(name: "B", avatar: nil, bio: "b"))),
            Line("profile.get", #"{"users":["bob"]}"#, .getProfiles(GetProfiles([bob]))),
            Line(
                "signal.send", #"{"user":"bob","text":"hi","id":"s-1"}"#,
                .sendSignal(SignalDraft(to: bob, .text("hi"), id: "s-1"))),
            Line(
                "signal.send", #"{"user":"bob","command":"LOOK","message":"{}"}"#,
                .sendSignal(SignalDraft(to: bob, .custom(command: "LOOK", message: "{}")))),
            Line(
                "room.create",
                #"{"room":"7","kind":"live","name":"n","cover":"/c","tags":["t"],"needsRequest":true,"consent":"advisory","seats":[{"muted":true,"closed":false},{"muted":false,"closed":true}],"pictureFormat":"h264","privateMapKey":"m","key":"k 1"}"#,
                .rooms(
                    .createRoom(
                        CreateRoom(
                            RoomCreation(
                                room: RoomID(string: "7"), kind: .live, settings: advisory,
                                seats: [SeatSetup(muted: true), SeatSetup(closed: true)]),
                            key: key, privateMapKey: "m")))),
            Line(
                "room.enter", #"{"room":7,"since":{"epoch":1,"seq":2,"chat":3},"privateMapKey":"m"}"#,
                .rooms(
                    .enterRoom(EnterRoom(room, since: ResumePoint(epoch: 1, seq: 2, chat: 3), privateMapKey: "m")))),
            Line("room.enter", #"{"room":7}"#, .rooms(.enterRoom(EnterRoom(room)))),
            Line("room.list", #"{"limit":30}"#, .rooms(.listRooms(RoomQuery()))),
            Line(
                "room.list", #"{"kind":"voice","query":"q","tag":"t","order":"busiest","limit":3,"cursor":"c"}"#,
                .rooms(
                    .listRooms(
                        RoomQuery(kind: .voice, text: "q", tag: "t", order: .busiest, limit: 3, cursor: "c")))),
            Line("room.get", #"{"rooms":[7,"7"]}"#, .rooms(.getRooms(GetRooms([room, .string("7")])))),
            Line(
                "room.members", #"{"room":7,"users":["bob"]}"#, .rooms(.listMembers(ListMembers(room, .users([bob]))))),
            Line(
                "room.members", #"{"room":7,"limit":9,"cursor":"c"}"#,
                .rooms(.listMembers(ListMembers(room, .everyone(limit: 9, cursor: "c"))))),
            Line("still.set", #"{"room":7}"#, .rooms(.setStill(SetStill(room, nil)))),
            Line("still.set", #"{"room":7,"picture":"\#(base64)"}"#, .rooms(.setStill(SetStill(room, still)))),
            Line(
                "invitation.list", #"{"room":7,"cursor":"c"}"#,
                .rooms(.listInvitations(ListInvitations(room, cursor: "c")))),
            Line(
                "invitation.still", #"{"room":7,"id":"i"}"#, .rooms(.readRequestStill(ReadRequestStill(room, id: "i")))),
            Line("restriction.list", #"{"room":7}"#, .rooms(.listRestrictions(ListRestrictions(room)))),
            Line(
                "report.send", #"{"room":7,"user":"bob","cause":"minor","words":"w","chat":7}"#,
                .rooms(.sendReport(SendReport(room, ReportDraft(bob, cause: .minor, words: "w", message: 7))))),
            Line("gift.list", "{}", .wallet(.listGifts)), Line("wallet.get", "{}", .wallet(.read)),
            Line("gift.ranking", #"{"room":7}"#, .rooms(.readGiftRanking(ReadGiftRanking(room)))),
            Line(
                "wallet.statement", #"{"account":"earnings","cursor":"7","limit":100}"#,
                .wallet(.readStatement(StatementQuery(account: .earnings, before: 7, limit: 100)))),
            Line("wallet.faucet", #"{"key":"k 1"}"#, .wallet(.drawCoins(DrawCoins(key: key)))),
            Line(
                "song.latency", #"{"room":7,"outputMs":120,"inputMs":7,"roundTripMs":48,"bufferMs":30}"#,
                .stateLatency(
                    StateLatency(
                        room, LatencyStatement(outputMs: 120, inputMs: 7, roundTripMs: 48, bufferMs: 30)))),
            Line(
                "media.offer", #"{"room":7,"number":4,"sdp":"v=0","lines":{"0":"microphone","a":"sound:3"}}"#,
                .offerMedia(OfferMedia(room, number: 4, sdp: "v=0", lines: ["0": .microphone, "a": .sound(3)]))),
            Line(
                "media.offer", #"{"room":7,"number":4,"sdp":"v=0"}"#,
                .offerMedia(OfferMedia(room, number: 4, sdp: "v=0"))),
            Line("media.view", #"{"room":7,"seat":3,"size":"low"}"#, .viewPicture(ViewPicture(room, .seat(3), .low))),
            Line(
                "media.view", #"{"room":7,"screen":true,"size":"off"}"#, .viewPicture(ViewPicture(room, .screen, .off))),
            Line(
                "media.view", #"{"room":7,"guest":2,"size":"high"}"#, .viewPicture(ViewPicture(room, .guest(2), .high))),
            Line("media.close", #"{"room":7}"#, .closeMedia(CloseMedia(room))),
            Line("line.test", #"{"sdp":"v=0"}"#, .testLine(TestLine(sdp: "v=0"))), Line("line.end", "{}", .endLineTest),

            Line("seat.take", #"{"room":7,"seat":1,"key":"k 1"}"#, .takeSeat(TakeSeat(1)), key: "k 1"),
            Line("seat.leave", #"{"room":7}"#, .leaveSeat),
            Line("seat.move", #"{"room":7,"seat":2}"#, .moveSeat(MoveSeat(2))),
            Line("seat.pick", #"{"room":7,"seat":1,"user":"bob"}"#, .pickSeat(PickSeat(1, bob))),
            Line("seat.kick", #"{"room":7,"seat":1}"#, .kickSeat(KickSeat(1))),
            Line("seat.mute", #"{"room":7,"seat":1,"muted":true}"#, .muteSeat(MuteSeat(1, muted: true))),
            Line("seat.close", #"{"room":7,"seat":1,"closed":false}"#, .closeSeat(CloseSeat(1, closed: false))),
            Line("seat.camera", #"{"room":7,"seat":3,"allowed":true}"#, .allowCamera(AllowCamera(3, allowed: true))),
            Line("microphone.set", #"{"room":7,"muted":true}"#, .setMicrophone(SetMicrophone(muted: true))),
            Line("camera.set", #"{"room":7,"on":false}"#, .setCamera(SetCamera(on: false))),
            Line("screen.start", #"{"room":7}"#, .startScreen), Line("screen.stop", #"{"room":7}"#, .stopScreen),
            Line("stage.arrange", #"{"room":7,"form":"grid"}"#, .arrangeStage(ArrangeStage(StageLayout()))),
            Line(
                "stage.arrange", #"{"room":7,"form":"spotlight","large":"bob"}"#,
                .arrangeStage(ArrangeStage(StageLayout(form: .spotlight, large: bob)))),
            Line(
                "invitation.send",
                #"{"room":7,"user":"bob","command":"c","content":"","words":"안녕","still":"\#(base64)","timeoutSeconds":0,"id":"i"}"#,
                .sendInvitation(InvitationDraft(to: bob, command: "c", words: "안녕", still: still, id: "i"))),
            Line("invitation.accept", #"{"room":7,"id":"i"}"#, .acceptInvitation(AcceptInvitation(id: "i"))),
            Line(
                "invitation.reject", #"{"room":7,"id":"i","reason":"r"}"#,
                .rejectInvitation(RejectInvitation(id: "i", reason: "r"))),
            Line("invitation.cancel", #"{"room":7,"id":"i"}"#, .cancelInvitation(CancelInvitation(id: "i"))),
            Line("message.send", #"{"room":7,"text":"t","id":"m"}"#, .sendMessage(MessageDraft(.text("t"), id: "m"))),
            Line(
                "message.send", #"{"room":7,"command":"c","message":"m","priority":"low"}"#,
                .sendMessage(MessageDraft(.custom(command: "c", message: "m"), priority: .low))),
            Line("message.delete", #"{"room":7,"chat":7}"#, .deleteMessage(DeleteMessage(7))),
            Line(
                "restriction.set",
                #"{"room":7,"kind":"ban","user":"bob","seconds":600,"everywhere":true,"reason":"why"}"#,
                .setRestriction(RestrictionDraft(.ban, of: bob, seconds: 600, everywhere: true, reason: "why"))),
            Line(
                "restriction.set", #"{"room":7,"kind":"chat_mute","user":"bob"}"#,
                .setRestriction(RestrictionDraft(.chatMute, of: bob))),
            Line(
                "restriction.lift", #"{"room":7,"kind":"ban","user":"bob"}"#,
                .liftRestriction(LiftRestriction(.ban, of: bob))),
            Line("like.send", #"{"room":7,"count":100}"#, .sendLikes(SendLikes(100))),
            Line(
                "gift.send", #"{"room":7,"gift":"rose","count":999,"to":"bob"}"#,
                .sendGift(GiftDraft(gift: "rose", count: 999, to: bob))),
            Line("gift.send", #"{"room":7,"gift":"rose","count":1}"#, .sendGift(GiftDraft(gift: "rose"))),
            Line(
                "song.start",
                #"{"room":7,"song":{"id":"s","title":"t","artist":"a","durationMs":9,"accompaniment":"/a","original":"/o","lyrics":"/l"},"track":"original","positionMs":5,"leadMs":700}"#,
                .startSong(SongDraft(song: song, track: .original, positionMs: 5, leadMs: 700))),
            Line("song.pause", #"{"room":7}"#, .pauseSong), Line("song.stop", #"{"room":7}"#, .stopSong),
            Line("song.resume", #"{"room":7,"leadMs":800}"#, .resumeSong(ResumeSong(leadMs: 800))),
            Line(
                "song.seek", #"{"room":7,"positionMs":4,"leadMs":900}"#,
                .seekSong(SeekSong(positionMs: 4, leadMs: 900))),
            Line("song.track", #"{"room":7,"track":"original"}"#, .setSongTrack(SetSongTrack(.original))),
            Line(
                "duet.mode", #"{"room":7,"mode":"leadFollow","leader":"bob"}"#,
                .setDuetMode(SetDuetMode(.leadFollow, leader: bob))),
            Line("duet.mode", #"{"room":7,"mode":"together"}"#, .setDuetMode(SetDuetMode(.together, leader: nil))),
            Line(
                "pk.challenge", #"{"room":7,"other":8,"terms":{"seconds":60,"forfeitSeconds":5,"forfeit":"Sing"}}"#,
                .challenge(ChallengeHost(.number(8), PKTerms(seconds: 60, forfeitSeconds: 5, forfeit: "Sing")))),
            Line("pk.challenge", #"{"room":7,"other":8}"#, .challenge(ChallengeHost(.number(8), nil))),
            Line("pk.cancel", #"{"room":7}"#, .cancelChallenge), Line("pk.ready", #"{"room":7}"#, .readyForPK),
            Line(
                "pk.answer", #"{"room":7,"id":"a","agreed":false,"pause":"all"}"#,
                .answerChallenge(AnswerChallenge(id: "a", agreed: false, pause: .all))),
            Line("pk.quit", #"{"room":7,"link":"l"}"#, .quitPK(QuitPK(link: "l"))),
            Line("pk.mute", #"{"room":7,"link":"l","muted":false}"#, .muteLink(MuteLink("l", muted: false))),
            Line(
                "room.update",
                #"{"room":7,"name":"n","cover":"","tags":[],"needsRequest":false,"slowSeconds":30,"hostsOnly":true,"noLinks":false}"#,
                .updateRoom(
                    RoomUpdate(
                        name: "n", cover: "", tags: [], needsRequest: false, slowSeconds: 30, hostsOnly: true,
                        noLinks: false))),
            Line("room.update", #"{"room":7}"#, .updateRoom(RoomUpdate())),
            Line(
                "attributes.set", #"{"room":7,"set":{"a":"1"},"add":{"n":5},"remove":["b"],"replace":true}"#,
                .setAttributes(AttributesDraft(set: ["a": "1"], add: ["n": 5], remove: ["b"], replace: true))),
            Line("attributes.set", #"{"room":7}"#, .setAttributes(AttributesDraft())),
            Line("role.set", #"{"room":7,"user":"bob","role":"admin"}"#, .setRole(SetRole(bob, .admin))),
            Line("owner.set", #"{"room":7,"user":"bob"}"#, .setOwner(SetOwner(bob))),
            Line("room.exit", #"{"room":7}"#, .exitRoom), Line("room.destroy", #"{"room":7}"#, .destroyRoom),
        ]
    }

    private static var advisory: RoomSettings {
        var settings = RoomSettings(
            name: "n", cover: "/c", tags: ["t"], needsRequest: true, pictureFormat: .h264)
        settings.isAdvisory = true
        return settings
    }

    /// The same JSON, whatever the order of its members.
    private func canonical(_ text: Data) throws -> String {
        let value = try JSONSerialization.jsonObject(with: text)
        return String(
            decoding: try JSONSerialization.data(
                withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    @Test("V08-S each call stands on the wire as the manual writes it, from a client and for the server")
    func texts() throws {
        let lines = try Self.lines()
        for line in lines {
            let text = #"{"jsonrpc":"2.0","id":5,"method":"\#(line.method)","params":\#(line.params)}"#
            #expect(try Call.decode(Data(text.utf8)).body == line.body, "\(text)")
            #expect(
                try canonical(Data(Call(number: 5, line.body).text)) == canonical(Data(text.utf8)), "\(line.method)")
        }
        #expect(Set(lines.map(\.method)) == Set(Method.allCases.map(\.rawValue)), "no call is left out")
    }

    @Test("R01-R a call's parameters mean the same by REST, where some of them stand in the path")
    func plain() throws {
        for line in try Self.lines() {
            guard case .rooms(.command(_, let command, let key)) = line.body else { continue }
            let object = try JSONSerialization.jsonObject(with: Data(line.params.utf8)) as? [String: Any] ?? [:]
            var apart: [String: ParameterApart] = ["key": .text(key?.rawValue ?? "none")]
            for (name, value) in object {
                // Whatever is plain may stand apart; a flag has no form of its own there.
                if let text = value as? String { apart[name] = .text(text) }
                if let number = value as? Int, !["true", "false"].contains("\(value)"), value as? Bool == nil {
                    apart[name] = .number(number)
                }
            }
            apart["room"] = .number(7)
            let read = try PlainParameters(object: Data(line.params.utf8), apart: apart).command(command.name)
            #expect(read.command == command && read.room == Self.room, "\(line.method)")
            #expect(read.key?.rawValue == key?.rawValue ?? "none")
        }
        // What stands apart goes before what the object says.
        let moved = try PlainParameters(object: Data(#"{"seat":1,"room":8}"#.utf8), apart: ["room": .number(7)])
            .command(.moveSeat)
        #expect(moved.room == Self.room && moved.command == .moveSeat(MoveSeat(1)))
        let keyless = try PlainParameters(
            object: Data(#"{"key":"k"}"#.utf8), apart: ["room": .number(7), "key": .absent]
        )
        .command(.leaveSeat)
        #expect(keyless.key == nil)
    }

    @Test(
        "what does not fit names its field and says what it takes",
        arguments: [
            ("seat.take", #"{"room":7}"#, "seat", "the parameter seat is missing"),
            ("seat.take", #"{"room":7,"seat":null}"#, "seat", "the parameter seat is missing"),
            ("seat.take", #"{"seat":1}"#, "room", "the parameter room is missing"),
            ("seat.take", #"{"seat":1,"room":null}"#, "room", "the parameter room is missing"),
            ("seat.take", #"{"room":7,"seat":65536}"#, "seat", "seat is 0…65535"),
            (
                "seat.take", #"{"room":7,"seat":99999999999999999999}"#, "seat",
                "seat is of the wrong type or out of range"
            ),
            ("seat.take", #"{"room":7,"seat":1,"key":"é"}"#, "key", "a key is 1…64 printable ASCII characters"),
            ("seat.take", "[]", "params", "params is an object"),
            (
                "message.send", #"{"room":7,"text":"t","priority":"urgent"}"#, "priority",
                "priority is one of high, normal, low"
            ),
            ("stage.arrange", #"{"room":7,"form":"round"}"#, "form", "form is one of grid, spotlight"),
            ("role.set", #"{"room":7,"user":"bob","role":"owner"}"#, "role", "role is one of member, admin"),
            ("restriction.set", #"{"room":7,"user":"bob","kind":"x"}"#, "kind", "kind is one of chat_mute, ban"),
            ("pk.answer", #"{"room":7,"id":"a","agreed":true,"pause":"x"}"#, "pause", "pause is one of host, all"),
            ("room.list", #"{"order":"best"}"#, "order", "order is one of newest, busiest"),
            ("room.create", #"{"name":"n","kind":"video"}"#, "kind", "there is no such kind of room"),
            ("room.create", #"{"name":"n","seats":0}"#, "seats", "seats is 1…16"),
            ("room.create", #"{"name":"n","seats":[]}"#, "seats", "a room has 1…16 seats"),
            ("room.create", #"{"name":"n","consent":"perhaps"}"#, "consent", "consent is one of enforced, advisory"),
            ("room.enter", #"{"room":7,"since":{"epoch":1}}"#, "since.seq", "is missing"),
            ("song.start", #"{"room":7}"#, "song", "the parameter song is missing"),
            ("song.start", #"{"room":7,"song":{"id":"s"}}"#, "song.title", "is missing"),
            ("pk.challenge", #"{"room":7,"other":8,"terms":{}}"#, "terms.seconds", "is missing"),
            ("wallet.faucet", "{}", "key", "a key is needed"),
            ("wallet.statement", #"{"account":"debts"}"#, "account", "account is one of wallet, earnings"),
            ("still.set", #"{"room":7,"picture":"%"}"#, "picture", "a still is a JPEG in base64"),
            (
                "profile.get", #"{"users":[\#(Array(repeating: "\"bob\"", count: 101).joined(separator: ","))]}"#,
                "users", "at most 100"
            ),
        ])
    func sentences(method: String, params: String, field: String, sentence: String) throws {
        let text = #"{"jsonrpc":"2.0","id":5,"method":"\#(method)","params":\#(params)}"#
        do throws(CallFailure) {
            _ = try Call.decode(Data(text.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.error.field == field && error.error.message == sentence, "\(error.error)")
            #expect(error.error.code == .invalidParams && error.id == .number(5))
        }
    }

    @Test("R01-R what does not fit in a path, a query or a body is refused by its field")
    func plainMistakes() throws {
        for (object, apart, field) in [
            (nil, ["room": .number(7), "seat": .text("x"), "user": .text("bob")], "seat"),
            (nil, ["room": .number(7), "seat": .number(1), "user": .text("a b")], "user"),
            (nil, ["room": .number(7), "user": .text("bob")], "seat"),
            (nil, ["seat": .number(1), "user": .text("bob")], "room"),
            (#"{"seat":true,"user":"bob"}"#, ["room": .number(7)], "seat"),
            (#"{"seat":1e300,"user":"bob"}"#, ["room": .number(7)], "seat"),
            (#"{"seat":[1],"user":"bob"}"#, ["room": .number(7)], "seat"),
            (#"{"seat":1,"user":{"id":"bob"}}"#, ["room": .number(7)], "user"),
            (#"{"seat":1,"user":"bob"}"#, ["room": .number(0)], "room"),
            (#"{"seat":1,"user":"bob"}"#, ["room": .number(7), "key": .text("")], "key"),
            ("7", ["room": .number(7)], "params"),
        ] as [(String?, [String: ParameterApart], String)] {
            do throws(RoomError) {
                _ = try PlainParameters(object: object.map { Data($0.utf8) }, apart: apart).command(.pickSeat)
                Issue.record("accepted: \(object ?? "") \(apart)")
            } catch {
                #expect(error.field == field, "\(object ?? "") \(apart): \(error)")
                #expect([.invalidParams, .userIDInvalid, .roomIDInvalid].contains(error.code))
            }
        }
        // Only a newer server may have such a word.
        let lifting = PlainParameters(object: Data(#"{"kind":"x","user":"bob"}"#.utf8), apart: ["room": .number(7)])
        let refused = #expect(throws: RoomError.self) { _ = try lifting.command(.liftRestriction) }
        #expect(refused?.field == "kind")
    }

    @Test("R01-R what stands in a path is refused as it is in a call")
    func plainSentences() {
        for (command, apart, code, message) in [
            (.pickSeat, ["seat": .number(1), "user": .text("a b")], .userIDInvalid, nil),
            (
                .pickSeat, ["seat": .text("x"), "user": .text("bob")], .invalidParams,
                "seat is of the wrong type or out of range"
            ),
            (
                .liftRestriction, ["kind": .text("x"), "user": .text("bob")], .invalidParams,
                "kind is one of chat_mute, ban"
            ),
            (.leaveSeat, ["key": .text("")], .invalidParams, "a key is 1…64 printable ASCII characters"),
        ] as [(RoomCommand.Name, [String: ParameterApart], RoomError.Code, String?)] {
            do throws(RoomError) {
                _ = try PlainParameters(object: nil, apart: apart.merging(["room": .number(7)]) { $1 }).command(command)
                Issue.record("accepted: \(apart)")
            } catch {
                #expect(error.code == code, "\(apart)")
                if let message { #expect(error.message == message) }
            }
        }
    }
}
