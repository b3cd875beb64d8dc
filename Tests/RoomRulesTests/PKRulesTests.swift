import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

@Suite struct PKRulesTests {
    @Test("L04-S a challenge rings in the other room, and accepting it links both: each sees the other's host")
    func accepted() throws {
        var rooms = try TwoRooms()
        try rooms.challenge(.left, PKTerms(seconds: 300, forfeitSeconds: 60, forfeit: "Sing"))
        #expect(rooms.left.state.links.challenge?.isOurs == true)
        #expect(rooms.right.state.links.challenge == nil, "nothing before the letter is there")
        rooms.settle()
        let asked = try #require(rooms.right.state.links.challenge)
        #expect(asked.host.id == .owner && asked.room == .number(1) && !asked.isOurs)
        #expect(asked.terms == PKTerms(seconds: 300, forfeitSeconds: 60, forfeit: "Sing"))
        try rooms.run(.answerChallenge(AnswerChallenge(id: asked.id, agreed: true, pause: nil)), .right)
        #expect(rooms.links(.left).isEmpty, "the room that asked hears of it by letter")
        rooms.settle()
        for side in TwoRooms.Side.allCases {
            let link = try #require(rooms.links(side).first)
            #expect(link.id == asked.id && link.place == 0)
            #expect(link.host.id == rooms.host(side.other) && link.room == rooms[side.other].state.room)
            #expect(link.isOurs == (side == .left))
            #expect(rooms.match(side)?.phase == .linking)
            #expect(rooms[side].state.links.challenge == nil && rooms[side].state.links.mail.outbox.isEmpty)
        }
        #expect(rooms.left.state.readiness == .inPK)
        let info = rooms.left.state.info(memberCount: 1, speaking: false)
        #expect(info.linkedHosts == [rooms.right.state.owner.name])
    }

    @Test(
        "L04-S points count from three seconds after both hosts have said that they see each other; else the link ends")
    func ready() throws {
        var rooms = try TwoRooms()
        try rooms.challenge()
        rooms.settle()
        try rooms.run(
            .answerChallenge(
                AnswerChallenge(id: try #require(rooms.right.state.links.challenge?.id), agreed: true, pause: nil)),
            .right)
        rooms.settle()
        try rooms.run(.readyForPK, .right)
        rooms.settle()
        #expect(rooms.match(.left)?.phase == .linking && rooms.match(.left)?.isOtherReady == true)
        var unseen = rooms
        unseen.wait(5_000)
        unseen.settle()
        #expect(unseen.links(.left).isEmpty && unseen.links(.right).isEmpty && unseen.match(.right) == nil)
        try rooms.run(.readyForPK, .left)
        rooms.settle()
        for side in TwoRooms.Side.allCases {
            #expect(rooms.match(side)?.phase == .running)
            #expect(rooms.match(side)?.startAt == rooms.now + 3_000)
            #expect(rooms.match(side)?.endAt == rooms.now + 183_000)
        }
    }

    @Test("L04-S rooms whose pictures come in two formats do not meet: nobody could be shown the other host")
    func formats() throws {
        var rooms = try TwoRooms(rightPictures: .h264)
        #expect(rooms.refusal(.challenge(ChallengeHost(.number(2), nil)), .left) == .otherFormat)
        #expect(rooms.refusal(.challenge(ChallengeHost(.number(1), PKTerms(seconds: 60))), .right) == .otherFormat)
        rooms = try TwoRooms()
        try rooms.challenge()
    }

    @Test("L05-S both rooms tell the same result, and it counts what came until the last moment")
    func result() throws {
        var rooms = try TwoRooms()
        try rooms.begin(PKTerms(seconds: 60, forfeitSeconds: 30, forfeit: "Dance"))
        rooms.gain(7, .left)
        rooms.gain(9, .right)
        // What was told on the way is older than what the other room says at the end.
        rooms.left.serve(.points(4, session: rooms.links(.left)[0].id))
        #expect(rooms.match(.left)?.theirs == 4)
        rooms.wait(60_000)
        #expect(rooms.match(.left)?.phase == .counting && rooms.match(.right)?.phase == .counting)
        rooms.settle()
        #expect(rooms.match(.left)?.result == PKResult(.lost, .time))
        #expect(rooms.match(.right)?.result == PKResult(.won, .time))
        #expect(rooms.match(.left)?.theirs == 9 && rooms.match(.right)?.theirs == 7)
        #expect(rooms.match(.left)?.until == rooms.now + 34_000, "the card and the forfeit")
        rooms.wait(34_000)
        #expect(rooms.match(.left) == nil && rooms.match(.right) == nil)
        #expect(rooms.links(.left).count == 1 && rooms.links(.right).count == 1, "both stay linked")
    }

    @Test("L05-S a room that says nothing at the end does not hold up the result")
    func silentAtTheEnd() throws {
        var rooms = try TwoRooms()
        try rooms.begin(PKTerms(seconds: 60))
        rooms.gain(3, .left)
        rooms.wait(60_000)
        rooms.wait(5_000)
        #expect(rooms.match(.left)?.result == PKResult(.won, .time))
        // The room that was asked never decides: it waits, and then goes without a result.
        #expect(rooms.match(.right)?.phase == .counting)
        rooms.wait(10_000)
        #expect(rooms.match(.right) == nil && rooms.links(.right).isEmpty)
    }

    @Test("L04-S L05-S whoever breaks off a PK has lost it, from either side", arguments: TwoRooms.Side.allCases)
    func quit(_ side: TwoRooms.Side) throws {
        var rooms = try TwoRooms()
        try rooms.begin()
        rooms.gain(50, side)
        try rooms.run(.quitPK(QuitPK(link: nil)), side)
        #expect(!rooms.links(side).contains { !$0.isEnding }, "nothing is seen by it from now on")
        rooms.settle()
        #expect(rooms.match(side)?.result == PKResult(.lost, .quit))
        #expect(rooms.match(side.other)?.result == PKResult(.won, .quit))
        #expect(rooms.match(side)?.ours == 50 && rooms.match(side.other)?.theirs == 50)
        #expect(rooms.links(.left).isEmpty && rooms.links(.right).isEmpty)
    }

    @Test("L05-S when a host is gone for good the points stand", arguments: TwoRooms.Side.allCases)
    func gone(_ side: TwoRooms.Side) throws {
        var rooms = try TwoRooms()
        try rooms.begin()
        rooms.gain(5, side)
        rooms.gain(2, side.other)
        rooms[side.other].serve(.points(5, session: rooms.links(side)[0].id))
        rooms[side].serve(.points(2, session: rooms.links(side)[0].id))
        rooms[side].serve(.departed(rooms.host(side), .lost))
        rooms.settle()
        #expect(rooms.match(side)?.result == PKResult(.won, .gone))
        #expect(rooms.match(side.other)?.result == PKResult(.lost, .gone))
        #expect(rooms.links(.left).isEmpty && rooms.links(.right).isEmpty)
    }

    @Test("L04-S a room that ends leaves its link, and one that ended without a word is found gone")
    func roomEnds() throws {
        var rooms = try TwoRooms()
        try rooms.begin()
        rooms.gain(5, .left)
        try rooms.run(.destroyRoom, .left)
        #expect(rooms.left.state.progress.phase == .ended && rooms.left.state.links.pk.isEmpty)
        rooms.settle()
        #expect(rooms.match(.right)?.result == PKResult(.won, .quit))
        var silent = try TwoRooms()
        try silent.begin()
        silent.gain(1, .left)
        silent.left.serve(.partnerGone(session: silent.links(.left)[0].id))
        #expect(silent.match(.left)?.result == PKResult(.won, .gone))
        #expect(silent.links(.left).isEmpty && silent.left.state.links.mail.outbox.isEmpty)
    }

    @Test("L04-S each asks the other: the same challenge stands in both rooms", arguments: [true, false])
    func crossed(_ leftFirst: Bool) throws {
        var rooms = try TwoRooms()
        try rooms.challenge(.left)
        try rooms.challenge(.right)
        _ = rooms.deliver(from: leftFirst ? .left : .right)
        rooms.settle()
        let left = try #require(rooms.left.state.links.challenge)
        let right = try #require(rooms.right.state.links.challenge)
        #expect(left.id == right.id && left.isOurs != right.isOurs)
        let asked: TwoRooms.Side = left.isOurs ? .right : .left
        try rooms.run(.answerChallenge(AnswerChallenge(id: left.id, agreed: true, pause: nil)), asked)
        rooms.settle()
        #expect(rooms.links(.left).count == 1 && rooms.links(.right).count == 1)
    }

    @Test("L04-S declined, taken back, unanswered: both rooms know, and a host who wants quiet has it")
    func notAccepted() throws {
        var rooms = try TwoRooms()
        try rooms.challenge()
        rooms.settle()
        try rooms.run(
            .answerChallenge(
                AnswerChallenge(id: try #require(rooms.right.state.links.challenge?.id), agreed: false, pause: .host)),
            .right
        )
        rooms.settle()
        #expect(rooms.left.state.links.challenge == nil && rooms.right.state.links.challenge == nil)
        #expect(rooms.refusal(.challenge(ChallengeHost(.number(2), nil)), .left) == .challengeRefused)
        rooms.wait(180_000)
        try rooms.challenge()
        try rooms.run(.cancelChallenge, .left)
        rooms.settle()
        #expect(rooms.right.state.links.challenge == nil)
        #expect(
            rooms.refusal(.challenge(ChallengeHost(.number(2), nil)), .left) == .tooFrequent,
            "it would ring all the time")
        try rooms.challenge()
        rooms.settle()
        rooms.wait(15_000)
        rooms.settle()
        #expect(rooms.left.state.links.challenge == nil && rooms.right.state.links.challenge == nil)
        #expect(
            rooms.refusal(.answerChallenge(AnswerChallenge(id: "1", agreed: true, pause: nil)), .right)
                == .challengeGone)
        try rooms.challenge()
        rooms.settle()
        try rooms.run(
            .answerChallenge(
                AnswerChallenge(id: try #require(rooms.right.state.links.challenge?.id), agreed: false, pause: .all)),
            .right)
        rooms.settle()
        #expect(rooms.right.state.readiness == .paused)
        // Whoever asks others is to be asked again.
        try rooms.challenge(.right)
        #expect(rooms.right.state.readiness == .challenged && rooms.right.state.links.pauses.isEmpty)
    }

    @Test("L04-S an answer that crosses with a withdrawal leaves no room linked alone")
    func lateAnswer() throws {
        var rooms = try TwoRooms()
        try rooms.challenge()
        rooms.settle()
        try rooms.run(
            .answerChallenge(
                AnswerChallenge(id: try #require(rooms.right.state.links.challenge?.id), agreed: true, pause: nil)),
            .right)
        try rooms.run(.cancelChallenge, .left)
        rooms.settle()
        #expect(rooms.links(.left).isEmpty && rooms.links(.right).isEmpty)
        #expect(rooms.match(.left) == nil && rooms.match(.right) == nil)
    }

    @Test("L04-S the host is alone on stage and on the first seat; nobody comes on stage while a link lasts")
    func stage() throws {
        var rooms = try TwoRooms()
        try rooms.right.run(.takeSeat(TakeSeat(1)), by: .member)
        try rooms.challenge()
        rooms.settle()
        #expect(rooms.left.state.links.challenge == nil && rooms.right.state.links.challenge == nil, "busy")
        #expect(rooms.refusal(.challenge(ChallengeHost(.number(1), nil)), .right) == .peopleOnStage)
        try rooms.right.run(.leaveSeat, by: .member)
        try rooms.begin()
        for side in TwoRooms.Side.allCases {
            #expect(rooms[side].refusal(.takeSeat(TakeSeat(1)), by: .member) == .inPK)
            #expect(rooms[side].refusal(.pickSeat(PickSeat(1, .member)), by: rooms.host(side)) == .inPK)
            let draft = InvitationDraft(to: rooms.host(side), command: "stage")
            #expect(rooms[side].refusal(.sendInvitation(draft), by: .member) == .inPK)
        }
        try rooms.run(.moveSeat(MoveSeat(2)), .left)
        rooms.settle()
        #expect(rooms.links(.right).isEmpty, "the host has left the first seat")
        #expect(rooms.refusal(.challenge(ChallengeHost(.number(2), nil)), .left) == .hostOffStage)
    }

    @Test("L04-S nobody but the host challenges; terms have bounds; other kinds of rooms and the own one are refused")
    func refusals() throws {
        var rooms = try TwoRooms()
        let right = RoomID.number(2)
        #expect(rooms.refusal(.challenge(ChallengeHost(right, nil)), .left, by: .member) == .permissionDenied)
        for terms in [
            PKTerms(seconds: 59), PKTerms(seconds: 601), PKTerms(seconds: 60, forfeitSeconds: 181),
            PKTerms(seconds: 60, forfeitSeconds: -1),
            PKTerms(seconds: 60, forfeit: String(repeating: "x", count: 61)),
        ] { #expect(rooms.refusal(.challenge(ChallengeHost(right, terms)), .left) == .invalidParams) }
        #expect(rooms.refusal(.challenge(ChallengeHost(.number(1), nil)), .left) == .invalidParams)
        #expect(rooms.left.refusal(.quitPK(QuitPK(link: nil)), by: .owner) == .notLinked)
        rooms.left.target = nil
        #expect(rooms.left.refusal(.challenge(ChallengeHost(.number(3), nil)), by: .owner) == .roomNotFound)
        rooms.left.target = Stage().state.info(memberCount: 1, speaking: false)
        #expect(rooms.left.refusal(.challenge(ChallengeHost(.number(3), nil)), by: .owner) == .notLive)
        try rooms.challenge()
        #expect(rooms.refusal(.challenge(ChallengeHost(right, nil)), .left) == .challengePending)
    }

    @Test("L04-S a link without a PK, then a PK on it, then another one: the link stays the same")
    func again() throws {
        var rooms = try TwoRooms()
        try rooms.challenge(.left, nil)
        rooms.settle()
        try rooms.run(
            .answerChallenge(
                AnswerChallenge(id: try #require(rooms.right.state.links.challenge?.id), agreed: true, pause: nil)),
            .right)
        rooms.settle()
        let link = try #require(rooms.links(.left).first)
        #expect(rooms.match(.left) == nil && rooms.left.state.readiness == .linked)
        try rooms.run(.muteLink(MuteLink(link.id, muted: true)), .left)
        #expect(rooms.links(.left)[0].muted && !rooms.links(.right)[0].muted)
        // The other side asks this time; the room that made the link still sets the time.
        for asking in [TwoRooms.Side.right, .left] {
            try rooms.challenge(asking, PKTerms(seconds: 60))
            rooms.settle()
            let id = try #require(rooms[asking.other].state.links.challenge?.id)
            try rooms.run(.answerChallenge(AnswerChallenge(id: id, agreed: true, pause: nil)), asking.other)
            rooms.settle()
            for side in TwoRooms.Side.allCases { try rooms.run(.readyForPK, side) }
            rooms.settle()
            #expect(rooms.match(.left)?.phase == .running && rooms.match(.right)?.phase == .running)
            rooms.wait(63_000)
            rooms.settle()
            #expect(rooms.match(.left)?.result == PKResult(.draw, .time))
            #expect(rooms.match(.right)?.result == PKResult(.draw, .time))
            #expect(rooms.links(.left).map(\.id) == [link.id])
        }
    }

    @Test("L04-S three other rooms at most; points only between two")
    func three() throws {
        var hub = Stage(kind: .live, seats: 4, room: .number(9))
        try hub.run(.takeSeat(TakeSeat(0)), by: .owner)
        var others = [RoomID.number(1), .number(2), .number(3), .number(4)].map { room in
            var stage = Stage(kind: .live, seats: 4, room: room, owner: UserID(literal: "host-\(room)"))
            _ = stage.refusal(.takeSeat(TakeSeat(0)), by: stage.state.owner.id)
            return stage
        }
        for index in others.indices {
            hub.target = others[index].state.info(memberCount: 1, speaking: false)
            guard index < 3 else {
                #expect(hub.refusal(.challenge(ChallengeHost(others[index].state.room, nil)), by: .owner) == .linksFull)
                continue
            }
            if index > 0 {
                #expect(
                    hub.refusal(.challenge(ChallengeHost(others[index].state.room, PKTerms(seconds: 60))), by: .owner)
                        == .linksFull)
            }
            hub.now += RoomLimits.challengeIntervalMs
            try hub.run(.challenge(ChallengeHost(others[index].state.room, nil)), by: .owner)
            let letter = try #require(hub.state.links.mail.outbox.last)
            others[index].serve(.letter(letter, from: .number(9)))
            let id = try #require(others[index].state.links.challenge?.id)
            try others[index].run(
                .answerChallenge(AnswerChallenge(id: id, agreed: true, pause: nil)), by: others[index].state.owner.id)
            hub.serve(.letter(try #require(others[index].state.links.mail.outbox.last), from: others[index].state.room))
        }
        #expect(hub.state.links.pk.links.map(\.place) == [0, 1, 2])
    }

    @Test("L04-S strangers' challenges do not make a room forget how far it is with the one it is linked to")
    func manyChallenges() throws {
        var rooms = try TwoRooms()
        try rooms.begin()
        let link = rooms.links(.right)[0]
        let heard = rooms.right.state.links.mail.heard(in: link.id)
        for stranger in 0..<100 {
            let letter = RoomLetter(
                session: "s\(stranger)", step: 1, to: .number(2),
                content: .challenge(host: .named(.other), terms: nil, expiresAt: rooms.now + 15_000))
            rooms.right.serve(.letter(letter, from: .number(77)))
            rooms.right.serve(.delivered(session: letter.session, step: 1))
        }
        #expect(rooms.right.state.links.mail.heard(in: link.id) == heard)
        #expect(rooms.right.state.links.mail.sessions.count <= 33)
        try rooms.run(.quitPK(QuitPK(link: nil)), .right)
        rooms.settle()
        #expect(rooms.match(.left)?.result == PKResult(.won, .quit))
    }
}
