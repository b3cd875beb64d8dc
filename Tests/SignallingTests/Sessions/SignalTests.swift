import HTTP
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import Signalling

/// What is for one person, from one connection to others, in virtual time.
@Suite struct SignalTests {
    private typealias House = ConversationHouse
    private typealias Line = ConversationLine

    private struct Word: TextFilter {
        func stopped(in text: String) -> String? { text.contains("casino") ? "casino" : nil }
    }

    private func signal(_ text: String, to user: String = "bob") -> String { #"{"user":"\#(user)","text":"\#(text)"}"# }

    /// How many somebody has heard.
    private func signals(_ line: Line) async throws -> Int {
        try await line.call("clock.read")
        return line.heard.count { $0.contains(#""method":"signal""#) }
    }

    private func people(_ house: House, _ names: String...) async throws -> [Line] {
        var lines: [Line] = []
        for name in names {
            let line = try await Line(house)
            try await line.open(name)
            lines.append(line)
        }
        return lines
    }

    @Test("a signal reaches its person in no room and in another, with its id and its sender, and nobody else")
    func told() async throws {
        let house = try await House()
        let lines = try await people(house, "alice", "bob", "carol")
        let (alice, bob, carol) = (lines[0], lines[1], lines[2])
        #expect(try await alice.call("signal.send", signal("first")).contains(#""result":{}"#))
        try await bob.call("room.create", #"{"room":78,"name":"Salon"}"#)
        try await carol.call("room.enter", #"{"room":78}"#)
        _ = try await bob.news()
        let custom = #"{"user":"bob","command":"LOOK","message":"{}","id":"a-1"}"#
        #expect(try await alice.call("signal.send", custom).contains(#""result":{}"#))
        let heard = try await bob.hears(#""method":"signal""#)
        #expect(heard.contains(#""command":"LOOK""#) && heard.contains(#""message":"{}""#))
        #expect(heard.contains(#""id":"a-1""#) && heard.contains(#""id":"alice""#) && heard.contains(#""time":"#))
        for line in [alice, carol] { #expect(try await signals(line) == 0) }
        // Oneself, on one's clients.
        #expect(try await alice.call("signal.send", signal("to me", to: "alice")).contains(#""result":{}"#))
        try await alice.hears("to me")
    }

    @Test("who is signed in nowhere is away, and what a message may not be a signal may not be either")
    func refused() async throws {
        let house = try await House(filter: Word())
        let lines = try await people(house, "alice", "bob")
        let long = String(repeating: "x", count: 12 * 1_024 + 1)
        for (params, error) in [
            (signal("hi", to: "nobody"), "user_away"), (signal("hi", to: "no one"), "user_id_invalid"),
            (signal(""), "invalid_params"), (#"{"user":"bob"}"#, "invalid_params"),
            (#"{"user":"bob","command":"","message":"x"}"#, "invalid_params"),
            (#"{"user":"bob","text":"x","id":"é"}"#, "invalid_params"), (#"{"text":"x"}"#, "invalid_params"),
            (signal(long), "message_too_large"), (signal("the casino"), "text_filtered"),
            (#"{"user":"bob","command":"casino","message":""}"#, "text_filtered"),
        ] {
            let answer = try await lines[0].call("signal.send", params)
            #expect(answer.contains("\"\(error)\""), "\(params.prefix(80)): \(answer)")
        }
        #expect(try await signals(lines[1]) == 0)
        let fresh = try await Line(house)
        #expect(try await fresh.call("signal.send", signal("hi")).contains(#""not_signed_in""#))
    }

    @Test(
        "G04-S one person gets ten signals from another at once and one a second, 128 KiB from all; the address counts them"
    )
    func limits() async throws {
        let house = try await House()
        let lines = try await people(house, "alice", "bob", "carol")
        for number in 1...10 {
            #expect(try await lines[0].call("signal.send", signal("n \(number)")).contains(#""result":{}"#))
        }
        let refusal = try await lines[0].call("signal.send", signal("n 11"))
        #expect(refusal.contains("rate_limited"))
        let wait = try #require(refusal.firstMatch(of: /"retryAfterMs":(\d+)/).flatMap { Int64($0.1) })
        #expect((1...1_000).contains(wait))
        // Others are no poorer by that, and neither are others of hers.
        #expect(try await lines[2].call("signal.send", signal("from carol")).contains(#""result":{}"#))
        #expect(try await lines[0].call("signal.send", signal("to carol", to: "carol")).contains(#""result":{}"#))
        house.clock.advance(by: .milliseconds(wait))
        #expect(try await lines[0].call("signal.send", signal("n 11")).contains(#""result":{}"#))

        let crowded = try await House()
        _ = try await people(crowded, "bob")
        var told = 0
        // The largest on the wire: each of these letters takes two bytes there.
        let large = String(repeating: #"\""#, count: 12 << 10)
        for number in 0..<3 {
            let sender = try await people(crowded, "sender-\(number)")[0]
            for _ in 0..<4 where try await sender.call("signal.send", signal(large)).contains(#""result":{}"#) {
                told += 1
            }
        }
        #expect(told == 5)

        let narrow = try await House(messagesPerAddress: AdmissionLimits.messages(perSecond: 2))
        let few = try await people(narrow, "alice", "bob")
        var answer = ""
        for _ in 0..<8 where !answer.contains("rate_limited") {
            answer = try await few[0].call("signal.send", signal("x"))
        }
        #expect(answer.contains("limits.messages_per_address"))
    }

    @Test("G06-S whom the operator has muted in the application sends no signals, until the mute is over")
    func muted() async throws {
        let house = try await House()
        let lines = try await people(house, "alice", "bob")
        let until = house.clock.wallTime.millisecondsSince1970 + 60_000
        house.restrictions.set(
            Restriction(
                .chatMute, user: UserID(literal: "alice"), name: "", until: until, everywhere: true,
                by: UserID(literal: "shop"), reason: "rude"),
            from: .application, in: House.application.id)
        let answer = try await lines[0].call("signal.send", signal("hi"))
        #expect(answer.contains(#""chat_muted""#) && answer.contains("rude") && answer.contains("retryAfterMs"))
        #expect(try await signals(lines[1]) == 0)
        house.clock.advance(by: .seconds(61))
        #expect(try await lines[0].call("signal.send", signal("hi")).contains(#""result":{}"#))
    }

    @Test(
        "G03-S a signal under review holds up no other call; refused, dropped and told in other words as messages are")
    func reviewed() async throws {
        let house = try await House()
        let lines = try await people(house, "alice", "bob", "carol")
        let (alice, bob) = (lines[0], lines[1])
        house.reviewer.turnOn()
        func ask(_ text: String) async throws {
            try await alice.send("signal.send", signal(text))
            // Answered behind it, while it is looked at.
            try await alice.call("clock.read")
            for _ in 1...100_000 where house.reviewer.waiting == 0 { await Task.yield() }
        }
        try await ask("one")
        #expect(house.reviewer.asked == [.text("one")])
        house.reviewer.answer(.refused)
        try await alice.hears(#""review_refused""#)
        try await ask("two")
        house.reviewer.answer(.dropped)
        try await ask("three")
        house.reviewer.answer(.told(.text("in other words")))
        #expect(try await bob.hears(#""method":"signal""#).contains("in other words"))
        #expect(!bob.heard.contains { $0.contains("two") || $0.contains("one") })

        // Twenty of a person at once.
        for number in 0..<10 { try await alice.send("signal.send", signal("n \(number)", to: "alice")) }
        house.clock.advance(by: .seconds(30))
        for number in 0..<10 { try await alice.send("signal.send", signal("n \(number)")) }
        try await alice.send("signal.send", signal("one more", to: "carol"))
        try await alice.hears("wait for a review")
    }

    @Test("A12-S of whoever is muted or signed out while a signal of theirs is under review nothing is told")
    func rightsLostUnderReview() async throws {
        let house = try await House()
        let lines = try await people(house, "alice", "bob", "carol")
        house.reviewer.turnOn()
        for (line, text) in [(lines[0], "from alice"), (lines[2], "from carol")] {
            try await line.send("signal.send", signal(text))
            try await line.call("clock.read")
        }
        for _ in 1...100_000 where house.reviewer.waiting < 2 { await Task.yield() }
        house.restrictions.set(
            Restriction(
                .chatMute, user: UserID(literal: "alice"), name: "", until: nil, everywhere: true,
                by: UserID(literal: "shop"), reason: nil),
            from: .application, in: House.application.id)
        await house.services.sessions.signOut(UserID(literal: "carol"), in: House.application.id, why: .signedOut)
        for _ in 0..<2 { house.reviewer.answer(.told(.text("allowed"))) }
        try await lines[0].hears(#""chat_muted""#)
        while house.services.signals.underReview > 0 { await Task.yield() }
        #expect(try await signals(lines[1]) == 0)
    }
}
