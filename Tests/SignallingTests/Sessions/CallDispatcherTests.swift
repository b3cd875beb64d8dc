import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import Signalling

/// Conversations in virtual time, with real rooms behind them.
@Suite struct CallDispatcherTests {
    private typealias House = ConversationHouse
    private typealias Line = ConversationLine

    @Test(
        "R05-S a call with a run of combining marks, in a name, a key or an escape, is refused under its id before it is decoded, and the conversation goes on"
    )
    func runsOfMarks() async throws {
        let line = try await Line(House())
        try await line.open("alice", lifetime: 60)
        try await line.call("room.create", #"{"room":"salon","name":"Salon","seats":2}"#)
        let run = String(repeating: "\u{345}\u{327}\u{301}", count: 1_000)
        let escapes = String(repeating: "\\u0345\\u0327\\u0301", count: 1_000)
        for marks in [run, escapes] {
            for params in [
                #"{"room":"salon","number":1,"sdp":"v=0","lines":{"a\#(marks)":"microphone"}}"#,
                #"{"room":"salon","set":{"a\#(marks)":"1"}}"#, #"{"room":"salon","a\#(marks)":1}"#,
                #"{"room":"salon","text":"a\#(marks)"}"#,
            ] {
                for method in ["media.offer", "attributes.set", "message.send", "room.list"] {
                    let refusal = try await line.call(method, params)
                    #expect(refusal.contains(#""name":"too_many_marks""#), "\(method) \(refusal)")
                    #expect(refusal.contains("20432"))
                }
            }
            // The method itself, and another member.
            #expect(try await line.call("a" + run).contains("too_many_marks"))
        }
        #expect(try await line.call("message.send", #"{"room":"salon","text":"hello"}"#).contains(#""chat":"#))
    }

    @Test("R05-S calls cost by their bytes: who sends the largest all the time is told to wait, under the call's id")
    func bytesOfCalls() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice", lifetime: 60)
        let offer = #"{"room":"salon","number":1,"sdp":"\#(String(repeating: "v", count: 255 << 10))"}"#
        for _ in 1...4 { #expect(try await line.call("media.offer", offer).contains("not_in_room")) }
        let refusal = try await line.call("media.offer", offer)
        #expect(refusal.contains("rate_limited"))
        let wait = try #require(refusal.firstMatch(of: /"retryAfterMs":(\d+)/).flatMap { Int64($0.1) })
        // Whoever calls as people do is not held up.
        #expect(try await line.call("clock.read").contains("timeUs"))
        // A millisecond more for the call between.
        house.clock.advance(by: .milliseconds(wait + 1))
        #expect(try await line.call("media.offer", offer).contains("not_in_room"))
    }

    @Test("who signs in is told the relays, with a password that is theirs; where there are none, nothing is")
    func relays() async throws {
        let none = try await House()
        let quiet = try await Line(none)
        #expect(try await !quiet.open("alice", lifetime: 60).contains("iceServers"))
        let house = try await House(relays: RelayServers(urls: ["turn:relay.example"], secret: "north"))
        let line = try await Line(house)
        let told = try await line.open("alice", lifetime: 60).replacing("\\/", with: "/")
        #expect(told.contains(#""urls":["turn:relay.example"]"#))
        let end = try #require(told.firstMatch(of: /"username":"(\d+):alice"/).flatMap { Int64($0.1) })
        #expect((0...5).contains(house.clock.wallTime.secondsSince1970 + RelayServers.lifetime - end))
    }

    @Test(
        "A04-S R05-S a session without a connection is forgotten after its time, and its secret is worth nothing then")
    func forgottenSession() async throws {
        let house = try await House()
        let lost = try await Line(house)
        try await lost.open("alice")
        await lost.passInSilence(10)
        #expect(!lost.isOpen)
        let sessions = house.services.sessions
        // The loss is noted by another thread.
        var forgotten = 0
        for _ in 0..<100_000 where forgotten == 0 {
            forgotten = sessions.expire(lostBefore: house.clock.now + .seconds(1))
            await Task.yield()
        }
        #expect(forgotten == 1 && sessions.count == 0)
        let again = try await Line(house)
        #expect(try await again.open("alice", resume: lost.secret).contains(#""resumed":false"#))
    }

    @Test("A04-S a name that is changed is free at once, and takes no room in the list of names")
    func changedName() async throws {
        let house = try await House()
        let alice = try await Line(house)
        try await alice.open("alice")
        for number in 0..<5 { try await alice.call("profile.set", #"{"name":"Name \#(number)"}"#) }
        let sessions = house.services.sessions
        #expect(sessions.isNameInUse("Name 4", in: House.application.id, besides: nil))
        #expect(!sessions.isNameInUse("Name 3", in: House.application.id, besides: nil))
        #expect(sessions.namesInUse == 1)
    }

    @Test(
        "A04-S of two guests who ask for a name in the same moment one gets it, and it is free again when that attempt fails"
    )
    func sameNameAtOnce() async throws {
        let sessions = try await House().services.sessions
        let application = House.application.id
        let guests = try ["guest-1", "guest-2"].map { try #require(UserID($0)) }
        #expect(sessions.reserveName("Kim", for: guests[0], in: application))
        #expect(!sessions.reserveName("KIM", for: guests[1], in: application))
        #expect(sessions.isNameInUse("kim", in: application, besides: nil))
        sessions.releaseName("Kim", for: guests[1], in: application)
        #expect(!sessions.reserveName("Kim", for: guests[1], in: application), "another's release frees nothing")
        sessions.releaseName("Kim", for: guests[0], in: application)
        #expect(sessions.reserveName("Kim", for: guests[1], in: application))
    }

    @Test("R05-S what comes behind a text that ends the connection is not done")
    func behindTheEnd() async throws {
        let house = try await House()
        let line = try await Line(house)
        let ticket = try house.ticket("alice", lifetime: 100)
        try await line.send(
            text: "no call", before: "session.open",
            #"{"version":1,"app":\#(House.application.id),"user":"alice","ticket":"\#(ticket)"}"#)
        try await line.hears("close 1007")
        await line.passInSilence(2)
        while !line.isForgotten { await Task.yield() }
        #expect(house.services.sessions.count == 0 && !line.heard.contains { $0.contains(#""id":1"#) })
    }

    @Test("R05-S who does not sign in within 10 s is told so and closed with 4003; who does is not")
    func signInDeadline() async throws {
        let line = try await Line(House())
        try await line.pass(9)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.hears("session.closed").contains("not_signed_in"))
        try await line.hears("close 4003")

        let prompt = try await Line(House())
        try await prompt.pass(9)
        try await prompt.open("alice")
        try await prompt.pass(60)
        #expect(try await prompt.news() == [])
    }
}
