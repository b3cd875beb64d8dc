import HTTP
import RoomTestSupport
import SignalProtocol
import Testing
import Timing

@testable import Signalling

/// How much one address may write, and how often one person may change a room.
@Suite struct AllowanceTests {
    private typealias House = ConversationHouse
    private typealias Line = ConversationLine

    /// A room that olga runs and mia has come into, which was the first of mia's changes.
    private func room(_ settings: String = #""name":"Salon""#, in house: House) async throws -> (olga: Line, mia: Line)
    {
        let (olga, mia) = (try await Line(house), try await Line(house))
        try await olga.open("olga")
        try await olga.call("room.create", #"{"room":77,\#(settings)}"#)
        try await mia.open("mia")
        try await mia.call("room.enter", #"{"room":77}"#)
        return (olga, mia)
    }

    /// In how many milliseconds somebody who was refused may try again.
    private func wait(in answer: String) -> Int64? {
        answer.firstMatch(of: /"retryAfterMs":(\d+)/).flatMap { Int64($0.1) }
    }

    /// A house where somebody may change a room as often at once as ever, and once more after 100 s: nothing comes back while a test uses
    /// up what there is, however many turns its calls take.
    private func slowHouse() async throws -> House {
        var limits = AdmissionLimits()
        limits.changes.perSecond = 0.01
        limits.hostsChanges.perSecond = 0.01
        return try await House(limits: limits)
    }

    private static let nextChange = Interval.seconds(100)

    /// How often somebody may change the room before they are told to wait.
    private func changes(of line: Line) async throws -> Int {
        for count in 0..<100 {
            let answer = try await line.call("seat.move", #"{"room":77,"seat":\#(count % 2)}"#)
            if wait(in: answer) != nil { return count }
            #expect(answer.contains(#""not_seated""#), "\(answer)")
        }
        return 100
    }

    @Test(
        "G04-S the people behind one address share an allowance of messages, and a refusal names it and says when to try again"
    )
    func messagesOfOneAddress() async throws {
        let house = try await House(messagesPerAddress: AdmissionLimits.messages(perSecond: 10))
        let (alice, bob, carol) = (try await Line(house), try await Line(house), try await Line(house))
        for (line, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await line.open(name) }
        try await alice.call("room.create", #"{"room":"salon","name":"Salon","seats":2}"#)
        for line in [bob, carol] { try await line.call("room.enter", #"{"room":"salon"}"#) }
        let message = #"{"room":"salon","text":"hello"}"#
        // What the room refuses one who floods is no one's loss behind the address.
        for number in 1...25 {
            let answer = try await bob.call("message.send", message)
            #expect(answer.contains(number <= 10 ? #""chat":"# : "rooms.messages_per_person"), "\(answer)")
        }
        for _ in 0..<10 { #expect(try await alice.call("message.send", message).contains(#""chat":"#)) }
        for line in [alice, carol] {
            let refusal = try await line.call("message.send", message)
            #expect(refusal.contains("rate_limited") && refusal.contains("limits.messages_per_address"), "\(refusal)")
            #expect(try (1...100).contains(#require(wait(in: refusal))))
        }
        // Whatever is no message passes.
        #expect(try await carol.call("like.send", #"{"room":"salon","count":1}"#).contains("total"))
        house.clock.advance(by: .milliseconds(100))
        #expect(try await carol.call("message.send", message).contains(#""chat":21"#))
    }

    @Test(
        "G04-S a member who takes and leaves a seat without a pause is refused after twenty times, under any connection, before the room hears of it, and told when to try again"
    )
    func changesOfOnePerson() async throws {
        let house = try await slowHouse()
        let (olga, mia) = try await room(in: house)
        var taken = 0
        while taken < 100 {
            let answer = try await mia.call("seat.take", #"{"room":77,"seat":3}"#)
            guard answer.contains(#""result""#) else { break }
            taken += 1
            #expect(try await mia.call("seat.leave", #"{"room":77}"#).contains(#""result""#))
        }
        // Coming in was the first.
        #expect(taken == 19)
        // By its name alone: what follows is not read, and would be refused otherwise.
        let refusal = try await mia.call("seat.take", #"{"seat":"none"}"#)
        #expect(refusal.contains("rate_limited") && refusal.contains("limits.changes_per_second"), "\(refusal)")
        #expect(try (1...100_000).contains(#require(wait(in: refusal))))
        // Where the first bytes do not say what it is, the call itself does.
        let long = String(repeating: " ", count: CallOutline.bytesRead)
        try await mia.send(
            text: #"{"jsonrpc":"2.0","params":{"room":77,\#(long)"seat":3},"id":"late","method":"seat.take"}"#,
            before: "clock.read", "{}")
        #expect(try await mia.hears(#""late""#).contains("rate_limited"))
        // Where they do not say by which id it is answered, neither.
        try await mia.send(
            text: #"{"jsonrpc":"2.0","method":"seat.take","params":{"room":77,\#(long)"seat":3},"id":"behind"}"#,
            before: "clock.read", "{}")
        #expect(try await mia.hears(#""behind""#).contains("rate_limited"))

        // Who comes again has what they left.
        try await mia.call("room.exit", #"{"room":77}"#)
        let again = try await Line(house)
        try await again.open("mia")
        #expect(try await again.call("room.enter", #"{"room":77}"#).contains("rate_limited"))
        // Others have their own.
        #expect(try await olga.call("seat.take", #"{"room":77,"seat":0}"#).contains(#""result""#))
        house.clock.advance(by: Self.nextChange)
        #expect(try await again.call("room.enter", #"{"room":77}"#).contains(#""result""#))
        #expect(try await again.call("seat.take", #"{"room":77,"seat":3}"#).contains("rate_limited"))
        house.clock.advance(by: Self.nextChange)
        #expect(try await again.call("seat.take", #"{"room":77,"seat":3}"#).contains(#""result""#))
    }

    @Test(
        "G04-S however often somebody has changed the room, they can mute themselves, leave the seat and go; unmuting waits"
    )
    func silenceIsFree() async throws {
        let house = try await slowHouse()
        let (_, mia) = try await room(#""name":"Salon","kind":"live""#, in: house)
        try await mia.call("seat.take", #"{"room":77,"seat":3}"#)
        func mute(_ muted: Bool) async throws -> String {
            try await mia.call("microphone.set", #"{"room":77,"muted":\#(muted)}"#)
        }
        var unmuted = 0
        while unmuted < 100 {
            guard try await mute(false).contains(#""result""#) else { break }
            unmuted += 1
            #expect(try await mute(true).contains(#""result""#))
        }
        #expect(unmuted == 18)
        for (method, params) in [
            ("microphone.set", #"{"room":77,"muted":true}"#), ("camera.set", #"{"room":77,"on":false}"#),
            ("seat.leave", #"{"room":77}"#), ("room.exit", #"{"room":77}"#),
        ] {
            #expect(try await mia.call(method, params).contains(#""result""#), "\(method)")
        }
    }

    @Test(
        "G04-S V19-S who comes and goes without a pause, or creates their own room again and again, waits before they come in, and is never kept from going"
    )
    func entries() async throws {
        let house = try await slowHouse()
        let (olga, mia) = (try await Line(house), try await Line(house))
        try await olga.open("olga")
        try await mia.open("mia")
        /// How often somebody comes in, and goes again, before they are told to wait.
        func entries(of line: Line, _ method: String, _ params: String) async throws -> Int {
            var count = 0
            while count < 100 {
                let answer = try await line.call(method, params)
                guard answer.contains(#""result""#) else {
                    #expect(answer.contains("rate_limited") && answer.contains("limits.changes_per_second"))
                    break
                }
                count += 1
                let room = try #require(answer.firstMatch(of: /"room":(\d+)/)?.1)
                #expect(try await line.call("room.exit", #"{"room":\#(room)}"#).contains(#""result""#))
            }
            return count
        }
        try await olga.call("room.create", #"{"room":77,"name":"Salon"}"#)
        #expect(try await entries(of: olga, "room.enter", #"{"room":77}"#) == 40)
        #expect(try await entries(of: olga, "room.create", #"{"room":77,"name":"Other"}"#) == 0)
        #expect(try await entries(of: mia, "room.enter", #"{"room":77}"#) == 20)
        // By its key a creation leads into the room that it made, whose number nobody says.
        #expect(try await entries(of: mia, "room.create", #"{"name":"Salon","key":"one"}"#) == 20)
    }

    @Test(
        "G04-S V19-S who is in a room already learns what they missed however often they have changed it, by a new connection too"
    )
    func entriesOfThosePresent() async throws {
        let house = try await slowHouse()
        let (_, mia) = try await room(in: house)
        #expect(try await changes(of: mia) == 19)
        let again = #"{"room":77,"since":{"epoch":1,"seq":1,"chat":0}}"#
        for _ in 0..<3 { #expect(try await mia.call("room.enter", again).contains(#""result""#)) }
        let back = try await Line(house)
        try await back.open("mia", resume: mia.secret)
        for _ in 0..<3 { #expect(try await back.call("room.enter", again).contains(#""result""#)) }
        #expect(try await changes(of: back) == 0)
        house.clock.advance(by: Self.nextChange)
        try await back.call("room.enter", again)
        #expect(
            try await back.call("seat.move", #"{"room":77,"seat":0}"#).contains("rate_limited"),
            "it takes one where there is one")
    }

    @Test(
        "G04-S V19-S who goes and comes in one breath waits before they come in, though the room has not let them go yet: again and again"
    )
    func goingAndComingInOneBreath() async throws {
        let house = try await slowHouse()
        let (olga, mia) = try await room(in: house)
        let message = #"{"room":77,"text":"hello"}"#
        /// A message that is not stored yet. The room answers nothing that it decides afterwards before it is.
        func write() async throws {
            try await olga.send("message.send", message)
            try await olga.call("clock.read")
        }
        #expect(try await changes(of: mia) == 19)
        house.journal.setMode(.manual)
        try await write()
        _ = try await mia.news()
        try await mia.send(
            text: #"{"jsonrpc":"2.0","id":"out","method":"room.exit","params":{"room":77}}"#, before: "room.enter",
            #"{"room":77}"#)
        #expect(try await mia.hears("rate_limited").contains("limits.changes_per_second"))
        #expect(!mia.heard.contains { $0.contains(#""out""#) })
        house.journal.commit()
        #expect(try await mia.hears(#""out""#).contains(#""result""#))

        // The same while an earlier entry is answered and the exit behind it is not.
        house.clock.advance(by: Self.nextChange * 2)
        try await mia.call("room.enter", #"{"room":77}"#)
        try await write()
        try await mia.send("room.exit", #"{"room":77}"#)
        try await mia.send("room.enter", #"{"room":77}"#)
        try await mia.call("clock.read")
        try await write()
        try await mia.send(
            text: #"{"jsonrpc":"2.0","id":"gone","method":"room.exit","params":{"room":77}}"#, before: "clock.read",
            "{}")
        _ = try await mia.news()
        house.journal.commit(1)
        try await mia.hears(#""snapshot""#)
        try await mia.send("room.enter", #"{"room":77}"#)
        #expect(try await mia.hears("rate_limited").contains("limits.changes_per_second"))
        #expect(!mia.heard.contains { $0.contains(#""gone""#) })
        house.journal.commit()
        #expect(try await mia.hears(#""gone""#).contains(#""result""#))
    }

    @Test("G04-S who runs the room changes it twice as often at once as a member, from the moment that they do")
    func changesOfHosts() async throws {
        let house = try await slowHouse()
        let (olga, mia) = try await room(in: house)
        #expect(try await changes(of: mia) == 19)
        #expect(try await olga.call("role.set", #"{"room":77,"user":"mia","role":"admin"}"#).contains(#""result""#))
        #expect(try await changes(of: mia) == 40)
        #expect(try await changes(of: olga) == 39)
    }
}
