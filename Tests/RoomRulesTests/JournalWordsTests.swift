import Foundation
import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

/// What stands in journals that people have on their disks. A line here is never changed, only added to.
@Suite struct JournalWordsTests {
    private static let olga = UserProfile(id: .owner, name: "Olga", avatar: "/a.png")
    private static let link = HostLink(id: "1/1/9", place: 0, room: .number(2), host: olga, isOurs: true, since: 3)
    private static let events: [(RoomEvent, String)] = [
        (
            .created(
                RoomFounding(
                    kind: .voice, settings: RoomSettings(name: "S", cover: "", tags: ["t"], needsRequest: true),
                    owner: olga, seats: [SeatSetup(muted: true)], epoch: 3)),
            #"{"founding":{"epoch":3,"kind":"voice","owner":{"avatar":"/a.png","id":"olga","name":"Olga"},"#
                + #""seats":[{"closed":false,"muted":true}],"settings":{"cover":"","name":"S","needsRequest":true,"#
                + #""tags":["t"]}},"type":"room.created"}"#
        ),
        (
            .updated(RoomSettings(name: "S")),
            #"{"settings":{"cover":"","name":"S","needsRequest":false,"tags":[]},"type":"room.updated"}"#
        ),
        (
            .ended(RoomEnded(.ownerAbsent, RoomSummary(seconds: 1, peak: 2, likes: 3))),
            #"{"reason":"owner_absent","summary":{"likes":3,"peak":2,"seconds":1},"type":"room.ended"}"#
        ),
        (
            .seatTaken(.init(1, user: olga, micMuted: true, moved: true)),
            #"{"from":{"avatar":"/a.png","id":"olga","name":"Olga"},"moved":true,"muted":true,"seat":1,"type":"seat.taken"}"#
        ),
        (
            .seatTaken(.init(0, user: olga, micMuted: false, moved: false)),
            #"{"from":{"avatar":"/a.png","id":"olga","name":"Olga"},"seat":0,"type":"seat.taken"}"#
        ),
        (
            .seatLeft(.init(1, user: olga, reason: .lost)),
            #"{"from":{"avatar":"/a.png","id":"olga","name":"Olga"},"reason":"lost","seat":1,"type":"seat.left"}"#
        ),
        (.seatMuted(.init(1, muted: true)), #"{"muted":true,"seat":1,"type":"seat.muted"}"#),
        (.seatClosed(.init(1, closed: false)), #"{"closed":false,"seat":1,"type":"seat.closed"}"#),
        (.microphoneMuted(.init(.owner, muted: true)), #"{"muted":true,"type":"microphone.muted","user":"olga"}"#),
        (
            .seatTaken(.init(1, user: olga, micMuted: false, camera: .blocked, moved: true)),
            #"{"camera":"blocked","from":{"avatar":"/a.png","id":"olga","name":"Olga"},"moved":true,"seat":1,"type":"seat.taken"}"#
        ),
        (.cameraChanged(.init(.owner, .on)), #"{"camera":"on","type":"camera.changed","user":"olga"}"#),
        (.screenChanged(ScreenChanged(user: .owner)), #"{"type":"screen.changed","user":"olga"}"#),
        (
            .attributesChanged(AttributesChange(set: ["a": "1"], removed: ["b"])),
            #"{"attributes":{"removed":["b"],"set":{"a":"1"}},"type":"attributes.changed"}"#
        ),
        (.screenChanged(ScreenChanged(user: nil)), #"{"type":"screen.changed"}"#),
        (.personErased(.init(.owner)), #"{"type":"person.erased","user":"olga"}"#),
        (
            .stageArranged(StageArranged(StageLayout(form: .spotlight))),
            #"{"stage":{"form":"spotlight"},"type":"stage.arranged"}"#
        ),
        (
            .stageArranged(StageArranged(StageLayout(form: .grid, large: .owner))),
            #"{"stage":{"form":"grid","large":"olga"},"type":"stage.arranged"}"#
        ),
        (
            .pkChanged(
                PKChanged(
                    PKState(links: [link], match: PKMatch(link: "1/1/9", terms: PKTerms(seconds: 60), until: 5)),
                    .accepted)),
            #"{"cause":"accepted","pk":{"links":[{"host":{"avatar":"/a.png","id":"olga","name":"Olga"},"id":"1/1/9","isEnding":false,"isOurs":true,"muted":false,"place":0,"room":2,"since":3}],"match":{"hasFinal":false,"isOtherReady":false,"isReady":false,"link":"1/1/9","ours":0,"phase":"linking","terms":{"forfeit":"","forfeitSeconds":0,"seconds":60},"theirs":0,"until":5}},"type":"pk.changed"}"#
        ),
        (.pointsChanged(PKPoints(ours: 3, theirs: 4)), #"{"ours":3,"theirs":4,"type":"pk.points"}"#),
        (.challengesPaused(.init(by: .owner, until: 9)), #"{"type":"pk.paused","until":9,"user":"olga"}"#),
        (.challengesPaused(.init(by: nil, until: nil)), #"{"type":"pk.paused"}"#),
        (
            .letterPosted(RoomLetter(session: "s", step: 1, to: .number(2), content: .withdrawn(.cancelled))),
            #"{"letter":{"content":{"state":"cancelled","type":"withdrawn"},"session":"s","step":1,"to":2},"type":"letter.posted"}"#
        ),
        (
            .letterPosted(
                RoomLetter(
                    session: "s", step: 2, to: .number(2), content: .result(PKResult(.won, .quit), theirs: 1, ours: 2))),
            #"{"letter":{"content":{"ours":2,"result":{"cause":"quit","outcome":"won"},"theirs":1,"type":"result"},"session":"s","step":2,"to":2},"type":"letter.posted"}"#
        ),
        (.lettersDelivered(.init(session: "s", step: 2)), #"{"session":"s","step":2,"type":"letter.delivered"}"#),
        (.lettersGivenUp(.init(session: "s")), #"{"session":"s","type":"letter.lost"}"#),
        (.letterHeard(.init(session: "s", step: 2)), #"{"session":"s","step":2,"type":"letter.heard"}"#),
        (.roleChanged(RoleChanged(.owner, .admin)), #"{"role":"admin","type":"role.changed","user":"olga"}"#),
        (
            .ownerChanged(.init(olga, .ownerAbsent)),
            #"{"owner":{"avatar":"/a.png","id":"olga","name":"Olga"},"reason":"owner_absent","type":"owner.changed"}"#
        ),
        (
            .invitationSent(
                Invitation(
                    id: "i", room: .number(7), from: .owner, to: .member, command: "C", content: "1", createdAt: 5,
                    expiresAt: 9)),
            #"{"invitation":{"command":"C","content":"1","createdAt":5,"expiresAt":9,"from":"olga","id":"i","room":7,"#
                + #""state":"waiting","to":"mia"},"type":"invitation.sent"}"#
        ),
        (
            .invitationSettled(.init(id: "i", .rejected, reason: "no")),
            #"{"id":"i","reason":"no","state":"rejected","type":"invitation.settled"}"#
        ),
        (.consentLapsed(.init(.owner)), #"{"type":"consent.lapsed","user":"olga"}"#),
        (
            .messageSent(Message(chat: 4, id: "m", from: olga, body: .text("hi"), time: 6)),
            #"{"message":{"chat":4,"from":{"avatar":"/a.png","id":"olga","name":"Olga"},"id":"m","text":"hi","time":6},"type":"message.sent"}"#
        ),
        (
            .messageSent(Message(chat: 4, from: olga, body: .custom(command: "C", message: "x"), time: 6)),
            #"{"message":{"chat":4,"command":"C","from":{"avatar":"/a.png","id":"olga","name":"Olga"},"message":"x","time":6},"type":"message.sent"}"#
        ),
        (.liked(.init(count: 7, users: [.owner])), #"{"count":7,"type":"liked","users":["olga"]}"#),
        (
            .songChanged(SongChanged(SongPlay(song: .ballad, by: .owner, startAt: 9_000, positionMs: 500), .started)),
            #"{"play":{"by":"olga","positionMs":500,"song":{"accompaniment":"/songs/ballad/accompaniment.m4a","durationMs":60000,"#
                + #""id":"ballad","original":"/songs/ballad/original.m4a","title":"Ballad"},"startAt":9000,"#
                + #""track":"accompaniment"},"reason":"started","type":"song.changed"}"#
        ),
        (.songChanged(SongChanged(nil, .ended)), #"{"reason":"ended","type":"song.changed"}"#),
        (
            .duetChanged(DuetChanged(.leadFollow(leader: .owner))),
            #"{"duet":{"leader":"olga","mode":"leadFollow"},"type":"duet.changed"}"#
        ),
        (.duetChanged(DuetChanged(.together)), #"{"duet":{"mode":"together"},"type":"duet.changed"}"#),
        (.messageDeleted(MessageDeleted(4)), #"{"chat":4,"type":"message.deleted"}"#),
        (
            .restricted(
                Restriction(
                    .ban, user: .member, name: "Mia", until: 9, everywhere: true, by: .owner, reason: "spam")),
            #"{"restriction":{"by":"olga","everywhere":true,"kind":"ban","name":"Mia","reason":"spam","until":9,"user":"mia"},"type":"restriction.set"}"#
        ),
        (
            .restrictionLifted(.init(.chatMute, of: .member)),
            #"{"kind":"chat_mute","type":"restriction.lifted","user":"mia"}"#
        ),
        (
            .gifted(
                .init([
                    SentGift(
                        number: 12, gift: Gift(id: "rose", name: "Rose", names: ["ko": "장미"], price: 5), count: 2,
                        combo: 3,
                        from: olga, to: olga, time: 6)
                ])),
            #"{"gifts":[{"combo":3,"count":2,"from":{"avatar":"/a.png","id":"olga","name":"Olga"},"gift":{"id":"rose","name":"Rose","names":{"ko":"장미"},"price":5},"number":12,"time":6,"to":{"avatar":"/a.png","id":"olga","name":"Olga"}}],"type":"gifts.sent"}"#
        ),
        (
            .challengeChanged(
                ChallengeNews(
                    PKChallenge(
                        id: "c", isOurs: true, room: .number(2), host: olga, terms: PKTerms(seconds: 60), expiresAt: 9),
                    .declined, until: 7)),
            #"{"challenge":{"challenge":{"expiresAt":9,"host":{"avatar":"/a.png","id":"olga","name":"Olga"},"id":"c","isOurs":true,"room":2,"terms":{"forfeit":"","forfeitSeconds":0,"seconds":60}},"state":"declined","until":7},"type":"pk.challenge"}"#
        ),
        (
            .pkChanged(PKChanged(PKState(), .cleared)), #"{"cause":"cleared","pk":{"links":[]},"type":"pk.changed"}"#
        ),
    ]

    @Test("every word of the journal has a line here") func everyWord() throws {
        let written = try Set(
            Self.events.map { _, json in
                let event = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                return try #require(event?["type"] as? String)
            })
        #expect(written == Set(RoomEvent.Word.allCases.map(\.rawValue)))
    }

    @Test("every event stands in the journal as it always has", arguments: events.indices)
    func words(_ index: Int) throws {
        let (event, json) = Self.events[index]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(event), as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(RoomEvent.self, from: Data(json.utf8)) == event)
    }

    @Test("R09-S nothing that an erased person was called or wrote is left in an event", arguments: events.indices)
    func erased(_ index: Int) throws {
        let event = Self.events[index].0
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        for user in [UserID.owner, .member] {
            let command = AcceptedCommand(time: 1, by: user, events: [event]).erasing(user, isEnded: true)
            let text = String(decoding: try encoder.encode(command.events), as: UTF8.self)
            for word in user == .owner ? ["Olga", "/a.png", #""hi""#, "Ballad"] : ["Mia"] {
                #expect(!text.contains(word), "\(text)")
            }
        }
    }

    @Test(
        "R09-S what a room was called goes with its owner once it has ended, whoever wrote it last; an open one keeps it"
    )
    func endedRooms() throws {
        let owner = UserID(literal: "carol")
        let events = [
            RoomEvent.updated(RoomSettings(name: "Carol's evening", cover: "/c.jpg", tags: ["carol"])),
            .attributesChanged(AttributesChange(set: ["topic": "Carol"])),
        ]
        let command = AcceptedCommand(time: 1, by: UserID(literal: "dan"), events: events)
        #expect(command.erasing(owner, isEnded: false).events == events)
        let kept = try JSONEncoder().encode(command.erasing(owner, isEnded: true))
        #expect(!String(decoding: kept, as: UTF8.self).lowercased().contains("carol"))
    }

    @Test(
        "an event of a newer server is an error, not skipped",
        arguments: [
            #"{"type":"gift.sent","seat":1}"#, #"{"type":"seat.muted","v":2,"seat":1,"muted":true}"#, #"{"seat":1}"#,
        ])
    func newer(_ json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(RoomEvent.self, from: Data(json.utf8)) }
    }

    @Test("a journal that does not fit the room is refused and changes nothing") func inapplicable() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(1)), by: .member)
        try stage.run(.sendInvitation(InvitationDraft(to: .owner, command: "SING", id: "i")), by: .member)
        let invitation = try #require(stage.state.invitations.waiting.first)
        let before = stage.state
        for event in [
            RoomEvent.seatTaken(.init(1, user: .named(.other), micMuted: false, moved: false)),
            .seatTaken(.init(2, user: .named(.member), micMuted: false, moved: false)),
            .seatTaken(.init(99, user: .named(.other), micMuted: false, moved: false)),
            .seatLeft(.init(2, user: .named(.member), reason: .left)),
            .seatClosed(.init(1, closed: true)), .seatMuted(.init(-1, muted: true)),
            .microphoneMuted(.init(.other, muted: true)),
            .roleChanged(RoleChanged(.owner, .member)), .invitationSent(invitation),
            .invitationSettled(.init(id: "none", .accepted, reason: nil)),
            .messageSent(Message(chat: 9, from: .named(.member), body: .text("x"), time: 1)),
            .duetChanged(DuetChanged(.leadFollow(leader: .member))),
            .created(
                RoomFounding(kind: .voice, settings: RoomSettings(name: "S"), owner: Self.olga, seats: [], epoch: 3)),
        ] {
            #expect(throws: InapplicableEvent.self, "\(event)") {
                try stage.state.apply(
                    AcceptedCommand(time: 1, by: nil, events: [.seatMuted(.init(0, muted: true)), event]))
            }
            #expect(stage.state == before)
        }
    }

    @Test("answers to keys live ten minutes, 64 to a user, and outlive a restart") func ledger() throws {
        var ledger = AnswerLedger()
        func key(_ number: Int) -> IdempotencyKey { IdempotencyKey("k\(number)") ?? IdempotencyKey(literal: "k") }
        func answer(_ number: Int, of user: UserID = .member) -> KeyedAnswer {
            KeyedAnswer(
                user: user, key: "k\(number)", fingerprint: UInt64(number), result: .sent(chat: UInt64(number), time: 1)
            )
        }
        for number in 0..<70 { ledger.record(answer(number), at: Int64(number)) }
        #expect(ledger.answer(to: key(5), of: .member, now: 100) == nil)
        #expect(ledger.answer(to: key(6), of: .member, now: 100) == answer(6))
        #expect(ledger.answer(to: key(6), of: .other, now: 100) == nil)
        let stored = try JSONDecoder().decode(AnswerLedger.self, from: try JSONEncoder().encode(ledger))
        #expect(stored == ledger)
        #expect(stored.answer(to: key(69), of: .member, now: 69 + AnswerLedger.lifetimeMs - 1) == answer(69))
        #expect(stored.answer(to: key(69), of: .member, now: 69 + AnswerLedger.lifetimeMs) == nil)
        var later = stored
        later.record(answer(1, of: .other), at: 2 * AnswerLedger.lifetimeMs)
        var alone = AnswerLedger()
        alone.record(answer(1, of: .other), at: 2 * AnswerLedger.lifetimeMs)
        #expect(later == alone, "old answers are forgotten")
        var busy = AnswerLedger()
        for number in 0..<5_000 {
            busy.record(answer(number, of: UserID(literal: "u\(number % 100)")), at: Int64(number))
        }
        let kept = (0..<5_000).filter { number in
            busy.answer(to: key(number), of: UserID(literal: "u\(number % 100)"), now: 5_000) != nil
        }
        #expect(kept == Array(904..<5_000), "the newest 4,096 of a room")
    }
}

extension IdempotencyKey {
    fileprivate init(literal: String) {
        guard let key = IdempotencyKey(literal) else { preconditionFailure("\(literal) is no key") }
        self = key
    }
}
