import Testing

@testable import Signalling

/// What a session is told of its ticket's end, and when it ends with it.
@Suite struct SessionTicketTests {
    private typealias House = ConversationHouse
    private typealias Line = ConversationLine

    @Test(
        "A10-S a session is told 300 s and 60 s before its ticket's end, once each, and is closed at the end with 6206")
    func expiry() async throws {
        let line = try await Line(House())
        try await line.open("alice", lifetime: 1_000)
        try await line.pass(699)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.notices() == [300])
        try await line.pass(239)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.notices() == [60])
        try await line.pass(59)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.hears("session.closed").contains(#""code":6206"#))
        try await line.hears("close 4002")
    }

    @Test("A10-S a renewed ticket has notices and an end of its own, and the former one's are void")
    func renewal() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice", lifetime: 400)
        try await line.pass(101)
        #expect(try await line.notices() == [300])
        try await line.call("session.renew", #"{"ticket":"\#(house.ticket("alice", lifetime: 1_000))"}"#)
        #expect(try await line.news() == [])
        // Past the first ticket's other notice and its end.
        try await line.pass(699)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.notices() == [300])
        try await line.pass(240)
        #expect(try await line.notices() == [60])
        try await line.pass(60)
        try await line.hears("close 4002")
    }

    @Test("R05-S a ticket that is renewed again and again leaves the alarms of the newest: two notices and the end")
    func renewalLeavesNothing() async throws {
        let house = try await House()
        let line = try await Line(house)
        #expect(try await line.alarms() == 1, "the sign-in's")
        try await line.open("alice", lifetime: 400)
        for lifetime in [500, 600, 700] as [Int64] {
            try await line.call("session.renew", #"{"ticket":"\#(house.ticket("alice", lifetime: lifetime))"}"#)
            try await line.call("clock.read")
            #expect(try await line.alarms() == 3)
        }
    }

    @Test("A10-S an alarm of the former ticket that rings while the renewal is on its way ends nothing")
    func renewalAtTheEnd() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice", lifetime: 400)
        try await line.pass(399)
        // The call is in the connection's queue before the alarm of the old ticket's end is.
        try await line.send("session.renew", #"{"ticket":"\#(house.ticket("alice", lifetime: 1_000))"}"#)
        try await line.pass(1)
        try await line.call("clock.read")
        #expect(line.isOpen && !line.heard.contains { $0.contains("session.closed") })
    }

    @Test("A10-S a notice that is due already when the session opens is left out: the answer says the same")
    func lateNotices() async throws {
        let line = try await Line(House())
        try await line.open("alice", lifetime: 60)
        try await line.pass(59)
        #expect(try await line.news() == [])
        try await line.pass(1)
        try await line.hears("close 4002")
    }

    @Test("A10-S a session that was taken over ends with its new ticket, whatever becomes of the older connection")
    func takenOver() async throws {
        let house = try await House()
        let (old, new) = (try await Line(house), try await Line(house))
        try await old.open("alice", lifetime: 400)
        try await new.open("alice", lifetime: 1_000, resume: old.secret)
        try await old.hears("close 4001")
        await old.passInSilence(2, keepingTime: false)
        #expect(!old.isOpen)
        try await new.pass(700)
        #expect(try await new.notices() == [300])
        try await new.pass(300)
        try await new.hears("close 4002")
    }
}
