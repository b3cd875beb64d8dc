import Foundation
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import SeededRandom
import Testing
import Timing

/// What one client believes about the room, from what it was told and nothing else.
private struct Belief {
    var seq: UInt64 = 0
    var chat: UInt64 = 0
    var seats: [Seat] = []
    var name = ""
    var play: SongPlay?
    var duet = DuetMode.together
    var roles: [UserID: Role] = [:]
    /// The changes that ended leading while the leader sat: somebody must have asked for each.
    var endedLeads: Set<UInt64> = []
    /// Everything heard that does not fit together.
    var contradictions: [String] = []

    mutating func begin(_ snapshot: RoomSnapshot) {
        (seq, chat) = (snapshot.seq, snapshot.chat)
        seats = snapshot.seats.map(\.lasting)
        name = snapshot.info.name
        play = snapshot.play
        duet = snapshot.duet ?? .together
        for member in snapshot.members { roles[member.id] = member.role }
    }

    mutating func hear(_ event: RoomNewsEvent) {
        switch event {
        case .change(let change):
            if change.seq != seq + 1 { contradictions.append("change \(change.seq) after \(seq)") }
            seq = change.seq
            switch change.what {
            case .seatTaken(let told): see(told.seat)
            case .seatLeft(let told): see(told.seat)
            case .seatMuted(let told): see(told.seat)
            case .seatClosed(let told): see(told.seat)
            case .microphoneMuted(let told):
                if seats.indices.contains(told.seat) { seats[told.seat].micMuted = told.muted }
            case .updated(let told): name = told.info.name
            case .roleChanged(let told): roles[told.user] = told.role
            case .songChanged(let told): play = told.play
            case .duetChanged(let told):
                let mode = told.duet
                if mode == .together, let leader = duet.leader, seats.contains(where: { $0.user == leader }) {
                    endedLeads.insert(change.seq)
                }
                duet = mode
            case .attributesChanged, .ended, .ownerChanged, .cameraChanged, .screenChanged, .stageArranged, .pkChanged,
                .giftsSent, .messageDeleted:
                contradictions.append("\(change)")
            }
        case .message(let message):
            if message.chat != chat + 1 { contradictions.append("message \(message.chat) after \(chat)") }
            chat = message.chat
        case .passing(.audienceEntered(let told)): roles[told.member.id] = told.member.role
        case .passing, .invitation, .challenge, .restriction: break
        }
    }

    private mutating func see(_ seat: Seat) {
        if seats.indices.contains(seat.index) { seats[seat.index] = seat.lasting }
    }
}

extension Seat {
    /// Without what comes and goes with connections.
    fileprivate var lasting: Seat {
        var seat = self
        seat.presence = nil
        return seat
    }
}

/// The memory of everybody together: what has been said once must stay true, whatever breaks.
private struct History {
    var changes: [UInt64: RoomChange] = [:]
    var messages: [UInt64: Message] = [:]
    var acknowledgedLikes: UInt64 = 0
    var endedLeads: Set<UInt64> = []
    var contradictions: [String] = []

    mutating func note(_ event: RoomNewsEvent) {
        switch event {
        case .change(let change):
            if let said = changes[change.seq], said.lasting != change.lasting {
                contradictions.append("\(said) became \(change)")
            }
            changes[change.seq] = change
        case .message(let message):
            if let said = messages[message.chat], said != message { contradictions.append("\(said) became \(message)") }
            messages[message.chat] = message
        case .passing, .invitation, .challenge, .restriction: break
        }
    }
}

extension RoomChange {
    /// Without presence and counts, which a replayed room does not know.
    fileprivate var lasting: RoomChange {
        var change = self
        switch what {
        case .seatTaken(var told):
            told.seat = told.seat.lasting
            change.what = .seatTaken(told)
        case .seatLeft(var told):
            told.seat = told.seat.lasting
            change.what = .seatLeft(told)
        case .seatMuted(var told):
            told.seat = told.seat.lasting
            change.what = .seatMuted(told)
        case .seatClosed(var told):
            told.seat = told.seat.lasting
            change.what = .seatClosed(told)
        case .updated(var told):
            (told.info.memberCount, told.info.speaking) = (0, false)
            change.what = .updated(told)
        case .attributesChanged, .ended, .microphoneMuted, .cameraChanged, .screenChanged, .stageArranged,
            .roleChanged, .ownerChanged, .songChanged, .duetChanged, .pkChanged, .giftsSent, .messageDeleted:
            break
        }
        return change
    }
}

/// A room whose journal fails and whose machine loses power at any moment, under people who do everything at once.
@Suite struct RandomSalonTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// More by environment variable: `OVATION_TEST_STEPS=200000`.
    private static let steps = environment["OVATION_TEST_STEPS"].flatMap(Int.init) ?? 6_000
    private static let seed = environment["OVATION_TEST_SEED"].flatMap(UInt64.init) ?? 2_026

    private final class Walk {
        let salon: Salon
        var clients: [Client]
        var beliefs: [SessionToken: Belief] = [:]
        var history = History()
        var generator: SeededGenerator
        var counts = (accepted: 0, refused: 0, unavailable: 0, crashes: 0, failures: 0, gaps: 0, exits: 0)
        var answered: [RoomCommand.Name: Int] = [:]
        var outcomes: [(name: RoomCommand.Name, answer: Shared<Result<CommandResult, RoomError>?>)] = []
        /// Commands under a key with the answer that the client got, if it got one.
        var keyed:
            [(client: Client, key: String, command: RoomCommand, answer: Shared<Result<CommandResult, RoomError>?>)] =
                []
        var likes: [Shared<Result<CommandResult, RoomError>?>] = []
        var askedTogether: [Shared<Result<CommandResult, RoomError>?>] = []

        init(seed: UInt64) async throws {
            generator = SeededGenerator(seed: seed)
            salon = try await Salon()
            clients = [salon.create(UserID(literal: "user-0"), kind: .chorus, seats: 5)]
            clients += (1..<7).map { salon.enter(UserID(literal: "user-\($0)")) }
            // Two of them are here twice.
            clients += [1, 4].map { salon.enter(UserID(literal: "user-\($0)")) }
            for index in 1...2 {
                salon.submit(.setRole(SetRole(clients[index].user, .admin)), by: clients[0])
            }
            salon.journal.setMode(.manual)
            for client in clients { begin(client) }
        }

        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
        func someone() -> Client { clients[number(0..<clients.count)] }

        /// A client has entered or come back: its belief starts from what it was told.
        func begin(_ client: Client) {
            if let snapshot = client.snapshot {
                var belief = Belief()
                belief.begin(snapshot)
                beliefs[client.session] = belief
            } else if let gap = client.resumption {
                counts.gaps += 1
                for event in gap.events {
                    beliefs[client.session]?.hear(event)
                    history.note(event)
                }
                // Who came while one was away is told by no number: clients read the list again.
                let page = Shared<MembersPage?>(nil)
                salon.core.members(.everyone(limit: 200, cursor: nil), for: client.session) { page.set(try? $0.get()) }
                salon.commit()
                for member in page.current?.members ?? [] { beliefs[client.session]?.roles[member.id] = member.role }
            }
        }

        func listen() {
            for client in clients {
                for case .news(let event, _) in client.outbox.drain() {
                    beliefs[client.session]?.hear(event)
                    history.note(event)
                }
                history.endedLeads.formUnion(beliefs[client.session]?.endedLeads ?? [])
            }
            for like in likes {
                if case .success(.liked(let total)) = like.current {
                    history.acknowledgedLikes = max(history.acknowledgedLikes, total)
                }
            }
            likes.removeAll { $0.current != nil }
            for (name, answer) in outcomes { if case .success = answer.current { answered[name, default: 0] += 1 } }
            outcomes.removeAll { $0.answer.current != nil }
        }

        func command() -> RoomCommand {
            let seat = number(-1..<6)
            switch number(0..<21) {
            case 0, 1, 2: return .takeSeat(TakeSeat(seat))
            case 3: return .leaveSeat
            case 4: return .moveSeat(MoveSeat(seat))
            case 5: return .pickSeat(PickSeat(seat, someone().user))
            case 6: return .kickSeat(KickSeat(seat))
            case 7: return .muteSeat(MuteSeat(seat, muted: chance(50)))
            case 8: return .closeSeat(CloseSeat(seat, closed: chance(30)))
            case 9: return .setMicrophone(SetMicrophone(muted: chance(50)))
            case 10:
                return .sendInvitation(
                    InvitationDraft(
                        to: someone().user, command: "C", content: "\(number(0..<5))", id: "i-\(number(0..<9))"))
            case 11, 12: return .sendMessage(MessageDraft(.text("\(number(0..<1_000_000))")))
            case 14: return .acceptInvitation(AcceptInvitation(id: "i-\(number(0..<9))"))
            case 15:
                let id = "i-\(number(0..<9))"
                return chance(50)
                    ? .rejectInvitation(RejectInvitation(id: id, reason: "no"))
                    : .cancelInvitation(CancelInvitation(id: id))
            case 16: return .setRole(SetRole(someone().user, chance(60) ? .admin : .member))
            case 17: return .startSong(SongDraft(song: song, positionMs: Int64(number(0..<50_000))))
            case 18:
                return [
                    .pauseSong, .resumeSong(ResumeSong(leadMs: 500)), .seekSong(SeekSong(positionMs: 9, leadMs: 500)),
                    .stopSong,
                ][
                    number(0..<4)]
            case 19: return .setDuetMode(SetDuetMode(chance(60) ? .leadFollow : .together, leader: nil))
            case 13: return .updateRoom(RoomUpdate(name: "Room \(number(0..<99))"))
            default: return .sendLikes(SendLikes(number(1..<20)))
            }
        }

        func step() async throws {
            switch number(0..<100) {
            case 0..<60:
                let client = someone()
                let command = command()
                let key = chance(20) ? "key-\(number(0..<1_000_000_000))" : nil
                let answer = salon.submit(command, by: client, key: key)
                if let key, command.name != .sendLikes { keyed.append((client, key, command, answer)) }
                if command.name == .sendLikes { likes.append(answer) }
                if case .setDuetMode(let asked) = command, asked.mode == .together { askedTogether.append(answer) }
                outcomes.append((command.name, answer))
                if answer.current != nil { counts.refused += 1 } else { counts.accepted += 1 }
            case 60..<80: salon.commit(number(1..<6))
            case 80..<90: salon.advance(.milliseconds(Int64(number(0..<400))))
            case 90..<93: try await comeBack(someone())
            case 93: try await leaveAndReturn(number(1..<clients.count))
            case 94..<96: try await repeatKeyed()
            case 96..<98: try await failCommit()
            case 98 where chance(30): try await crash()
            default: salon.commit()
            }
            listen()
        }

        /// A client's connection breaks and is back at once, with what it knows.
        func comeBack(_ client: Client) async throws {
            listen()
            let point = point(of: client)
            salon.lose(client)
            client.box.set(RecordingOutbox())
            salon.attach(client, since: chance(80) ? point : nil)
            salon.commit()
            if salon.reloadWanted.current { try await reload() }
            while client.entries.current.last.map({ if case .failure = $0 { true } else { false } }) == true {
                client.entries.set([])
                salon.attach(client, since: point)
                salon.commit()
            }
            begin(client)
        }

        /// Somebody goes, and the same person comes again, as a new session. The owner stays: the room would wait for nobody else.
        func leaveAndReturn(_ index: Int) async throws {
            listen()
            let client = clients[index]
            let answer = salon.submit(.exitRoom, by: client)
            salon.commit()
            if salon.reloadWanted.current { try await reload() }
            guard case .success = answer.current else { return }
            #expect(client.departures.current.last == .exited)
            counts.exits += 1
            beliefs[client.session] = nil
            listen()
            clients[index] = salon.client(client.user)
            repeat {
                clients[index].entries.set([])
                salon.attach(clients[index])
                salon.commit()
                if salon.reloadWanted.current { try await reload() }
            } while clients[index].snapshot == nil
            begin(clients[index])
        }

        private let song = Song(id: "s", title: "Song", durationMs: 60_000, accompaniment: "/songs/s/a.m4a")

        func point(of client: Client) -> ResumePoint {
            let belief = beliefs[client.session] ?? Belief()
            return ResumePoint(epoch: client.point.epoch, seq: belief.seq, chat: belief.chat)
        }

        func repeatKeyed() async throws {
            guard let (client, key, command, first) = keyed.last, let answer = first.current else { return }
            guard case .success = answer else { return }
            let again = salon.submit(command, by: client, key: key)
            salon.commit()
            if salon.reloadWanted.current { try await reload() }
            if case .success = again.current {
                #expect(again.current == answer, "another answer to the same key")
            }
        }

        func failCommit() async throws {
            guard salon.journal.pending > 0 else { return }
            counts.failures += 1
            salon.journal.fail(.failed("disk"), times: 1)
            salon.commit(number(1..<9))
            salon.journal.heal()
            salon.commit()
            if salon.reloadWanted.current { try await reload() }
        }

        func reload() async throws {
            counts.unavailable += 1
            try await salon.load()
            salon.commit()
        }

        func crash() async throws {
            counts.crashes += 1
            listen()
            let points = clients.map { point(of: $0) }
            try await salon.crash()
            // Nobody is left who could answer.
            outcomes.removeAll()
            salon.journal.setMode(.manual)
            for (client, point) in zip(clients, points) {
                client.entries.set([])
                client.box.set(RecordingOutbox())
                salon.attach(client, since: chance(70) ? point : nil)
                salon.commit()
                begin(client)
                #expect((client.snapshot?.likes ?? client.resumption?.state.likes ?? 0) >= history.acknowledgedLikes)
            }
        }

        /// Everybody believes what the room says.
        func compare(_ note: String) {
            salon.commit()
            salon.advance(.seconds(1))
            salon.commit()
            salon.advance(.seconds(1))
            listen()
            #expect(outcomes.map(\.name) == [], "whoever asks is answered: \(note)")
            let witness = salon.enter(UserID(literal: "witness"))
            salon.commit()
            guard let truth = witness.snapshot else {
                Issue.record("no snapshot: \(note)")
                return
            }
            salon.submit(.exitRoom, by: witness)
            for client in clients {
                guard let belief = beliefs[client.session] else { continue }
                #expect(belief.contradictions == [], "\(client.user) \(note)")
                #expect((belief.seq, belief.chat) == (truth.seq, truth.chat), "\(client.user) \(note)")
                #expect(belief.seats == truth.seats.map(\.lasting), "\(client.user) \(note)")
                #expect(belief.name == truth.info.name && belief.play == truth.play, "\(client.user) \(note)")
                #expect(belief.duet == truth.duet ?? .together, "\(client.user) \(note)")
                for member in truth.members where member.id != witness.user {
                    #expect(belief.roles[member.id] == member.role, "\(client.user) of \(member.id) \(note)")
                }
            }
            #expect(history.contradictions == [], "\(note)")
            #expect(truth.likes >= history.acknowledgedLikes)
            let asked = askedTogether.count { if case .success = $0.current { true } else { false } }
            #expect(history.endedLeads.count <= asked, "leading ended while the leader sat: \(note)")
            let seated = truth.seats.compactMap(\.user)
            #expect(Set(seated).count == seated.count)
            if let leader = truth.duet?.leader { #expect(seated.contains(leader), "nobody leads from outside a seat") }
        }
    }

    @Test(
        "thousands of random steps with failing commits and crashes: nobody is told what is taken back, and all believe the same"
    )
    func randomSalon() async throws {
        let seed = Self.seed
        let walk = try await Walk(seed: seed)
        for step in 0..<Self.steps {
            try await walk.step()
            if step % 500 == 499 { walk.compare("seed \(seed), step \(step)") }
        }
        // A walk without accidents proves nothing.
        #expect(walk.counts.crashes > 10, "\(walk.counts)")
        #expect(walk.counts.failures > 20, "\(walk.counts)")
        #expect(walk.counts.accepted > 1_500, "\(walk.counts)")
        #expect(walk.counts.gaps > 100, "\(walk.counts)")
        #expect(walk.history.changes.count > 300, "\(walk.history.changes.count)")
        #expect(walk.counts.exits > 10, "\(walk.counts)")
        #expect(!walk.history.endedLeads.isEmpty)
        for name in [
            RoomCommand.Name.acceptInvitation, .rejectInvitation, .setRole, .startSong, .seekSong, .setDuetMode,
        ] {
            #expect(walk.answered[name, default: 0] > 1, "\(name): \(walk.answered)")
        }
    }
}
