import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

@Suite struct InvitationRulesTests {
    private func request(_ id: String, to user: UserID = .owner, timeout: Int = 0) -> RoomCommand {
        .sendInvitation(
            InvitationDraft(to: user, command: "ENTER_SEAT", content: id, timeoutSeconds: timeout, id: id))
    }

    @Test("V10-S invitations go both ways, with any command word, and each can be accepted, rejected or cancelled")
    func bothWays() throws {
        for (from, to) in [(UserID.member, UserID.owner), (.owner, .member), (.member, .other)] {
            var stage = Stage()
            stage.enter(.member, .other)
            for (id, end, by) in [
                ("a", RoomCommand.acceptInvitation(AcceptInvitation(id: "a")), to),
                ("b", .rejectInvitation(RejectInvitation(id: "b", reason: "later")), to),
                ("c", .cancelInvitation(CancelInvitation(id: "c")), from),
            ] {
                try stage.run(request(id, to: to), by: from)
                #expect(stage.refusal(end, by: by == from ? to : from) == .invitationDenied)
                try stage.run(end, by: by)
                #expect(stage.refusal(end, by: by) == .invitationNotFound)
            }
            #expect(stage.state.invitations.waiting.isEmpty)
        }
    }

    @Test("V10-S who asks is told the place in the queue") func position() throws {
        var stage = Stage()
        stage.enter(.member, .other, .admin)
        #expect(try stage.run(request("a"), by: .member).result == .invited(id: "a", position: 1))
        #expect(try stage.run(request("b"), by: .other).result == .invited(id: "b", position: 2))
        #expect(try stage.run(request("c", to: .other), by: .admin).result == .invited(id: "c", position: 1))
        try stage.run(.acceptInvitation(AcceptInvitation(id: "a")), by: .owner)
        #expect(try stage.run(request("d"), by: .admin).result == .invited(id: "d", position: 2))
    }

    @Test("V10-S an invitation waits for ever unless it has a timeout, and then expires once") func timeout() throws {
        var stage = Stage()
        stage.enter(.member)
        try stage.run(request("patient"), by: .member)
        try stage.run(request("hasty", timeout: 30), by: .member)
        #expect(stage.state.invitations.waiting.map(\.expiresAt) == [nil, stage.now + 30_000])
        #expect(stage.serve(.invitationTimedOut(id: "patient")).events.isEmpty)
        #expect(
            stage.serve(.invitationTimedOut(id: "hasty")).events
                == [.invitationSettled(.init(id: "hasty", .expired, reason: nil))])
        #expect(stage.serve(.invitationTimedOut(id: "hasty")).events.isEmpty)
        #expect(stage.refusal(.acceptInvitation(AcceptInvitation(id: "hasty")), by: .owner) == .invitationNotFound)
        for timeout in [-1, 3_601, .max, .min] {
            #expect(stage.refusal(request("x", timeout: timeout), by: .member) == .invalidParams)
        }
    }

    @Test("V10-S the server's ids and the clients' never meet, and the same request does not wait twice") func ids()
        throws
    {
        var stage = Stage()
        stage.enter(.member, .other)
        func anonymous(_ content: String) -> RoomCommand {
            .sendInvitation(InvitationDraft(to: .owner, command: "ENTER_SEAT", content: content))
        }
        try stage.run(request("invitation-3"), by: .other)
        guard case .invited(let id, _) = try stage.run(anonymous("1"), by: .member).result else { return }
        #expect(id != "invitation-3")
        #expect(stage.refusal(anonymous("1"), by: .member) == .invitationExists)
        #expect(stage.refusal(request("invitation-3"), by: .member) == .invitationExists)
        try stage.run(anonymous("2"), by: .member)
        #expect(Set(stage.state.invitations.waiting.map(\.id)).count == 3)
    }

    @Test("V10-S sizes are limited, and so is how many wait") func limits() throws {
        var stage = Stage()
        stage.enter(.member)
        func draft(_ command: String, _ content: String = "", to user: UserID = .owner, id: String? = nil)
            -> RoomCommand
        {
            .sendInvitation(InvitationDraft(to: user, command: command, content: content, id: id))
        }
        #expect(stage.refusal(draft(""), by: .member) == .invalidParams)
        #expect(stage.refusal(draft(String(repeating: "c", count: 65)), by: .member) == .invalidParams)
        #expect(stage.refusal(draft("c", String(repeating: "é", count: 2_049)), by: .member) == .invalidParams)
        #expect(stage.refusal(draft("c", to: .member), by: .member) == .invalidParams)
        #expect(stage.refusal(draft("c", to: .other), by: .member) == .userNotInRoom)
        // An id is kept with the room: it is no place for a sentence.
        for id in ["\u{7}", "a b", "", "é", String(repeating: "i", count: 65)] {
            #expect(stage.refusal(draft("c", id: id), by: .member) == .invalidParams)
        }
        for number in 0..<RoomLimits.invitationsPerPerson { try stage.run(request("i\(number)"), by: .member) }
        #expect(stage.refusal(request("one-too-many"), by: .member) == .rateLimited)
    }

    @Test("L03-S a few words go with a request: 60 characters that people can see") func words() throws {
        var stage = Stage()
        stage.enter(.member)
        func draft(_ words: String) -> RoomCommand {
            .sendInvitation(InvitationDraft(to: .owner, command: "ENTER_SEAT", content: words, words: words))
        }
        for words in [String(repeating: "가", count: 61), "a\u{202E}b", "\u{7}", "\u{200B}"] {
            #expect(stage.refusal(draft(words), by: .member) == .invalidParams, "\(words.debugDescription)")
        }
        try stage.run(draft(String(repeating: "가", count: 60)), by: .member)
        try stage.run(draft(""), by: .member)
        #expect(stage.state.invitations.waiting.map(\.words) == [String(repeating: "가", count: 60), nil])
    }

    @Test("L03-S a still goes with a request to the host of a live room, and with nothing else") func still() throws {
        let still = try StillPicture(jpeg: TestJPEG.bytes())
        var stage = Stage(kind: .live, seats: 3)
        stage.enter(.member, .other)
        func draft(to user: UserID) -> RoomCommand {
            .sendInvitation(InvitationDraft(to: user, command: "ENTER_SEAT", still: still, id: "x"))
        }
        #expect(stage.refusal(draft(to: .other), by: .member) == .invalidParams)
        try stage.run(draft(to: .owner), by: .member)
        #expect(stage.state.invitations.waiting.map(\.hasStill) == [true])
        var salon = Stage()
        salon.enter(.member)
        #expect(salon.refusal(draft(to: .owner), by: .member) == .notLive)
    }

    @Test("V21-S with consent wanted, sitting down needs an accepted invitation with the owner or an admin, either way")
    func consent() throws {
        for (from, to, by, opens) in [
            (UserID.member, UserID.owner, UserID.owner, true), (.member, .owner, .admin, true),
            (.member, .admin, .admin, true), (.owner, .member, .member, true), (.admin, .member, .member, true),
            (.other, .member, .member, false), (.member, .other, .other, false), (.admin, .owner, .owner, false),
        ] {
            var stage = Stage(needsRequest: true)
            stage.enter(.member, .other, .admin)
            try stage.run(.setRole(SetRole(.admin, .admin)), by: .owner)
            #expect(stage.refusal(.takeSeat(TakeSeat(1)), by: .member) == .consentRequired)
            let draft = InvitationDraft(to: to, command: "any word at all", id: "x")
            try stage.run(.sendInvitation(draft), by: from)
            #expect(stage.refusal(.takeSeat(TakeSeat(1)), by: .member) == .consentRequired)
            try stage.run(.acceptInvitation(AcceptInvitation(id: "x")), by: by)
            #expect(
                (stage.refusal(.takeSeat(TakeSeat(1)), by: .member) == nil) == opens,
                "\(from) → \(to), accepted by \(by)")
        }
    }

    @Test("V21-S consent is used up by taking a seat, runs out, and is not given by a rejection") func consentEnds()
        throws
    {
        var stage = Stage(needsRequest: true)
        stage.enter(.member)
        try stage.run(request("a"), by: .member)
        try stage.run(.rejectInvitation(RejectInvitation(id: "a", reason: nil)), by: .owner)
        #expect(stage.refusal(.takeSeat(TakeSeat(1)), by: .member) == .consentRequired)
        try stage.run(request("b"), by: .member)
        try stage.run(.acceptInvitation(AcceptInvitation(id: "b")), by: .owner)
        try stage.run(.takeSeat(TakeSeat(1)), by: .member)
        try stage.run(.leaveSeat, by: .member)
        #expect(stage.refusal(.takeSeat(TakeSeat(1)), by: .member) == .consentRequired)
        try stage.run(request("c"), by: .member)
        try stage.run(.acceptInvitation(AcceptInvitation(id: "c")), by: .owner)
        stage.serve(.consentTimedOut(.member))
        #expect(stage.refusal(.takeSeat(TakeSeat(1)), by: .member) == .consentRequired)
        #expect(stage.serve(.consentTimedOut(.member)).events.isEmpty)
    }

    @Test("V21-S owner and admins need no consent, nor anybody where the application makes it advisory")
    func consentNotNeeded() throws {
        var stage = Stage(needsRequest: true)
        stage.enter(.member, .admin)
        try stage.run(.setRole(SetRole(.admin, .admin)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(0)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(1)), by: .admin)
        stage.policy.consent = .advisory
        try stage.run(.takeSeat(TakeSeat(2)), by: .member)
        try stage.run(.leaveSeat, by: .member)
        stage.policy.consent = .enforced
        #expect(stage.refusal(.takeSeat(TakeSeat(2)), by: .member) == .consentRequired)
        try stage.run(.updateRoom(RoomUpdate(needsRequest: false)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(2)), by: .member)
    }

    @Test("V21-S a room that was created as advisory lets everybody sit down, whatever the application says")
    func advisoryRoom() throws {
        var stage = Stage(needsRequest: true)
        stage.state.details.settings.isAdvisory = true
        stage.enter(.member)
        try stage.run(.takeSeat(TakeSeat(1)), by: .member)
        // Its other settings may change.
        try stage.run(.updateRoom(RoomUpdate(name: "Other", needsRequest: true)), by: .owner)
        #expect(stage.state.details.settings.isAdvisory)
    }

    @Test("V10-S who leaves takes along what they asked and what was asked of them; the owner's requests wait")
    func leaving() throws {
        var stage = Stage()
        stage.enter(.member, .other)
        try stage.run(request("mine"), by: .member)
        try stage.run(request("to-me", to: .member), by: .other)
        try stage.run(request("his"), by: .other)
        let gone = stage.serve(.departed(.member, .exited))
        #expect(
            gone.events == [
                .invitationSettled(.init(id: "mine", .cancelled, reason: nil)),
                .invitationSettled(.init(id: "to-me", .expired, reason: nil)),
            ])
        stage.people[.member] = nil
        #expect(stage.serve(.departed(.owner, .lost)).events.isEmpty)
        stage.people[.owner] = nil
        #expect(stage.state.invitations.waiting.map(\.id) == ["his"])
        stage.enter(.admin)
        #expect(stage.refusal(request("to-the-absent"), by: .admin) == nil)
    }
}
