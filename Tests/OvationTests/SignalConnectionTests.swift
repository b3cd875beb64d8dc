import NIOCore
import NIOEmbedded
import RoomModel
import SignalProtocol
import Synchronization
import Testing
import Timing

@testable import Ovation

/// The conversation against a server in virtual time.
@Suite(.timeLimit(.minutes(10))) struct SignalConnectionTests {
    private let server = FakeServer()

    /// What became of a call.
    private final class Outcome: Sendable {
        private let result = Mutex<Result<CallAnswer, OvationError>?>(nil)
        private let count = Mutex(0)
        var answer: CallAnswer? { result.withLock { try? $0?.get() } }
        var error: String? {
            result.withLock { if case .failure(let error) = $0 { error.code.rawValue } else { nil } }
        }
        var times: Int { count.withLock { $0 } }
        func set(_ value: Result<CallAnswer, OvationError>) {
            result.withLock { $0 = value }
            count.withLock { $0 += 1 }
        }
    }

    private func ask(
        _ conversation: SignalConnection, _ body: Call.Body, timeout: TimeAmount = .seconds(15), token: CallToken? = nil
    ) -> Outcome {
        let outcome = Outcome()
        conversation.perform(body, timeout: timeout, token: token) { outcome.set($0) }
        server.run()
        return outcome
    }

    private let rooms = Call.Body.rooms(.listRooms(RoomQuery()))
    private let likes = Call.Body.rooms(.command(.number(7), .sendLikes(SendLikes(1)), key: nil))

    private func keyed(_ key: String) -> Call.Body {
        .rooms(.command(.number(7), .takeSeat(TakeSeat(0)), key: IdempotencyKey(key)))
    }

    @Test("it signs in, then sends what waited, in order; the next connection takes the session over")
    func handshake() {
        let conversation = server.conversation()
        let waiting = [ask(conversation, rooms), ask(conversation, .rooms(.getRooms(GetRooms([.number(7)]))))]
        let user = Mutex<UserProfile?>(nil)
        conversation.start { result in user.withLock { $0 = try? result.get() } }
        server.run()
        #expect(server.methods == [.call(.sessionOpen), .call(.roomList), .call(.roomGet)])
        #expect(waiting.map(\.answer) == [.page(RoomPage(rooms: [])), .rooms([])])
        #expect(user.withLock { $0?.name } == "Bob")
        #expect(server.outlet.state.value.phase == .ready && server.outlet.state.value.limits?.textBytes == 12_288)
        server.drop()
        server.pass(.seconds(1))
        let resumes = server.bodies(of: .call(.sessionOpen)).map { body -> String? in
            if case .openSession(let opening) = body { opening.resume } else { nil }
        }
        #expect(resumes == [nil, "secret-1"])
        #expect(server.outlet.state.value.phase == .ready)
    }

    @Test("a call with an idempotency key outlives a lost connection and is answered once")
    func repeated() {
        let conversation = server.signedIn()
        server.on(.command(.takeSeat), first: [.silence])
        let call = ask(conversation, keyed("k1"))
        server.drop()
        server.pass(.seconds(1))
        #expect(call.answer == .command(CommandOutcome(.done)) && call.times == 1)
        #expect(server.bodies(of: .command(.takeSeat)) == [keyed("k1"), keyed("k1")])
    }

    @Test(
        "V19-K a socket that breaks under a call takes no other with it: all are sent again on the next one, each answered once"
    )
    func brokenUnderTheCall() {
        let conversation = server.signedIn()
        // As a dead socket is found: by writing to it. It takes what is written after that, and nobody reads it.
        let breaks = Mutex(true)
        server.on(.command(.takeSeat)) { [server] call in
            guard
                breaks.withLock({ first in
                    defer { first = false }; return first
                })
            else { return server.standard(call) }
            server.breakOff()
            return .silence
        }
        server.socket?.isWritable = false
        let calls = ["k1", "k2", "k3"].map { ask(conversation, keyed($0)) }
        server.becomeWritable()
        server.pass(.seconds(1))
        for call in calls { #expect(call.answer == .command(CommandOutcome(.done)) && call.times == 1) }
        #expect(server.bodies(of: .command(.takeSeat)) == [keyed("k1"), keyed("k1"), keyed("k2"), keyed("k3")])
    }

    @Test("V19-K a socket that breaks while rooms are entered again: the next one asks for each room once")
    func brokenUnderResumption() {
        let conversation = server.signedIn()
        let salons = [RoomID.number(48_213), .number(7)].map { server.entered(conversation, $0) }
        let breaks = Mutex(true)
        server.on(.call(.roomEnter)) { [server] call in
            guard
                breaks.withLock({ first in
                    defer { first = false }; return first
                })
            else { return server.standard(call) }
            server.breakOff()
            return .silence
        }
        server.drop()
        server.pass(.seconds(2))
        #expect(server.sockets.count == 3 && server.outlet.state.value.phase == .ready)
        // Two at first, one that broke, two on the socket that held.
        #expect(server.count(of: .call(.roomEnter)) == 5)
        #expect(salons.allSatisfy { $0 != nil })
    }

    @Test("V19-K a socket that is over takes nothing more, although its channel calls itself writable")
    func overSocket() {
        let events = EventLog()
        let socket = WebSocketHandler { events.add("\($0)") }
        let channel = EmbeddedChannel(handler: socket)
        #expect(socket.isWritable)
        // As a write finds the other side gone: the channel is taken apart only after the write has returned.
        channel.pipeline.fireChannelInactive()
        #expect(channel.isWritable && !socket.isWritable)
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(events.all == ["closed(nil)"])
    }

    @Test("a call without a key is refused when the connection breaks, a read is asked again")
    func lost() {
        let conversation = server.signedIn()
        server.on(.command(.sendLikes), first: [.silence])
        server.on(.call(.roomList), first: [.silence])
        let like = ask(conversation, likes)
        let list = ask(conversation, rooms)
        server.drop()
        #expect(like.error == "connection_lost" && like.times == 1)
        server.pass(.seconds(1))
        #expect(list.answer == .page(RoomPage(rooms: [])))
        #expect(server.count(of: .command(.sendLikes)) == 1)
    }

    @Test("no answer in time is timeout, no connection in time offline; a late answer hurts nobody")
    func timeouts() {
        let conversation = server.signedIn()
        server.on(.call(.roomList), first: [.silence])
        let slow = ask(conversation, rooms, timeout: .seconds(3))
        for _ in 0..<3 {
            server.beat()
            server.pass(.seconds(1))
        }
        #expect(slow.error == "timeout")
        server.deliver(#"{"jsonrpc":"2.0","id":2,"result":{"rooms":[]}}"#)
        #expect(slow.times == 1)
        server.isDown = true
        server.drop()
        let offline = ask(conversation, rooms, timeout: .seconds(3))
        server.pass(.seconds(3))
        #expect(offline.error == "offline")
    }

    @Test("a call that is called off ends at once; one that was not sent yet is not sent at all")
    func cancelled() {
        let conversation = server.signedIn()
        server.on(.call(.roomList), first: [.silence])
        let token = CallToken()
        let call = ask(conversation, rooms, token: token)
        token.cancel()
        conversation.cancel(token)
        #expect(call.error == "cancelled")
        let again = ask(conversation, rooms, token: token)
        #expect(again.error == "cancelled" && server.count(of: .call(.roomList)) == 1)
        server.isDown = true
        server.drop()
        let waiting = CallToken()
        let unsent = ask(conversation, .rooms(.getRooms(GetRooms([]))), token: waiting)
        conversation.cancel(waiting)
        #expect(unsent.error == "cancelled")
        server.isDown = false
        server.pass(.seconds(20))
        #expect(server.count(of: .call(.roomGet)) == 0)
    }

    @Test("A04-K the older session of the same person is told 6208 and does not come back")
    func replaced() {
        let conversation = server.signedIn()
        let waiting = ask(conversation, .rooms(.getRooms(GetRooms([]))), timeout: .seconds(100))
        server.on(.call(.roomList), first: [.silence])
        let unanswered = ask(conversation, rooms)
        server.log.clear()
        server.deliver(
            Answer.sessionClosed(Answer.SessionEnd(code: 6_208, name: "session_replaced", message: "elsewhere")))
        server.drop(4_001)
        server.pass(.seconds(60))
        #expect(waiting.answer == .rooms([]) && unanswered.error == "session_replaced")
        guard case .signedOut(let error?) = server.outlet.state.value.phase else {
            Issue.record("\(server.outlet.state.value.phase)")
            return
        }
        #expect(error.number == 6_208 && error.message == "elsewhere")
        #expect(server.sockets.count == 1 && server.log.all == ["signedOut(\(error))"])
        #expect(ask(conversation, rooms).error == "session_replaced")
    }

    @Test("a connection that is silent for ten seconds is replaced, one that is pinged is not")
    func silent() {
        _ = server.signedIn()
        server.on(.call(.clockRead)) { _ in .silence }
        for _ in 0..<8 {
            server.pass(.seconds(5))
            server.beat()
        }
        #expect(server.sockets.count == 1)
        server.pass(.milliseconds(9_900))
        #expect(server.sockets.count == 1, "patience first")
        server.pass(.seconds(1))
        #expect(server.sockets.count == 2 && server.sockets[0].isClosed)
        #expect(server.outlet.state.value.phase == .ready)
    }

    @Test("the server's clock is read again and again, and the state shows the round trip")
    func clock() throws {
        let conversation = server.signedIn()
        #expect(server.count(of: .call(.clockRead)) == 1)
        server.pass(.seconds(2))
        #expect(server.count(of: .call(.clockRead)) > 10, "soon good")
        server.pass(.seconds(1))
        let soon = server.count(of: .call(.clockRead))
        server.pass(.seconds(10))
        #expect(server.count(of: .call(.clockRead)) == soon + 2)
        #expect(server.outlet.state.value.roundTrip != nil)
        let estimate = try #require(server.outlet.clock.estimate(at: conversation.now))
        // Told in whole milliseconds and never moving: the middle of the first one, and more error with each reading since.
        #expect(abs(estimate.server - 1_795_267_200_000_500_000) < 8_000_000_000)
    }

    /// Lets a task of another thread finish, and its consequences on the loop.
    private func settle(until isDone: () -> Bool) async throws {
        for _ in 0..<100_000 where !isDone() {
            server.run()
            await Task.yield()
        }
        try #require(isDone())
    }

    @Test("A10-K a ticket about to expire is renewed on the standing connection, and used from now on")
    func renewal() async throws {
        let conversation = server.signedIn { "ticket-2" }
        server.log.clear()
        server.deliver(Answer.sessionExpiring(inSeconds: 300))
        try await settle { server.count(of: .call(.sessionRenew)) == 1 }
        server.run()
        #expect(server.bodies(of: .call(.sessionRenew)) == [.renewSession(RenewSession(ticket: "ticket-2"))])
        #expect(server.log.all == ["ticketExpiring(in: 300.0 seconds)", "ticketRenewed"])
        #expect(server.sockets.count == 1)
        server.drop()
        server.pass(.seconds(1))
        let tickets = server.bodies(of: .call(.sessionOpen)).map { body -> String? in
            if case .openSession(let opening) = body { opening.ticket } else { nil }
        }
        #expect(tickets == ["ticket-1", "ticket-2"])
        _ = conversation
    }

    @Test("A10-K a renewal that fails is told and tried again")
    func renewalFails() async throws {
        let tries = Mutex(0)
        let conversation = server.signedIn {
            try tries.withLock { tries in
                tries += 1
                if tries == 1 { throw OvationError(.serverUnreachable) }
            }
            return "ticket-2"
        }
        server.deliver(Answer.sessionExpiring(inSeconds: 300))
        try await settle { server.log.all.contains { $0.hasPrefix("ticketRenewalFailed") } }
        server.on(.call(.clockRead)) { [server] call in server.standard(call) }
        for _ in 0..<5 { server.pass(.seconds(5)) }
        try await settle { server.count(of: .call(.sessionRenew)) == 1 }
        #expect(server.log.all.contains("ticketRenewed"))
        _ = conversation
    }

    @Test("A10-K without a way to renew the application is asked for a ticket, and gives it")
    func ticketGiven() {
        let conversation = server.signedIn()
        server.deliver(Answer.sessionExpiring(inSeconds: 60))
        #expect(server.log.all == ["ticketExpiring(in: 60.0 seconds)"])
        let isDone = Mutex(false)
        conversation.signIn.useTicket("ticket-9") { result in isDone.withLock { $0 = (try? result.get()) != nil } }
        server.run()
        #expect(
            isDone.withLock { $0 }
                && server.bodies(of: .call(.sessionRenew)) == [.renewSession(RenewSession(ticket: "ticket-9"))])
        #expect(server.log.all.last == "ticketRenewed")
    }

    private var tickets: [String] {
        server.bodies(of: .call(.sessionOpen)).compactMap {
            if case .openSession(let opening) = $0 { opening.ticket } else { nil }
        }
    }

    @Test("A10-K a ticket that the server refuses changes nothing: the next connection signs in with the one before")
    func refusedTicket() {
        let conversation = server.signedIn()
        server.on(.call(.sessionRenew), first: [.refuse(RoomError(.ticketFailed))])
        let code = Mutex("")
        conversation.signIn.useTicket("bad") { result in
            if case .failure(let error) = result { code.withLock { $0 = error.code.rawValue } }
        }
        server.run()
        #expect(code.withLock { $0 } == "ticket_failed")
        server.drop()
        conversation.retryNow()
        server.run()
        #expect(conversation.isReady && tickets == ["ticket-1", "ticket-1"])
        conversation.signIn.useTicket("good") { _ in }
        server.run()
        server.drop()
        conversation.retryNow()
        server.run()
        #expect(tickets.last == "good")
    }

    @Test(
        "A10-K a ticket that is given without a connection is answered by the next sign-in, which goes back to the one before"
    )
    func ticketGivenOffline() {
        let conversation = server.signedIn()
        server.isDown = true
        server.drop()
        let codes = Mutex<[String]>([])
        func give(_ ticket: String) {
            conversation.signIn.useTicket(ticket) { result in
                let code = if case .failure(let error) = result { error.code.rawValue } else { "good" }
                codes.withLock { $0.append(code) }
            }
        }
        give("bad")
        server.run()
        #expect(codes.withLock { $0 } == [], "nobody could ask the server yet")
        server.isDown = false
        server.on(.call(.sessionOpen)) { [server] call in
            if case .openSession(let opening) = call.body, opening.ticket == "bad" {
                .refuse(RoomError(.ticketFailed))
            } else {
                server.standard(call)
            }
        }
        conversation.retryNow()
        server.run()
        #expect(codes.withLock { $0 } == ["ticket_failed"] && !conversation.isClosed)
        for _ in 0..<10 where !conversation.isReady { server.pass(.seconds(5)) }
        #expect(conversation.isReady && tickets == ["ticket-1", "bad", "ticket-1"])
        server.drop()
        give("good")
        conversation.retryNow()
        server.run()
        #expect(codes.withLock { $0 } == ["ticket_failed", "good"] && tickets.last == "good")
        server.drop()
        give("late")
        conversation.stop(OvationError(.signedOut))
        #expect(codes.withLock { $0 }.last == "signed_out")
    }

    @Test("the end refuses what waits with its reason, once")
    func stopped() {
        let conversation = server.signedIn()
        server.on(.call(.roomList), first: [.silence])
        let calls = [ask(conversation, rooms), ask(conversation, rooms)]
        conversation.stop(OvationError(.signedOut))
        conversation.stop(OvationError(.timeout))
        #expect(calls[0].error == "signed_out" && calls[0].times == 1)
        #expect(server.sockets[0].isClosed && server.outlet.state.value.phase == .signedOut(OvationError(.signedOut)))
        server.pass(.seconds(100))
        #expect(server.sockets.count == 1)
    }

    @Test("frames that are no JSON-RPC are passed over")
    func garbage() {
        let conversation = server.signedIn()
        for text in [
            "", "{", "[]", "null", "5", #"{"id":99,"result":{}}"#, #"{"id":"x"}"#, #"{"method":5}"#,
            #"{"method":"room.events","params":{"room":1}}"#, #"{"method":"later.news","params":{}}"#,
            #"{"method":"room.events","params":{"room":1,"epoch":-1,"events":[]}}"#, #"{"id":1e400,"error":5}"#,
        ] {
            server.deliver(text)
        }
        #expect(ask(conversation, rooms).answer == .page(RoomPage(rooms: [])))
        #expect(server.sockets.count == 1)
    }

    @Test("an answer that cannot be read is an error of its call alone")
    func unreadable() {
        let conversation = server.signedIn()
        server.on(.call(.roomList), first: [.answer(["rooms": "many"])])
        #expect(ask(conversation, rooms).error == "invalid_answer")
        #expect(ask(conversation, rooms).answer == .page(RoomPage(rooms: [])))
    }

    @Test("a network that takes no more is not pushed; too many calls that wait are refused")
    func backPressure() {
        let conversation = server.signedIn()
        server.socket?.isWritable = false
        let calls = (0..<CallLedger.limit).map { _ in ask(conversation, rooms) }
        #expect(server.count(of: .call(.roomList)) == 0)
        #expect(ask(conversation, rooms).error == "too_many_calls")
        server.becomeWritable()
        // As many as the server takes at once; the others by and by.
        #expect(server.count(of: .call(.roomList)) > 50 && server.count(of: .call(.roomList)) < CallLedger.limit)
        server.pass(.seconds(9))
        #expect(server.count(of: .call(.roomList)) == CallLedger.limit && calls.allSatisfy { $0.answer != nil })
    }

    @Test("a server that is down is sought until it is back, and the state tells when the next try is")
    func down() {
        _ = server.signedIn()
        server.isDown = true
        server.drop()
        guard case .reconnecting(let error, let wait?) = server.outlet.state.value.phase else {
            Issue.record("\(server.outlet.state.value.phase)")
            return
        }
        #expect(error.code == .connectionLost && wait < .milliseconds(700))
        server.pass(.seconds(60))
        server.isDown = false
        server.pass(.seconds(13))
        #expect(server.outlet.state.value.phase == .ready)
        let events = server.log.all
        #expect(events.first?.hasPrefix("connectionLost") == true && events.last == "connectionRestored")
        #expect(events.count == 2, "\(events)")
    }
}
