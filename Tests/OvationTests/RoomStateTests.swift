import Foundation
import RoomModel
import SignalProtocol
import Testing

@testable import Ovation

@Suite struct RoomStateTests {
    private var room = RoomState(.example())

    /// Takes events up like a follower, and gives back what was told.
    @discardableResult
    private mutating func hear(_ events: RoomNewsEvent...) -> [RoomSession.Event] {
        var told: [RoomSession.Event] = []
        for event in events {
            if case .told(let events) = room.take(.known(event)) { told += events }
        }
        return told
    }

    @Test("V03-K whoever enters is told the room, the list of seats, then everybody seated by index")
    func entry() {
        let seats = [Seat(index: 0), .used(1, "carol"), Seat(index: 2, state: .closed), .used(3, "alice")]
        let room = RoomState(
            .example(
                seats: seats,
                members: [People.alice, People.bob, People.carol].map { People.member($0) }))
        #expect(
            room.entryEvents == [
                .infoChanged(room.info), .seatsChanged(seats),
                .seatTaken(SeatTaken(seats[1], user: People.carol, by: nil)),
                .seatTaken(SeatTaken(seats[3], user: People.alice, by: nil)),
            ])
    }

    @Test("V08-K a seat's event comes after the list, and the state shows it before either is told")
    mutating func order() {
        let told = hear(.taken(2, 2, People.bob))
        #expect(
            told == [.seatsChanged(room.seats), .seatTaken(SeatTaken(.used(2, "bob"), user: People.bob, by: "bob"))])
        #expect(room.seats[2].user == "bob" && room.mySeat == 2)
    }

    @Test("V03-K others enter and leave once each, and are counted")
    mutating func audience() {
        let carol = People.member(People.carol)
        #expect(
            hear(.passing(.audienceEntered(AudienceEntered(carol))), .passing(.audienceEntered(AudienceEntered(carol))))
                == [.memberEntered(carol)])
        #expect(room.memberCount == 3 && room.member("carol")?.name == "캐롤")
        let left = hear(.passing(.audienceLeft(AudienceLeft("carol", reason: .left))))
        #expect(left == [.memberLeft(People.carol, reason: .left)])
        #expect(room.memberCount == 2 && room.member("carol") == nil)
        #expect(room.profile(of: "carol").name == "캐롤", "whoever left is still known by name")
        #expect(hear(.passing(.count(MemberCount(900)))) == [.memberCountChanged(900)])
        #expect(room.memberCount == 900)
        #expect(
            hear(.passing(.audienceLeft(AudienceLeft("bob", reason: .lost)))).isEmpty, "of oneself the session tells")
    }

    @Test("V04-K V05-K V06-K every event of a seat leaves the seats as the server has them")
    mutating func seats() {
        hear(.taken(2, 1, People.bob))
        #expect(room.mySeat == 1)
        let muted = Seat.used(1, "bob", muted: true, by: "alice")
        let told = hear(
            .change(3, .seatMuted(SeatMuted(muted, by: "alice"))),
            .change(4, .microphoneMuted(MicrophoneMuted(user: "bob", muted: true, seat: 1))))
        #expect(
            told == [
                .seatsChanged([Seat(index: 0), muted, Seat(index: 2), Seat(index: 3)]),
                .seatMuted(SeatMuted(muted, by: "alice")),
                .microphoneMuted(MicrophoneMuted(user: "bob", muted: true, seat: 1)),
            ])
        #expect(room.seats[1].muted && room.seats[1].micMuted == true && room.me.micMuted)
        hear(.left(5, 1, People.bob, .moved), .taken(6, 3, People.bob))
        #expect(room.mySeat == 3 && room.seats[1].state == .empty)
        hear(
            .left(7, 3, People.bob, .closed),
            .change(8, .seatClosed(SeatClosed(Seat(index: 3, state: .closed), by: "alice"))))
        #expect(room.mySeat == nil && room.seats[3].state == .closed)
    }

    @Test("R01-K what the app keeps with the room is there, and told as it changes, also by whole pictures of the room")
    mutating func attributes() {
        hear(
            .change(2, .attributesChanged(AttributesChanged(AttributesChange(set: ["a": "1", "b": "2"]), by: "alice"))))
        let told = hear(
            .change(
                3, .attributesChanged(AttributesChanged(AttributesChange(set: ["a": "3"], removed: ["b"]), by: nil))))
        #expect(told == [.attributesChanged(AttributesChanged(set: ["a": "3"], removed: ["b"], by: nil))])
        #expect(room.attributes == ["a": "3"])
        var snapshot = RoomSnapshot.example()
        snapshot.attributes = ["c": "4"]
        let replaced = room.replace(with: snapshot)
        #expect(replaced.contains(.attributesChanged(AttributesChanged(set: ["c": "4"], removed: ["a"], by: nil))))
    }

    @Test("V09-K a seat that is left after another one was taken does not take the new one away")
    mutating func moved() {
        hear(.taken(2, 1, People.bob), .taken(3, 3, People.bob), .left(4, 1, People.bob, .moved))
        #expect(room.mySeat == 3)
        #expect(room.seats.map(\.state) == [.empty, .empty, .empty, .used])
    }

    @Test("a durable event that was heard already changes nothing, one after a hole is refused")
    mutating func numbers() {
        #expect(hear(.taken(2, 0, People.alice), .taken(2, 0, People.alice)).count == 2)
        #expect(hear(.taken(1, 3, People.carol)).isEmpty && room.seats[3].state == .empty)
        let before = room
        #expect(room.take(.known(.taken(4, 1, People.carol))) == .missing)
        #expect(room == before, "nothing of it is taken up")
    }

    @Test("V16-K a message is told once, in order, with its sender; a hole in the chat is announced")
    mutating func chat() {
        func texts(_ told: [RoomSession.Event]) -> [String] {
            told.map {
                switch $0 {
                case .message(let message): "\(message.from.name): \(message.body)"
                case .messagesMissed(let numbers): "missed \(numbers)"
                default: "\($0)"
                }
            }
        }
        let first = hear(.said(1, People.alice, "one"), .said(2, People.carol, "둘"), .said(2, People.carol, "둘"))
        #expect(texts(first) == [#"Alice: text("one")"#, #"캐롤: text("둘")"#])
        #expect(room.take(.known(.dropped(3, 9))) == .told([.messagesMissed(3...9)]))
        #expect(hear(.said(7, People.alice, "late")).isEmpty)
        #expect(hear(.said(10, People.alice, "ten")).count == 1)
        #expect(room.take(.known(.dropped(4, 8))) == .nothing)
        #expect(room.chat == 10 && room.messages.map(\.chat) == [1, 2, 10])
    }

    @Test("only the last messages are kept")
    mutating func memory() {
        for number in 1...UInt64(RoomState.messagesKept + 20) { hear(.said(number, People.alice, "\(number)")) }
        #expect(room.messages.count == RoomState.messagesKept && room.messages.first?.chat == 21)
    }

    @Test("V10-K invitations that concern me come and go")
    mutating func invitations() {
        func invitation(_ id: String, _ state: InvitationState) -> Invitation {
            Invitation(
                id: id, room: room.room, from: "alice", to: "bob", command: "wave", content: "x", state: state,
                createdAt: 1)
        }
        let waiting = InvitationNews(invitation: invitation("i1", .waiting), by: "alice")
        #expect(hear(.invitation(waiting)) == [.invitation(waiting)])
        hear(.invitation(InvitationNews(invitation: invitation("i2", .waiting), by: "alice")))
        #expect(room.invitations.map(\.id) == ["i1", "i2"])
        for (id, state) in [("i1", InvitationState.accepted), ("i2", .expired)] {
            hear(.invitation(InvitationNews(invitation: invitation(id, state), by: "bob")))
        }
        #expect(room.invitations.isEmpty)
    }

    @Test("V19-K somebody who is reconnecting is shown so, with the time that is left")
    mutating func presence() {
        hear(.taken(2, 0, People.alice), .passing(.presence(PresenceChanged("alice", .reconnecting, until: 777))))
        #expect(room.seats[0].presence == .reconnecting && room.presenceUntil == ["alice": Date(milliseconds: 777)])
        hear(.passing(.presence(PresenceChanged("alice", .online, until: nil))))
        #expect(room.seats[0].presence == .online && room.presenceUntil.isEmpty)
    }

    @Test("V19-K an absent owner's room passes on with its roles and its requests")
    mutating func inheritance() {
        let request = Invitation(
            id: "i", room: room.room, from: "carol", to: "alice", command: "seat", content: "", createdAt: 1)
        let own = Invitation(
            id: "o", room: room.room, from: "bob", to: "alice", command: "seat", content: "", createdAt: 1)
        for invitation in [request, own] { room.note(invitation) }
        hear(.passing(.ownerAbsent(OwnerAbsent(until: 500, heir: "bob"))))
        #expect(room.ownerAbsentUntil == Date(milliseconds: 500) && room.heir == "bob")
        hear(.change(2, .ownerChanged(OwnerChanged(People.bob, reason: .ownerAbsent))))
        #expect(room.info.owner.id == "bob" && room.me.role == .owner && room.member("alice")?.role == .member)
        #expect(room.ownerAbsentUntil == nil && room.heir == nil)
        #expect(room.invitations.map(\.to) == ["bob"], "the heir needs nobody's answer")
    }

    @Test("V02-K the end of the room is told once, with its summary, and later news is not")
    mutating func end() {
        let summary = RoomSummary(seconds: 60, peak: 9, likes: 4)
        #expect(
            hear(.change(2, .ended(RoomEnded(.owner, summary))), .taken(3, 0, People.alice)) == [
                .ended(RoomEnded(.owner, summary))
            ])
        #expect(room.phase == .ended(.owner, summary) && room.seats[0].state == .empty)
    }

    @Test("a change of a newer server that is unknown here is not passed over; other news of it is")
    mutating func unknown() {
        #expect(room.take(.unknown(seq: 2)) == .unreadable)
        #expect(room.take(.unknown(seq: 4)) == .missing)
        #expect(room.take(.unknown(seq: nil)) == .nothing && room.seq == 1)
        #expect(hear(.taken(2, 0, People.alice)).count == 2)
        #expect(room.take(.unknown(seq: 2)) == .nothing)
    }

    @Test("G01-K likes carry the exact total")
    mutating func likes() {
        #expect(hear(.passing(.likes(LikesNews(total: 9, added: 4, users: ["alice"])))).count == 1)
        #expect(room.likes == 9)
    }

    // MARK: coming back

    private func gap(_ events: [RoomNewsEvent], seq: UInt64, chat: UInt64 = 0) -> RoomResumption {
        RoomResumption(
            epoch: 3, seq: seq, chat: chat, events: events,
            state: .init(
                memberCount: 3, presence: [.init(user: "alice", presence: .reconnecting)],
                invitations: [
                    Invitation(
                        id: "new", room: room.room, from: "carol", to: "bob", command: "c", content: "", createdAt: 1)
                ], likes: 9, ownerAbsentUntil: 99, heir: "carol"),
            mediaEpoch: 7)
    }

    @Test(
        "V10-K V19-K invitations that were settled while one was away are told as they were settled, once, and only those that waited"
    )
    mutating func settledAway() {
        func invitation(_ id: String, from: UserID, to: UserID, _ state: InvitationState = .waiting) -> Invitation {
            Invitation(
                id: id, room: room.room, from: from, to: to, command: "c", content: "", state: state, createdAt: 1,
                reason: state == .rejected ? "later" : nil)
        }
        for id in ["accepted", "rejected", "again", "forgotten"] { room.note(invitation(id, from: "bob", to: "alice")) }
        for id in ["cancelled", "expired", "mine"] { room.note(invitation(id, from: "alice", to: "bob")) }
        var gap = gap([], seq: room.seq)
        gap.state.invitations = [
            invitation("again", from: "bob", to: "alice"), invitation("mine", from: "alice", to: "bob"),
        ]
        let settled = [
            InvitationNews(invitation: invitation("known", from: "bob", to: "alice", .accepted), by: "alice"),
            InvitationNews(invitation: invitation("again", from: "bob", to: "alice", .rejected), by: "alice"),
            InvitationNews(invitation: invitation("accepted", from: "bob", to: "alice", .accepted), by: "carol"),
            InvitationNews(invitation: invitation("cancelled", from: "alice", to: "bob", .cancelled), by: "alice"),
            InvitationNews(invitation: invitation("rejected", from: "bob", to: "alice", .rejected), by: "alice"),
            InvitationNews(invitation: invitation("expired", from: "alice", to: "bob", .expired), by: nil),
        ]
        gap.state.settled = settled
        let told = room.resume(gap).compactMap { event -> InvitationNews? in
            if case .invitation(let news) = event { news } else { nil }
        }
        #expect(told == Array(settled[2...]))
        #expect(room.invitations.map(\.id) == ["again", "mine"])
        let again = room.resume(gap).filter { if case .invitation = $0 { true } else { false } }
        #expect(again.isEmpty)
        gap.state.settled = nil
        #expect(room.resume(gap).isEmpty, "a server that does not tell")
    }

    @Test("V19-K after a lost connection the exact gap is taken up, and what has no number is told by comparing")
    mutating func resumed() {
        hear(.taken(2, 0, People.alice), .said(1, People.alice, "hi"))
        let told = room.resume(
            gap(
                [
                    .taken(2, 0, People.alice),
                    .change(3, .microphoneMuted(MicrophoneMuted(user: "alice", muted: true, seat: 0))),
                    .said(1, People.alice, "hi"), .said(2, People.carol, "hello"),
                ], seq: 3, chat: 2))
        #expect(told.count { if case .message = $0 { true } else { false } } == 1)
        #expect(told.first == .microphoneMuted(MicrophoneMuted(user: "alice", muted: true, seat: 0)))
        #expect(told.contains(.presenceChanged(user: "alice", presence: .reconnecting, until: nil)))
        #expect(told.contains(.likes(LikesNews(total: 9, added: 9, users: []))))
        #expect(told.contains(.ownerAbsent(until: Date(milliseconds: 99), heir: "carol")))
        #expect(told.contains { if case .invitation(let news) = $0 { news.invitation.id == "new" } else { false } })
        #expect((room.epoch, room.seq, room.chat, room.mediaEpoch) == (3, 3, 2, 7))
        #expect(room.memberCount == 3 && room.likes == 9 && room.seats[0].micMuted == true)
    }

    @Test("a gap with events that this client cannot read is no hole")
    mutating func unreadableGap() {
        _ = room.resume(gap([.taken(4, 1, People.carol)], seq: 6))
        #expect(room.seq == 6)
        #expect(hear(.taken(7, 2, People.bob)).count == 2)
    }

    @Test("V02-K a room that ended in the gap tells so last")
    mutating func endedInTheGap() {
        let summary = RoomSummary(seconds: 1, peak: 1, likes: 0)
        let told = room.resume(
            gap([.taken(2, 0, People.alice), .change(3, .ended(RoomEnded(.owner, summary)))], seq: 3))
        #expect(told.last == .ended(RoomEnded(.owner, summary)) && !room.isPresent)
    }

    @Test("a gap that the room no longer has is told by comparing the old state with the new one")
    mutating func replaced() {
        hear(.taken(2, 0, People.alice), .taken(3, 1, People.bob), .said(1, People.alice, "one"))
        let messages = [UInt64(5), 6].map {
            Message(chat: $0, from: People.carol, body: .text("\($0)"), time: 1)
        }
        let told = room.replace(
            with: .example(
                epoch: 2, seq: 40, chat: 6,
                seats: [
                    .used(0, "carol"), .used(1, "bob", muted: true, by: "alice"), Seat(index: 2, state: .closed),
                    Seat(index: 3),
                ], me: People.member(People.bob, role: .admin, seat: 1),
                members: [People.member(People.bob, role: .admin, seat: 1), People.member(People.carol, seat: 0)],
                messages: messages))
        #expect(
            told.filter { if case .infoChanged = $0 { false } else { true } } == [
                .seatsChanged(room.seats),
                .seatLeft(.used(0, "carol"), user: People.alice, reason: nil, by: nil),
                .seatTaken(SeatTaken(.used(0, "carol"), user: People.carol, by: nil)),
                .seatMuted(SeatMuted(room.seats[1], by: "alice")), .seatClosed(SeatClosed(room.seats[2], by: nil)),
                .roleChanged(RoleChanged("bob", .admin, by: nil)),
                .memberLeft(People.alice, reason: .left), .memberEntered(People.member(People.carol, seat: 0)),
                .messagesMissed(2...4), .message(messages[0]), .message(messages[1]),
            ])
        #expect(room.resumePoint == ResumePoint(epoch: 2, seq: 40, chat: 6))
    }

    @Test("a fresh page of the people tells who came and went; a part of them tells nobody's leaving")
    mutating func people() {
        let page = MembersPage(
            members: [People.member(People.bob), People.member(People.carol)], count: 2, cursor: nil)
        var part = room
        #expect(part.take(page, isWhole: false).isEmpty)
        #expect(part.members.map(\.id) == ["alice", "bob", "carol"])
        let told = room.take(page, isWhole: true)
        #expect(
            told == [.memberLeft(People.alice, reason: .left), .memberEntered(People.member(People.carol))])
        #expect(room.members.map(\.id) == ["bob", "carol"])
    }

    @Test("numbers at the end of their range do not trap")
    mutating func extremes() {
        for seq in [UInt64.max, UInt64.max - 1] {
            for chat in [UInt64.max, UInt64.max - 1, UInt64(0)] {
                var state = RoomState(.example(seq: seq, chat: chat))
                _ = state.take(.known(.taken(.max, 0, People.alice)))
                _ = state.take(.known(.taken(0, 0, People.alice)))
                _ = state.take(.unknown(seq: .max))
                _ = state.take(.known(.said(.max, People.alice, "x")))
                _ = state.take(.known(.dropped(0, .max)))
                _ = state.replace(with: .example(epoch: .max, seq: .max, chat: .max))
                _ = state.replace(
                    with: .example(
                        chat: .max, memberCount: .min,
                        messages: [Message(chat: 0, from: People.alice, body: .text("x"), time: 0)]))
                _ = state.take(.known(.passing(.audienceLeft(AudienceLeft("carol", reason: .lost)))))
            }
        }
        hear(.taken(2, 70_000, People.alice))
        #expect(room.seats.count == 4)
    }
}
