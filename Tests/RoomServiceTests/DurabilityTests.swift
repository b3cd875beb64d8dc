import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

@Suite struct DurabilityTests {
    @Test("a failed commit fails what waits for it with unavailable, and the room goes on in a new epoch")
    func failedCommit() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.journal.setMode(.manual)
        let first = salon.submit(.takeSeat(TakeSeat(1)), by: member)
        salon.commit()
        salon.journal.fail(.full)
        let lost = salon.submit(.leaveSeat, by: member)
        let refusedOnIt = salon.submit(.muteSeat(MuteSeat(7, muted: false)), by: owner)
        let chat = salon.submit(.sendMessage(MessageDraft(.text("x"))), by: member)
        salon.commit()
        #expect(first.current == .success(.done))
        for answer in [lost, refusedOnIt, chat] {
            guard case .failure(let error) = answer.current else {
                Issue.record("not failed: \(String(describing: answer.current))")
                continue
            }
            #expect(error.code == .unavailable)
            #expect(error.retryAfterMs != nil)
        }
        #expect(salon.logged.current == [.journalFailed(salon.key, .full)])
        #expect(salon.refusal(.leaveSeat, by: member) == .unavailable, "the journal is not read yet")
        salon.journal.heal()
        #expect(salon.reloadWanted.current)
        try await salon.load()
        salon.journal.setMode(.automatic)
        salon.advance(.seconds(1))
        #expect(member.outbox.changes.map(\.seq) == [2, 3])
        #expect(member.outbox.messages.isEmpty)
        #expect(salon.submit(.leaveSeat, by: member).current == .success(.done), "attached people stay attached")
        salon.advance(.seconds(20))
        #expect(member.outbox.changes.map(\.seq) == [2, 3, 4])
        #expect(owner.departures.current.isEmpty && member.departures.current.isEmpty)
    }

    @Test("V19-S whoever is away while the journal is mended has the whole grace time afterwards, and no more")
    func graceAfterReload() async throws {
        for mendedAfter in [4, 12] {
            let salon = try await Salon()
            let owner = salon.create()
            let speaker = salon.enter(.member)
            salon.submit(.takeSeat(TakeSeat(1)), by: speaker)
            salon.lose(speaker)
            salon.advance(.seconds(10))
            salon.journal.fail(.full)
            salon.submit(.takeSeat(TakeSeat(0)), by: owner)
            #expect(salon.reloadWanted.current)
            // The former clock runs out 15 s after the loss: in the second round while the room is closed.
            salon.advance(.seconds(Int64(mendedAfter)))
            salon.journal.heal()
            try await salon.load()
            salon.advance(.milliseconds(14_999))
            #expect(salon.core.state.seats[1].occupant?.profile.id == .member)
            salon.advance(.milliseconds(1))
            #expect(salon.core.state.seats[1].occupant == nil)
            #expect(speaker.departures.current == [.lost])
        }
    }

    /// A disk that stores what a command brings and then says that it has failed.
    private func lose(_ salon: Salon, _ command: RoomCommand, by client: Client) async throws {
        salon.journal.fail(storing: true, times: 1)
        #expect(salon.refusal(command, by: client) == .unavailable)
        try await salon.load()
        salon.advance(.seconds(1))
    }

    @Test("what was in doubt when the journal failed, and turns out to be stored, is told") func inDoubt() async throws
    {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(1))
        try await lose(salon, .leaveSeat, by: owner)
        #expect(owner.outbox.changes.map(\.seq) == [2, 3])
    }

    @Test("V10-S G06-S what was in doubt reaches those whom alone it concerns, in the room and elsewhere")
    func privateInDoubt() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        func invitations(_ client: Client) -> [String] {
            client.outbox.heard.compactMap {
                guard case .news(.invitation(let news), _) = $0 else { return nil }
                return "\(news.invitation.id) \(news.invitation.state)"
            }
        }
        try await lose(
            salon, .sendInvitation(InvitationDraft(to: .owner, command: "ENTER_SEAT", id: "hand")), by: member)
        #expect(invitations(owner) == ["hand waiting"])
        try await lose(salon, .rejectInvitation(RejectInvitation(id: "hand", reason: nil)), by: owner)
        #expect(invitations(member) == ["hand rejected"])
        try await lose(salon, mute(.member, 60), by: owner)
        #expect(heard(member).map(\.restriction.kind) == [.chatMute])
        salon.reach.set(.there, for: .other)
        try await lose(
            salon,
            .sendInvitation(
                InvitationDraft(to: .other, command: "PICK_SEAT", content: "1", timeoutSeconds: 60, id: "call")),
            by: owner)
        #expect(salon.reach.told.map(\.news.invitation.id) == ["call"])
        #expect(invitations(owner).count == 2, "nobody hears anything twice: \(invitations(owner))")
    }

    @Test("V02-S a room whose end was in doubt, and turns out to be stored, ends for everybody, once")
    func endInDoubt() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.advance(.seconds(1))
        member.notesDepartures.set(true)
        try await lose(salon, .destroyRoom, by: owner)
        #expect(salon.core.isOver && salon.hasEnded.current)
        for client in [owner, member] {
            #expect(client.departures.current == [.ended] && client.outbox.changes.count == 1)
        }
        #expect(member.outbox.heard.suffix(2).first == .answer("departed"), "free before the news says so")
    }

    @Test("a crash takes back only what nobody was told; seats, roles, chat, likes and invitations are there again")
    func crash() async throws {
        let salon = try await Salon()
        let owner = salon.create(needsRequest: true)
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.setRole(SetRole(.member, .admin)), by: owner)
        salon.submit(.sendMessage(MessageDraft(.text("kept"))), by: member)
        salon.submit(.sendLikes(SendLikes(7)), by: member)
        salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "C", id: "i")), by: member)
        salon.journal.setMode(.manual)
        let told = salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        let like = salon.submit(.sendLikes(SendLikes(50)), by: member)
        #expect(told.current == nil && like.current == nil)
        try await salon.crash()
        salon.journal.setMode(.automatic)
        let back = salon.enter(.owner)
        let snapshot = try #require(back.snapshot)
        #expect(snapshot.seats[0].user == .owner)
        #expect(!snapshot.seats[0].muted)
        #expect(snapshot.messages.map(\.body) == [.text("kept")])
        #expect(snapshot.likes == 7)
        #expect(snapshot.invitations.map(\.id) == ["i"])
        #expect(snapshot.epoch == 2)
        let admin = salon.enter(.member)
        #expect(admin.snapshot?.me.role == .admin)
    }

    @Test("a room that has just been loaded stores its first snapshot after twice the entries that one spares")
    func firstSnapshot() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        for _ in 0..<10 { salon.submit(.sendLikes(SendLikes(1)), by: owner) }
        try await salon.crash()
        let back = salon.client(.owner)
        salon.attach(back)
        salon.aside.hold()
        var number = 0
        func close(_ count: Int) {
            for _ in 0..<count {
                number += 1
                salon.submit(.closeSeat(CloseSeat(5, closed: number % 2 == 0)), by: back)
            }
        }
        close(2 * 256 - 10)
        #expect(salon.aside.count == 0)
        close(20)
        #expect(salon.aside.count == 1)
    }

    @Test("a room is rebuilt from its snapshot and the entries after it as from all entries")
    func snapshots() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, needsRequest: true)
        let admin = salon.enter(.admin)
        let member = salon.enter(.member)
        let other = salon.enter(.other)
        let song = Song(id: "s", title: "Song", durationMs: 60_000, accompaniment: "/songs/s/accompaniment.m4a")
        // Something of everything that a room knows, all of it before the snapshot.
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        salon.submit(.updateRoom(RoomUpdate(name: "Renamed", cover: "/a.png", tags: ["jazz"])), by: owner)
        salon.submit(.pickSeat(PickSeat(1, .member)), by: owner)
        salon.submit(.takeSeat(TakeSeat(2)), by: admin)
        salon.submit(.setMicrophone(SetMicrophone(muted: true)), by: member)
        salon.submit(.closeSeat(CloseSeat(5, closed: true)), by: owner)
        salon.submit(.muteSeat(MuteSeat(6, muted: true)), by: owner)
        salon.submit(.sendInvitation(InvitationDraft(to: .owner, command: "ENTER_SEAT", id: "asked")), by: other)
        salon.submit(.acceptInvitation(AcceptInvitation(id: "asked")), by: owner)
        salon.submit(.sendInvitation(InvitationDraft(to: .other, command: "SING", content: "?", id: "w")), by: member)
        salon.submit(.startSong(SongDraft(song: song)), by: member)
        salon.submit(.setDuetMode(SetDuetMode(.leadFollow, leader: .member)), by: owner)
        salon.submit(.sendLikes(SendLikes(17)), by: other)
        salon.policy.update { $0.messages = .unlimited }
        salon.submit(.sendMessage(MessageDraft(.text("first"))), by: member, key: "first")
        salon.aside.hold()
        for number in 0..<600 {
            salon.submit(.muteSeat(MuteSeat(3, muted: number % 2 == 0)), by: owner, key: "mute-\(number)")
            if number % 5 == 0 { salon.submit(.sendMessage(MessageDraft(.text("m\(number)"))), by: member) }
        }
        // The turn that wants a snapshot does not wait for it.
        #expect(salon.aside.count > 0)
        let whole = try await salon.journal.copy().open(salon.key, chatLimit: 200)
        #expect(whole.snapshot == nil && whole.entries.count > 600)
        salon.aside.run()
        let short = try await salon.journal.copy().open(salon.key, chatLimit: 200)
        #expect(short.snapshot != nil && short.entries.count < whole.entries.count)
        #expect(short.snapshotPosition > 20)

        let rebuilt = try RebuiltRoom(short, room: salon.key.room).state
        #expect(rebuilt == (try RebuiltRoom(whole, room: salon.key.room).state))
        #expect(rebuilt == salon.core.state)
        #expect(rebuilt.chorus.play != nil && rebuilt.chorus.leader == .member && rebuilt.hosts.admins == [.admin])
        #expect(rebuilt.invitations.consents.map(\.user) == [.other] && rebuilt.invitations.waiting.map(\.id) == ["w"])

        try await salon.crash()
        let back = try #require(salon.enter(.other).snapshot)
        #expect(back.likes == 17 && back.info.name == "Renamed" && back.messages.last?.body == .text("m595"))
        let again = salon.enter(.member)
        #expect(
            salon.submit(.sendMessage(MessageDraft(.text("first"))), by: again, key: "first").current?.isSent(1) == true
        )
    }

    @Test("a room whose journal, or snapshot, has a newer server's kind of restriction is left alone")
    func newerRestriction() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        _ = salon.enter(.member)
        #expect(salon.refusal(mute(.member), by: owner) == nil)
        let history = try await salon.journal.copy().open(salon.key, chatLimit: 0)
        let state = try RebuiltRoom(history, room: salon.key.room).state
        #expect(state.restrictions.all.map(\.kind) == [.chatMute])
        func newer(_ payload: [UInt8]) -> [UInt8] {
            Array(String(decoding: payload, as: UTF8.self).replacing("chat_mute", with: "quarantine").utf8)
        }
        var later = history
        for index in later.entries.indices { later.entries[index].payload = newer(later.entries[index].payload) }
        #expect(later != history)
        #expect(throws: DecodingError.self) { try RebuiltRoom(later, room: salon.key.room) }
        let snapshot = try JournalFormat().encode(state)
        #expect(try JournalFormat().state(snapshot) == state)
        #expect(throws: DecodingError.self) { try JournalFormat().state(newer(snapshot)) }
    }

    @Test("a snapshot is taken for every 256 entries, of the state so many entries before; none right after loading")
    func snapshotRate() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.aside.hold()
        for number in 0..<255 { salon.submit(.muteSeat(MuteSeat(3, muted: number % 2 == 0)), by: owner) }
        #expect(salon.aside.count == 0)
        for number in 255..<2_560 { salon.submit(.muteSeat(MuteSeat(3, muted: number % 2 == 0)), by: owner) }
        #expect((7...10).contains(salon.aside.count), "\(salon.aside.count)")
        salon.aside.run()
        try await salon.load()
    }

    @Test("V08-S a keyed command that had nothing to do does nothing when it is repeated, also after a crash")
    func keyedNothing() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        #expect(
            salon.submit(.takeSeat(TakeSeat(1)), by: member, key: "again").current == .success(.done),
            "it is theirs already")
        salon.submit(.kickSeat(KickSeat(1)), by: owner)
        #expect(salon.submit(.takeSeat(TakeSeat(1)), by: member, key: "again").current == .success(.done))
        #expect(salon.enter(.other).snapshot?.seats[1].user == nil, "a late repeat does not undo the kick")
        try await salon.crash()
        let back = salon.enter(.member)
        #expect(salon.submit(.takeSeat(TakeSeat(1)), by: back, key: "again").current == .success(.done))
        #expect(salon.enter(.other).snapshot?.seats[1].user == nil)
    }

    @Test("a repeat with the same key gets the first answer, also while that is being stored and after a crash")
    func idempotency() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.journal.setMode(.manual)
        let say = RoomCommand.sendMessage(MessageDraft(.text("once")))
        let first = salon.submit(say, by: owner, key: "k")
        let joined = salon.submit(say, by: owner, key: "k")
        let other = salon.submit(.sendMessage(MessageDraft(.text("other"))), by: owner, key: "k")
        #expect(joined.current == nil)
        salon.commit()
        #expect(joined.current == first.current && first.current != nil)
        #expect(other.current == .failure(RoomError(.keyReused)))
        try await salon.crash()
        salon.journal.setMode(.automatic)
        let back = salon.enter(.owner)
        #expect(salon.submit(say, by: back, key: "k").current == first.current)
        #expect(salon.submit(.leaveSeat, by: back, key: "k").current == .failure(RoomError(.keyReused)))
        salon.advance(.seconds(1))
        #expect(back.outbox.messages.isEmpty)
        let member = salon.enter(.member)
        #expect(salon.submit(say, by: member, key: "k").current != first.current, "keys are each user's own")
        salon.advance(.seconds(601))
        let late = salon.submit(say, by: back, key: "k")
        #expect(late.current != first.current, "after ten minutes the key is forgotten")
    }

    @Test("a refusal is not kept under its key") func refusalsAreNotKept() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        #expect(salon.refusal(.takeSeat(TakeSeat(0)), by: member, key: "k") == .seatTaken)
        salon.submit(.leaveSeat, by: owner)
        #expect(salon.submit(.takeSeat(TakeSeat(0)), by: member, key: "k").current == .success(.done))
    }

    @Test("draining answers everything that was accepted, and takes nothing more") func drain() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.journal.setMode(.manual)
        let seat = salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.sendLikes(SendLikes(1)), by: owner)
        salon.advance(.milliseconds(1))
        let like = salon.submit(.sendLikes(SendLikes(5)), by: owner)
        let drained = Shared(false)
        salon.core.drain { drained.set(true) }
        #expect(!drained.current)
        #expect(salon.submit(.leaveSeat, by: owner).current == nil, "even the refusal waits its turn")
        salon.commit()
        #expect(drained.current)
        #expect(seat.current == .success(.done))
        #expect(like.current == .success(.liked(total: 6)))
    }
}

extension Result<CommandResult, RoomError> {
    fileprivate func isSent(_ number: UInt64) -> Bool {
        if case .success(.sent(let chat, _)) = self { chat == number } else { false }
    }
}
