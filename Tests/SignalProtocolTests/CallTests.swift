import Foundation
import RoomModel
import RoomTestSupport
import Testing

@testable import SignalProtocol

@Suite struct CallTests {
    private func decode(_ method: String, _ params: String = "{}") throws(CallFailure) -> Call.Body {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params),"later":{"x":[1]}}"#
        return try Call.decode(Data(text.utf8)).body
    }

    private func refusal(_ method: String, _ params: String) -> RoomError? {
        do throws(CallFailure) {
            _ = try decode(method, params)
            return nil
        } catch {
            return error.error
        }
    }

    private func room(_ command: RoomCommand, key: String? = nil) -> Call.Body {
        .rooms(.command(.number(7), command, key: key.flatMap(IdempotencyKey.init)))
    }

    @Test("each call of a room becomes its command")
    func commands() throws {
        let bob = try #require(UserID("bob"))
        let cases: [(String, String, Call.Body)] = [
            ("seat.take", #"{"room":7,"seat":3,"key":"k","unknown":1}"#, room(.takeSeat(TakeSeat(3)), key: "k")),
            ("seat.leave", #"{"room":7}"#, room(.leaveSeat)),
            ("seat.move", #"{"room":7,"seat":0}"#, room(.moveSeat(MoveSeat(0)))),
            ("seat.pick", #"{"room":7,"seat":1,"user":"bob"}"#, room(.pickSeat(PickSeat(1, bob)))),
            ("seat.kick", #"{"room":7,"seat":1}"#, room(.kickSeat(KickSeat(1)))),
            ("seat.mute", #"{"room":7,"seat":1,"muted":true}"#, room(.muteSeat(MuteSeat(1, muted: true)))),
            ("seat.close", #"{"room":7,"seat":1,"closed":false}"#, room(.closeSeat(CloseSeat(1, closed: false)))),
            ("camera.set", #"{"room":7,"on":true}"#, room(.setCamera(SetCamera(on: true)))),
            (
                "seat.camera", #"{"room":7,"seat":2,"allowed":false}"#,
                room(.allowCamera(AllowCamera(2, allowed: false)))
            ),
            ("screen.start", #"{"room":7}"#, room(.startScreen)),
            ("screen.stop", #"{"room":7}"#, room(.stopScreen)),
            (
                "attributes.set", #"{"room":7,"set":{"a":"1"},"add":{"n":-2},"remove":["b"],"replace":true}"#,
                room(.setAttributes(AttributesDraft(set: ["a": "1"], add: ["n": -2], remove: ["b"], replace: true)))
            ),
            ("stage.arrange", #"{"room":7,"form":"grid"}"#, room(.arrangeStage(ArrangeStage(StageLayout())))),
            (
                "stage.arrange", #"{"room":7,"form":"spotlight","large":"bob"}"#,
                room(.arrangeStage(ArrangeStage(StageLayout(form: .spotlight, large: bob))))
            ),
            (
                "invitation.still", #"{"room":7,"id":"i"}"#,
                .rooms(.readRequestStill(ReadRequestStill(.number(7), id: "i")))
            ),
            (
                "invitation.send",
                #"{"room":7,"user":"bob","command":"c","words":"w","still":"\#(Data(TestJPEG.bytes(width: 2, height: 1)).base64EncodedString())"}"#,
                room(
                    .sendInvitation(
                        InvitationDraft(
                            to: bob, command: "c", words: "w",
                            still: try StillPicture(jpeg: TestJPEG.bytes(width: 2, height: 1)))))
            ),
            (
                "pk.challenge", #"{"room":7,"other":8,"terms":{"seconds":60,"forfeitSeconds":30,"forfeit":"Sing"}}"#,
                room(.challenge(ChallengeHost(.number(8), PKTerms(seconds: 60, forfeitSeconds: 30, forfeit: "Sing"))))
            ),
            ("pk.challenge", #"{"room":7,"other":8}"#, room(.challenge(ChallengeHost(.number(8), nil)))),
            ("pk.cancel", #"{"room":7}"#, room(.cancelChallenge)),
            (
                "pk.answer", #"{"room":7,"id":"a","agreed":false,"pause":"host"}"#,
                room(.answerChallenge(AnswerChallenge(id: "a", agreed: false, pause: .host)))
            ),
            ("pk.ready", #"{"room":7}"#, room(.readyForPK)),
            ("pk.quit", #"{"room":7}"#, room(.quitPK(QuitPK(link: nil)))),
            ("pk.mute", #"{"room":7,"link":"a","muted":true}"#, room(.muteLink(MuteLink("a", muted: true)))),
            ("microphone.set", #"{"room":7,"muted":true}"#, room(.setMicrophone(SetMicrophone(muted: true)))),
            ("still.set", #"{"room":7}"#, .rooms(.setStill(SetStill(.number(7), nil)))),
            (
                "still.set",
                #"{"room":7,"picture":"\#(Data(TestJPEG.bytes(width: 2, height: 1)).base64EncodedString())"}"#,
                .rooms(.setStill(SetStill(.number(7), try StillPicture(jpeg: TestJPEG.bytes(width: 2, height: 1)))))
            ),
            ("role.set", #"{"room":7,"user":"bob","role":"admin"}"#, room(.setRole(SetRole(bob, .admin)))),
            ("room.exit", #"{"room":7}"#, room(.exitRoom)),
            ("room.destroy", #"{"room":7}"#, room(.destroyRoom)),
            (
                "room.update", #"{"room":7,"name":"n","tags":["a"]}"#,
                room(.updateRoom(RoomUpdate(name: "n", tags: ["a"])))
            ),
            (
                "invitation.send", #"{"room":7,"user":"bob","command":"c","content":"x","timeoutSeconds":9,"id":"i"}"#,
                room(.sendInvitation(InvitationDraft(to: bob, command: "c", content: "x", timeoutSeconds: 9, id: "i")))
            ),
            ("invitation.accept", #"{"room":7,"id":"i"}"#, room(.acceptInvitation(AcceptInvitation(id: "i")))),
            (
                "invitation.reject", #"{"room":7,"id":"i","reason":"r"}"#,
                room(.rejectInvitation(RejectInvitation(id: "i", reason: "r")))
            ),
            ("invitation.cancel", #"{"room":7,"id":"i"}"#, room(.cancelInvitation(CancelInvitation(id: "i")))),
            ("message.send", #"{"room":7,"text":"t","id":"m"}"#, room(.sendMessage(MessageDraft(.text("t"), id: "m")))),
            (
                "message.send", #"{"room":7,"command":"c","message":"m"}"#,
                room(.sendMessage(MessageDraft(.custom(command: "c", message: "m"))))
            ),
            (
                "message.send", #"{"room":7,"text":"t","priority":"high"}"#,
                room(.sendMessage(MessageDraft(.text("t"), priority: .high)))
            ),
            ("like.send", #"{"room":7,"count":100}"#, room(.sendLikes(SendLikes(100)))),
            ("duet.mode", #"{"room":7,"mode":"together"}"#, room(.setDuetMode(SetDuetMode(.together, leader: nil)))),
            (
                "duet.mode", #"{"room":7,"mode":"leadFollow","leader":"bob","key":"k"}"#,
                room(.setDuetMode(SetDuetMode(.leadFollow, leader: bob)), key: "k")
            ),
            (
                "song.latency", #"{"room":7,"outputMs":1,"inputMs":2}"#,
                .stateLatency(StateLatency(.number(7), LatencyStatement(outputMs: 1, inputMs: 2)))
            ),
            (
                "song.latency", #"{"room":7,"outputMs":1,"inputMs":2,"roundTripMs":2000,"bufferMs":0}"#,
                .stateLatency(
                    StateLatency(
                        .number(7), LatencyStatement(outputMs: 1, inputMs: 2, roundTripMs: 2_000, bufferMs: 0)))
            ),
        ]
        for (method, params, expected) in cases { #expect(try decode(method, params) == expected, "\(method)") }
    }

    @Test("the other calls carry what they were given, and their defaults")
    func others() throws {
        let alice = try #require(UserID("alice"))
        #expect(
            try decode(
                "session.open",
                #"{"version":1,"app":9,"user":"alice","ticket":"t","client":{"name":"web","version":"2"},"resume":"s"}"#
            )
                == .openSession(
                    SessionOpening(
                        application: ApplicationID(9), user: alice, ticket: "t", resume: "s",
                        client: .init(name: "web", version: "2"))))
        #expect(try decode("session.renew", #"{"ticket":"t"}"#) == .renewSession(RenewSession(ticket: "t")))
        #expect(try decode("clock.read") == .readClock)
        #expect(
            try decode("profile.set", #"{"name":"A"}"#) == .setProfile(SetProfile(name: "A", avatar: nil, bio: nil)))
        #expect(try decode("profile.get", #"{"users":["alice"]}"#) == .getProfiles(GetProfiles([alice])))
        #expect(try decode("room.list") == .rooms(.listRooms(RoomQuery())))
        #expect(
            try decode("room.get", #"{"rooms":[1,"1"]}"#) == .rooms(.getRooms(GetRooms([.number(1), .string("1")]))))
        #expect(
            try decode("room.members", #"{"room":"x","users":["alice"]}"#)
                == .rooms(.listMembers(ListMembers(.string("x"), .users([alice])))))
        #expect(
            try decode("room.members", #"{"room":"x"}"#)
                == .rooms(.listMembers(ListMembers(.string("x"), .everyone(limit: 100, cursor: nil)))))
        #expect(
            try decode("room.enter", #"{"room":7,"since":{"epoch":1,"seq":2,"chat":3}}"#)
                == .rooms(.enterRoom(EnterRoom(.number(7), since: ResumePoint(epoch: 1, seq: 2, chat: 3)))))
        #expect(
            try decode("media.offer", #"{"room":7,"number":2,"sdp":"v=0"}"#)
                == .offerMedia(OfferMedia(.number(7), number: 2, sdp: "v=0")))
        #expect(
            try decode("media.offer", #"{"room":7,"number":2,"sdp":"v=0","lines":{"5":"picture:10","a":"camera"}}"#)
                == .offerMedia(OfferMedia(.number(7), number: 2, sdp: "v=0", lines: ["5": .picture(10), "a": .camera])))
        for name in [
            "", "picture", "picture:", "picture:-1", "picture:256", "picture:1:2", "sound:x", "Camera", "hologram",
        ] {
            #expect(throws: (any Error).self, "\(name)") {
                try decode("media.offer", #"{"room":7,"number":2,"sdp":"v=0","lines":{"5":"\#(name)"}}"#)
            }
        }
        let many = (0...MediaLineName.mostLines).map { #""\#($0)":"camera""# }.joined(separator: ",")
        #expect(throws: (any Error).self) {
            try decode("media.offer", #"{"room":7,"number":2,"sdp":"v=0","lines":{\#(many)}}"#)
        }
        #expect(
            try decode("media.view", #"{"room":7,"seat":3,"size":"middle"}"#)
                == .viewPicture(ViewPicture(.number(7), .seat(3), .middle)))
        #expect(
            try decode("media.view", #"{"room":7,"screen":true,"size":"off"}"#)
                == .viewPicture(ViewPicture(.number(7), .screen, .off)))
        #expect(
            try decode("media.view", #"{"room":7,"guest":1,"size":"low"}"#)
                == .viewPicture(ViewPicture(.number(7), .guest(1), .low)))
        for params in [
            #"{"room":7,"size":"off"}"#, #"{"room":7,"seat":-1,"size":"off"}"#, #"{"room":7,"seat":1,"size":"huge"}"#,
        ] {
            #expect(throws: (any Error).self) { try decode("media.view", params) }
        }
        guard case .rooms(.createRoom(let plain)) = try decode("room.create", #"{"name":"n"}"#) else {
            Issue.record("not a creation")
            return
        }
        #expect(plain.creation == RoomCreation(settings: RoomSettings(name: "n")))
        guard
            case .rooms(.createRoom(let listed)) = try decode(
                "room.create", #"{"name":"n","seats":[{"muted":true},{}]}"#)
        else {
            Issue.record("not a creation")
            return
        }
        #expect(listed.creation.seats == [SeatSetup(muted: true), SeatSetup()])
        for (word, isAdvisory) in [("advisory", true), ("enforced", false)] {
            guard
                case .rooms(.createRoom(let made)) = try decode(
                    "room.create", #"{"name":"n","consent":"\#(word)"}"#)
            else {
                Issue.record("not a creation")
                return
            }
            #expect(made.creation.settings.isAdvisory == isAdvisory)
        }
        #expect(throws: (any Error).self) { try decode("room.create", #"{"name":"n","consent":"perhaps"}"#) }
    }

    @Test(
        "what is missing or wrong is named",
        arguments: [
            ("seat.take", #"{"room":7}"#, "invalid_params", "seat"),
            ("seat.take", #"{"room":7,"seat":"1"}"#, "invalid_params", "seat"),
            ("seat.take", #"{"room":7,"seat":1.5}"#, "invalid_params", "seat"),
            ("seat.take", #"{"room":7,"seat":-1}"#, "invalid_params", "seat"),
            ("seat.take", #"{"room":7,"seat":99999999999999999999}"#, "invalid_params", "seat"),
            ("seat.take", #"{"seat":1}"#, "invalid_params", "room"),
            ("seat.take", #"{"room":0,"seat":1}"#, "room_id_invalid", "room"),
            ("seat.take", #"{"room":4294967295,"seat":1}"#, "room_id_invalid", "room"),
            ("seat.take", #"{"room":"a/b","seat":1}"#, "room_id_invalid", "room"),
            ("seat.take", #"{"room":7,"seat":1,"key":""}"#, "invalid_params", "key"),
            ("seat.take", #"{"room":7,"seat":1,"key":"é"}"#, "invalid_params", "key"),
            ("seat.pick", #"{"room":7,"seat":1,"user":"a b"}"#, "user_id_invalid", "user"),
            ("role.set", #"{"room":7,"user":"a","role":"owner"}"#, "invalid_params", "role"),
            ("still.set", #"{"room":7,"picture":"%"}"#, "invalid_params", "picture"),
            ("still.set", #"{"room":7,"picture":"aGVsbG8="}"#, "invalid_params", "picture"),
            ("still.set", #"{"room":7,"picture":7}"#, "invalid_params", "picture"),
            ("like.send", #"{"room":7,"count":101}"#, "invalid_params", "count"),
            ("like.send", #"{"room":7,"count":0}"#, "invalid_params", "count"),
            ("duet.mode", #"{"room":7,"mode":"apart"}"#, "invalid_params", "mode"),
            ("duet.mode", #"{"room":7}"#, "invalid_params", "mode"),
            ("duet.mode", #"{"room":7,"mode":"leadFollow","leader":"a b"}"#, "user_id_invalid", "leader"),
            ("song.latency", #"{"room":7,"outputMs":501,"inputMs":0}"#, "invalid_params", "outputMs"),
            (
                "song.latency", #"{"room":7,"outputMs":0,"inputMs":0,"roundTripMs":2001}"#, "invalid_params",
                "roundTripMs"
            ),
            ("song.latency", #"{"room":7,"outputMs":0,"inputMs":0,"roundTripMs":-1}"#, "invalid_params", "roundTripMs"),
            ("song.latency", #"{"room":7,"outputMs":0,"inputMs":0,"bufferMs":1001}"#, "invalid_params", "bufferMs"),
            ("room.create", #"{}"#, "invalid_params", "name"),
            ("room.create", #"{"name":"n","seats":17}"#, "invalid_params", "seats"),
            ("room.create", #"{"name":"n","seats":0}"#, "invalid_params", "seats"),
            ("room.create", #"{"name":"n","seats":[]}"#, "invalid_params", "seats"),
            ("room.create", #"{"name":"n","kind":"video"}"#, "invalid_params", "kind"),
            ("room.create", #"{"name":"n","tags":["a",1]}"#, "invalid_params", "tags.1"),
            ("room.enter", #"{"room":7,"since":{"epoch":1}}"#, "invalid_params", "since.seq"),
            ("room.list", #"{"limit":101}"#, "invalid_params", "limit"),
            (
                "invitation.send", #"{"room":7,"user":"b","command":"c","timeoutSeconds":3601}"#, "invalid_params",
                "timeoutSeconds"
            ),
            ("session.open", #"{"app":1,"user":"a","ticket":"t"}"#, "invalid_params", "version"),
            ("session.open", #"{"version":1,"app":-1,"user":"a","ticket":"t"}"#, "invalid_params", "app"),
            ("seat.take", "[]", "invalid_params", "params"), ("seat.take", "3", "invalid_params", "params"),
        ])
    func mistakes(method: String, params: String, name: String, field: String) {
        let error = refusal(method, params)
        #expect(error?.code.name == name)
        #expect(error?.field == field)
    }

    @Test("more than a hundred ids are refused")
    func manyIDs() {
        let users = (0..<101).map { "\"u\($0)\"" }.joined(separator: ",")
        #expect(refusal("profile.get", "{\"users\":[\(users)]}")?.field == "users")
    }

    @Test("the id of a call comes back whatever is wrong with the rest, and a long one is not repeated")
    func identifiers() {
        func failure(_ text: String) -> CallFailure? {
            do throws(CallFailure) {
                _ = try Call.decode(Data(text.utf8))
                return nil
            } catch {
                return error
            }
        }
        #expect(failure(#"{"jsonrpc":"2.0","id":"x","method":"no.such"}"#)?.id == .string("x"))
        #expect(failure(#"{"id":9007199254740993,"method":"clock.read"}"#)?.id == .number(9_007_199_254_740_993))
        #expect(
            failure(#"{"jsonrpc":"2.0","id":null,"method":"clock.read"}"#)
                == CallFailure(id: nil, error: RoomError(.invalidRequest)))
        #expect(
            failure("{\"jsonrpc\":\"2.0\",\"id\":\"\(String(repeating: "x", count: 65))\",\"method\":\"clock.read\"}")?
                .id == nil)
        #expect(failure("{")?.error.code == .parseError)
        #expect(failure("")?.error.code == .parseError)
        #expect(failure(String(repeating: "[", count: 100_000)) != nil)
    }

    @Test("mutated calls are decoded or refused, never a trap", arguments: [UInt64(11), 12, 13, 14])
    func mutations(seed: UInt64) {
        var random = Xorshift(state: seed)
        let seeds = [
            #"{"jsonrpc":"2.0","id":1,"method":"seat.take","params":{"room":48213,"seat":0,"key":"k"}}"#,
            #"{"jsonrpc":"2.0","id":"a","method":"room.create","params":{"name":"Salon","seats":[{"muted":true}],"tags":["a"]}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"session.open","params":{"version":1,"app":1400000001,"user":"alice","ticket":"eJyr"}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"message.send","params":{"room":"x y","text":"\ud83d\ude00 hello"}}"#,
        ]
        var decoded = 0
        for _ in 0..<2_000 {
            var bytes = Array(seeds[Int(random.next() % 4)].utf8)
            for _ in 0..<(1 + random.next() % 4) {
                let at = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: at)
                default: bytes.insert(Array("{}[]\",:0-".utf8)[Int(random.next() % 9)], at: at)
                }
            }
            do throws(CallFailure) {
                _ = try Call.decode(Data(bytes))
                decoded += 1
            } catch {
                #expect(RoomError.Code.allCases.contains(error.error.code), "seed \(seed)")
            }
        }
        #expect(decoded > 0)
    }
}

/// xorshift64*, to be the same on every run.
struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }
}
