import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import SeededRandom
import Testing
import Timing

@Suite struct OrderTests {
    private func text(_ heard: RecordingOutbox.Heard) -> String {
        switch heard {
        case .answer(let answer): return "answer \(answer)"
        case .news(.change(let change), _):
            switch change.what {
            case .seatTaken(let told): return "\(change.seq) taken \(told.seat.index)"
            case .seatLeft(let told): return "\(change.seq) left \(told.seat.index) \(told.reason)"
            case .seatClosed(let told): return "\(change.seq) closed \(told.seat.index) \(told.seat.state)"
            case .seatMuted(let told): return "\(change.seq) muted \(told.seat.index) \(told.seat.muted)"
            default: return "\(change.seq) other"
            }
        case .news(.message(let message), _): return "message \(message.chat)"
        case .news(.passing(.audienceEntered(let told)), _): return "entered \(told.member.id)"
        case .news(.passing(.audienceLeft(let told)), _): return "left \(told.user)"
        case .news(let news, _): return "\(news)"
        }
    }

    @Test("V08-S the caller's answer comes first, then the events that the call caused; others hear the events once")
    func answerFirst() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        salon.advance(.seconds(1))
        owner.outbox.drain()
        listener.outbox.drain()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(1))
        salon.submit(.closeSeat(CloseSeat(0, closed: true)), by: owner)
        salon.advance(.seconds(1))
        let events = ["2 taken 0", "3 left 0 closed", "4 closed 0 closed"]
        #expect(
            owner.outbox.heard.map(text)
                == ["answer takeSeat", events[0], "answer closeSeat", events[1], events[2]])
        #expect(listener.outbox.heard.map(text) == events)
    }

    @Test(
        "V08-S nobody hears of a change, nor the caller of its answer, before it is stored; then in the order of decision"
    )
    func storedFirst() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        salon.advance(.seconds(1))
        salon.journal.setMode(.manual)
        owner.outbox.drain()
        listener.outbox.drain()
        let taken = salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        let refused = salon.submit(.takeSeat(TakeSeat(0)), by: listener)
        let said = salon.submit(.sendMessage(MessageDraft(.text("hello"))), by: listener)
        let muted = salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        #expect(owner.outbox.heard.isEmpty && listener.outbox.heard.isEmpty)
        salon.commit(1)
        #expect(taken.current != nil)
        #expect(refused.current == .failure(RoomError(.seatTaken)), "the refusal has seen only what is stored")
        #expect(said.current == nil && muted.current == nil)
        salon.commit()
        salon.advance(.seconds(1))
        #expect(
            owner.outbox.heard.map(text)
                == ["answer takeSeat", "2 taken 0", "answer muteSeat", "3 muted 0 true", "message 1"])
        #expect(
            listener.outbox.heard.map(text)
                == ["answer takeSeat: seat_taken", "2 taken 0", "answer sendMessage", "3 muted 0 true", "message 1"])
    }

    @Test("V02-S V03-S who left, or whose room has ended, is free for another room before an answer or news say so")
    func departedFirst() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let leaver = salon.enter(.member)
        let (phone, laptop) = (salon.enter(.admin), salon.enter(.admin))
        let listener = salon.enter(.other)
        salon.advance(.seconds(1))
        for client in [owner, leaver, phone, laptop, listener] {
            client.outbox.drain()
            client.notesDepartures.set(true)
        }
        salon.submit(.exitRoom, by: leaver)
        #expect(leaver.outbox.heard.map(text) == ["answer departed", "answer exitRoom"])
        salon.submit(.exitRoom, by: phone)
        #expect(phone.outbox.heard.map(text).suffix(2) == ["answer departed", "answer exitRoom"])
        salon.advance(.seconds(1))
        for client in [owner, laptop, listener] { client.outbox.drain() }
        salon.submit(.destroyRoom, by: owner)
        #expect(owner.outbox.heard.prefix(2).map(text) == ["answer departed", "answer destroyRoom"])
        for client in [laptop, listener] {
            #expect(client.outbox.heard.map(text).first == "answer departed" && client.outbox.changes.count == 1)
        }
        #expect([owner, leaver, phone, laptop, listener].allSatisfy { $0.ended.current.count == 1 })
    }

    @Test("V08-S a move is leaving and taking in one piece of news") func moveIsOne() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(2))
        let frames = salon.audience.count
        owner.outbox.drain()
        salon.submit(.moveSeat(MoveSeat(3)), by: owner)
        #expect(owner.outbox.heard.map(text) == ["answer moveSeat", "3 left 0 moved", "4 taken 3"])
        #expect(salon.audience.count == frames + 1)
    }

    @Test("V03-S who exits hears the answer, others that the seat is free and then that the person has left")
    func exit() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        salon.advance(.seconds(1))
        owner.outbox.drain()
        member.outbox.drain()
        salon.submit(.exitRoom, by: member)
        #expect(member.outbox.heard.map(text) == ["answer exitRoom"])
        #expect(member.departures.current == [.exited])
        salon.advance(.seconds(1))
        #expect(owner.outbox.heard.map(text) == ["3 left 1 exited", "left mia"])
        #expect(salon.refusal(.takeSeat(TakeSeat(1)), by: member) == .notInRoom)
    }

    @Test("news leave at once when alone, and together within 10 ms under load, published once for everybody")
    func gathering() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let crowd = (0..<50).map { salon.enter(UserID(literal: "listener-\($0)")) }
        salon.advance(.seconds(2))
        for client in crowd { client.outbox.drain() }
        let before = salon.audience.count
        for number in 0..<20 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        #expect(crowd.allSatisfy { $0.outbox.messages.map(\.chat) == [1] }, "the first leaves at once")
        salon.advance(.milliseconds(9))
        #expect(crowd[7].outbox.messages.count == 1)
        salon.advance(.milliseconds(1))
        #expect(crowd.allSatisfy { $0.outbox.messages.map(\.chat) == Array(1...20) })
        #expect(salon.audience.count == before + 2)
    }

    @Test("while what was published before is on its way, news gather, and leave together when it has arrived")
    func behind() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        salon.advance(.seconds(2))
        listener.outbox.drain()
        salon.audience.setBehind(true)
        for number in 0..<5 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(1))
        #expect(listener.outbox.heard.isEmpty)
        let before = salon.audience.count
        salon.audience.setBehind(false)
        salon.settle()
        #expect(listener.outbox.messages.map(\.chat) == Array(1...5) && listener.outbox.changes.count == 1)
        #expect(salon.audience.count == before + 2)
    }

    @Test("whoever is not in the room, or not by that connection, is no listener of it") func listeners() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.audience.listeners == [owner.session, member.session])
        salon.lose(member)
        #expect(salon.audience.listeners == [owner.session])
        let old = member.outbox
        salon.reconnect(member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(1))
        #expect(salon.audience.listeners == [owner.session, member.session])
        #expect(old.changes.isEmpty && member.outbox.changes.count == 1)
        salon.submit(.exitRoom, by: member)
        #expect(salon.audience.listeners == [owner.session])
        salon.submit(.destroyRoom, by: owner)
        #expect(salon.audience.listeners.isEmpty)
    }

    @Test("who enters while news are gathered hears what came after, nothing twice") func newcomer() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.advance(.seconds(1))
        for number in 0..<3 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        let newcomer = salon.enter(.member)
        salon.submit(.sendMessage(MessageDraft(.text("later"))), by: owner)
        salon.advance(.seconds(1))
        #expect(newcomer.snapshot?.messages.map(\.chat) == [1, 2, 3])
        #expect(newcomer.outbox.messages.map(\.chat) == [4])
        #expect(!newcomer.outbox.passing.contains { if case .audienceEntered = $0 { true } else { false } })
        #expect(owner.outbox.messages.map(\.chat) == [1, 2, 3, 4])
    }

    @Test("V07-S of 500 connections that want one seat one gets it, and all see the same") func race() async throws {
        let salon = try await Salon()
        _ = salon.create()
        var racers = (0..<500).map { salon.enter(UserID(literal: "racer-\($0)")) }
        var generator = SeededGenerator(seed: 500)
        racers.shuffle(using: &generator)
        salon.advance(.seconds(2))
        salon.journal.setMode(.manual)
        for racer in racers { racer.outbox.drain() }
        let answers = racers.map { salon.submit(.takeSeat(TakeSeat(4)), by: $0) }
        salon.commit()
        salon.advance(.seconds(1))
        #expect(answers[0].current == .success(.done))
        #expect(answers.dropFirst().allSatisfy { $0.current == .failure(RoomError(.seatTaken)) })
        let seen = Set(racers.map { $0.outbox.changes })
        #expect(seen.count == 1)
        #expect(seen.first?.count == 1)
    }

    @Test(
        "V16-S every message reaches every member once, in one order, with the sender's name; the sender gets the client's id back"
    )
    func messages() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let clients = [owner, salon.enter(.member), salon.enter(.other)]
        salon.journal.setMode(.manual)
        for number in 0..<30 {
            let sender = clients[number % 3]
            let body: MessageBody =
                number % 2 == 0 ? .text("t\(number)") : .custom(command: "CMD_DANMU", message: "c\(number)")
            salon.submit(.sendMessage(MessageDraft(body, id: "id-\(number)")), by: sender)
            if number % 7 == 0 { salon.commit(3) }
        }
        salon.commit()
        salon.advance(.seconds(1))
        for client in clients {
            let messages = client.outbox.messages
            #expect(messages.map(\.chat) == Array(1...30))
            #expect(messages.map(\.id) == (0..<30).map { "id-\($0)" })
            #expect(messages.map(\.from.name) == (0..<30).map { clients[$0 % 3].user.rawValue.uppercased() })
        }
    }
}
