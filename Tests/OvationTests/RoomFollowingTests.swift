import NIOCore
import NIOEmbedded
import RoomModel
import SignalProtocol
import Synchronization
import Testing

@testable import Ovation

/// A room of a conversation against a server in virtual time.
@Suite(.timeLimit(.minutes(10))) struct RoomFollowingTests {
    private let server = FakeServer()

    private func start() throws -> (SignalConnection, RoomSession) {
        let conversation = server.signedIn()
        let room = try #require(server.entered(conversation))
        server.log.clear()
        return (conversation, room)
    }

    private func resumed(
        _ events: [RoomNewsEvent], seq: UInt64, chat: UInt64 = 0, epoch: UInt64 = 1
    ) -> FakeServer.Reply {
        .answer(
            RoomEntered(
                .resumed(
                    RoomResumption(
                        epoch: epoch, seq: seq, chat: chat, events: events,
                        state: .init(
                            memberCount: 2, presence: [], invitations: [], likes: 0, ownerAbsentUntil: nil, heir: nil),
                        mediaEpoch: 1))))
    }

    private var since: ResumePoint? {
        if case .rooms(.enterRoom(let asked)) = server.bodies(of: .call(.roomEnter)).last { asked.since } else { nil }
    }

    @Test("V03-K entering answers first, then tells the room, the seats and everybody seated")
    func entering() throws {
        server.on(
            .call(.roomEnter),
            first: [.answer(RoomEntered(.snapshot(.example(seats: [.used(0, "alice"), .used(1, "carol")]))))])
        let conversation = server.signedIn()
        conversation.enter(.number(48_213), timeout: .seconds(15)) { [log = server.log] result in
            log.add("entered \((try? result.get().state.memberCount) ?? 0)")
        }
        server.run()
        #expect(server.log.all == ["entered 2", "info", "list alice carol", "taken 0 alice", "taken 1 carol"])
    }

    @Test("V08-K the caller's answer, then the list of seats, then the single event")
    func order() throws {
        let (conversation, room) = try start()
        server.on(.command(.takeSeat)) { [server] _ in
            // After the answer, which leaves at the end of this turn.
            server.soon { server.soon { server.news([.taken(2, 2, People.bob)]) } }
            return .answer(CommandAnswer(CommandOutcome(.done, seq: 2)))
        }
        conversation.command(
            .takeSeat(TakeSeat(2)), in: room.id, key: nil, timeout: .seconds(15), isSeen: false
        ) { [log = server.log] _ in log.add("answer") }
        server.run()
        #expect(server.log.all == ["answer", "list - - bob -", "taken 2 bob"])
    }

    @Test("a call that waits for its effect returns when the state shows it")
    func seen() throws {
        let (conversation, room) = try start()
        server.on(.command(.takeSeat)) { _ in .answer(CommandAnswer(CommandOutcome(.done, seq: 3))) }
        let seats = Mutex<[UserID?]?>(nil)
        conversation.command(.takeSeat(TakeSeat(2)), in: room.id, key: nil, timeout: .seconds(15), isSeen: true) { _ in
            seats.withLock { $0 = room.state.seats.map(\.user) }
        }
        server.run()
        server.news([.taken(2, 0, People.alice)])
        #expect(seats.withLock { $0 } == nil)
        server.news([.taken(3, 2, People.bob)])
        #expect(seats.withLock { $0 } == ["alice", nil, "bob", nil])
    }

    @Test("an effect that does not come in time, or that nobody waits for any more, does not undo the success")
    func unseen() throws {
        let (conversation, room) = try start()
        server.on(.command(.takeSeat)) { _ in .answer(CommandAnswer(CommandOutcome(.done, seq: 9))) }
        let results = Mutex<[Bool]>([])
        let token = CallToken()
        for (token, timeout) in [(nil, TimeAmount.seconds(3)), (token, .seconds(15))] {
            conversation.command(
                .takeSeat(TakeSeat(2)), in: room.id, key: nil, timeout: timeout, isSeen: true, token: token
            ) { result in results.withLock { $0.append((try? result.get()) != nil) } }
        }
        server.pass(.seconds(2))
        #expect(results.withLock { $0 } == [])
        server.pass(.seconds(1))
        #expect(results.withLock { $0 } == [true])
        conversation.cancel(token)
        #expect(results.withLock { $0 } == [true, true])
    }

    @Test("D02-K the server's clock is read often once a song is set, steadily while one sings, and seldom otherwise")
    func clockReadings() throws {
        _ = try start()
        func readings(in time: TimeAmount) -> Int {
            let before = server.count(of: .call(.clockRead))
            server.pass(time)
            return server.count(of: .call(.clockRead)) - before
        }
        #expect((10...13).contains(readings(in: .seconds(4))), "a dozen to begin with")
        #expect((3...5).contains(readings(in: .seconds(20))))
        server.news([.taken(2, 1, People.bob)])
        #expect((3...5).contains(readings(in: .seconds(20))), "a seat is no song")
        let song = Song(id: "song", title: "Song", durationMs: 60_000, accompaniment: "/songs/a.mp3")
        var play = SongPlay(song: song, by: "alice", track: .accompaniment, startAt: 90_000, positionMs: 0)
        server.news([.change(3, .songChanged(SongChanged(play, .started, by: "alice")))])
        #expect((29...32).contains(readings(in: .seconds(3))))
        #expect((9...11).contains(readings(in: .seconds(4))))
        play.startAt = 95_000
        server.news([.change(4, .songChanged(SongChanged(play, .sought, by: "alice")))])
        #expect((29...32).contains(readings(in: .seconds(3))), "elsewhere it begins anew")
        play.startAt = nil
        server.news([.change(5, .songChanged(SongChanged(play, .paused, by: "alice")))])
        server.pass(.seconds(3))
        #expect((3...5).contains(readings(in: .seconds(20))))
    }

    @Test("a hole in the numbers is filled by asking for what is missing")
    func hole() throws {
        let (_, room) = try start()
        server.on(
            .call(.roomEnter),
            first: [
                resumed(
                    [.taken(2, 0, People.alice), .taken(3, 1, People.carol), .left(4, 1, People.carol, .left)], seq: 4)
            ])
        server.news([.left(4, 1, People.carol, .left)])
        #expect(since == ResumePoint(epoch: 1, seq: 1, chat: 0))
        #expect(
            server.log.all == [
                "list alice - - -", "taken 0 alice", "list alice carol - -", "taken 1 carol", "list alice - - -",
                "left 1 carol left",
            ])
        server.news([.taken(5, 1, People.carol)])
        #expect(room.state.seats[1].user == "carol" && room.state.seq == 5)
    }

    @Test("news of a newer epoch makes it read the room anew, of an older one it is passed over")
    func epochs() throws {
        let (_, room) = try start()
        server.on(.call(.roomEnter), first: [.answer(RoomEntered(.snapshot(.example(epoch: 2, seq: 1))))])
        server.news([.taken(2, 0, People.alice)], epoch: 2)
        #expect(room.state.epoch == 2)
        server.news([.taken(2, 3, People.carol)], epoch: 1)
        #expect(room.state.seats[3].user == nil)
        server.news([.taken(2, 3, People.carol)], epoch: 2)
        #expect(room.state.seats[3].user == "carol")
    }

    @Test("a resynchronisation that the server cannot answer yet is tried again")
    func resyncAgain() throws {
        let (_, room) = try start()
        server.on(
            .call(.roomEnter),
            first: [
                .refuse(RoomError(.unavailable)),
                resumed([.taken(2, 0, People.alice), .taken(3, 1, People.bob)], seq: 3),
            ])
        server.news([.taken(3, 1, People.bob)])
        #expect(room.state.seq == 1)
        server.pass(.seconds(2))
        #expect(room.state.seq == 3 && room.state.mySeat == 1)
    }

    @Test("V19-K after a lost connection the room is back before what waited goes, and the exact gap is told")
    func resume() throws {
        let (conversation, room) = try start()
        server.news([.taken(2, 0, People.alice), .said(1, People.alice, "hi")])
        server.on(.command(.takeSeat), first: [.silence])
        let isDone = Mutex(0)
        conversation.command(
            .takeSeat(TakeSeat(1)), in: room.id, key: IdempotencyKey("k"), timeout: .seconds(15), isSeen: true
        ) { _ in isDone.withLock { $0 += 1 } }
        server.run()
        server.log.clear()
        server.on(
            .call(.roomEnter), first: [resumed([.said(2, People.carol, "while away")], seq: 2, chat: 2, epoch: 5)])
        server.drop()
        server.pass(.seconds(1))
        #expect(since == ResumePoint(epoch: 1, seq: 2, chat: 1))
        #expect(Array(server.methods.suffix(3)) == [.call(.sessionOpen), .call(.roomEnter), .command(.takeSeat)])
        #expect(isDone.withLock { $0 } == 1)
        #expect(
            server.log.all.filter { !$0.hasPrefix("connection") } == ["lost", "message 2", "resumed"],
            "\(server.log.all)")
        #expect(room.state.epoch == 5 && room.state.messages.map(\.chat) == [1, 2])
    }

    @Test(
        "G05-K who comes late has the last messages; who comes back gets those that were missed, or is told which will not come"
    )
    func lastMessages() throws {
        func messages(_ numbers: ClosedRange<UInt64>) -> [Message] {
            numbers.map { Message(chat: $0, from: People.alice, body: .text("\($0)"), time: Int64($0)) }
        }
        server.on(
            .call(.roomEnter),
            first: [.answer(RoomEntered(.snapshot(.example(seq: 1, chat: 60, messages: messages(11...60)))))])
        let (_, room) = try start()
        #expect(room.state.messages.map(\.chat) == Array(11...60), "as many as the server keeps for newcomers")
        #expect(!server.log.all.contains { $0.hasPrefix("message") }, "those are no news")
        func comeBack(_ reply: FakeServer.Reply) -> [String] {
            server.on(.call(.roomEnter), first: [reply])
            // A connection that held is sought again soon.
            server.pass(.seconds(6))
            server.log.clear()
            server.drop()
            server.pass(.seconds(1))
            return server.log.all.filter { $0.hasPrefix("message") || $0.hasPrefix("missed") }
        }
        let gap = comeBack(resumed(messages(61...63).map { .message($0) }, seq: 1, chat: 63))
        #expect(since == ResumePoint(epoch: 1, seq: 1, chat: 60))
        #expect(gap == ["message 61", "message 62", "message 63"])
        let beyond = comeBack(
            .answer(RoomEntered(.snapshot(.example(seq: 1, chat: 200, messages: messages(151...200))))))
        #expect(since == ResumePoint(epoch: 1, seq: 1, chat: 63))
        #expect(beyond == ["missed 64...150"] + (151...200).map { "message \($0)" })
        #expect(room.state.messages.map(\.chat) == Array(151...200) && room.state.chat == 200)
        #expect(comeBack(resumed([], seq: 1, chat: 200)) == [])
        // Too slow for them while connected: the hole is told.
        server.deliver(
            #"{"jsonrpc":"2.0","method":"room.events","params":{"room":48213,"epoch":1,"events":[{"type":"dropped","from":201,"to":209}]}}"#
        )
        #expect(server.log.all.contains("missed 201...209"))
    }

    @Test("who came and went while the connection was lost is read anew")
    func members() throws {
        let (_, room) = try start()
        server.on(.call(.roomEnter), first: [resumed([], seq: 1)])
        server.on(
            .call(.roomMembers),
            first: [
                .answer(
                    MembersPage(members: [People.member(People.bob), People.member(People.carol)], count: 2))
            ])
        server.drop()
        server.pass(.seconds(1))
        #expect(server.log.all.suffix(2) == ["gone alice", "entered carol"])
        #expect(room.state.members.map(\.id) == ["bob", "carol"])
    }

    @Test("V19-K a server that cannot let the room be resumed yet is asked again on another connection")
    func notYet() throws {
        let (_, room) = try start()
        server.on(
            .call(.roomEnter),
            first: [
                .refuse(RoomError(.unavailable)), .refuse(RoomError(.unavailable)),
                .answer(RoomEntered(.snapshot(.example(epoch: 2)))),
            ])
        server.drop()
        server.pass(.seconds(6))
        #expect(room.state.epoch == 2 && server.sockets.count == 4)
    }

    @Test("V02-K a room that ended while the connection was lost is gone, and the session goes on")
    func gone() throws {
        let (_, room) = try start()
        server.on(.call(.roomEnter), first: [.refuse(RoomError(.roomClosed))])
        server.drop()
        server.pass(.seconds(1))
        #expect(server.log.all.contains("gone room_closed"))
        #expect(!room.state.isPresent && server.outlet.state.value.phase == .ready)
        let count = server.log.all.count
        server.news([.taken(2, 0, People.alice)])
        #expect(server.log.all.count == count, "nothing follows")
    }

    @Test("V02-K the room's end ends its events, and it is not entered again")
    func ended() async throws {
        let (_, room) = try start()
        let events = room.events
        server.news([
            .change(2, .ended(RoomEnded(.owner, RoomSummary(seconds: 60, peak: 9, likes: 4)))),
            .taken(3, 0, People.alice),
        ])
        var heard: [String] = []
        for try await event in events { heard.append(event.brief) }
        #expect(heard.last == "ended owner")
        server.drop()
        server.pass(.seconds(1))
        #expect(server.count(of: .call(.roomEnter)) == 1)
        await #expect(throws: OvationError(.roomClosed)) { try await room.takeSeat(1) }
    }

    @Test(
        "V03-K leaving ends the room here at once, connected or not, whatever the server says; it is told as soon as it can be"
    )
    func leaving() throws {
        for refusal in [nil, RoomError.Code.notInRoom, .roomNotFound] {
            for isConnected in [true, false] {
                let server = FakeServer()
                let conversation = server.signedIn()
                let room = try #require(server.entered(conversation))
                if let refusal { server.on(.command(.exitRoom), first: [.refuse(RoomError(refusal))]) }
                if !isConnected {
                    server.isDown = true
                    server.drop()
                }
                conversation.leave(room)
                #expect(room.state.phase == .left && conversation.followers.isEmpty)
                server.run()
                server.log.clear()
                server.news([.taken(2, 0, People.alice)])
                #expect(server.log.all.isEmpty && server.count(of: .command(.exitRoom)) == (isConnected ? 1 : 0))
                server.isDown = false
                if isConnected { server.drop() }
                server.pass(.seconds(15))
                // A server that has started anew keeps the seat of whoever left meanwhile, and does not know that they are there.
                let times = !isConnected && refusal == .notInRoom ? 2 : 1
                #expect(server.count(of: .command(.exitRoom)) == times && server.count(of: .call(.roomEnter)) == times)
                #expect(conversation.followers.isEmpty)
            }
        }
    }

    @Test("V03-K a room can be entered right after another was left, though the server was still busy with that one")
    func fromRoomToRoom() throws {
        let (conversation, room) = try start()
        server.on(.call(.roomEnter), first: [.refuse(RoomError(.inAnotherRoom))])
        conversation.leave(room)
        let other = server.entered(conversation, .number(7))
        #expect(
            other?.state.isPresent == true
                && server.methods.suffix(3) == [.command(.exitRoom), .call(.roomEnter), .call(.roomEnter)])
        // Without a room that is being left, the refusal is the caller's.
        server.on(.call(.roomEnter), first: [.refuse(RoomError(.inAnotherRoom))])
        #expect(server.entered(conversation, .number(8)) == nil)
    }

    @Test("a change that only a newer version knows: the room is read anew as a whole, heard live or in a gap")
    func newerServer() throws {
        let (_, room) = try start()
        let changed = RoomSnapshot.example(seq: 2, seats: [.used(0, "alice")] + (1..<4).map { Seat(index: $0) })
        server.on(.call(.roomEnter), first: [.answer(RoomEntered(.snapshot(changed)))])
        server.deliver(
            #"{"jsonrpc":"2.0","method":"room.events","params":{"room":48213,"epoch":1,"events":"#
                + #"[{"type":"seat.painted","seq":2,"time":2,"seat":0}]}}"#)
        #expect(room.state.seq == 2 && room.state.seats[0].user == "alice")
        guard case .rooms(.enterRoom(let asked))? = server.bodies(of: .call(.roomEnter)).last, asked.since == nil else {
            Issue.record("not read as a whole")
            return
        }
    }

    @Test("V10-K what only the caller knows of an invitation is in the state at the answer")
    func invitations() throws {
        let (conversation, room) = try start()
        let draft = InvitationDraft(to: "carol", command: "seat.invite", content: "2", timeoutSeconds: 60, id: "mine")
        func command(_ command: RoomCommand) {
            conversation.command(command, in: room.id, key: nil, timeout: .seconds(15), isSeen: false) { _ in }
            server.run()
        }
        command(.sendInvitation(draft))
        let sent = try #require(room.state.invitations.first)
        #expect(sent.id == "mine" && sent.to == "carol" && sent.from == "bob")
        #expect(sent.expiresAt.map { $0 - sent.createdAt } == 60_000)
        command(.cancelInvitation(CancelInvitation(id: "mine")))
        #expect(room.state.invitations.isEmpty)
    }

    @Test("A07-K the room of the number and the room of the same digits do not mix")
    func ids() throws {
        let (conversation, room) = try start()
        let text = try #require(RoomID(string: "48213"))
        let other = Mutex<RoomSession?>(nil)
        conversation.enter(text, timeout: .seconds(15)) { result in other.withLock { $0 = try? result.get() } }
        server.run()
        server.news([.taken(2, 3, People.carol)], room: text)
        #expect(other.withLock { $0?.state.seats[3].user } == "carol" && room.state.seats[3].user == nil)
    }

    @Test("a refused entry leaves nothing behind; an entry that nobody waits for is undone")
    func refusedEntry() throws {
        let conversation = server.signedIn()
        server.on(.call(.roomEnter), first: [.refuse(RoomError(.roomNotFound))])
        #expect(server.entered(conversation) == nil && conversation.followers.isEmpty)
        let token = CallToken()
        let error = Mutex<OvationError?>(nil)
        conversation.enter(.number(48_213), timeout: .seconds(15), token: token) { result in
            if case .failure(let failure) = result { error.withLock { $0 = failure } }
        }
        conversation.cancel(token)
        server.run()
        #expect(error.withLock { $0?.code.rawValue } == "cancelled")
        #expect(server.methods.last == .command(.exitRoom) && conversation.followers.isEmpty)
    }

    @Test(
        "V02-K whoever gives an entry up and enters again is in the room: the first entry is not undone over the second"
    )
    func enteredAgain() throws {
        let conversation = server.signedIn()
        let token = CallToken()
        conversation.enter(.number(48_213), timeout: .seconds(15), token: token) { _ in }
        conversation.cancel(token)
        let room = try #require(server.entered(conversation))
        server.run()
        #expect(room.state.isPresent && !server.methods.contains(.command(.exitRoom)))
        #expect(conversation.followers[room.id] != nil)
    }

    @Test("V02-K whoever enters another room behind an entry that was given up gets there")
    func enteredAnother() throws {
        let conversation = server.signedIn()
        let token = CallToken()
        conversation.enter(.number(48_213), timeout: .seconds(15), token: token) { _ in }
        conversation.cancel(token)
        server.on(.call(.roomEnter)) { [server] call in
            let isOut = server.methods.contains(.command(.exitRoom))
            guard case .rooms(.enterRoom(let asked)) = call.body, asked.room == .number(48_214), !isOut else {
                return server.standard(call)
            }
            return .refuse(RoomError(.inAnotherRoom))
        }
        let room = try #require(server.entered(conversation, .number(48_214)))
        #expect(room.state.isPresent && conversation.followers.count == 1)
    }

    @Test("V18-K whoever leaves without a connection and enters again stays: the departure of before leads nobody out")
    func backAgain() throws {
        let (conversation, room) = try start()
        server.isDown = true
        server.drop()
        conversation.leave(room)
        let again = Mutex<RoomSession?>(nil)
        conversation.enter(room.id, timeout: .seconds(60)) { result in again.withLock { $0 = try? result.get() } }
        // The server has let them go meanwhile.
        server.on(.command(.exitRoom)) { _ in .refuse(RoomError(.notInRoom)) }
        server.isDown = false
        conversation.retryNow()
        server.run()
        let back = try #require(again.withLock { $0 })
        #expect(back.state.isPresent && conversation.followers[room.id] != nil)
        #expect(server.methods.suffix(3) == [.call(.sessionOpen), .command(.exitRoom), .call(.roomEnter)])
    }

    @Test("V02-K an entry that waits for a room to be left ends with its own time, and when its caller gives it up")
    func waitingForADeparture() throws {
        let (conversation, room) = try start()
        server.on(.command(.exitRoom)) { _ in .silence }
        server.on(.call(.roomEnter)) { _ in .refuse(RoomError(.inAnotherRoom)) }
        conversation.leave(room)
        let codes = Mutex<[String]>([])
        let token = CallToken()
        for token in [token, CallToken()] {
            conversation.enter(.number(48_214), timeout: .seconds(15), token: token) { result in
                if case .failure(let error) = result { codes.withLock { $0.append(error.code.rawValue) } }
            }
        }
        server.run()
        #expect(codes.withLock { $0 } == [])
        conversation.cancel(token)
        #expect(codes.withLock { $0 } == ["cancelled"])
        for _ in 0..<3 {
            server.beat()
            server.pass(.seconds(5))
        }
        #expect(codes.withLock { $0 } == ["cancelled", "timeout"])
    }

    @Test("V14-K a room that says what this version cannot read ends alone, and the session goes on")
    func unreadable() throws {
        let (conversation, room) = try start()
        let unreadable = FakeServer.Reply.answer(["snapshot": ["room": 48_213]])
        server.on(.call(.roomEnter)) { _ in unreadable }
        server.drop()
        conversation.retryNow()
        server.run()
        #expect(room.state.phase == .gone(OvationError(.invalidAnswer, "this room needs a newer version of the app")))
        #expect(conversation.isReady && conversation.followers.isEmpty)
        // First what was missed, then the whole room, and no more.
        #expect(server.count(of: .call(.roomEnter)) == 3)
    }

    @Test("V14-K levels are read apart from the state, and fall silent with the connection")
    func levels() throws {
        let (_, room) = try start()
        let before = room.state
        server.news([.passing(.levels(SpeakingLevels(["alice": 61])))])
        #expect(room.serverLevels == ["alice": 61] && room.state == before)
        server.drop()
        #expect(room.serverLevels == [:])
    }

    @Test("V14-K levels come at the interval that was chosen, in silence too, until the room is over")
    func levelsAtAnInterval() async throws {
        let (conversation, room) = try start()
        var readings = room.serverLevels(every: .zero).makeAsyncIterator()
        for _ in 0..<3 { #expect(await readings.next() == [:]) }
        server.news([.passing(.levels(SpeakingLevels(["alice": 61])))])
        while let reading = await readings.next(), reading != ["alice": 61] {}
        #expect(await readings.next() == ["alice": 61])
        conversation.stop(OvationError(.signedOut))
        while await readings.next() != nil {}
        #expect(await room.serverLevels(every: .seconds(3600)).first { _ in true } == nil)
    }

    @Test(
        "a subscription gets what comes after it, and before that what came before it if it asks; a state starts with itself"
    )
    func subscriptions() async throws {
        let (conversation, room) = try start()
        let first = room.events
        server.news([.taken(2, 1, People.carol)])
        let second = room.events(replay: .all)
        let third = room.events(replay: .all)
        server.news([.taken(3, 2, People.alice)])
        let changes = room.changes
        conversation.stop(OvationError(.signedOut))
        var heard: [[String]] = []
        for stream in [first, second, third] {
            var events: [String] = []
            for try await event in stream { events.append(event.brief) }
            heard.append(events)
        }
        let after = [
            "list - carol - -", "taken 1 carol", "list - carol alice -", "taken 2 alice", "lost", "gone signed_out",
        ]
        let all = ["info", "list - - - -"] + after
        #expect(heard == [after, all, all])
        var states: [RoomState.Phase] = []
        for await state in changes { states.append(state.phase) }
        #expect(states == [.gone(OvationError(.signedOut))], "a slow reader skips to the newest")
    }

    @Test("a subscription that is not read ends with an error instead of losing events")
    func tooSlow() async throws {
        let (_, room) = try start()
        let events = room.events
        let count = EventStream<RoomSession.Event>.limit + 10
        for number in 1...UInt64(count) { server.news([.said(number, People.alice, "x")]) }
        var heard = 0
        await #expect(throws: OvationError(.tooSlow)) { for try await _ in events { heard += 1 } }
        #expect(heard == EventStream<RoomSession.Event>.limit)
        // The others are untouched.
        let next = room.events
        server.news([.said(UInt64(count) + 1, People.alice, "x")])
        var iterator = next.makeAsyncIterator()
        #expect(try await iterator.next()?.brief == "message \(count + 1)")
        // Of what came before, the last are kept.
        var past = room.events(replay: .all).makeAsyncIterator()
        let kept = EventStream<RoomSession.Event>.replayLimit
        #expect(try await past.next()?.brief == "message \(count + 2 - kept)")
    }
}
