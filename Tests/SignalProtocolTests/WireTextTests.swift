import Foundation
import RoomModel
import Testing

@testable import SignalProtocol

/// What stands on the wire, field by field.
@Suite struct WireTextTests {
    private let alice = UserProfile(id: UserID("alice").unsafelyUnwrapped, name: "Alice", avatar: "/a.png")

    /// Keys sorted, so that texts can be compared.
    private func canonical(_ bytes: [UInt8]) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
        let data = try JSONSerialization.data(
            withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }

    private func news(_ event: RoomNewsEvent) throws -> String {
        let text = try canonical(RoomNews(room: .number(7), epoch: 2, events: [event]).text)
        let prefix = #"{"jsonrpc":"2.0","method":"room.events","params":{"epoch":2,"events":["#
        let suffix = #"],"room":7}}"#
        try #require(text.hasPrefix(prefix) && text.hasSuffix(suffix), "\(text)")
        return String(text.dropFirst(prefix.count).dropLast(suffix.count))
    }

    @Test("answers and refusals repeat the id and carry code, name and what can be done")
    func answers() throws {
        #expect(try canonical(Answer.success(.number(1), Answer.Empty())) == #"{"id":1,"jsonrpc":"2.0","result":{}}"#)
        #expect(
            try canonical(Answer.success(.string("a"), CommandAnswer(CommandOutcome(.invited(id: "i", position: 2)))))
                == #"{"id":"a","jsonrpc":"2.0","result":{"id":"i","position":2}}"#)
        #expect(
            try canonical(Answer.success(.number(1), CommandAnswer(CommandOutcome(.sent(chat: 4, time: 5)))))
                == #"{"id":1,"jsonrpc":"2.0","result":{"chat":4,"time":5}}"#)
        #expect(
            try canonical(Answer.failure(nil, RoomError(.parseError)))
                == #"{"error":{"code":-32700,"data":{"name":"parse_error"},"message":"the frame is not JSON"},"id":null,"jsonrpc":"2.0"}"#
        )
        let refusal = Refusal(RoomError(.ticketNotYetValid, "m", reason: "clock"), skewSeconds: 9)
        #expect(
            try canonical(Answer.failure(.number(2), refusal))
                == #"{"error":{"code":-100018,"data":{"name":"ticket_not_yet_valid","reason":"clock","skewSeconds":9},"message":"m"},"id":2,"jsonrpc":"2.0"}"#
        )
        let limited = RoomError(.rateLimited, "m", retryAfterMs: 40, field: "f")
        #expect(
            try canonical(Answer.failure(.number(2), limited)).contains(
                #""field":"f","name":"rate_limited","retryAfterMs":40"#))
        #expect(
            try canonical(
                Answer.sessionClosed(Answer.SessionEnd(code: 6208, name: "session_replaced", message: "m")))
                == #"{"jsonrpc":"2.0","method":"session.closed","params":{"code":6208,"message":"m","name":"session_replaced"}}"#
        )
    }

    @Test("each event has its type and its fields")
    func events() throws {
        let seat = Seat(index: 1, state: .used, user: alice.id, muted: false, micMuted: true, presence: .online)
        let seatText = #"{"index":1,"micMuted":true,"muted":false,"presence":"online","state":"used","user":"alice"}"#
        let aliceText = #"{"avatar":"/a.png","id":"alice","name":"Alice"}"#
        func change(_ what: RoomChange.What) -> RoomNewsEvent { .change(RoomChange(seq: 3, time: 4, what: what)) }
        let member = Member(profile: alice, role: .admin, seat: nil, micMuted: true, presence: .online)
        let message = Message(chat: 5, id: "m", from: alice, body: .text("hi"), time: 6)
        let invitation = Invitation(
            id: "i", room: .string("x"), from: alice.id, to: alice.id, command: "c", content: "", state: .accepted,
            createdAt: 1)
        let cases: [(RoomNewsEvent, String)] = [
            (
                change(.seatTaken(SeatTaken(seat, user: alice, by: alice.id))),
                #"{"by":"alice","seat":\#(seatText),"seq":3,"time":4,"type":"seat.taken","user":\#(aliceText)}"#
            ),
            (
                change(.seatLeft(SeatLeft(Seat(index: 1), user: alice, reason: .kicked))),
                #"{"reason":"kicked","seat":{"index":1,"muted":false,"state":"empty"},"seq":3,"time":4,"type":"seat.left","user":\#(aliceText)}"#
            ),
            (
                change(.seatMuted(SeatMuted(seat, by: nil))),
                #"{"seat":\#(seatText),"seq":3,"time":4,"type":"seat.muted"}"#
            ),
            (
                change(.seatClosed(SeatClosed(seat, by: nil))),
                #"{"seat":\#(seatText),"seq":3,"time":4,"type":"seat.closed"}"#
            ),
            (
                change(.microphoneMuted(MicrophoneMuted(user: alice.id, muted: true, seat: 1))),
                #"{"muted":true,"seat":1,"seq":3,"time":4,"type":"microphone.muted","user":"alice"}"#
            ),
            (
                change(.cameraChanged(CameraChanged(user: alice.id, camera: .blocked, seat: 1, by: alice.id))),
                #"{"by":"alice","camera":"blocked","seat":1,"seq":3,"time":4,"type":"camera.changed","user":"alice"}"#
            ),
            (
                change(.screenChanged(ScreenChanged(user: alice.id, by: nil))),
                #"{"seq":3,"time":4,"type":"screen.changed","user":"alice"}"#
            ),
            (
                change(.stageArranged(StageArranged(StageLayout(form: .spotlight, large: alice.id), by: alice.id))),
                #"{"by":"alice","seq":3,"stage":{"form":"spotlight","large":"alice"},"time":4,"type":"stage.arranged"}"#
            ),
            (
                change(
                    .attributesChanged(
                        AttributesChanged(AttributesChange(set: ["a": "1"], removed: ["b"]), by: alice.id))),
                #"{"by":"alice","removed":["b"],"seq":3,"set":{"a":"1"},"time":4,"type":"attributes.changed"}"#
            ),
            (change(.screenChanged(ScreenChanged(user: nil, by: nil))), #"{"seq":3,"time":4,"type":"screen.changed"}"#),
            (
                change(.roleChanged(RoleChanged(alice.id, .admin, by: alice.id))),
                #"{"by":"alice","role":"admin","seq":3,"time":4,"type":"role.changed","user":"alice"}"#
            ),
            (
                change(.ownerChanged(OwnerChanged(alice, reason: .ownerAbsent))),
                #"{"reason":"owner_absent","seq":3,"time":4,"type":"owner.changed","user":\#(aliceText)}"#
            ),
            (
                change(.ended(RoomEnded(.owner, RoomSummary(seconds: 1, peak: 2, likes: 3)))),
                #"{"reason":"owner","seq":3,"summary":{"likes":3,"peak":2,"seconds":1},"time":4,"type":"room.destroyed"}"#
            ),
            (.message(message), #"{"chat":5,"from":\#(aliceText),"id":"m","text":"hi","time":6,"type":"message"}"#),
            (
                .passing(.audienceEntered(AudienceEntered(member))),
                #"{"member":{"avatar":"/a.png","id":"alice","micMuted":true,"name":"Alice","presence":"online","role":"admin"},"type":"audience.entered"}"#
            ),
            (
                .passing(.audienceLeft(AudienceLeft(alice.id, reason: .lost))),
                #"{"reason":"lost","type":"audience.left","user":"alice"}"#
            ),
            (
                .passing(.presence(PresenceChanged(alice.id, .reconnecting, until: 9))),
                #"{"presence":"reconnecting","type":"presence","until":9,"user":"alice"}"#
            ),
            (
                .passing(.ownerAbsent(OwnerAbsent(until: 9, heir: alice.id))),
                #"{"heir":"alice","type":"owner.absent","until":9}"#
            ),
            (.passing(.ownerBack(OwnerBack())), #"{"type":"owner.back"}"#),
            (.passing(.levels(SpeakingLevels([alice.id: 40]))), #"{"levels":{"alice":40},"type":"levels"}"#),
            (.passing(.levels(SpeakingLevels([:]))), #"{"levels":{},"type":"levels"}"#),
            (
                .passing(.likes(LikesNews(total: 9, added: 2, users: [alice.id]))),
                #"{"added":2,"total":9,"type":"likes","users":["alice"]}"#
            ),
            (
                change(.duetChanged(DuetChanged(.leadFollow(leader: alice.id), by: alice.id))),
                #"{"by":"alice","duet":{"leader":"alice","mode":"leadFollow"},"seq":3,"time":4,"type":"duet.changed"}"#
            ),
            (
                change(.duetChanged(DuetChanged(.together, by: nil))),
                #"{"duet":{"mode":"together"},"seq":3,"time":4,"type":"duet.changed"}"#
            ),
            (
                .passing(
                    .network(
                        NetworkReport(
                            singers: [
                                alice.id: SingerNetwork(
                                    quality: .poor, roundTripMs: 190, jitterMs: 7, lossPercent: 3)
                            ], apart: SingersApart(ms: 135, isTight: false)))),
                #"{"apartMs":135,"tight":false,"type":"network","users":{"alice":{"jitterMs":7,"lossPercent":3,"quality":3,"roundTripMs":190}}}"#
            ),
            (.passing(.network(NetworkReport())), #"{"type":"network","users":{}}"#),
            (
                .passing(
                    .pictures(
                        PicturesChanged([
                            PictureNews(.seat(2), .low, lack: .line), PictureNews(.screen, .off, lack: .sender),
                            PictureNews(.seat(0), .high),
                        ]))),
                #"{"pictures":[{"lack":"line","seat":2,"size":"low"},{"lack":"sender","screen":true,"size":"off"},{"seat":0,"size":"high"}],"type":"media.pictures"}"#
            ),
            (
                .passing(.cameraWanted(CameraWanted(.middle, spare: false))),
                #"{"camera":"middle","type":"media.wanted"}"#
            ),
            (
                .passing(.cameraWanted(CameraWanted(.low, spare: true))),
                #"{"camera":"low","spare":true,"type":"media.wanted"}"#
            ),
            (.passing(.count(MemberCount(300))), #"{"memberCount":300,"type":"count"}"#),
            (
                .invitation(InvitationNews(invitation: invitation, by: alice.id)),
                #"{"by":"alice","invitation":{"command":"c","content":"","createdAt":1,"from":"alice","id":"i","room":"x","state":"accepted","to":"alice"},"type":"invitation.accepted"}"#
            ),
        ]
        for (event, text) in cases { #expect(try news(event) == text) }
    }

    @Test("a hole in the chat is announced with its bounds")
    func dropped() throws {
        #expect(
            try canonical(DroppedNotice.text(room: .string("x"), epoch: 2, from: 3, to: 9))
                == #"{"jsonrpc":"2.0","method":"room.events","params":{"epoch":2,"events":[{"from":3,"to":9,"type":"dropped"}],"room":"x"}}"#
        )
    }

    @Test("texts in every script, quotes, controls and lone separators survive")
    func texts() throws {
        for text in ["안녕 👋🏽", "\"\\/\u{0}\u{1f}\u{2028}", "<script>&amp;", String(repeating: "あ", count: 4096)] {
            let message = Message(chat: 1, from: alice, body: .text(text), time: 0)
            let bytes = RoomNews(room: .number(1), epoch: 1, events: [.message(message)]).text
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            let events = (object?["params"] as? [String: Any])?["events"] as? [[String: Any]]
            #expect(events?.first?["text"] as? String == text)
        }
    }
}
