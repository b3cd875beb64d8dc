import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

@Suite struct PresenceTests {
    private func presences(_ client: Client) -> [PassingNews] {
        client.outbox.passing.filter { if case .presence = $0 { true } else { false } }
    }

    @Test("V19-S a speaker who is lost is shown as reconnecting at once and loses the seat 15 s later")
    func lostSpeaker() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: speaker)
        salon.advance(.seconds(1))
        owner.outbox.drain()
        let until = salon.clock.wallTime.millisecondsSince1970 + 15_000
        salon.lose(speaker)
        #expect(presences(owner) == [.presence(PresenceChanged(.member, .reconnecting, until: until))])
        salon.advance(.milliseconds(14_999))
        #expect(owner.outbox.changes.isEmpty)
        salon.advance(.milliseconds(1))
        salon.advance(.seconds(1))
        guard case .seatLeft(let left) = owner.outbox.changes.last?.what else {
            Issue.record("the seat was not freed")
            return
        }
        #expect(
            (left.seat.index, left.seat.state, left.user.id, left.reason, left.by) == (1, .empty, .member, .lost, nil))
        #expect(owner.outbox.passing.last == .audienceLeft(AudienceLeft(.member, reason: .lost)))
        #expect(speaker.departures.current == [.lost])
        #expect(salon.members(.everyone(limit: 10, cursor: nil), for: owner)?.count == 1)
    }

    @Test("V19-S a speaker who is back in time keeps seat and media path, and is shown as online") func backInTime()
        async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: speaker)
        let path = try salon.core.openMedia(for: speaker.session)
        salon.advance(.seconds(1))
        owner.outbox.drain()
        salon.lose(speaker)
        salon.advance(.seconds(14))
        salon.reconnect(speaker, since: speaker.point)
        salon.advance(.seconds(60))
        #expect(presences(owner).last == .presence(PresenceChanged(.member, .online)))
        #expect(owner.outbox.changes.isEmpty)
        #expect(try salon.core.openMedia(for: speaker.session) == path)
        #expect(!owner.outbox.passing.contains { if case .audienceEntered = $0 { true } else { false } })
    }

    @Test("V03-S a listener who comes, drops for a moment and goes is told of once each way") func listener()
        async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        salon.lose(listener)
        salon.advance(.seconds(10))
        salon.reconnect(listener)
        salon.advance(.seconds(60))
        salon.core.detach(listener.session, from: nil, why: .left)
        salon.settle()
        salon.advance(.seconds(1))
        let told = owner.outbox.passing
        #expect(told.count == 2)
        guard case .audienceEntered(let entry) = told.first else {
            Issue.record("\(told)")
            return
        }
        let member = entry.member
        #expect((member.id, member.role, member.seat, member.micMuted) == (.member, .member, nil, true))
        #expect(told.last == .audienceLeft(AudienceLeft(.member, reason: .left)))
        #expect(listener.departures.current == [.exited])
    }

    @Test("V19-S an absent owner keeps the room for 120 s, then the first admin who is here inherits it")
    func inheritance() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let admin = salon.enter(.admin)
        let member = salon.enter(.member)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(1))
        let until = salon.clock.wallTime.millisecondsSince1970 + 120_000
        salon.submit(.exitRoom, by: owner)
        salon.advance(.seconds(119))
        #expect(member.outbox.passing.contains(.ownerAbsent(OwnerAbsent(until: until, heir: .admin))))
        #expect(member.outbox.changes.last.map { if case .seatLeft = $0.what { true } else { false } } == true)
        salon.advance(.seconds(2))
        #expect(
            member.outbox.changes.suffix(2).map(\.what) == [
                .ownerChanged(OwnerChanged(.named(.admin), reason: .ownerAbsent)),
                .roleChanged(RoleChanged(.owner, .admin, by: nil)),
            ])
        #expect(salon.submit(.destroyRoom, by: admin).current == .success(.done))
    }

    @Test("V19-S the wait for an owner without a seat begins when the room is back after a restart")
    func inheritanceAfterRestart() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let admin = salon.enter(.admin)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.submit(.takeSeat(TakeSeat(1)), by: admin)
        try await salon.crash()
        let back = salon.enter(.admin)
        let until = salon.clock.wallTime.millisecondsSince1970 + 120_000
        #expect(back.snapshot?.ownerAbsentUntil == until)
        salon.advance(.seconds(1))
        #expect(back.outbox.passing.contains(.ownerAbsent(OwnerAbsent(until: until, heir: .admin))))
        salon.advance(.seconds(120))
        #expect(
            back.outbox.changes.map(\.what).first == .ownerChanged(OwnerChanged(.named(.admin), reason: .ownerAbsent)))
    }

    @Test("V19-S what else ends by itself meanwhile does not end the wait for the owner, and the heir's coming does")
    func otherEndsMeanwhile() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let admin = salon.enter(.admin)
        let member = salon.enter(.member)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.submit(.exitRoom, by: owner)
        salon.submit(
            .sendInvitation(InvitationDraft(to: .admin, command: "C", timeoutSeconds: 30, id: "i")), by: member)
        salon.advance(.seconds(60))
        #expect(member.outbox.invitations.last?.invitation.state == .expired)
        #expect(salon.enter(.other).snapshot?.ownerAbsentUntil != nil)
        salon.advance(.seconds(61))
        #expect(salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: admin).current == .success(.done))
        let late = salon.enter(.other).snapshot
        #expect(late?.info.owner.id == .admin && late?.ownerAbsentUntil == nil && late?.heir == nil)
    }

    @Test("V19-S how long a seat and a room wait is the operator's: with other times it is those") func otherTimes()
        async throws
    {
        let salon = try await Salon()
        salon.policy.set(RoomPolicy(seatGraceSeconds: 3, ownerAbsenceSeconds: 40))
        let owner = salon.create()
        let speaker = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: speaker)
        salon.advance(.seconds(1))
        salon.lose(speaker)
        salon.advance(.milliseconds(2_999))
        func isFreed() -> Bool { owner.outbox.changes.contains { if case .seatLeft = $0.what { true } else { false } } }
        #expect(!isFreed())
        salon.advance(.milliseconds(2))
        #expect(isFreed())
        salon.submit(.exitRoom, by: owner)
        salon.advance(.milliseconds(39_999))
        #expect(!salon.core.isOver)
        salon.advance(.milliseconds(2))
        #expect(salon.core.isOver)
    }

    @Test("V19-S an owner who is back in time keeps the room") func ownerBack() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.lose(owner)
        salon.advance(.seconds(14))
        #expect(!member.outbox.passing.contains { if case .ownerAbsent = $0 { true } else { false } })
        salon.advance(.seconds(100))
        #expect(salon.enter(.other).snapshot?.ownerAbsentUntil != nil)
        let back = salon.enter(.owner)
        salon.advance(.seconds(600))
        #expect(member.outbox.passing.contains(.ownerBack(OwnerBack())))
        #expect(back.snapshot?.ownerAbsentUntil == nil)
        #expect(!salon.core.isOver)
        #expect(back.snapshot?.me.role == .owner)
    }

    @Test("V19-S an owner whose time runs out while the room is being read is waited for anew, and then no more")
    func timeOverWhileLoading() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.exitRoom, by: owner)
        salon.journal.fail()
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        #expect(salon.reloadWanted.current)
        salon.advance(.seconds(121))
        salon.journal.heal()
        try await salon.load()
        #expect(!salon.core.isOver)
        let until = salon.clock.wallTime.millisecondsSince1970 + 120_000
        #expect(salon.enter(.other).snapshot?.ownerAbsentUntil == until)
        salon.advance(.seconds(121))
        #expect(salon.core.isOver)
    }

    @Test("V19-S with no admin there the room ends for everybody") func noHeir() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.exitRoom, by: owner)
        salon.advance(.seconds(121))
        guard case .ended(let end) = member.outbox.changes.last?.what else {
            Issue.record("the room did not end")
            return
        }
        #expect(end.reason == .ownerAbsent)
        #expect(end.summary.peak == 2)
        #expect(member.departures.current == [.ended])
        #expect(salon.core.isOver && salon.hasEnded.current)
        #expect(try await salon.journal.openRooms() == [])
    }

    @Test("the heir who is shown is the one who would inherit now") func heirChanges() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let (first, second) = (salon.enter(.admin), salon.enter(.other))
        let member = salon.enter(.member)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.submit(.setRole(SetRole(.other, .admin)), by: owner)
        salon.submit(.exitRoom, by: owner)
        salon.submit(.exitRoom, by: first)
        salon.lose(second)
        salon.advance(.seconds(1))
        let heirs = member.outbox.passing.compactMap { news -> UserID?? in
            if case .ownerAbsent(let absence) = news { .some(absence.heir) } else { nil }
        }
        #expect(heirs == [.admin, .other, nil])
        // Also to whoever comes later.
        let late = try #require(salon.enter(UserID(literal: "late")).snapshot)
        #expect(late.ownerAbsentUntil != nil && late.heir == nil)
    }

    @Test("V19-S after a restart seats are kept while their people come back, and the clocks begin anew")
    func afterARestart() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.takeSeat(TakeSeat(1)), by: speaker)
        salon.lose(speaker)
        salon.advance(.seconds(14))
        try await salon.crash()
        salon.advance(.seconds(14))
        let back = salon.enter(.owner)
        #expect(back.snapshot?.seats.prefix(2).map(\.presence) == [.online, .reconnecting])
        #expect(back.snapshot?.memberCount == 2)
        salon.advance(.seconds(2))
        #expect(back.outbox.changes.count == 1, "the speaker's seat is freed, the owner's is not")
        #expect(salon.enter(.other).snapshot?.seats.prefix(2).map(\.user) == [.owner, nil])
    }

    @Test("V10-S V21-S invitations and consent run out by themselves, also over a restart") func timers() async throws {
        let salon = try await Salon()
        let owner = salon.create(needsRequest: true)
        let member = salon.enter(.member)
        func ask(_ id: String, _ timeout: Int = 0) {
            salon.submit(
                .sendInvitation(
                    InvitationDraft(to: .owner, command: "C", content: id, timeoutSeconds: timeout, id: id)), by: member
            )
        }
        ask("patient")
        ask("hasty", 30)
        salon.advance(.seconds(29))
        #expect(owner.outbox.invitations.map(\.invitation.state) == [.waiting, .waiting])
        salon.advance(.seconds(2))
        #expect(member.outbox.invitations.map(\.invitation.state) == [.expired])
        #expect(owner.outbox.invitations.last?.invitation.id == "hasty")
        ask("kept", 30)
        salon.submit(.acceptInvitation(AcceptInvitation(id: "patient")), by: owner)
        salon.advance(.seconds(20))
        try await salon.crash()
        let (ownerAgain, again) = (salon.enter(.owner), salon.enter(.member))
        salon.advance(.seconds(9))
        #expect(ownerAgain.outbox.invitations.isEmpty)
        salon.advance(.seconds(2))
        #expect(again.outbox.invitations.map(\.invitation.state) == [.expired])
        salon.advance(.seconds(28))
        #expect(salon.submit(.takeSeat(TakeSeat(3)), by: again).current == .success(.done), "59 s after consent")
        salon.submit(.leaveSeat, by: again)
        #expect(salon.refusal(.takeSeat(TakeSeat(3)), by: again) == .consentRequired)
    }

    @Test("V21-S consent lasts 60 s and no longer, also over a restart", arguments: [false, true])
    func consentLapses(isRestarted: Bool) async throws {
        for (wait, seated) in [(39, true), (41, false)] {
            let salon = try await Salon()
            let owner = salon.create(needsRequest: true)
            var member = salon.enter(.member)
            salon.submit(.sendInvitation(InvitationDraft(to: .member, command: "C", id: "i")), by: owner)
            salon.submit(.acceptInvitation(AcceptInvitation(id: "i")), by: member)
            salon.advance(.seconds(20))
            if isRestarted {
                try await salon.crash()
                _ = salon.enter(.owner)
                member = salon.enter(.member)
            }
            salon.advance(.seconds(Int64(wait)))
            #expect((salon.submit(.takeSeat(TakeSeat(3)), by: member).current == .success(.done)) == seated)
        }
    }

    @Test(
        "V10-S each hears what concerns them: the invitee, the admins of a request to the owner, the inviter of the answer"
    )
    func whoHears() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let (admin, member, other) = (salon.enter(.admin), salon.enter(.member), salon.enter(.other))
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "C", id: "hand")), by: member)
        salon.submit(.sendInvitation(InvitationDraft(to: .other, command: "C", id: "private")), by: owner)
        salon.submit(.rejectInvitation(RejectInvitation(id: "hand", reason: "later")), by: admin)
        salon.advance(.seconds(1))
        func heard(_ client: Client) -> [String] {
            client.outbox.invitations.map { "\($0.invitation.id) \($0.invitation.state) \($0.by?.rawValue ?? "-")" }
        }
        #expect(heard(owner) == ["hand waiting mia", "hand rejected adam"])
        #expect(heard(admin) == ["hand waiting mia", "hand rejected adam"])
        #expect(heard(member) == ["hand rejected adam"])
        #expect(member.outbox.invitations.last?.invitation.reason == "later")
        #expect(heard(other) == ["private waiting olga"])
    }

    @Test("a person with two sessions keeps the seat when one of them goes") func twoSessions() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let phone = salon.enter(.member)
        let laptop = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: phone)
        salon.advance(.seconds(1))
        _ = owner.outbox.drain()
        salon.submit(.exitRoom, by: phone)
        salon.advance(.seconds(60))
        #expect(phone.departures.current == [.exited] && laptop.departures.current.isEmpty)
        // To the others nothing has happened: the person is here, on the seat.
        #expect(owner.outbox.drain().isEmpty)
        let seat = try #require(salon.enter(.other).snapshot?.seats[1])
        #expect(seat.user == .member && seat.presence == .online)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text("from the phone"))), by: phone) == .notInRoom)
        #expect(salon.submit(.leaveSeat, by: laptop).current == .success(.done))
        salon.submit(.exitRoom, by: laptop)
        salon.advance(.seconds(1))
        #expect(laptop.departures.current == [.exited])
        #expect(owner.outbox.passing.filter { $0 == .audienceLeft(AudienceLeft(.member, reason: .left)) }.count == 1)
    }

    @Test("in a big room people are counted instead of named, once a second at most") func bigRoom() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        for number in 0..<300 { _ = salon.enter(UserID(literal: "u\(number)")) }
        salon.advance(.seconds(2))
        let entered = owner.outbox.passing.count { if case .audienceEntered = $0 { true } else { false } }
        let counts = owner.outbox.passing.compactMap {
            if case .count(let count) = $0 { count.memberCount } else { nil }
        }
        #expect(entered == 199)
        #expect(counts == [301])
    }

    @Test("A05-S everybody can be listed, page by page in the order of arrival, or by name in the order of the request")
    func members() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let names = (0..<25).map { UserID(literal: "u\($0)") }
        let clients = names.map { salon.enter($0) }
        salon.submit(.exitRoom, by: clients[3])
        salon.advance(.seconds(1))
        var seen: [UserID] = []
        var cursor: String?
        repeat {
            let page = try #require(salon.members(.everyone(limit: 7, cursor: cursor), for: owner))
            #expect(page.count == 25)
            seen += page.members.map(\.id)
            cursor = page.cursor
        } while cursor != nil
        #expect(seen == [.owner] + names.filter { $0 != names[3] })
        let asked = [names[9], names[3], .owner, names[0]]
        #expect(salon.members(.users(asked), for: owner)?.members.map(\.id) == [names[9], .owner, names[0]])
        #expect(salon.members(.everyone(limit: 7, cursor: "nonsense"), for: owner) == nil)
    }

    @Test("who exits before the entry is answered is still told to be out") func exitBeforeTheAnswer() async throws {
        let salon = try await Salon(.manual)
        let owner = salon.create()
        salon.submit(.exitRoom, by: owner)
        #expect(owner.entries.current.isEmpty && owner.departures.current.isEmpty)
        salon.commit()
        #expect(owner.entries.current.count == 1)
        #expect(owner.departures.current == [.exited])
    }

    @Test("a full room refuses newcomers, not those who are in it") func full() async throws {
        let salon = try await Salon()
        _ = salon.create()
        salon.policy.set(RoomPolicy(maxMembers: 2))
        let member = salon.enter(.member)
        #expect(salon.enter(.other).entries.current == [.failure(RoomError(.roomFull))])
        salon.reconnect(member)
        #expect(member.snapshot?.memberCount == 2)
    }

    @Test("A04-S a changed name is seen in lists and messages from then on") func profile() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.core.setProfile(UserProfile(id: .owner, name: "New"), of: owner.session)
        salon.submit(.sendMessage(MessageDraft(.text("x"))), by: owner)
        salon.advance(.seconds(1))
        #expect(owner.outbox.messages.last?.from.name == "New")
        #expect(salon.members(.users([.owner]), for: owner)?.members.first?.name == "New")
    }

    @Test(
        "V19-S a speaker whose way was lost and then closed is shown as online again, without anything else happening")
    func closedAfterLoss() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: speaker)
        let path = try salon.core.openMedia(for: speaker.session)
        salon.core.hear(.lost(path.stage, path.peer))
        salon.advance(.seconds(1))
        #expect(presences(owner).last == .presence(PresenceChanged(.member, .reconnecting)))
        salon.core.closeMedia(for: speaker.session)
        salon.advance(.seconds(1))
        #expect(presences(owner).last == .presence(PresenceChanged(.member, .online)))
    }
}
